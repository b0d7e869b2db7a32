#include "schedule/rules/winograd_rule.h"

#include "program/verify.h"
#include "schedule/rules/initial_values.h"
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/rule_testing.h"
#include "schedule/rules/sites.h"
#include "schedule/rules/small_operators_testing.h"
#include "schedule/rules/space.h"

namespace cambium::schedule {
namespace {

Decision algorithm(std::int64_t choice) {
  return {{choice}, choice == 0 ? "direct" : choice == 1 ? "F(2x2)" : "F(4x4)"};
}

// A draft of a convolution of a square image with its ReLU, and Winograd's algorithm used for it.
struct Drafted {
  Context cx;
  Machine machine = machine_named("avx512").value();
  DraftOptions options;
  Program before;
  Draft draft;

  Drafted(const Conv& shape, std::int64_t choice)
      : options{.otherwise = Otherwise::Preferred,
                .wanted = {{"winograd/conv/algorithm", algorithm(choice)}}},
        before(conv(cx, shape)),
        draft(cx, before, machine, options) {}

  Status use() {
    draft.enter("winograd", "conv");
    return use_winograd(draft, "conv");
  }
};

TEST(WinogradRule, PrefersTheDirectWay) {
  Drafted s({8, 32, 32, 3, 1, 1, 1}, 0);
  s.options.wanted.clear();
  ASSERT_TRUE(s.use().ok());
  EXPECT_EQ(program::to_text(s.cx, s.draft.program()), program::to_text(s.cx, s.before));
  EXPECT_EQ(decisions_of(s.draft.schedule().trace()).size(), 1U);
}

TEST(WinogradRule, DrawsTheWayThatSavesMostMoreOften) {
  const auto weights = [](const Conv& shape) {
    Drafted s(shape, 0);
    EXPECT_TRUE(s.use().ok());
    return std::get<SampleCategorical>(s.draft.schedule().trace()[0].step).weights;
  };
  const Ints large = weights({28, 64, 64, 3, 1, 1, 1});
  EXPECT_GT(large[2], large[1]);
  EXPECT_GT(large[1], large[0]);
  const Ints small = weights({6, 64, 64, 3, 1, 1, 1});  // two tiles of 4 to compute 6
  EXPECT_LT(small[2] * large[1], large[2] * small[1]);
}

TEST(WinogradRule, LeavesAloneWhatItWouldNotMakeFaster) {
  Drafted depthwise({12, 40, 40, 3, 1, 1, 40}, 1);
  EXPECT_EQ(depthwise.use().rejection().reason(), Reason::NothingToDo);
  Drafted strided({13, 32, 32, 3, 2, 1, 1}, 1);
  EXPECT_EQ(strided.use().rejection().reason(), Reason::NothingToDo);
}

TEST(WinogradRule, SchedulesTransformsInRegisters) {
  for (const std::int64_t choice : {1, 2}) {
    for (const std::int64_t size : {8, 9, 6, 3}) {
      Drafted s({size, 32, 48, 3, 1, 1, 1}, choice);
      const Status used = s.use();
      ASSERT_TRUE(used.ok()) << used.rejection().message();
      EXPECT_EQ(difference(s.cx, s.before, s.draft.program()), "") << choice << " " << size;
      for (const char* half : {"conv.data.rows", "conv.output.rows"}) {
        const program::Site site = site_of(s.draft.program(), half);
        EXPECT_EQ(site.loops.back()->how, program::LoopKind::Vectorized) << half;
        const auto& notes = site.block->body->target->annotations;
        EXPECT_TRUE(!notes.empty() && notes[0].text == "register") << half;
      }
    }
  }
}

TEST(WinogradRule, TakesTheEpilogueIntoTheOutputTransform) {
  Drafted s({8, 32, 32, 3, 1, 1, 1}, 1);
  ASSERT_TRUE(s.use().ok());
  EXPECT_EQ(program::find_block(s.draft.program(), "conv.output"), nullptr);
}

// The zeros beyond the image come from its padding: the transform itself reads without conditions.
TEST(WinogradRule, WidensThePaddingWhereTilesReachBeyondIt) {
  Drafted s({9, 32, 32, 3, 1, 1, 1}, 2);
  ASSERT_TRUE(s.use().ok());
  const auto reads =
      program::accesses_of(s.cx, *site_of(s.draft.program(), "conv.data.rows").block->body);
  for (const program::Access& access : reads) {
    for (program::Expr guard : access.guards) {
      EXPECT_EQ(program::axes_of(guard).size(), 1U);
      EXPECT_EQ(expr::name_of(program::axes_of(guard)[0]), "p");
    }
  }
}

TEST(WinogradRule, LeavesProductsThatTheContractionRuleTiles) {
  Drafted s({8, 32, 64, 3, 1, 1, 1}, 2);
  ASSERT_TRUE(s.use().ok());
  s.draft.enter("contraction-tile", "conv");
  const Status tiled = tile_contraction(s.draft, "conv");
  ASSERT_TRUE(tiled.ok()) << tiled.rejection().message();
  ASSERT_TRUE(decompose_all(s.draft.schedule()).ok());
  EXPECT_TRUE(program::check(s.cx, s.draft.program(), program::Stage::Ready).ok());
  EXPECT_EQ(difference(s.cx, s.before, s.draft.program()), "");
}

}  // namespace
}  // namespace cambium::schedule
