#include "spaces/coordinate/search/family.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spaces/coordinate/bound.h"
#include "spaces/coordinate/lowering/stages.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {

namespace {

std::int64_t greatest_divisor(std::int64_t number, std::int64_t most) {
  for (std::int64_t divisor = std::min(number, most); divisor > 1; --divisor) {
    if (number % divisor == 0) return divisor;
  }
  return 1;
}

// Axes of the input whose index depends on a reduction.
int mixed_axes(const Operator& op) {
  const std::vector<std::uint64_t> leaves = leaves_of(op);
  const std::size_t outputs = output_count(op);
  return static_cast<int>(std::count_if(op.data.begin(), op.data.end(), [&](CoordinateIndex c) {
    return (leaves[static_cast<std::size_t>(c)] >> outputs) != 0;
  }));
}

}  // namespace

Values clipped(const std::vector<CoefficientOption>& coefficients, std::span<const Place> places) {
  std::int64_t common = 0;
  for (const Place& place : places) {
    for (const std::int64_t channels : place.channels) common = std::gcd(common, channels);
  }
  Values values;
  for (const CoefficientOption& one : coefficients) {
    if (places.empty() || places.front().shapes.is_size(one.name)) continue;
    std::int64_t value = one.value;
    if (one.is_divisor) {
      value = greatest_divisor(common, one.value);
      common /= std::max<std::int64_t>(value, 1);
    }
    if (value > 1) values[one.name] = value;
  }
  return values;
}

Result<Family> family_of(std::vector<Place> places, const Values& values) {
  Family family;
  std::vector<std::string> bindings;
  for (const Place& place : places) {
    const Place& first = places.front();
    if (place.shapes.in != first.shapes.in || place.shapes.out != first.shapes.out) {
      return Rejection(Reason::ShapeMismatch, place.name,
                       "it is " + place.shapes.in + " -> " + place.shapes.out + ", but " +
                           first.name + " is " + first.shapes.in + " -> " + first.shapes.out);
    }
    std::string binding = place.shapes.binding();
    for (const auto& [name, value] : values) {
      if (place.shapes.is_size(name)) return Rejection(Reason::NameTaken, name);
      binding += ", " + name + "=" + std::to_string(value);
    }
    const auto known = std::find(bindings.begin(), bindings.end(), binding);
    family.bound_as.push_back(static_cast<std::size_t>(known - bindings.begin()));
    if (known == bindings.end()) {
      bindings.push_back(std::move(binding));
      family.times.push_back(0);
    }
    ++family.times[family.bound_as.back()];
  }
  CAMBIUM_TRY(family.problem,
              problem_of(places.front().shapes.in, places.front().shapes.out, bindings));
  for (const std::uint8_t axis : places.front().apart) {
    const FixedPair pair{axis, axis};
    auto& fixed = family.problem.fixed;
    if (std::find(fixed.begin(), fixed.end(), pair) == fixed.end()) fixed.push_back(pair);
  }
  family.values = values;
  family.places = std::move(places);
  return family;
}

Result<FamilyCost> cost_of(const Family& family, const Operator& op) {
  FamilyCost cost;
  for (std::size_t i = 0; i < family.times.size(); ++i) {
    const expr::Binding& binding = family.problem.bindings[i];
    CAMBIUM_TRY(const auto stages, stages_of(op, {&binding, 1}));
    CAMBIUM_TRY(const StagedCost here, cost_of(op, stages, binding));
    CAMBIUM_TRY(const BoundOperator bound, bind(op, binding));
    const double between = static_cast<double>(here.intermediate);
    const auto ends =
        static_cast<double>(elements_of(bound.input_shape()) + elements_of(bound.output_shape()));
    cost.macs += family.times[i] * static_cast<double>(here.macs);
    cost.parameters += family.times[i] * static_cast<double>(here.parameters);
    cost.memory += family.times[i] * (ends + between + static_cast<double>(here.parameters));
  }
  return cost;
}

FamilyCost original_cost(const Family& family) {
  FamilyCost cost;
  for (const Place& place : family.places) {
    cost.macs += static_cast<double>(place.macs);
    cost.parameters += static_cast<double>(place.parameters);
    cost.memory += static_cast<double>(place.elements + place.parameters);
  }
  return cost;
}

int least_mixed(const Family& family, const SpaceOptions& options) {
  if (options.least_mixed != SpaceOptions::kAsTheOriginal) return options.least_mixed;
  int least = family.places.front().mixed;
  for (const Place& place : family.places) least = std::min(least, place.mixed);
  return least;
}

bool is_within_budgets(const Family& family, const SpaceOptions& options, const Operator& op) {
  if (mixed_axes(op) < least_mixed(family, options)) return false;
  const FamilyCost original = original_cost(family);
  double macs = 0, parameters = 0;
  for (std::size_t i = 0; i < family.times.size(); ++i) {
    const auto bound = bind(op, family.problem.bindings[i]);
    if (!bound.ok()) return false;
    parameters += family.times[i] * static_cast<double>(bound->parameters());
  }
  if (parameters > options.most_parameters * original.parameters) return false;
  for (std::size_t i = 0; i < family.times.size(); ++i) {
    const auto here = fewest_macs(op, {&family.problem.bindings[i], 1});
    if (!here.ok()) return false;
    macs += family.times[i] * *here;
    if (macs > options.most_macs * original.macs) return false;
  }
  if (macs < options.least_macs * original.macs) return false;
  if (std::isinf(options.most_memory)) return true;
  const auto cost = cost_of(family, op);
  return cost.ok() && cost->memory <= options.most_memory * original.memory;
}

synthesis::Limits limits_for(const Family& family, const SpaceOptions& options) {
  synthesis::Limits limits = options.limits;
  for (const auto& [name, most] : options.occurrences) {
    if (const auto var = family.problem.sizes.find(name)) limits.occurrences[var->index] = most;
  }
  for (const CoefficientOption& one : options.coefficients) {
    const auto value = family.values.find(one.name);
    if (one.is_divisor || value == family.values.end()) continue;
    for (const Place& place : family.places) {
      for (const std::int64_t extent : place.extents) {
        const double ratio = static_cast<double>(extent) / static_cast<double>(value->second);
        limits.window_ratio = std::min(limits.window_ratio, ratio);
      }
    }
  }
  return limits;
}

}  // namespace cambium::spaces::coordinate
