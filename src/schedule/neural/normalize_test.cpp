#include "schedule/neural/normalize.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/text.h"
#include "program/fingerprint.h"
#include "program/text.h"
#include "program/walk.h"
#include "schedule/neural/oracle_testing.h"
#include "schedule/neural/random_testing.h"
#include "schedule/trace/schedule.h"

namespace cambium::schedule {
namespace {

struct NormalConv {
  explicit NormalConv(const ConvSpec& spec) : schedule(cx, conv_program(cx, spec)) {}

  Names apply(const Step& step) {
    Result<Names> made = schedule.apply(step);
    if (made.ok()) return *made;
    ADD_FAILURE() << to_text(step) << ": " << made.rejection().message();
    return Names(16, "?");
  }
  Fingerprint normal() {
    apply(Normalize{"conv"});
    return program::fingerprint_of(schedule.program());
  }

  Context cx;
  Schedule schedule;
};

ConvSpec wide() {
  ConvSpec spec;
  spec.ci = spec.co = 8;
  spec.h = spec.w = 8;
  return spec;
}

// The padding of these programs has loops n and h.
TEST(Normalize, NamesLoopsByWhatTheyCount) {
  NormalConv s(wide());
  EXPECT_EQ(s.apply(Normalize{"conv"}), (Names{"n.2", "co", "h.2", "w", "kh", "kw", "ci"}));
}

TEST(Normalize, FollowsTheMemoryOfTheTarget) {
  ConvSpec spec = wide();
  spec.channels_last = true;
  NormalConv s(spec);
  EXPECT_EQ(s.apply(Normalize{"conv"}), (Names{"n.2", "h.2", "w", "co", "kh", "kw", "ci"}));
}

// Where one row is left of the output, or one place, taps alone count the places of x.
TEST(Normalize, KnowsTapsWhereTheOutputHasOnePlace) {
  for (const std::int64_t width : {1, 8}) {
    ConvSpec spec = wide();
    spec.h = 1;
    spec.w = width;
    NormalConv s(spec);
    const Names made = s.apply(Normalize{"conv"});
    EXPECT_EQ(Names(made.end() - 3, made.end()), (Names{"kh", "kw", "ci"})) << join(made, " ");
  }
}

TEST(Normalize, ForgetsHowANestWasScheduled) {
  NormalConv plain(wide()), scheduled(wide());
  scheduled.apply(Split{"co", {2, 2, 2}, Tail::Exact});
  scheduled.apply(Split{"ci", {4, 2}, Tail::Exact});
  scheduled.apply(Reorder{{"ci.1", "co.2", "oh", "co.0", "ow", "co.1", "ci.0"}});
  scheduled.apply(Unroll{"co.1"});
  EXPECT_EQ(plain.normal(), scheduled.normal());
}

TEST(Normalize, GivesOneFormToEqualGroups) {
  NormalConv at_once(wide()), twice(wide());
  at_once.apply(Reorder{{"co", "ci", "oh", "ow"}});
  at_once.apply(Group{"co", "ci", 4, 0});
  twice.apply(Reorder{{"co", "ci", "oh", "ow"}});
  twice.apply(Group{"co", "ci", 2, 0});
  twice.apply(Normalize{"conv"});
  twice.apply(Reorder{{"co", "ci", "g", "h.2", "w"}});
  twice.apply(Group{"co", "ci", 2, 0});
  EXPECT_EQ(at_once.normal(), twice.normal());
}

TEST(Normalize, TellsSlicesFromInterleavedGroups) {
  NormalConv slices(wide()), interleaved(wide());
  slices.apply(Reorder{{"co", "ci", "oh", "ow"}});
  slices.apply(Group{"co", "ci", 2, 0});
  interleaved.apply(Split{"ci", {4, 2}, Tail::Exact});
  interleaved.apply(Reorder{{"co", "ci.1", "oh", "ow"}});
  interleaved.apply(Group{"co", "ci.1", 2, 0});
  EXPECT_NE(slices.normal(), interleaved.normal());
}

TEST(Normalize, LeavesNoLoopOfChannelsWhereEachChannelIsAGroup) {
  NormalConv s(wide());
  s.apply(Reorder{{"co", "ci", "oh", "ow"}});
  s.apply(Group{"co", "ci", 8, 0});
  EXPECT_EQ(s.apply(Normalize{"conv"}), (Names{"n.2", "g", "h.2", "w", "kh", "kw"}));
}

// One group that skips channels would be a digit of one iteration: 6*g + co + 2.
TEST(Normalize, LeavesNoLoopOverOneGroup) {
  NormalConv s(wide());
  s.apply(Reorder{{"co", "n.2", "ci", "oh", "ow"}});
  s.apply(Partition{"co", {2}});
  s.apply(Reorder{{"co.2", "ci.2", "n.2.2", "oh.2", "ow.2"}});
  s.apply(Group{"co.2", "ci.2", 1, 2});
  const Names loops = s.apply(Normalize{"conv.2"});
  EXPECT_EQ(std::count_if(loops.begin(), loops.end(),
                          [](const std::string& name) { return name.starts_with("g"); }),
            0)
      << join(loops, " ");
}

TEST(Normalize, RefusesWhatIsNoSumOfProducts) {
  NormalConv s(wide());
  const std::string before = program::to_text(s.cx, s.schedule.program());
  const auto pad = s.schedule.apply(Normalize{"pad"});
  ASSERT_FALSE(pad.ok());
  EXPECT_EQ(pad.rejection().reason(), Reason::NotAContraction);
  EXPECT_EQ(s.schedule.apply(Normalize{"nothing"}).rejection().reason(), Reason::UnknownName);
  EXPECT_EQ(program::to_text(s.cx, s.schedule.program()), before);
}

TEST(Normalize, KeepsWhatRandomSequencesCompute) {
  int normalized = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Context cx;
    RandomNeural run = random_neural(cx, seed);
    ASSERT_EQ(run.error, "") << "seed " << seed;
    for (const TablePart& part : run.table.parts()) {
      // Loops that several pieces share, or that run at once with others, are refused.
      normalized += run.schedule.apply(Normalize{part.block}).ok() ? 1 : 0;
    }
    const Program program = run.schedule.program();
    ASSERT_EQ(difference(cx, program, run.table, seed), "")
        << "seed " << seed << "\n"
        << to_text(run.schedule.trace()) << program::to_text(cx, program);
    for (const TablePart& part : run.table.parts()) {
      const bool again = run.schedule.apply(Normalize{part.block}).ok();
      if (again && run.table.parts().size() == 1) {
        ASSERT_EQ(program::fingerprint_of(run.schedule.program()), program::fingerprint_of(program))
            << "seed " << seed << "\n"
            << to_text(run.schedule.trace()) << program::to_text(cx, program)
            << program::to_text(cx, run.schedule.program());
      }
    }
  }
  EXPECT_GT(normalized, 250);
}

}  // namespace
}  // namespace cambium::schedule
