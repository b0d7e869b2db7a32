#include "spaces/coordinate/lowering/padded_problem.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/lowering/padding.h"
#include "spaces/coordinate/lowering/stages.h"

namespace cambium::spaces::coordinate {

namespace {

constexpr std::int64_t kMostDivisible = 1 << 20;

// With the least bindings at which the shapes are whole, whatever operator stands between them.
Result<Problem> with_whole_shapes(Problem problem) {
  Operator shapes;
  for (const auto* shape : {&problem.input, &problem.output}) {
    for (const expr::Size& size : *shape) {
      Coordinate axis;
      axis.domain = size;
      shapes.coordinates.push_back(axis);
    }
  }
  for (expr::Binding& binding : problem.bindings) {
    CAMBIUM_TRY(binding, padded(problem, shapes, binding));
  }
  CAMBIUM_REQUIRE(check_shapes(problem));
  return problem;
}

// Times the square, since parameters hold squares; or as much of it as is not too large.
std::int64_t divisible_by(std::int64_t number, std::int64_t factor) {
  for (int power = 0; power < 2 && number <= kMostDivisible / factor; ++power) number *= factor;
  return number;
}

}  // namespace

Result<Problem> problem_of(std::string_view input, std::string_view output,
                           std::span<const std::string> bindings, bool pad) {
  if (!pad) return problem_of(input, output, bindings);
  CAMBIUM_TRY(Problem problem, problem_to_pad(input, output, bindings));
  CAMBIUM_REQUIRE(with_whole_shapes(problem));
  return problem;
}

Problem divisible(const Problem& problem, bool pad) {
  if (!pad) return problem;
  Problem out = with_whole_shapes(problem).value();  // problem_of refuses others
  for (expr::Binding& binding : out.bindings) {
    std::int64_t all = 1;
    for (const expr::SizeVar v : problem.sizes.vars()) {
      if (!v.is_primary() && std::max(all, binding[v]) <= kMostDivisible) {
        all = std::lcm(all, binding[v]);
      }
    }
    for (const expr::SizeVar v : problem.sizes.vars()) {
      if (!v.is_primary()) continue;
      CAMBIUM_CHECK(binding.set(v, divisible_by(binding[v], all)).ok(),
                    "a multiple of a size is positive");
    }
  }
  return out;
}

Result<Operator> parse(const Problem& problem, std::string_view document, bool pad) {
  auto plain = parse(problem, document);
  if (plain.ok() || !pad) return plain;
  // At no binding all sizes are taken for whole; which bindings the operator needs, it says itself.
  Problem at = problem;
  at.bindings.clear();
  CAMBIUM_TRY(const Operator op, parse(at, document));
  CAMBIUM_TRY(at.bindings, bindings_for(problem, op, pad));
  return parse(at, document);
}

Result<std::vector<expr::Binding>> bindings_for(const Problem& problem, const Operator& op,
                                                bool pad) {
  std::vector<expr::Binding> bindings = problem.bindings;
  for (expr::Binding& binding : bindings) {
    if (!pad) break;
    CAMBIUM_TRY(binding, padded(problem, op, binding));
  }
  return bindings;
}

Result<SummedCost> cost_of(const Problem& problem, const Operator& op, bool pad) {
  CAMBIUM_TRY(const auto bindings, bindings_for(problem, op, pad));
  CAMBIUM_TRY(const auto stages, stages_of(op, bindings));
  SummedCost cost;
  for (const expr::Binding& binding : bindings) {
    CAMBIUM_TRY(const auto here, cost_of(op, stages, binding));
    cost.macs += here.macs;
    cost.parameters += here.parameters;
  }
  CAMBIUM_TRY(cost.memory, most_bytes(op, bindings));
  return cost;
}

Result<double> parameters_of(const Operator& op, std::span<const expr::Binding> bindings) {
  CAMBIUM_TRY(const auto stages, stages_of(op, bindings));
  double sum = 0;
  for (const expr::Binding& binding : bindings) {
    CAMBIUM_TRY(const auto cost, cost_of(op, stages, binding));
    sum += static_cast<double>(cost.parameters);
  }
  return sum;
}

TrueCost priced(const Problem& problem, bool pad, TrueCost cost) {
  if (!pad) return cost;
  return [problem, cost = std::move(cost)](const Operator& op,
                                           std::span<const expr::Binding>) -> Result<double> {
    CAMBIUM_TRY(const auto bindings, bindings_for(problem, op, true));
    return cost(op, bindings);
  };
}

}  // namespace cambium::spaces::coordinate
