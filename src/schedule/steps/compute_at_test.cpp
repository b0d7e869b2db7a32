#include "schedule/steps/compute_at.h"

#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

// The pattern of a register tile: pixels in tiles of 6 with a tail, channels in tiles of 8.
constexpr std::string_view kTiled = R"(
  program p(x: f32[14, 5] input, w: f32[5, 16] constant, b: f32[16] constant, y: f32[14, 16] output) {
    local t: f32[14, 16]
    for p in 14 { for oc in 16 { for k in 5 {
      block conv(spatial p = p, spatial oc = oc, reduce k = k) { t[p, oc] += x[p, k] * w[k, oc] init 0.0 }
    } } }
    for j.0 in 2 { for p.0 in 3 { for p.1 in 6 { for j.1 in 2 { for j.2 in 4 {
      block y(spatial p in 14 = 6*p.0 + p.1, spatial oc in 16 = 8*j.0 + 4*j.1 + j.2) if 6*p.0 + p.1 < 14 {
        y[p, oc] = max(0.0, t[p, oc] + b[oc])
      }
    } } } } }
  })";

TEST(ComputeAt, ComputesTheTileOfAReductionWhereItIsRead) {
  Subject s(kTiled);
  EXPECT_EQ(s.apply(ComputeAt{"conv", "p.0"}), (Names{"p", "oc", "k"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
  program p(x: f32[14, 5] input, w: f32[5, 16] constant, b: f32[16] constant, y: f32[14, 16] output) {
    local t: f32[6, 8]
    for j.0 in 2 { for p.0 in 3 {
      for p in 6 { for oc in 8 { for k in 5 {
        block conv(spatial p in 14 = 6*p.0 + p, spatial oc in 16 = 8*j.0 + oc, reduce k = k) if 6*p.0 + p < 14 {
          t[p % 6, oc % 8] += x[p, k] * w[k, oc] init 0.0
        }
      } } }
      for p.1 in 6 { for j.1 in 2 { for j.2 in 4 {
        block y(spatial p in 14 = 6*p.0 + p.1, spatial oc in 16 = 8*j.0 + 4*j.1 + j.2) if 6*p.0 + p.1 < 14 {
          y[p, oc] = max(0.0, t[p % 6, oc % 8] + b[oc])
        }
      } } }
    } }
  })"));
}

// Rows of a padded image overlap between the rows of a convolution of stride 2.
constexpr std::string_view kPadded = R"(
  program p(x: f32[8, 6] input, w: f32[3, 3] constant, y: f32[4, 3] output) {
    local x.pad: f32[10, 8]
    for h in 10 { for v in 8 {
      block pad(spatial h = h, spatial v = v) {
        x.pad[h, v] = select([1 <= h && h < 9 && 1 <= v && v < 7], x[h - 1, v - 1], 0.0)
      }
    } }
    for oh in 4 parallel { for ow in 3 { for kh in 3 { for kw in 3 {
      block conv(spatial oh = oh, spatial ow = ow, reduce kh = kh, reduce kw = kw) {
        y[oh, ow] += x.pad[2*oh + kh, 2*ow + kw] * w[kh, kw] init 0.0
      }
    } } } }
  })";

TEST(ComputeAt, KeepsTheRowsOfAWindowInALocalThatWrapsAround) {
  Subject s(kPadded);
  EXPECT_EQ(s.apply(ComputeAt{"pad", "oh"}), (Names{"h", "v"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
  program p(x: f32[8, 6] input, w: f32[3, 3] constant, y: f32[4, 3] output) {
    local x.pad: f32[3, 8]
    for oh in 4 parallel {
      for h in 3 { for v in 7 {
        block pad(spatial h in 10 = 2*oh + h, spatial v in 8 = v) {
          x.pad[h % 3, v] = select([1 <= h && h < 9 && 1 <= v && v < 7], x[h - 1, v - 1], 0.0)
        }
      } }
      for ow in 3 { for kh in 3 { for kw in 3 {
        block conv(spatial oh = oh, spatial ow = ow, reduce kh = kh, reduce kw = kw) {
          y[oh, ow] += x.pad[(2*oh + kh) % 3, 2*ow + kw] * w[kh, kw] init 0.0
        }
      } } }
    }
  })"));
}

// The block was split, fused and marked before: its loops are made anew.
TEST(ComputeAt, MakesTheLoopsOfABlockAnewWhateverTheyWere) {
  Subject s(R"(
    program p(x: f32[64] input, y: f32[64] output) {
      local t: f32[64]
      for a in 8 parallel { for b in 8 vectorized { block t(spatial i in 64 = 8*a + b) { t[i] = x[i] * 2.0 } } }
      for o in 16 { for i in 4 { block y(spatial i in 64 = 4*o + i) { y[i] = t[i] + t[63 - i] } } }
    })");
  EXPECT_EQ(s.refusal(ComputeAt{"t", "o"}), Reason::NotABox);  // from both ends
  Subject u(R"(
    program p(x: f32[64] input, y: f32[60] output) {
      local t: f32[64]
      for a in 8 parallel { for b in 8 vectorized { block t(spatial i in 64 = 8*a + b) { t[i] = x[i] * 2.0 } } }
      for o in 15 { for i in 4 { block y(spatial i in 60 = 4*o + i) { y[i] = t[i] + t[i + 2] } } }
    })");
  EXPECT_EQ(u.apply(ComputeAt{"t", "o"}), Names{"i.2"});
  EXPECT_EQ(u.apply(ComputeAt{"t", "i"}), Names{"i.2"});
  EXPECT_EQ(u.text(), Subject::tidy(R"(
    program p(x: f32[64] input, y: f32[60] output) {
      local t: f32[64]
      for o in 15 { for i in 4 {
        for i.2 in 3 { block t(spatial i in 64 = 4*o + i + i.2) { t[i] = x[i] * 2.0 } }
        block y(spatial i in 60 = 4*o + i) { y[i] = t[i] + t[i + 2] }
      } }
    })"));
}

TEST(ComputeAt, LeavesOutPointsBeyondBothEnds) {
  Subject s(R"(
    program p(x: f32[10] input, y: f32[10] output) {
      local t: f32[10]  local u: f32[10]
      for a in 10 { block t(spatial i = a) { t[i] = x[i] * 2.0 } }
      for o in 4 { for i in 3 {
        block y(spatial i in 10 = 3*o + i) if 3*o + i < 10 {
          y[i] = select([1 <= i], t[i - 1], 0.0) + select([i < 9], t[i + 1], 0.0)
        }
      } }
    })");
  EXPECT_EQ(s.apply(ComputeAt{"t", "o"}), Names{"i.2"});
}

// Each group reads channels of its own, but t has room for two and is indexed modulo two, where the
// group cannot be seen any more.
TEST(ComputeAt, DoesNotTakeAnotherPointOfTheSameElement) {
  Subject s(R"(
    program p(x: f32[8] input, y: f32[2] output) {
      local t: f32[2]
      for g in 2 { for o in 2 {
        for c in 2 { block t(spatial c in 8 = 4*g + 2*o + c) { t[c % 2] = x[c] } }
        for i in 2 { block y(spatial g = g, reduce k in 4 = 2*o + i) { y[g] += t[k % 2] init 0.0 } }
      } }
    })");
  EXPECT_EQ(s.refusal(ComputeAt{"t", "i"}), Reason::NotABox);
}

TEST(ComputeAt, RefusesWhatCannotBeMovedThere) {
  Subject s(R"(
    program p(x: f32[8, 8] input, y: f32[8] output, z: f32[8] output) {
      local t: f32[8]  local u: f32[8]  local v: f32[8]
      for a in 8 { block t(spatial i = a) { t[i] = x[i, i] } }
      for b in 4 { block u1(spatial i = b) { u[i] = x[i, i] } }
      for c in 4 { block u2(spatial i = c) { u[i + 4] = x[i, i] } }
      for d in 8 { block v(spatial i = d) { v[i] = x[i, 0] } }
      for o in 8 { block y(spatial i = o) { y[i] = t[i] + u[i] } }
      for q in 8 { block z(spatial i = q) { z[i] = t[i] } }
    })");
  EXPECT_EQ(s.refusal(ComputeAt{"nobody", "o"}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(ComputeAt{"t", "nowhere"}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(ComputeAt{"y", "o"}), Reason::NotLocal);
  EXPECT_EQ(s.refusal(ComputeAt{"u1", "o"}), Reason::NotLocal);
  EXPECT_EQ(s.refusal(ComputeAt{"v", "o"}), Reason::NotConsumer);
  EXPECT_EQ(s.refusal(ComputeAt{"t", "o"}), Reason::NotAround);  // z reads it elsewhere
}

// What the block reads lives in the loop that it would leave.
TEST(ComputeAt, RefusesToLeaveItsSourcesBehind) {
  Subject s(R"(
    program p(x: f32[8] input, y: f32[8] output) {
      local a: f32[4]  local t: f32[8]
      for o in 2 {
        for i in 4 { block a(spatial i in 8 = 4*o + i) { a[i % 4] = x[i] } }
        for j in 4 { block t(spatial i in 8 = 4*o + j) { t[i] = a[i % 4] * 2.0 } }
      }
      for l in 8 { block y(spatial i = l) { y[i] = t[i] } }
    })");
  EXPECT_EQ(s.refusal(ComputeAt{"t", "l"}), Reason::WritesCollide);
}

constexpr std::string_view kEpilogue = R"(
  program p(x: f32[14, 5] input, w: f32[5, 16] constant, b: f32[16] constant, y: f32[14, 16] output) {
    local t: f32[14, 16]
    for p.0 in 3 { for oc.0 in 2 { for k in 5 { for p.1 in 6 { for oc.1 in 8 {
      block conv(spatial p in 14 = 6*p.0 + p.1, spatial oc in 16 = 8*oc.0 + oc.1, reduce k = k) if 6*p.0 + p.1 < 14 {
        t[p, oc] += x[p, k] * w[k, oc] init 0.0
      }
    } } } } }
    for p in 14 { for oc in 16 {
      block y(spatial p = p, spatial oc = oc) { y[p, oc] = max(0.0, t[p, oc] + b[oc]) }
    } }
  })";

TEST(ReverseComputeAt, FinishesATileOnceItsReductionIsComplete) {
  Subject s(kEpilogue);
  EXPECT_EQ(s.apply(ReverseComputeAt{"y", "oc.0"}), (Names{"p", "oc"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
  program p(x: f32[14, 5] input, w: f32[5, 16] constant, b: f32[16] constant, y: f32[14, 16] output) {
    local t: f32[6, 8]
    for p.0 in 3 { for oc.0 in 2 {
      for k in 5 { for p.1 in 6 { for oc.1 in 8 {
        block conv(spatial p in 14 = 6*p.0 + p.1, spatial oc in 16 = 8*oc.0 + oc.1, reduce k = k) if 6*p.0 + p.1 < 14 {
          t[p % 6, oc % 8] += x[p, k] * w[k, oc] init 0.0
        }
      } } }
      for p in 6 { for oc in 8 {
        block y(spatial p in 14 = 6*p.0 + p, spatial oc in 16 = 8*oc.0 + oc) if 6*p.0 + p < 14 {
          y[p, oc] = max(0.0, t[p % 6, oc % 8] + b[oc])
        }
      } }
    } }
  })"));
}

TEST(ReverseComputeAt, RefusesWhatIsNotCompleteThere) {
  Subject s(kEpilogue);
  EXPECT_EQ(s.refusal(ReverseComputeAt{"nobody", "oc.0"}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(ReverseComputeAt{"y", "nowhere"}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(ReverseComputeAt{"y", "k"}), Reason::SplitsReduction);
  EXPECT_EQ(s.refusal(ReverseComputeAt{"conv", "p"}), Reason::NotConsumer);
  s.apply(ReverseComputeAt{"y", "oc.0"});
  EXPECT_EQ(s.refusal(ReverseComputeAt{"y", "oc.0"}), Reason::NotAround);  // it is there already
}

TEST(ReverseComputeAt, RefusesWindowsAndReductionsOverTheLoop) {
  Subject s(R"(
    program p(x: f32[8] input, y: f32[6] output, z: f32[] output) {
      local t: f32[8]
      for i in 8 { block t(spatial i = i) { t[i] = x[i] * 2.0 } }
      for o in 6 { for k in 3 { block y(spatial o = o, reduce k = k) { y[o] += t[o + k] init 0.0 } } }
      for r in 8 { block z(reduce r = r) { z[] += t[r] init 0.0 } }
    })");
  EXPECT_EQ(s.refusal(ReverseComputeAt{"y", "i"}), Reason::NotABox);
  EXPECT_EQ(s.refusal(ReverseComputeAt{"z", "i"}), Reason::SplitsReduction);
}

// u, which y reads too, is computed after the loop.
TEST(ReverseComputeAt, RefusesAConsumerThatWaitsForSomethingLater) {
  Subject s(R"(
    program p(x: f32[8] input, y: f32[8] output) {
      local t: f32[8]  local u: f32[8]
      for i in 8 { block t(spatial i = i) { t[i] = x[i] * 2.0 } }
      for j in 8 { block u(spatial i = j) { u[i] = x[i] * 3.0 } }
      for l in 8 { block y(spatial i = l) { y[i] = t[i] + u[i] } }
    })");
  EXPECT_EQ(s.refusal(ReverseComputeAt{"y", "i"}), Reason::ReadBeforeWrite);
  EXPECT_EQ(s.apply(ReverseComputeAt{"y", "j"}), Names());
}

// In the loop of the init the sum has its first value, but not yet its last.
TEST(ReverseComputeAt, RefusesASumThatOnlyBeganThere) {
  Subject s(R"(
    program p(x: f32[4, 3] input, y: f32[4] output) {
      local t: f32[4]
      for i in 4 { block t.init(spatial i = i) { t[i] = 0.0 } }
      for j in 4 { for k in 3 { block t(spatial i = j, reduce k = k) { t[i] += x[i, k] } } }
      for l in 4 { block y(spatial i = l) { y[i] = t[i] } }
    })");
  EXPECT_EQ(s.refusal(ReverseComputeAt{"y", "i"}), Reason::ReadBeforeWrite);
  EXPECT_EQ(s.apply(ReverseComputeAt{"y", "j"}), Names());
}

// What is stored in t before the reduction ends is not what y reads, though it is a value.
constexpr std::string_view kTwoWriters = R"(
    program p(x: f32[8, 8] input, y: f32[8] output, z: f32[8] output) {
      local t: f32[8]  local u: f32[8]  local v: f32[8]
      for a in 8 { block t.init(spatial i = a) { t[i] = 0.0 } }
      for g in 8 { block early(spatial i = g) { u[i] = t[i] + 1.0 } }
      for b in 8 { for k in 8 { block t(spatial i = b, reduce k = k) { t[i] += x[i, k] } } }
      for c in 8 { block y(spatial i = c) { y[i] = t[i] } }
      for d in 8 { block z(spatial i = d) { z[i] = u[i] } }
      for e in 8 { block v(spatial i = e) { v[i] = x[i, 0] } }
      for f in 8 { block z2(spatial i = f) { z[i] = v[i] } }
    })";

TEST(ReverseComputeAt, RefusesToPassOtherWriters) {
  Subject s(kTwoWriters);
  EXPECT_EQ(s.refusal(ReverseComputeAt{"y", "a"}), Reason::ReadBeforeWrite);
  EXPECT_EQ(s.refusal(ReverseComputeAt{"z2", "e"}), std::nullopt);
  Subject u(R"(
    program p(x: f32[8] input, z: f32[8] output) {
      local v: f32[8]
      for e in 8 { block v(spatial i = e) { v[i] = x[i] } }
      for d in 8 { block z(spatial i = d) { z[i] = 1.0 } }
      for f in 8 { block z2(spatial i = f) { z[i] = v[i] } }
    })");
  EXPECT_EQ(u.refusal(ReverseComputeAt{"z2", "e"}), Reason::ChangesOrder);
}

TEST(ComputeAt, RefusesToPassWritersOfWhatItReads) {
  Subject s(kTwoWriters);
  EXPECT_EQ(s.refusal(ComputeAt{"early", "d"}), Reason::ChangesOrder);
}

// t holds the second channel alone, and its index no longer says so.
TEST(ReverseComputeAt, KeepsThePointsThatNoIndexTells) {
  Subject s(R"(
    program p(x: f32[2, 3] input, b: f32[2] constant, y: f32[2, 3] output) {
      local t: f32[1, 3]  local u: f32[1, 3]
      for c in 1 {
        for i in 3 { block t(spatial c in 2 = c, spatial i = i) { t[0, i] = x[c, i] } }
        for j in 3 { block y(spatial c in 2 = c, spatial i = j) { y[c, i] = t[0, i] + b[c] } }
      }
      for d in 1 {
        for k in 3 { block u(spatial c in 2 = d + 1, spatial i = k) { u[0, i] = x[c, i] } }
        for l in 3 { block z(spatial c in 2 = d + 1, spatial i = l) { y[c, i] = u[0, i] + b[c] } }
      }
    })");
  EXPECT_EQ(s.apply(ReverseComputeAt{"z", "k"}), Names());
  EXPECT_EQ(s.apply(ComputeAt{"t", "j"}), Names());
}

// Only a part of what y needs of t is computed in each iteration, and of u another part.
TEST(ReverseComputeAt, RefusesSourcesThatAreCompleteAtDifferentPoints) {
  Subject s(R"(
    program p(x: f32[8] input, y: f32[8] output) {
      local t: f32[8]  local u: f32[8]
      for o in 4 {
        for i in 2 { block t(spatial i in 8 = 2*o + i) { t[i] = x[i] * 2.0 } }
        for j in 2 { block u(spatial i in 8 = 2*o + j) { u[-i + 7] = x[i] } }
      }
      for l in 8 { block y(spatial i = l) { y[i] = t[i] + u[i] } }
    })");
  EXPECT_EQ(s.refusal(ReverseComputeAt{"y", "o"}), Reason::NotABox);
}

}  // namespace
}  // namespace cambium::schedule
