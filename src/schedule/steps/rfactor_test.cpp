#include "schedule/steps/rfactor.h"

#include "schedule/steps/compute_at.h"
#include "schedule/steps/loop_kinds.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

TEST(RFactor, MakesPartialResultsThatMayBeVectorized) {
  Subject s(R"(
    program p(x: f32[4, 32] input, y: f32[4] output) {
      for i in 4 { for k.0 in 4 { for k.1 in 8 {
        block y(spatial i = i, reduce k in 32 = 8*k.0 + k.1) { y[i] += x[i, k] init 1.0 }
      } } }
    })");
  EXPECT_EQ(s.apply(RFactor{"k.1", 1}), (Names{"y.part", "y.part", "k.1.2"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program p(x: f32[4, 32] input, y: f32[4] output) {
      local y.part: f32[1, 8]
      for i in 4 {
        for k.0 in 4 { for k.1 in 8 {
          block y.part(spatial i = i, reduce k.0 = k.0, spatial k.1 = k.1) {
            y.part[0, k.1] += x[i, 8*k.0 + k.1] init 0.0
          }
        } }
        for k.1.2 in 8 { block y(spatial i = i, reduce k.1 = k.1.2) { y[i] += y.part[0, k.1] init 1.0 } }
      }
    })"));
  s.apply(Vectorize{"k.1"});
}

TEST(RFactor, TurnsTheTailOfAReductionIntoWhatChangesNothing) {
  for (const char* combine : {"+=", "*=", "max=", "min="}) {
    for (const char* type : {"f32", "i32", "u8"}) {
      const std::string t(type);
      const std::string one = t == "f32" ? "1.0" : t + "(1)";
      Subject s("program p(x: " + t + "[3, 10] input, y: " + t + "[3] output) {" + R"(
        for k.0 in 4 { for i.0 in 2 { for k.1 in 3 { for i.1 in 2 {
          block y(spatial i in 3 = 2*i.0 + i.1, reduce k in 10 = 3*k.0 + k.1) if 3*k.0 + k.1 < 10 && 2*i.0 + i.1 < 3 {
            y[i] )" +
                combine + " x[i, k] init " + one + " } } } } } }");
      EXPECT_EQ(s.apply(RFactor{"k.1", 0}), (Names{"y.part", "y.part", "i.0.2", "i.1.2", "k.1.2"}));
    }
  }
}

// The only loop of a reduction: partial results are the values themselves.
TEST(RFactor, LeavesNothingToReduceForTheOnlyLoop) {
  Subject s(R"(
    program p(x: f32[8] input, y: f32[] output) {
      for k in 8 { block y(reduce k = k) { y[] max= x[k] init 0.0 } }
    })");
  s.apply(RFactor{"k", 0});
  EXPECT_NE(s.text().find("y.part[k] = x[k]"), std::string::npos) << s.text();
  s.apply(Parallel{"k"});
}

TEST(RFactor, RefusesLoopsThatReduceNothingAlone) {
  Subject s(R"(
    program p(x: f32[8, 8] input, y: f32[8] output, z: f16[8] output, q: f32[8] output) {
      for i in 8 { for k in 8 { block y(spatial i = i, reduce k = k) { y[i] += x[i, k] init 0.0 } } }
      for i.2 in 8 { for k.2 in 8 { block z(spatial i = i.2, reduce k = k.2) { z[i] += x[i, k] init 0.0 } } }
      for f in 64 { block q(spatial i in 8 = f / 8, reduce k in 8 = f % 8) { q[i] += x[i, k] init 0.0 } }
    })");
  EXPECT_EQ(s.refusal(RFactor{"nowhere", 0}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(RFactor{"i", 0}), Reason::NotAReduction);
  EXPECT_EQ(s.refusal(RFactor{"f", 0}), Reason::NotAReduction);
  EXPECT_EQ(s.refusal(RFactor{"k", 2}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(RFactor{"k", -1}), Reason::BadFactors);
  EXPECT_EQ(s.refusal(RFactor{"k.2", 0}), Reason::NotAssociative);  // f16 rounds at every step
}

TEST(RFactor, RefusesWhatNoBufferHolds) {
  Subject s(R"(
    program p(x: f32[2097152] input, y: f32[2097152] output) {
      for k in 2097152 { for i in 2097152 {
        block y(spatial i = i, reduce k = k) { y[i] += x[i] init 0.0 }
      } }
    })");
  EXPECT_EQ(s.refusal(RFactor{"k", 0}), Reason::BufferTooLarge);
}

TEST(RFactor, RefusesLoopsOfSeveralBlocksAndMixedPredicates) {
  Subject s(R"(
    program p(x: f32[8, 8] input, y: f32[8] output, z: f32[] output) {
      for k in 8 {
        for i in 8 { block y(spatial i = i, reduce k = k) { y[i] += x[i, k] init 0.0 } }
        block z(reduce k = k) { z[] += x[0, k] init 0.0 }
      }
    })");
  EXPECT_EQ(s.refusal(RFactor{"k", 0}), Reason::NotAReduction);
  Subject v(R"(
    program p(x: f32[8] input, y: f32[] output) {
      for k.0 in 2 {
        block y.init(spatial q in 1 = 0) if k.0 < 1 { y[] = 0.0 }
        for k.1 in 4 { block y(reduce k in 8 = 4*k.0 + k.1) { y[] += x[k] } }
      }
    })");
  EXPECT_EQ(v.refusal(RFactor{"k.1", 0}), Reason::NotAReduction);
  Subject u(R"(
    program p(x: f32[8, 8] input, y: f32[8] output) {
      for i in 8 { for k in 8 {
        block y(spatial i = i, reduce k = k) if i + k < 15 { y[i] += x[i, k] init 0.0 }
      } }
    })");
  EXPECT_EQ(u.refusal(RFactor{"k", 0}), Reason::NotAReduction);
}

}  // namespace
}  // namespace cambium::schedule
