// No body does less than the bound: of tiny operators and of those from wide spaces, which have
// borders, half-read MERGEs and expansions everywhere, as written and as recognized.
#include "spaces/coordinate/lowering/least_work.h"

#include <gtest/gtest.h>

#include "model/recognize/pass.h"
#include "spaces/coordinate/lowering/decompose.h"
#include "spaces/coordinate/lowering/known_testing.h"
#include "spaces/coordinate/lowering/tiny_operator_testing.h"
#include "spaces/coordinate/lowering/weighted_testing.h"
#include "spaces/coordinate/lowering/wide_spaces_testing.h"

namespace cambium::spaces::coordinate {
namespace {

using namespace testing;

struct Work {
  double macs = 0, results = 0;
};

// With samples, as in a network: a pass counts whole ones.
Operator of_samples(Operator op) {
  const auto later = [](CoordinateIndex& c) { c += c == kNoCoordinate ? 0 : 1; };
  for (Coordinate& c : op.coordinates) later(c.first), later(c.second);
  for (CoordinateIndex& c : op.data) later(c);
  for (auto& weight : op.weights) std::for_each(weight.begin(), weight.end(), later);
  op.coordinates.insert(op.coordinates.begin(), {CoordinateKind::Output, kNoCoordinate,
                                                 kNoCoordinate, expr::Size(2), expr::Size(1)});
  op.data.insert(op.data.begin(), 0);
  return op;
}

std::optional<Work> counted(const Operator& op, const expr::Binding& binding) {
  const auto body = decompose(op, binding);
  if (!body.ok()) return std::nullopt;
  const model::Model model = with_weights(*body);
  const model::Pass pass = model::pass_of(model), written = model::pass_as_written(model);
  const std::int64_t input = model.node(model.inputs()[0]).outputs[0].bytes();
  const std::int64_t bytes = std::min(pass.activation_bytes, written.activation_bytes) - input;
  return Work{static_cast<double>(std::min(pass.macs, written.macs)),
              static_cast<double>(bytes) / 4};
}

LeastWork bound_of(const Operator& op, const expr::Binding& binding) {
  return least_work(op, stages_of(op, {&binding, 1}).value(), bind(op, binding).value());
}

TEST(LeastWork, OfTinyOperatorsIsNeverAboveTheCount) {
  int with_weights = 0, equal = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Operator op = of_samples(TinyOperator(seed).make());
    const auto truth = counted(op, {});
    if (!truth || op.weights.empty()) continue;
    const LeastWork bound = bound_of(op, {});
    EXPECT_LE(bound.macs, truth->macs) << seed;
    EXPECT_LE(bound.results, truth->results) << seed;
    ++with_weights;
    equal += bound.macs == truth->macs;
  }
  EXPECT_GT(with_weights, 1000);
  EXPECT_GT(3 * equal, with_weights);
}

TEST(LeastWork, OfOperatorsFromWideSpacesIsNeverAboveTheCount) {
  for (const WideSpace& wide : wide_spaces()) {
    sample_wide(wide, 2, 100, 4000, [&](const Problem& problem, const Operator& sampled) {
      const Operator op = of_samples(sampled);
      const auto truth = counted(op, problem.bindings[0]);
      if (!truth) return;
      const LeastWork bound = bound_of(op, problem.bindings[0]);
      EXPECT_LE(bound.macs, truth->macs) << wide.binding << "\n" << to_text(problem, sampled);
      EXPECT_LE(bound.results, truth->results) << wide.binding << "\n" << to_text(problem, sampled);
    });
  }
}

TEST(LeastWork, OfKnownOperatorsIsTheCount) {
  for (const char* name : {"conv2d", "grouped_conv2d", "operator1", "operator2"}) {
    const Problem problem = known(name).problem({});
    const Operator op = known(name).op(problem);
    const double macs = counted(op, problem.bindings[0]).value().macs;
    EXPECT_EQ(bound_of(op, problem.bindings[0]).macs, macs) << name;
  }
}

}  // namespace
}  // namespace cambium::spaces::coordinate
