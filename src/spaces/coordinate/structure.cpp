#include "spaces/coordinate/structure.h"

#include <algorithm>
#include <cctype>

#include "base/check.h"
#include "expr/lexer.h"

namespace cambium::spaces::coordinate {
namespace {

// The high half of the same MERGE, which stands for both.
bool has_high_half(const Operator& op, const Coordinate& low) {
  return std::any_of(op.coordinates.begin(), op.coordinates.end(), [&](const Coordinate& c) {
    return c.kind == CoordinateKind::MergeHigh && c.first == low.first &&
           c.parameter == low.parameter;
  });
}

}  // namespace

bool is_ordered(const Operator& op) {
  const auto count = static_cast<CoordinateIndex>(op.coordinates.size());
  int stage = 0;  // outputs, reductions, others
  for (CoordinateIndex i = 0; i < count; ++i) {
    const Coordinate& c = op.coordinates[place_of(i)];
    const int own = c.kind == CoordinateKind::Output ? 0 : c.kind == CoordinateKind::Reduce ? 1 : 2;
    if (own < stage) return false;
    stage = own;
    const int operands = info_of(c.kind).operands;
    if (operands >= 1 && (c.first < 0 || c.first >= i)) return false;
    if (operands == 2 && (c.second < 0 || c.second >= i)) return false;
  }
  const auto in_range = [&](CoordinateIndex i) { return i >= 0 && i < count; };
  return std::all_of(op.data.begin(), op.data.end(), in_range) &&
         std::all_of(op.weights.begin(), op.weights.end(), [&](const auto& weight) {
           return std::all_of(weight.begin(), weight.end(), in_range);
         });
}

std::vector<Use> uses_of(const Operator& op) {
  std::vector<Use> uses(op.coordinates.size());
  const auto consume = [&](CoordinateIndex operand, CoordinateIndex by, int axis) {
    Use& use = uses[place_of(operand)];
    ++use.consumptions;
    use.consumer = by;
    use.axis = axis;
  };
  for (std::size_t i = 0; i < op.coordinates.size(); ++i) {
    const Coordinate& c = op.coordinates[i];
    const int operands = info_of(c.kind).operands;
    if (c.kind == CoordinateKind::MergeLow && has_high_half(op, c)) continue;
    if (operands >= 1) consume(c.first, static_cast<CoordinateIndex>(i), -1);
    if (operands == 2) consume(c.second, static_cast<CoordinateIndex>(i), -1);
  }
  for (std::size_t axis = 0; axis < op.data.size(); ++axis) {
    consume(op.data[axis], kNoCoordinate, static_cast<int>(axis));
  }
  for (std::size_t w = 0; w < op.weights.size(); ++w) {
    for (const CoordinateIndex c : op.weights[w]) uses[place_of(c)].weights |= 1U << w;
  }
  return uses;
}

std::vector<CoordinateIndex> expanded_alone(const Operator& op) {
  const std::vector<Use> uses = uses_of(op);
  std::vector<CoordinateIndex> alone;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].consumptions == 0 && uses[i].weights == 0) {
      alone.push_back(static_cast<CoordinateIndex>(i));
    }
  }
  return alone;
}

std::size_t output_count(const Operator& op) {
  return static_cast<std::size_t>(
      std::count_if(op.coordinates.begin(), op.coordinates.end(),
                    [](const Coordinate& c) { return c.kind == CoordinateKind::Output; }));
}

std::size_t reduction_count(const Operator& op) {
  return static_cast<std::size_t>(
      std::count_if(op.coordinates.begin(), op.coordinates.end(),
                    [](const Coordinate& c) { return c.kind == CoordinateKind::Reduce; }));
}

std::vector<std::uint64_t> leaves_of(const Operator& op) {
  std::vector<std::uint64_t> leaves(op.coordinates.size());
  for (std::size_t i = 0; i < op.coordinates.size(); ++i) {
    const Coordinate& c = op.coordinates[i];
    const int operands = info_of(c.kind).operands;
    if (operands == 0) leaves[i] = std::uint64_t{1} << i;
    if (operands >= 1) leaves[i] |= leaves[place_of(c.first)];
    if (operands == 2) leaves[i] |= leaves[place_of(c.second)];
  }
  return leaves;
}

std::uint64_t averaged_reductions(const Operator& op) {
  const std::vector<std::uint64_t> leaves = leaves_of(op);
  std::uint64_t averaged = 0;
  for (std::size_t i = 0; i < op.coordinates.size(); ++i) {
    if (op.coordinates[i].kind == CoordinateKind::Reduce) averaged |= std::uint64_t{1} << i;
  }
  for (const auto& weight : op.weights) {
    for (const CoordinateIndex c : weight) averaged &= ~leaves[place_of(c)];
  }
  return averaged;
}

int primitive_count(const Operator& op) {
  std::size_t count = op.weights.size() + expanded_alone(op).size();
  for (const Coordinate& c : op.coordinates) {
    if (info_of(c.kind).primitive && c.kind != CoordinateKind::MergeLow) ++count;
  }
  return static_cast<int>(count);
}

Result<expr::Size> made_domain(const Operator& op, const Coordinate& c) {
  const auto domain = [&](CoordinateIndex i) { return op.coordinates[place_of(i)].domain; };
  switch (c.kind) {
    case CoordinateKind::Output:
    case CoordinateKind::Reduce: return c.domain;
    case CoordinateKind::Split: return product(domain(c.first), domain(c.second));
    case CoordinateKind::MergeHigh: return quotient(domain(c.first), c.parameter);
    case CoordinateKind::MergeLow: return c.parameter;
    case CoordinateKind::Stride: return product(domain(c.first), c.parameter);
    case CoordinateKind::Shift:
    case CoordinateKind::Unfold: return domain(c.first);
  }
  CAMBIUM_CHECK(false, "not a kind of coordinate");
}

LeafNames derived_names(const Problem& problem, const Operator& op) {
  LeafNames names;
  const auto add = [&](const std::string& wish) {
    std::string name = wish;
    for (int number = 2; !expr::is_name(name) || view_named(name) ||
                         std::find(names.begin(), names.end(), name) != names.end();
         ++number) {
      name = wish + std::to_string(number);
    }
    names.push_back(name);
  };
  int reductions = 0;
  for (const Coordinate& c : op.coordinates) {
    if (c.kind == CoordinateKind::Reduce) {
      add("r" + std::to_string(++reductions));
    } else if (c.kind == CoordinateKind::Output) {
      std::string wish = "i";
      for (const expr::SizeVar v : problem.sizes.vars()) {
        if (c.domain.powers()[v] <= 0) continue;
        wish = problem.sizes.name(v);
        std::transform(wish.begin(), wish.end(), wish.begin(), [](unsigned char letter) {
          return static_cast<char>(std::tolower(letter));
        });
        break;
      }
      add(wish);
    }
  }
  return names;
}

std::string coordinate_text(const Problem& problem, const Operator& op, const LeafNames& names,
                            CoordinateIndex index) {
  const Coordinate& c = op.coordinates[place_of(index)];
  const CoordinateInfo& info = info_of(c.kind);
  if (info.operands == 0) {
    CAMBIUM_CHECK(place_of(index) < names.size(), "an output or reduction without a name");
    return names[place_of(index)];
  }
  std::string text(info.word);
  text += "(" + coordinate_text(problem, op, names, c.first);
  if (info.operands == 2) text += ", " + coordinate_text(problem, op, names, c.second);
  if (info.has_parameter) text += ", " + problem.sizes.print(c.parameter);
  return text + ")";
}

}  // namespace cambium::spaces::coordinate
