// Bounds are bounds: on the way to thousands of operators, none is above what the operator costs.
#include <cstdio>
#include <set>

#include "spaces/coordinate/document.h"
#include "spaces/coordinate/lowering/stages.h"
#include "spaces/coordinate/synthesis/budgets.h"
#include "spaces/coordinate/synthesis/enumerate.h"
#include "spaces/coordinate/synthesis/finish.h"
#include "spaces/coordinate/synthesis/sample.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

constexpr double kRounding = 1 + 1e-9;

// All that primitives can do, in a space that is quick to walk.
std::unique_ptr<Space> wild_space(const char* input) {
  Limits limits;
  limits.primitives = 9;
  limits.weights = 3;
  limits.merges = 2;
  limits.strides = 2;
  limits.expands = 1;
  limits.window_ratio = 1;
  limits.odd_windows = false;
  limits.weight_free = true;
  return space_for(input, "[N, D, L]",
                   {"N=2, C=8, D=16, L=32, k=3, s=2", "N=2, C=16, D=16, L=16, k=3, s=2"}, limits,
                   RuleSet::exact());
}

struct Truth {
  double macs, parameters, memory;
};

Truth truth_of(const Space& space, const Operator& op) {
  Truth truth{};
  truth.macs = fewest_macs(op, space.problem.bindings).value();
  truth.memory = most_bytes(op, space.problem.bindings).value();
  const auto stages = stages_of(op, space.problem.bindings).value();
  for (const expr::Binding& binding : space.problem.bindings) {
    truth.parameters += static_cast<double>(cost_of(op, stages, binding).value().parameters);
  }
  return truth;
}

void expect_below(const Bound& bound, const Truth& truth) {
  EXPECT_LE(bound.macs, kRounding * truth.macs);
  EXPECT_LE(bound.parameters, kRounding * truth.parameters);
  EXPECT_LE(bound.memory, kRounding * truth.memory);
}

// How far below the truth the last bounds are, as a share of it, in the mean.
double expect_bounds(Space& space, int operators, int draws) {
  SampleOptions options;
  options.draws_per_path = draws;
  Sampler sampler(space, options);
  double tightness = 0;
  int count = 0;
  for (int trial = 0; trial < 20 * operators && count < operators; ++trial) {
    const auto sample = sampler.trial();
    if (!sample) continue;
    ++count;
    SCOPED_TRACE(to_text(space.problem, sample->op));
    const Truth truth = truth_of(space, sample->op);
    // Of states before weights, reductions alone decide.
    for (const StateId id : {space.root, space.states.stage(sample->state), sample->state}) {
      expect_below(least_cost(space, id), truth);
    }
    EXPECT_GE(kRounding *
                  most_macs(space, sample->state, static_cast<int>(sample->choice.weights.size())),
              truth.macs);
    const Finishing finishing(space, sample->state);
    Choice begun = sample->choice;
    begun.weights.clear();
    const Prices prices(space, finishing.anatomy(), begun);
    Bound bound;
    for (const Reads weight : sample->choice.weights) {
      bound = bound.with(prices.of(weight));
      expect_below(bound, truth);
    }
    EXPECT_LE(truth.parameters, kRounding * bound.parameters);  // nothing is missing
    tightness += truth.macs == 0 ? 1 : bound.macs / truth.macs;
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_EQ(count, operators);
  return tightness / count;
}

TEST(BudgetsProperty, NoBoundIsAboveTheCostInTheSearchForResNet) {
  const auto space = resnet_space();
  const double tightness = expect_bounds(*space, 3000, 8);
  std::printf("bounds of MACs: %.2f of the truth in the mean\n", tightness);
  EXPECT_GT(tightness, 0.8);
}

TEST(BudgetsProperty, NoBoundIsAboveTheCostOfStridesExpandsAndThreeWeights) {
  for (const char* input : {"[N, C, L]", "[N, C, s*L]"}) {
    const auto space = wild_space(input);
    expect_bounds(*space, 3000, 4);
  }
}

// The same operators, whether bounds prune or every operator is asked.
TEST(BudgetsProperty, PruningLosesNoOperator) {
  Limits limits;
  limits.primitives = 6;
  limits.occurrences = Limits::all_of(2);
  const auto space = space_for("[N, C, L]", "[N, D, L]", {"N=1, C=4, D=8, L=12, k=3"}, limits);
  Budgets budgets;
  budgets.most_macs = 1500;
  budgets.least_macs = 500;
  budgets.most_parameters = 120;
  budgets.most_memory = 1200;
  budgets.macs = fewest_macs;
  budgets.memory = most_bytes;
  std::set<Fingerprint> drawn, listed;
  SampleOptions options;
  static_cast<Budgets&>(options) = budgets;
  options.patience = 0;
  Sampler sampler(*space, options);
  while (!sampler.is_exhausted()) {
    if (const auto sample = sampler.trial()) drawn.insert(identity(space->problem, sample->op));
  }
  EXPECT_GT(sampler.statistics().pruned, 0U);
  EXPECT_EQ(sampler.statistics().valid, drawn.size());  // none was drawn twice
  Reach reach(*space);
  enumerate(*space, reach, [&](StateId, const Finishing& finishing, const Choice& choice) {
    const Operator op = finish(*space, finishing.anatomy(), choice);
    if (is_within(budgets, *space, finishing.anatomy(), choice, op)) {
      listed.insert(identity(space->problem, op));
    }
    return true;
  });
  EXPECT_GT(listed.size(), 20U);
  EXPECT_EQ(drawn, listed);
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
