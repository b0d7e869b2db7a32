#include "spaces/coordinate/cost.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "spaces/coordinate/bound.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {
namespace {

using Mask = std::uint64_t;

constexpr std::size_t kMostLater = 12;  // subsets of growth are tried up to this many

// Growth: what enlarges the data on its way from the input to the output. These are the windows of
// UNFOLDs, and coordinates that the data does not have.
struct Growths {
  std::vector<double> factors;
  std::vector<Mask> needed;  // by coordinate: what has happened once it exists
};

Growths growths_of(const Operator& op, const BoundOperator& bound) {
  const std::vector<Use> uses = uses_of(op);
  Growths out;
  out.needed.assign(op.coordinates.size(), 0);
  const auto fresh = [&](double factor) {
    out.factors.push_back(factor);
    // Growth beyond 64 counts as needed by nothing, so the bound remains a bound.
    return out.factors.size() <= 64 ? Mask{1} << (out.factors.size() - 1) : Mask{0};
  };
  const auto domain = [&](CoordinateIndex i) { return static_cast<double>(bound.domain(i)); };
  // Without the gaps of a STRIDE.
  const auto steps = [&](CoordinateIndex i) {
    const BoundCoordinate& c = bound.coordinates[static_cast<std::size_t>(i)];
    return c.kind == CoordinateKind::Stride ? domain(c.first) : domain(i);
  };
  // Consumers come after their operands, so the backward pass has already seen them.
  for (std::size_t i = op.coordinates.size(); i > 0; --i) {
    const auto index = static_cast<CoordinateIndex>(i - 1);
    const Coordinate& c = op.coordinates[i - 1];
    Mask& own = out.needed[i - 1];
    if (uses[i - 1].consumptions == 0) own |= fresh(domain(index));
    // The operands of an UNFOLD have its window; its result does not have it yet.
    Mask below = own;
    if (c.kind == CoordinateKind::Unfold) {
      below |= fresh(steps(c.first) * steps(c.second) / domain(index));
    }
    if (c.first != kNoCoordinate) out.needed[static_cast<std::size_t>(c.first)] |= below;
    if (c.second != kNoCoordinate) out.needed[static_cast<std::size_t>(c.second)] |= below;
  }
  return out;
}

// The fewest points of the stage that multiplies by a weight. Growth that comes later removes its
// factor. But the sums that need that growth then come later too, and so do the sums that need the
// weight.
double least_points(const BoundOperator& op, const Growths& growths, Mask needed,
                    std::uint64_t own_sums) {
  double all = 1;
  for (std::size_t i = 0; i < op.outputs; ++i) all *= static_cast<double>(op.coordinates[i].domain);
  std::vector<std::size_t> later;
  for (std::size_t g = 0; g < growths.factors.size(); ++g) {
    const bool is_needed = g < 64 && (needed >> g & 1U) != 0;
    if (!is_needed && growths.factors[g] > 1) later.push_back(g);
  }
  const bool tried = later.size() <= kMostLater;
  const Mask subsets = tried ? Mask{1} << later.size() : 1;
  double least = std::numeric_limits<double>::infinity();
  for (Mask subset = 0; subset < subsets; ++subset) {
    double points = all;
    Mask growth = 0;
    for (std::size_t g = 0; g < later.size(); ++g) {
      if (tried && (subset >> g & 1U) == 0) continue;
      points /= growths.factors[later[g]];
      if (tried && later[g] < 64) growth |= Mask{1} << later[g];
    }
    for (std::size_t r = op.outputs; r < op.outputs + op.reductions; ++r) {
      const bool open = (own_sums >> r & 1U) != 0 || (growths.needed[r] & growth) != 0;
      if (open) points *= static_cast<double>(op.coordinates[r].domain);
    }
    least = std::min(least, points);
  }
  return least;
}

Status accumulate(std::int64_t& sum, std::int64_t more) {
  if (__builtin_add_overflow(sum, more, &sum)) return Rejection(Reason::SizeOverflow);
  return Ok{};
}

}  // namespace

Result<CostBounds> cost_bounds(const Operator& op, const expr::Binding& binding) {
  CAMBIUM_TRY(const BoundOperator bound, bind(op, binding));
  const Growths growths = growths_of(op, bound);
  const std::vector<std::uint64_t> leaves = leaves_of(op);
  CostBounds out;
  out.input = elements_of(bound.input_shape());
  out.output = elements_of(bound.output_shape());
  for (std::size_t w = 0; w < op.weights.size(); ++w) {
    CAMBIUM_REQUIRE(accumulate(out.parameters, elements_of(bound.weight_shape(w))));
    Mask needed = 0;
    std::uint64_t own_sums = 0;
    for (const CoordinateIndex i : op.weights[w]) {
      needed |= growths.needed[static_cast<std::size_t>(i)];
      own_sums |= leaves[static_cast<std::size_t>(i)];
    }
    out.macs += least_points(bound, growths, needed, own_sums);
  }
  const bool computes = bound.reductions != 0 || !op.weights.empty();
  if (computes) out.macs = std::max(out.macs, static_cast<double>(out.input));
  return out;
}

Result<CostBounds> cost_bounds(const Operator& op, std::span<const expr::Binding> bindings) {
  CostBounds sum;
  for (const expr::Binding& binding : bindings) {
    CAMBIUM_TRY(const CostBounds one, cost_bounds(op, binding));
    CAMBIUM_REQUIRE(accumulate(sum.parameters, one.parameters));
    CAMBIUM_REQUIRE(accumulate(sum.input, one.input));
    CAMBIUM_REQUIRE(accumulate(sum.output, one.output));
    sum.macs += one.macs;
  }
  return sum;
}

}  // namespace cambium::spaces::coordinate
