#include "spaces/coordinate/synthesis/sample.h"

#include <set>

#include "spaces/coordinate/check.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/known.h"
#include "spaces/coordinate/lowering/stages.h"
#include "spaces/coordinate/structure.h"
#include "spaces/coordinate/synthesis/enumerate.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

TEST(SampleTest, GuidedTrialsAllEndInLegalOperators) {
  const auto space = resnet_space();
  Sampler sampler(*space, {});
  std::set<Fingerprint> distinct;
  for (int i = 0; i < 200; ++i) {
    const auto sample = sampler.trial();
    ASSERT_TRUE(sample.has_value());
    const Status legal = check(space->problem, sample->op);
    EXPECT_TRUE(legal.ok()) << legal.rejection().message() << "\n"
                            << to_text(space->problem, sample->op);
    EXPECT_LE(primitive_count(sample->op), space->limits.primitives);
    distinct.insert(identity(space->problem, sample->op));
  }
  EXPECT_EQ(sampler.statistics().valid, 200U);
  EXPECT_EQ(sampler.statistics().dead_ends, 0U);
  EXPECT_GT(distinct.size(), 190U);
}

TEST(SampleTest, ASeedGivesTheSameOperators) {
  std::vector<std::string> texts[2];
  for (auto& all : texts) {
    const auto space = resnet_space();
    SampleOptions options;
    options.seed = 5;
    Sampler sampler(*space, options);
    for (int i = 0; i < 20; ++i) all.push_back(to_text(space->problem, sampler.trial()->op));
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(SampleTest, FindsTheConvolution) {
  Limits limits;
  limits.primitives = 6;
  limits.occurrences = Limits::all_of(2);
  for (const Law law : {Law::ByKind, Law::ByStep}) {
    const auto space =
        space_for("[N, Ci, H, W]", "[N, Co, H, W]", {"N=1, Ci=8, Co=8, H=16, W=16, k=3"}, limits);
    const Operator conv = parse(space->problem,
                                "operator [N, Ci, H, W] -> [N, Co, H, W]\n"
                                "out n, o, h, w\nsum i: Ci, a: k, b: k\n"
                                "x n, i, unfold(h, a), unfold(w, b)\nw1 o, i, a, b\n")
                              .value();
    const Fingerprint wanted = identity(space->problem, conv);
    SampleOptions options;
    options.law = law;
    Sampler sampler(*space, options);
    bool is_found = false;
    for (int i = 0; i < 100000 && !is_found; ++i) {
      const auto sample = sampler.trial();
      ASSERT_TRUE(sample.has_value());
      is_found = identity(space->problem, sample->op) == wanted;
    }
    EXPECT_TRUE(is_found);
  }
}

// A STRIDE below an UNFOLD's base, so that the input is larger than the output, and below a window.
TEST(SampleTest, FindsStridedAndDilatedConvolutions) {
  struct Wanted {
    const char* name;
    const char* input;
  };
  for (const Wanted& wanted :
       {Wanted{"strided_conv2d", "[N, Ci, s*H, s*W]"}, Wanted{"dilated_conv2d", "[N, Ci, H, W]"}}) {
    Limits limits;
    limits.primitives = 8;
    limits.reductions = 3;
    limits.strides = 2;
    limits.weights = 1;
    limits.splits = 1;
    limits.merges = 0;
    limits.coefficient_power = 1;
    limits.occurrences = Limits::all_of(2);
    const auto space =
        space_for(wanted.input, "[N, Co, H, W]", {"N=1, Ci=8, Co=8, H=16, W=16, k=3, s=2"}, limits);
    const Fingerprint meant =
        identity(space->problem, parse(space->problem, find_known(wanted.name)->document).value());
    Sampler sampler(*space, {});
    bool is_found = false;
    for (int i = 0; i < 20000 && !is_found; ++i) {
      const auto sample = sampler.trial();
      ASSERT_TRUE(sample.has_value()) << wanted.name;
      EXPECT_TRUE(check(space->problem, sample->op).ok());
      is_found = identity(space->problem, sample->op) == meant;
    }
    EXPECT_TRUE(is_found) << wanted.name;
  }
}

TEST(SampleTest, WithoutGuidanceMostTrialsDie) {
  const auto space = resnet_space();
  SampleOptions options;
  options.guide = Guide::None;
  Sampler sampler(*space, options);
  for (int i = 0; i < 300; ++i) sampler.trial();
  EXPECT_GT(sampler.statistics().dead_ends, 200U);
}

TEST(SampleTest, TheDistanceAloneFindsOperatorsToo) {
  const auto space = resnet_space();
  SampleOptions options;
  options.guide = Guide::Distance;
  Sampler sampler(*space, options);
  for (int i = 0; i < 300; ++i) {
    const auto sample = sampler.trial();
    EXPECT_TRUE(!sample || check(space->problem, sample->op).ok());
  }
  EXPECT_GT(sampler.statistics().valid, 30U);
}

TEST(SampleTest, BudgetsAreKept) {
  const auto space = resnet_space();
  SampleOptions options;
  options.most_parameters = 1e6;
  options.least_macs = 1e7;
  options.most_macs = 1e9;
  options.most_memory = 4e6;
  options.macs = fewest_macs;
  options.memory = most_bytes;
  Sampler sampler(*space, options);
  std::uint64_t kept = 0;
  for (int i = 0; i < 100; ++i) {
    const auto sample = sampler.trial();
    if (!sample) continue;
    ++kept;
    const double macs = fewest_macs(sample->op, space->problem.bindings).value();
    EXPECT_GE(macs, 1e7);
    EXPECT_LE(macs, 1e9);
    EXPECT_LE(most_bytes(sample->op, space->problem.bindings).value(), 4e6);
  }
  EXPECT_GT(kept, 0U);
  EXPECT_EQ(kept, sampler.statistics().valid);
  EXPECT_EQ(kept + sampler.statistics().over_budget, 100U);
  EXPECT_GT(sampler.statistics().pruned, 0U);
}

TEST(SampleTest, DrawsNoOperatorTwiceUntilAllAreDrawn) {
  Limits limits;
  limits.primitives = 4;
  for (const Law law : {Law::ByKind, Law::ByStep}) {
    const auto space = space_for("[N, C, L]", "[N, D, L]", {"N=1, C=4, D=6, L=12, k=3"}, limits);
    SampleOptions options;
    options.law = law;
    options.patience = 0;
    options.draws_per_path = 3;
    Sampler sampler(*space, options);
    std::set<Fingerprint> drawn;
    while (!sampler.is_exhausted()) {
      const auto sample = sampler.trial();
      if (!sample) continue;
      EXPECT_TRUE(drawn.insert(identity(space->problem, sample->op)).second);
    }
    EXPECT_FALSE(sampler.trial().has_value());
    Reach reach(*space);
    std::uint64_t all = 0;
    enumerate(*space, reach, [&](StateId, const Finishing&, const Choice&) { return ++all, true; });
    EXPECT_EQ(drawn.size(), all);
    EXPECT_GT(all, 10U);
  }
}

TEST(SampleTest, SeveralDrawsShareAPath) {
  const auto space = resnet_space();
  SampleOptions options;
  options.draws_per_path = 4;
  Sampler sampler(*space, options);
  std::set<StateId> paths;
  for (int i = 0; i < 40; ++i) paths.insert(sampler.trial()->state);
  EXPECT_LT(paths.size(), 20U);  // some have less than four choices
  EXPECT_GT(paths.size(), 5U);
}

// What is remembered of a long walk through many sizes: states, and no more distances than fit.
TEST(SampleTest, ManyMergesTakeABoundedAmountOfMemory) {
  const Problem problem = problem_for("[N, Ci, H, W]", "[N, Co, H, W]", resnet_bindings());
  Limits limits = resnet_limits(problem);
  limits.merges = 3;
  const auto space = Space::make(problem, limits).value();
  Sampler sampler(*space, {});
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(sampler.trial().has_value());
  EXPECT_LE(sampler.reach().distances().count(), Distances::kMostKnown);
  const double bytes = static_cast<double>(space->states.bytes() + space->coordinates.bytes() +
                                           space->sizes.bytes() + sampler.reach().bytes());
  EXPECT_LT(bytes, 256e6);
}

TEST(SampleTest, AnEmptySpaceIsSeenAsSuch) {
  Limits limits;
  limits.reductions = 0;
  const auto space = space_for("[N, A]", "[N, B]", {"N=1, A=5, B=7"}, limits);
  Sampler sampler(*space, {});
  EXPECT_TRUE(sampler.is_empty());
  EXPECT_FALSE(sampler.trial().has_value());
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
