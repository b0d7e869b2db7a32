// All lowerings of operators compute what the equation says: of random ones, tiny, so that borders
// are everywhere; of sampled ones; of those that have names.
#include <cstdio>
#include <optional>
#include <set>

#include "base/thread_seconds_testing.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/known.h"
#include "spaces/coordinate/lowering/lowering_testing.h"
#include "spaces/coordinate/lowering/tiny_operator_testing.h"
#include "spaces/coordinate/lowering/wide_spaces_testing.h"
#include "spaces/coordinate/synthesis/sample.h"

namespace cambium::spaces::coordinate {
namespace {

using namespace testing;

constexpr std::uint64_t kCases = 10'000;
constexpr std::int64_t kMostPoints = 30'000;

TEST(LoweringProperty, OfTinyOperatorsComputesTheEquation) {
  const expr::Binding none;
  std::uint64_t ran = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    const Operator op = TinyOperator(seed).make();
    if (points_of(bind(op, none).value()) > kMostPoints) continue;
    const Case c = case_of(op, none, seed);
    expect_decomposition(c);
    expect_program(c);
    if (HasFatalFailure()) return;
    ++ran;
  }
  EXPECT_GT(ran, kCases / 2);
}

TEST(LoweringProperty, OfSampledOperatorsComputesTheEquation) {
  const std::vector<std::string> bindings{"N=1, Ci=8, Co=8, H=16, W=16, k=3, g=2"};
  const Problem problem = problem_of("[N, Ci, H, W]", "[N, Co, H, W]", bindings).value();
  synthesis::Limits limits;
  limits.primitives = 6;
  limits.occurrences = synthesis::Limits::all_of(2);
  limits.strides = 1;
  limits.weight_free = true;
  const auto space = synthesis::Space::make(problem, limits).value();
  synthesis::Sampler sampler(*space, {});
  // Smaller, so that direct evaluation is quick; what does not divide there is left out.
  const expr::Binding place =
      problem.sizes.parse_binding("N=1, Ci=4, Co=4, H=4, W=8, k=3, g=2").value();
  std::set<Fingerprint> seen;
  for (int trial = 0; trial < 20'000 && seen.size() < 2000; ++trial) {
    const std::optional<synthesis::Sample> sample = sampler.trial();
    if (!sample) continue;
    const auto bound = bind(sample->op, place);
    if (!bound.ok() || points_of(*bound) > kMostPoints ||
        !seen.insert(identity(problem, sample->op)).second) {
      continue;
    }
    SCOPED_TRACE(to_text(problem, sample->op));
    const Case c = case_of(sample->op, place, seen.size());
    expect_decomposition(c);
    expect_program(c);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(seen.size(), 2000u);
}

// What one MERGE and the default rules never make.
TEST(LoweringProperty, OfOperatorsFromWideSpacesComputesTheEquation) {
  int ran = 0;
  for (const WideSpace& wide : wide_spaces()) {
    sample_wide(wide, 1, 150, 4000, [&](const Problem& problem, const Operator& op) {
      if (HasFatalFailure()) return;
      SCOPED_TRACE(wide.binding + "\n" + to_text(problem, op));
      const Case c = case_of(op, problem.bindings[0], static_cast<std::uint64_t>(++ran));
      expect_decomposition(c);
      expect_program(c);
    });
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(ran, 1200);
}

TEST(LoweringProperty, OfKnownOperatorsComputesTheEquation) {
  for (const KnownOperator& known : known_operators()) {
    SCOPED_TRACE(known.name);
    const Problem problem = problem_of(known);
    const Case c = case_of(operator_of(known), problem.bindings[0], 1);
    expect_decomposition(c);
    expect_program(c);
    if (HasFatalFailure()) return;
  }
}

// Synthesis asks for the MACs of every operator that it makes.
TEST(LoweringProperty, FewestMacsAreThoseOfTheStagesAndFoundInMicroseconds) {
  const std::vector<expr::Binding> bindings(4);
  std::vector<double> times;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const Operator op = TinyOperator(seed).make();
    const double start = thread_seconds();
    const double macs = fewest_macs(op, bindings).value();
    times.push_back(1e6 * (thread_seconds() - start));
    const std::vector<Stage> stages = stages_of(op, bindings).value();
    ASSERT_EQ(macs, 4.0 * static_cast<double>(cost_of(op, stages, bindings[0]).value().macs))
        << "seed " << seed;
  }
  std::sort(times.begin(), times.end());
  std::printf("fewest MACs at 4 bindings: median %.1f us, one in a hundred above %.1f us\n",
              times[times.size() / 2], times[times.size() * 99 / 100]);
  EXPECT_LT(times[times.size() / 2], 1000);  // a hundred times what it takes alone
}

}  // namespace
}  // namespace cambium::spaces::coordinate
