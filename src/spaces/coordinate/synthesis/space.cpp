#include "spaces/coordinate/synthesis/space.h"

#include <algorithm>

namespace cambium::spaces::coordinate::synthesis {
namespace {

Limits without_fixed(const Problem& problem, Limits limits) {
  for (const FixedPair& pair : problem.fixed) {
    for (std::uint8_t v = 0; v < expr::kMaxVars; ++v) {
      if (problem.output[pair.output].powers()[expr::SizeVar{v}] != 0) limits.occurrences[v] = 0;
    }
  }
  return limits;
}

}  // namespace

Space::Space(Problem p, Limits l, RuleSet r)
    : problem(std::move(p)),
      limits(without_fixed(problem, l)),
      rules(r),
      sizes(problem, limits),
      coordinates(sizes),
      states(coordinates) {
  const auto is_fixed = [&](std::size_t axis, std::uint8_t FixedPair::*side) {
    return std::any_of(problem.fixed.begin(), problem.fixed.end(),
                       [&](const FixedPair& pair) { return pair.*side == axis; });
  };
  State state;
  for (std::size_t axis = 0; axis < problem.output.size(); ++axis) {
    if (is_fixed(axis, &FixedPair::output)) continue;
    outputs.push_back(
        coordinates.output(static_cast<int>(axis), sizes.intern(problem.output[axis])));
    state.data.push_back(outputs.back());
  }
  for (std::size_t axis = 0; axis < problem.input.size(); ++axis) {
    if (is_fixed(axis, &FixedPair::input)) continue;
    input.push_back(sizes.intern(problem.input[axis]));
    input_axes.push_back(static_cast<std::uint8_t>(axis));
  }
  root = states.intern(state);
  for (const expr::Binding& binding : problem.bindings) {
    const auto elements = [&](const std::vector<expr::Size>& shape) {
      double count = 1;  // shapes are whole at every binding, or padding makes them so
      for (const expr::Size& size : shape) {
        count *= static_cast<double>(sizes.value(size, binding));
      }
      return count;
    };
    volumes.push_back({elements(problem.input), elements(problem.output)});
  }
  for (std::size_t v = 0; v < expr::kMaxVars; ++v) {
    const std::uint64_t most = std::min<std::uint64_t>(limits.occurrences[v], 127);
    std::uint64_t& word = v < expr::kMaxPrimary ? allowed.primary : allowed.coefficient;
    word |= most << (8 * (v % expr::kMaxPrimary));
  }
}

Result<std::unique_ptr<Space>> Space::make(Problem problem, Limits limits, RuleSet rules) {
  for (const LimitInfo& info : limit_infos()) {
    const int value = limits.*info.limit;
    if (value >= info.least && value <= info.most) continue;
    return Rejection(
        Reason::BadOption, info.name,
        "must lie in " + std::to_string(info.least) + ".." + std::to_string(info.most));
  }
  if (limits.weights == 0 && !limits.weight_free) {
    return Rejection(Reason::BadOption, "weights", "none, but operators without are not allowed");
  }
  if (problem.input.size() > kMaxAxes || problem.output.size() > kMaxAxes) {
    return Rejection(Reason::BadOption, "shapes", "more than 8 axes");
  }
  std::unique_ptr<Space> space(new Space(std::move(problem), limits, rules));
  CAMBIUM_REQUIRE(space->complete());
  return space;
}

Status Space::complete() const {
  if (!sizes.is_full()) return Ok{};
  const auto most = static_cast<std::int64_t>(kMostSizes);
  return Rejection(Reason::SizeOutOfRange, "the number of different sizes of the space", {},
                   most + 1, 1, most);
}

Status Space::has_room() const {
  if (states.count() <= kMostStates) return Ok{};
  const auto most = static_cast<std::int64_t>(kMostStates);
  return Rejection(Reason::SizeOutOfRange, "the number of states of the space", {}, most + 1, 1,
                   most);
}

}  // namespace cambium::spaces::coordinate::synthesis
