#include "schedule/steps/partition.h"

#include "schedule/steps/decompose_reduction.h"
#include "schedule/steps/loop_kinds.h"
#include "schedule/steps/reorder.h"
#include "schedule/steps/split.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kLongCopy = R"(
  program copy(x: f32[196] input, y: f32[196] output) {
    for i in 196 { block b(spatial i = i) { y[i] = x[i] } }
  })";

TEST(Partition, TakesPredicatesAwayAndShortensTheTail) {
  Subject s(kLongCopy);
  s.apply(Split{"i", {0, 6}, Tail::Guard});
  EXPECT_EQ(s.apply(Partition{"i.0", {32}}), (Names{"i.0", "i.0.2"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program copy(x: f32[196] input, y: f32[196] output) {
      for i.0 in 32 { for i.1 in 6 { block b(spatial i in 196 = 6*i.0 + i.1) { y[i] = x[i] } } }
      for i.0.2 in 1 {
        for i.1.2 in 4 { block b.2(spatial i in 196 = 6*i.0.2 + i.1.2 + 192) { y[i] = x[i] } }
      }
    })"));
}

// 196 = 3*64 + 4 lanes, of which 16 are in a vector: one vector is left, with a mask.
TEST(Partition, ShortensTheOuterOfTwoLoopsAndKeepsThePredicateForTheInner) {
  Subject s(R"(
    program copy(x: f32[232] input, y: f32[232] output) {
      for i in 232 { block b(spatial i = i) { y[i] = x[i] } }
    })");
  s.apply(Split{"i", {0, 4, 16}, Tail::Guard});
  s.apply(Unroll{"i.1"});
  s.apply(Vectorize{"i.2"});
  s.apply(Parallel{"i.0"});
  s.apply(Partition{"i.0", {3}});
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program copy(x: f32[232] input, y: f32[232] output) {
      for i.0 in 3 parallel { for i.1 in 4 unrolled { for i.2 in 16 vectorized {
        block b(spatial i in 232 = 64*i.0 + 16*i.1 + i.2) { y[i] = x[i] }
      } } }
      for i.0.2 in 1 parallel { for i.1.2 in 3 unrolled { for i.2.2 in 16 vectorized {
        block b.2(spatial i in 232 = 64*i.0.2 + 16*i.1.2 + i.2.2 + 192)
          if 64*i.0.2 + 16*i.1.2 + i.2.2 + 192 < 232 { y[i] = x[i] }
      } } }
    })"));
}

TEST(Partition, DecidesConditionsInValues) {
  Subject s(R"(
    program pad(x: f32[8] input, y: f32[10] output) {
      for i in 10 { block b(spatial i = i) { y[i] = select([i >= 1 && i < 9], x[i - 1], 0.0) } }
    })");
  EXPECT_EQ(s.apply(Partition{"i", {1, 9}}), (Names{"i", "i.2", "i.3"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program pad(x: f32[8] input, y: f32[10] output) {
      for i in 1 { block b(spatial i = i) { y[i] = 0.0 } }
      for i.2 in 8 { block b.2(spatial i = i.2) { y[i + 1] = x[i] } }
      for i.3 in 1 { block b.3(spatial i = i.3) { y[i + 9] = 0.0 } }
    })"));
}

TEST(Partition, GivesEachPieceItsOwnLocals) {
  Subject s(R"(
    program p(x: f32[6, 3] input, y: f32[6, 3] output) {
      local t: f32[3] @space("register")
      for i in 6 {
        for j in 3 { block t(spatial i = i, spatial j = j) { t[j] = x[i, j] } }
        for j.2 in 3 { block y(spatial i = i, spatial j = j.2) { y[i, j] = t[j] } }
      }
    })");
  s.apply(Partition{"i", {4}});
  EXPECT_NE(s.text().find("local t.2: f32[3] @space(\"register\")"), std::string::npos) << s.text();
  EXPECT_NE(s.text().find("= t.2[j]"), std::string::npos) << s.text();
}

TEST(Partition, SharesLocalsThatAreReadAfterTheLoop) {
  Subject s(R"(
    program p(x: f32[6] input, y: f32[6] output) {
      local t: f32[6]
      for i in 6 { block t(spatial i = i) { t[i] = x[i] } }
      for j in 6 { block y(spatial i = j) { y[i] = t[i] } }
    })");
  s.apply(Partition{"i", {4}});
  EXPECT_EQ(s.text().find("local t.2"), std::string::npos) << s.text();
}

TEST(Partition, TakesADecomposedReductionApart) {
  Subject s(R"(
    program sum(x: f32[4, 8] input, y: f32[4] output) {
      for i in 4 { for k in 8 { block s(spatial i = i, reduce k = k) { y[i] += x[i, k] init 0.0 } } }
    })");
  EXPECT_EQ(s.refusal(Partition{"k", {5}}), Reason::SplitsReduction);
  s.apply(DecomposeReduction{"s", "k"});
  s.apply(Partition{"k", {5}});
  EXPECT_NE(s.text().find("block s.2(spatial i = i, reduce k = k.2) {"), std::string::npos)
      << s.text();
  EXPECT_NE(s.text().find("y[i] += x[i, k + 5]"), std::string::npos) << s.text();
}

TEST(Partition, RefusesAPartOfEveryStepOfAReduction) {
  Subject s(R"(
    program sum(x: f32[4, 8] input, y: f32[4] output) {
      for i in 4 { for k in 8 { block s(spatial i = i, reduce k = k) { y[i] += x[i, k] init 0.0 } } }
    })");
  s.apply(DecomposeReduction{"s", "k"});
  s.apply(Split{"k", {2, 4}, Tail::Exact});
  EXPECT_EQ(s.refusal(Partition{"k.1", {3}}), Reason::SplitsReduction);
}

TEST(Partition, RefusesAndSaysWhy) {
  Subject s(kLongCopy);
  EXPECT_EQ(s.refusal(Partition{"z", {3}}), Reason::UnknownName);
  for (const Ints& points : {Ints{}, Ints{0}, Ints{196}, Ints{7, 7}, Ints{9, 3}}) {
    EXPECT_EQ(s.refusal(Partition{"i", points}), Reason::BadFactors);
  }
  s.apply(Vectorize{"i"});
  EXPECT_EQ(s.refusal(Partition{"i", {3}}), Reason::LoopNotPlain);
}

TEST(Partition, LeavesOutWhatNobodyReadsInAPiece) {
  Subject s(R"(
    program p(x: f32[6] input, y: f32[6] output) {
      local t: f32[1]
      for i in 6 {
        block t(spatial i in 3 = i, spatial u in 1 = 0) if i < 3 { t[u] = x[i] }
        block y(spatial i = i) { y[i] = select([i < 3], t[0], 1.0) }
      }
    })");
  EXPECT_EQ(s.apply(Partition{"i", {3}}), (Names{"i", "i.2"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program p(x: f32[6] input, y: f32[6] output) {
      local t: f32[1]
      for i in 3 {
        block t(spatial i in 3 = i, spatial u in 1 = 0) { t[u] = x[i] }
        block y(spatial i = i) { y[i] = t[0] }
      }
      for i.2 in 3 { block y.2(spatial i = i.2) { y[i + 3] = 1.0 } }
    })"));
}

TEST(Partition, LeavesOutPiecesInWhichNothingRuns) {
  Subject s(kLongCopy);
  s.apply(Split{"i", {9, 28}, Tail::Guard});
  EXPECT_EQ(s.apply(Partition{"i.0", {7, 8}}), Names{"i.0"});
  Subject never(R"(
    program p(x: f32[6] input, y: f32[6] output) {
      for i in 6 { block y(spatial i = i) { y[i] = x[i] } }
      for j in 6 { block n(spatial i = j) if false { y[i] = x[i] } }
    })");
  EXPECT_EQ(never.refusal(Partition{"j", {3}}), Reason::BadFactors);
}

// Whether all was written is looked up element by element, as long as there are not too many.
TEST(Partition, MayBeReadFromTwoPiecesWhereThatIsProved) {
  const auto of_width = [](const std::string& width) {
    return "program p(x: f32[2, " + width + "] input, y: f32[2, " + width +
           "] output) { local t: f32[" + width + "] for n in 2 { for i in " + width +
           " { block t(spatial n = n, spatial i = i) { t[i] = x[n, i] } } for j in " + width +
           " { block y(spatial n = n, spatial i = j) { y[n, i] = t[i] } } } }";
  };
  Subject s(of_width("6"));
  s.apply(Partition{"i", {4}});
  Subject large(of_width("300000"));
  EXPECT_EQ(large.refusal(Partition{"i", {4}}), Reason::NotProved);
}

TEST(Partition, RefusesReadsWhoseWriterIsGone) {
  Subject s(R"(
    program p(x: f32[6] input, y: f32[6] output) {
      local t: f32[1]
      for i in 6 {
        block t(spatial i in 3 = i, spatial u in 1 = 0) if i < 3 { t[u] = x[i] }
        block y(spatial i = i) { y[i] = select([i/3] == 0, t[0], 1.0) }
      }
    })");
  EXPECT_EQ(s.refusal(Partition{"i", {3}}), Reason::ReadBeforeWrite);
}

}  // namespace
}  // namespace cambium::schedule
