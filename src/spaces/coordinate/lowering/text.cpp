#include "spaces/coordinate/lowering/text.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "base/text.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {

namespace {

// The precedence of a text: a + b, a * b or a / b, a name.
enum class Bond : std::uint8_t { Sum, Product, Name };

struct Text {
  std::string text;
  Bond bond = Bond::Name;

  std::string within(Bond least) const { return bond < least ? fmt::format("({})", text) : text; }
};

class Writer {
 public:
  Writer(const Problem& problem, const Operator& op)
      : problem_(problem),
        op_(op),
        averaged_(averaged_reductions(op)),
        names_(op.coordinates.size()) {
    const LeafNames leaves = derived_names(problem, op);
    std::copy(leaves.begin(), leaves.end(), names_.begin());
  }

  // A composed coordinate that is read between stages gets a name.
  void name_axes(const std::vector<CoordinateIndex>& axes) {
    for (const CoordinateIndex c : axes) {
      if (!names_[place_of(c)].empty()) continue;
      std::string name;
      do {
        name = fmt::format("p{}", ++named_);
      } while (std::find(names_.begin(), names_.end(), name) != names_.end());
      names_[place_of(c)] = name;
    }
  }
  // From now on these are the loops; other coordinates are expressions of them.
  void enter(const Stage& stage) {
    is_loop_.assign(op_.coordinates.size(), false);
    for (const CoordinateIndex c : stage.output) is_loop_[place_of(c)] = true;
    for (const CoordinateIndex c : stage.reductions) is_loop_[place_of(c)] = true;
    conditions_.clear();
  }

  std::string size(const expr::Size& s) const { return problem_.sizes.print(s); }
  std::string domain(CoordinateIndex c) const { return size(op_.coordinates[place_of(c)].domain); }
  const std::string& name(CoordinateIndex c) const { return names_[place_of(c)]; }
  bool is_averaged(CoordinateIndex c) const { return (averaged_ >> c & 1) != 0; }
  const std::vector<std::string>& conditions() const { return conditions_; }

  std::string read(const std::string& tensor, const std::vector<CoordinateIndex>& axes) {
    std::vector<std::string> places;
    for (const CoordinateIndex c : axes) places.push_back(text(c).text);
    return fmt::format("{}[{}]", tensor, join(places, ", "));
  }

  std::string product(const Stage& stage, const std::string& before) {
    std::string out = read(before, stage.input);
    for (const std::size_t w : stage.weights) {
      out += " * " + read(fmt::format("w{}", w + 1), op_.weights[w]);
    }
    return out;
  }

 private:
  Text factor(const expr::Size& s) const {
    const std::string text = size(s);
    return {text, text.find_first_of("*/") == std::string::npos ? Bond::Name : Bond::Product};
  }

  Text text(CoordinateIndex c) {
    if (is_loop_[place_of(c)]) return {names_[place_of(c)], Bond::Name};
    const Coordinate& it = op_.coordinates[place_of(c)];
    const Text first = text(it.first);
    switch (it.kind) {
      case CoordinateKind::Split: {
        const std::string by =
            factor(op_.coordinates[place_of(it.second)].domain).within(Bond::Name);
        return {fmt::format("{}*{} + {}", first.within(Bond::Name), by, text(it.second).text),
                Bond::Sum};
      }
      case CoordinateKind::MergeHigh:
        return {
            fmt::format("{}/{}", first.within(Bond::Name), factor(it.parameter).within(Bond::Name)),
            Bond::Product};
      case CoordinateKind::MergeLow:
        return {
            fmt::format("{}%{}", first.within(Bond::Name), factor(it.parameter).within(Bond::Name)),
            Bond::Product};
      case CoordinateKind::Shift:
        return {fmt::format("({} + 1)%{}", first.text, factor(it.domain).within(Bond::Name)),
                Bond::Product};
      case CoordinateKind::Stride:
        return {
            fmt::format("{}*{}", first.within(Bond::Name), factor(it.parameter).within(Bond::Name)),
            Bond::Product};
      case CoordinateKind::Unfold: {
        const std::string place = fmt::format("{} + {}{}", first.text, text(it.second).text,
                                              centre(op_.coordinates[place_of(it.second)]));
        const std::string condition = fmt::format("0 <= {} < {}", place, size(it.domain));
        if (std::find(conditions_.begin(), conditions_.end(), condition) == conditions_.end()) {
          conditions_.push_back(condition);
        }
        return {place, Bond::Sum};
      }
      case CoordinateKind::Output:
      case CoordinateKind::Reduce: break;
    }
    CAMBIUM_CHECK(false, "an output or a reduction that is no loop of its stage");
  }

  // What is subtracted from the sum of an unfold's coordinates.
  std::string centre(const Coordinate& window) const {
    const bool strided = window.kind == CoordinateKind::Stride;
    if (window.domain.is_constant() && window.parameter.is_constant()) {
      const std::int64_t step = strided ? window.parameter.factor() : 1;
      const std::int64_t middle = (window.domain.factor() - step + 1) / 2;
      return middle == 0 ? "" : fmt::format(" - {}", middle);
    }
    if (!strided) return fmt::format(" - {}/2", factor(window.domain).within(Bond::Name));
    return fmt::format(" - ({} - {} + 1)/2", size(window.domain), size(window.parameter));
  }

  const Problem& problem_;
  const Operator& op_;
  std::uint64_t averaged_;
  std::vector<std::string> names_;
  int named_ = 0;
  std::vector<bool> is_loop_;
  std::vector<std::string> conditions_;
};

// "sum over r1 < Ci, mean over r2 < k of "
std::string sums_text(const Writer& writer, const Stage& stage) {
  std::string out;
  for (const bool averaged : {false, true}) {
    std::vector<std::string> over;
    for (const CoordinateIndex c : stage.reductions) {
      if (writer.is_averaged(c) != averaged) continue;
      over.push_back(fmt::format("{} < {}", writer.name(c), writer.domain(c)));
    }
    if (over.empty()) continue;
    if (!out.empty()) out += ", ";
    out += fmt::format("{} over {}", averaged ? "mean" : "sum", join(over, ", "));
  }
  return out.empty() ? "" : out + " of ";
}

std::string result_name(std::size_t stage, std::size_t count) {
  return stage + 1 == count ? "y" : fmt::format("z{}", stage + 1);
}

// The operator as one stage.
Stage whole(const Operator& op) {
  Stage stage{op.data, {}, {}, {}};
  for (std::size_t w = 0; w < op.weights.size(); ++w) stage.weights.push_back(w);
  const std::size_t outputs = output_count(op), leaves = outputs + reduction_count(op);
  for (std::size_t c = 0; c < leaves; ++c) {
    (c < outputs ? stage.output : stage.reductions).push_back(static_cast<CoordinateIndex>(c));
  }
  return stage;
}

}  // namespace

std::string stages_text(const Problem& problem, const Operator& op, std::span<const Stage> stages) {
  Writer writer(problem, op);
  std::string out, before = "x";
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages[s];
    writer.name_axes(stage.output);
    writer.enter(stage);
    const std::string result = result_name(s, stages.size());
    out += fmt::format("{} = {}{}\n", writer.read(result, stage.output), sums_text(writer, stage),
                       writer.product(stage, before));
    before = result;
  }
  return out;
}

std::string equation_text(const Problem& problem, const Operator& op) {
  const Stage stage = whole(op);
  return stages_text(problem, op, {&stage, 1});
}

std::string loops_text(const Problem& problem, const Operator& op, std::span<const Stage> stages) {
  Writer writer(problem, op);
  std::string out, before = "x";
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages[s];
    writer.name_axes(stage.output);
    writer.enter(stage);
    std::size_t depth = 0;
    const auto line = [&](const std::string& text) {
      out += std::string(2 * depth, ' ') + text + "\n";
    };
    const auto loops = [&](const std::vector<CoordinateIndex>& axes) {
      for (const CoordinateIndex c : axes) {
        line(fmt::format("for {} < {}", writer.name(c), writer.domain(c)));
        ++depth;
      }
    };
    const std::string result = result_name(s, stages.size());
    const std::string target = writer.read(result, stage.output);
    std::string value = writer.product(stage, before);
    for (const CoordinateIndex c : stage.reductions) {
      if (writer.is_averaged(c)) value += fmt::format(" / ({})", writer.domain(c));
    }
    loops(stage.output);
    const bool sums = !stage.reductions.empty();
    if (sums || !writer.conditions().empty()) line(target + " = 0");
    loops(stage.reductions);
    if (!writer.conditions().empty()) {
      line("if " + join(writer.conditions(), " and "));
      ++depth;
    }
    line(fmt::format("{} {} {}", target, sums ? "+=" : "=", value));
    before = result;
  }
  return out;
}

}  // namespace cambium::spaces::coordinate
