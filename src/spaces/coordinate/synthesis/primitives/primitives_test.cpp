#include <cstdlib>

#include "base/file.h"
#include "spaces/coordinate/synthesis/primitives/all.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

const std::vector<std::string> kPlane = {"H=12, W=8, k=3, s=2", "H=24, W=16, k=3, s=2"};

Limits loose() {
  Limits limits;
  limits.strides = 1;
  limits.expands = 1;
  limits.merges = 2;
  return limits;
}

// The texts of all steps of one kind that the outputs (and reductions of these sizes) are offered.
std::vector<std::string> offered(Space& space, PrimitiveKind kind,
                                 std::initializer_list<const char*> reductions = {}) {
  StateId id = space.root;
  for (const char* size : reductions) {
    const SizeId n = space.sizes.intern(space.problem.sizes.parse(size).value());
    id = apply(space, space.states.unpack(id), {PrimitiveKind::Reduce, n, kNoCoord, kNoCoord});
  }
  Steps steps;
  if (kind == PrimitiveKind::Reduce) {
    offer_reductions(space, space.states.unpack(id), steps);
  } else {
    offer_views(space, space.states.unpack(id), steps);
  }
  std::vector<std::string> texts;
  for (const Step& step : steps) {
    if (step.kind == kind) texts.push_back(text(space, step));
  }
  return texts;
}

// The state after the first step of that kind, as text.
std::string after_first(Space& space, PrimitiveKind kind,
                        std::initializer_list<const char*> reductions = {}) {
  StateId id = space.root;
  for (const char* size : reductions) {
    const SizeId n = space.sizes.intern(space.problem.sizes.parse(size).value());
    id = apply(space, space.states.unpack(id), {PrimitiveKind::Reduce, n, kNoCoord, kNoCoord});
  }
  Steps steps;
  offer_views(space, space.states.unpack(id), steps);
  for (const Step& step : steps) {
    if (step.kind == kind) {
      const StateId next = apply(space, space.states.unpack(id), step);
      return space.states.text(next, space.problem.sizes);
    }
  }
  return "none";
}

std::unique_ptr<Space> plane(Limits limits = loose()) {
  Problem problem = problem_for("[H, W]", "[H, W]", kPlane);
  problem.fixed.clear();
  return Space::make(problem, limits).value();
}

bool has(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

TEST(SplitTest, JoinsTwoCoordinatesInBothOrders) {
  const auto space = plane();
  EXPECT_EQ(offered(*space, PrimitiveKind::Split),
            (std::vector<std::string>{"SPLIT(o0, o1)", "SPLIT(o1, o0)"}));
}

TEST(MergeTest, TakesBlocksThatDivideEverywhere) {
  const auto space = plane();
  const auto all = offered(*space, PrimitiveKind::Merge);
  EXPECT_TRUE(has(all, "MERGE(o0, k)"));
  EXPECT_TRUE(has(all, "MERGE(o1, s)"));
  EXPECT_FALSE(has(all, "MERGE(o1, k)"));  // 8 is no multiple of 3
}

TEST(ShiftTest, KeepsTheDomain) {
  const auto space = plane();
  EXPECT_EQ(offered(*space, PrimitiveKind::Shift).size(), 2U);
  EXPECT_NE(after_first(*space, PrimitiveKind::Shift).find("shift("), std::string::npos);
}

TEST(UnfoldTest, TakesOddWindowsThatAreSmallAgainstTheBase) {
  const auto space = plane();
  const auto all = offered(*space, PrimitiveKind::Unfold, {"k", "s"});
  EXPECT_TRUE(has(all, "UNFOLD(o0, r0:k)"));
  EXPECT_FALSE(has(all, "UNFOLD(o0, r0:s)"));  // even
  EXPECT_FALSE(has(all, "UNFOLD(r0:k, o0)"));  // longer than the base
  Limits limits = loose();
  limits.window = 2;
  EXPECT_TRUE(offered(*plane(limits), PrimitiveKind::Unfold, {"k"}).empty());
}

TEST(StrideTest, IsUsedUpByAnUnfoldOnly) {
  const auto space = plane();
  EXPECT_TRUE(has(offered(*space, PrimitiveKind::Stride, {"k"}), "STRIDE(r0:k, s)"));
  EXPECT_FALSE(has(offered(*space, PrimitiveKind::Stride), "STRIDE(o0, H)"));
  const SizeId s = space->sizes.intern(space->problem.sizes.parse("s").value());
  const StateId id = apply(*space, space->states.unpack(space->root),
                           {PrimitiveKind::Stride, s, space->outputs[0], kNoCoord});
  Steps steps;
  offer_views(*space, space->states.unpack(id), steps);
  for (const Step& step : steps) {
    EXPECT_NE(space->coordinates[step.first].kind, CoordinateKind::Stride) << text(*space, step);
  }
}

TEST(ExpandTest, LeavesTheData) {
  const auto space = plane();
  EXPECT_EQ(offered(*space, PrimitiveKind::Expand).size(), 2U);
  EXPECT_NE(after_first(*space, PrimitiveKind::Expand).find("expand(o"), std::string::npos);
  EXPECT_TRUE(offered(*plane(Limits{}), PrimitiveKind::Expand).empty());  // the default is none
}

// Nothing would be read of the UNFOLD, whose border counts all the same.
TEST(ExpandTest, LeavesAHalfOfWhatAnUnfoldIsPartOf) {
  Limits limits = loose();
  limits.expands = 2;
  const auto space = plane(limits);
  const SizeId k = space->sizes.intern(space->problem.sizes.parse("k").value());
  State state = space->states.unpack(space->root);
  const auto take = [&](const Step& step) {
    state = space->states.unpack(apply(*space, state, step));
  };
  const auto last_half_is_offered = [&](CoordId whole) {
    take({PrimitiveKind::Merge, k, whole, kNoCoord});
    take({PrimitiveKind::Expand, kSizeOne, space->coordinates.merge_high(whole, k), kNoCoord});
    Steps steps;
    offer_views(*space, state, steps);
    const Step last{PrimitiveKind::Expand, kSizeOne, space->coordinates.merge_low(whole, k),
                    kNoCoord};
    return std::find(steps.begin(), steps.end(), last) != steps.end();
  };
  EXPECT_TRUE(last_half_is_offered(space->outputs[0]));
  state = space->states.unpack(space->root);
  take({PrimitiveKind::Reduce, k, kNoCoord, kNoCoord});
  const CoordId window = space->coordinates.reduce(k, 0);
  take({PrimitiveKind::Unfold, kSizeOne, space->outputs[0], window});
  const CoordId unfolded = space->coordinates.unfold(space->outputs[0], window);
  take({PrimitiveKind::Shift, kSizeOne, unfolded, kNoCoord});
  EXPECT_FALSE(last_half_is_offered(space->coordinates.shift(unfolded)));
}

TEST(ReduceTest, ComesInTheOrderOfSizesAndBeforeAllElse) {
  const auto space = plane();
  const auto first = offered(*space, PrimitiveKind::Reduce);
  EXPECT_TRUE(has(first, "REDUCE(k)") && has(first, "REDUCE(s)"));
  const auto then = offered(*space, PrimitiveKind::Reduce, {"k"});
  EXPECT_TRUE(has(then, "REDUCE(k)"));
  EXPECT_NE(has(then, "REDUCE(s)"),
            has(offered(*space, PrimitiveKind::Reduce, {"s"}), "REDUCE(k)"));
  const StateId shifted = apply(*space, space->states.unpack(space->root),
                                {PrimitiveKind::Shift, kSizeOne, space->outputs[0], kNoCoord});
  Steps steps;
  offer_reductions(*space, space->states.unpack(shifted), steps);
  EXPECT_TRUE(steps.empty());
}

TEST(ReduceTest, KeepsTheVolume) {
  Limits limits = loose();
  limits.reduction_volume = 0.01;  // of 96 elements
  EXPECT_TRUE(offered(*plane(limits), PrimitiveKind::Reduce).empty());
}

TEST(ContractionTest, SharesAndContractionsAreTheWeightsOfAChoice) {
  EXPECT_EQ(row(PrimitiveKind::Share).offer, nullptr);
  Limits limits;
  limits.weights = 3;
  EXPECT_EQ(limits.of(PrimitiveKind::Contraction), 3);
}

TEST(Primitives, StandInTheOrderOfTheirKinds) {
  for (std::size_t i = 0; i < primitives().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(primitives()[i]->kind), i);
  }
}

TEST(Primitives, EachHasACountAndALimitOfItsOwn) {
  for (const Primitive* primitive : primitives()) {
    if (primitive->offer == nullptr) continue;
    Counts counts;
    ++counts[primitive->kind];
    EXPECT_EQ(counts.all(), 1) << name_of(primitive->kind);
    const auto infos = limit_infos();
    const auto info = std::find_if(infos.begin(), infos.end(), [&](const LimitInfo& each) {
      return each.primitive == primitive->kind;
    });
    ASSERT_NE(info, infos.end()) << name_of(primitive->kind);
    Limits limits;
    limits.*info->limit = 0;
    const auto is_offered = [&] {
      const auto steps = primitive->kind == PrimitiveKind::Unfold
                             ? offered(*plane(limits), primitive->kind, {"k"})
                             : offered(*plane(limits), primitive->kind);
      return !steps.empty();
    };
    EXPECT_FALSE(is_offered()) << info->name;
    limits.*info->limit = 1;
    EXPECT_TRUE(is_offered()) << info->name;
  }
}

TEST(Primitives, LimitsOutOfRangeAreRefusedByName) {
  const Problem problem = problem_for("[H, W]", "[H, W]", kPlane);
  for (const LimitInfo& info : limit_infos()) {
    for (const int value : {info.least - 1, info.most + 1}) {
      Limits limits;
      limits.weight_free = true;
      limits.*info.limit = value;
      const auto space = Space::make(problem, limits);
      ASSERT_FALSE(space.ok()) << info.name << " " << value;
      EXPECT_EQ(space.rejection().reason(), Reason::BadOption);
      EXPECT_NE(space.rejection().message().find(info.name), std::string::npos);
    }
  }
}

TEST(Primitives, TheirPageIsUpToDate) {
  if (std::getenv("CAMBIUM_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(CAMBIUM_PRIMITIVES_PAGE, primitives_page()).ok());
  }
  EXPECT_EQ(read_file(CAMBIUM_PRIMITIVES_PAGE).value(), primitives_page());
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
