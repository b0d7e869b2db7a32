#include "schedule/steps/inline.h"

#include "program/build.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kChain = R"(
  program p(x: f32[6, 4] input, b: f32[4] constant, y: f32[4, 6] output) {
    local t: f32[4, 6]
    for i in 6 { for j in 4 { block t(spatial i = i, spatial j = j) { t[j, i] = x[i, j] + b[j] } } }
    for a.0 in 2 { for a.1 in 3 { for c in 6 {
      block y(spatial a in 4 = 3*a.0 + a.1, spatial c = c) if 3*a.0 + a.1 < 4 {
        y[a, c] = max(0.0, t[a, c]) + t[3 - a, 5 - c]
      }
    } } }
  })";

TEST(Inline, PutsTheValueWhereTheLocalWasRead) {
  Subject s(kChain);
  EXPECT_EQ(s.apply(Inline{"t"}), Names());
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program p(x: f32[6, 4] input, b: f32[4] constant, y: f32[4, 6] output) {
      for a.0 in 2 { for a.1 in 3 { for c in 6 {
        block y(spatial a in 4 = 3*a.0 + a.1, spatial c = c) if 3*a.0 + a.1 < 4 {
          y[a, c] = max(0.0, x[c, a] + b[a]) + (x[-c + 5, -a + 3] + b[-a + 3])
        }
      } } }
    })"));
}

TEST(Inline, ReachesReductionsAndEveryReader) {
  Subject s(R"(
    program p(x: f32[6] input, y: f32[4] output, z: f32[] output) {
      local t: f32[6]
      for i in 6 { block t(spatial i = i) { t[i] = x[i] * 2.0 } }
      for o in 4 { for k in 3 { block y(spatial o = o, reduce k = k) { y[o] += t[o + k] init 1.0 } } }
      for k.2 in 6 { block z(reduce k = k.2) { z[] += t[k] init 0.0 } }
    })");
  s.apply(Inline{"t"});
  EXPECT_TRUE(s.program().locals.empty());
}

TEST(Inline, RefusesWhatIsNotElementwiseOrNotItsOwn) {
  Subject s(R"(
    program p(x: f32[6] input, k: i64[6] input, y: f32[6] output, z: f32[6] output) {
      local t: f32[6]  local u: f32[6]  local v: f16[6]  local w: f32[7]  local q: f32[6]
      for i in 6 { block t(spatial i = i) { t[i] = x[i] } }
      for i.6 in 1 { block t2(spatial i = i.6) { t[i] = x[i] } }
      for i.2 in 6 { for r in 6 { block u(spatial i = i.2, reduce r = r) { u[i] += t[r] init 0.0 } } }
      for i.3 in 6 { block v(spatial i = i.3) { v[i] = u[i] } }
      for i.4 in 6 { block w(spatial i = i.4) { w[i + 1] = v[i] } }
      for i.9 in 6 { block q(spatial i = i.9) { q[i] = x[i] } }
      for i.5 in 6 { block y(spatial i = i.5) { y[i] = w[i + 1] } }
      for i.7 in 6 { block z(spatial i = i.7) { z[i] = gather(q, k[i]) } }
    })");
  EXPECT_EQ(s.refusal(Inline{"nobody"}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(Inline{"y"}), Reason::NotLocal);
  EXPECT_EQ(s.refusal(Inline{"t"}), Reason::NotLocal);  // two blocks fill it
  EXPECT_EQ(s.refusal(Inline{"u"}), Reason::NotElementwise);
  EXPECT_EQ(s.refusal(Inline{"v"}), Reason::NotElementwise);  // f16 rounds
  EXPECT_EQ(s.refusal(Inline{"w"}), Reason::NotElementwise);
  EXPECT_EQ(s.refusal(Inline{"q"}), Reason::NotConsumer);  // gathered from
}

TEST(Inline, RefusesWhatNobodyReads) {
  Subject s(R"(
    program p(x: f32[6] input, y: f32[6] output) {
      local t: f32[6]
      for i in 6 { block t(spatial i = i) { t[i] = x[i] } }
      for i.2 in 6 { block y(spatial i = i.2) { y[i] = x[i] } }
    })");
  EXPECT_EQ(s.refusal(Inline{"t"}), Reason::NotConsumer);
}

// `a` lives in one iteration of o; the reader of t stands outside of it.
TEST(Inline, RefusesAValueWhoseSourcesAreGone) {
  Subject s(R"(
    program p(x: f32[8] input, y: f32[8] output) {
      local a: f32[4]  local t: f32[8]
      for o in 2 {
        for i in 4 { block a(spatial i in 8 = 4*o + i) { a[i % 4] = x[i] } }
        for j in 4 { block t(spatial i in 8 = 4*o + j) { t[i] = a[i % 4] * 2.0 } }
      }
      for l in 8 { block y(spatial i = l) { y[i] = t[i] } }
    })");
  EXPECT_EQ(s.refusal(Inline{"t"}), Reason::WritesCollide);
}

TEST(Inline, RefusesValuesThatNestTooDeeply) {
  Subject s([](Context& cx) {
    program::Builder b(cx, "p");
    const auto x = b.input("x", {6}), y = b.output("y", {6}), t = b.local("t", {6});
    const auto negated = [](program::Val v) {
      for (int i = 0; i < 600; ++i) v = -v;
      return v;
    };
    b.block("t", {program::spatial("i", 6)},
            [&](program::Point p) { return assign(t, {p[0]}, negated(x(p[0]))); });
    b.block("y", {program::spatial("i", 6)},
            [&](program::Point p) { return assign(y, {p[0]}, negated(t(p[0]))); });
    return b.finish();
  });
  EXPECT_EQ(s.refusal(Inline{"t"}), Reason::TooDeep);
  EXPECT_EQ(s.refusal(ReverseInline{"y"}), Reason::TooDeep);
}

TEST(ReverseInline, AppliesTheConsumerWhereItsSourceIsComputed) {
  Subject s(R"(
    program p(x: f32[6, 4] input, b: f32[4] constant, y: f32[4, 6] output) {
      local t: f32[4, 6]
      for i.0 in 3 { for i.1 in 2 { for j in 4 {
        block t(spatial i in 6 = 2*i.0 + i.1, spatial j = j) { t[j, i] = x[i, j] + b[j] }
      } } }
      for a in 4 { for c in 6 { block y(spatial a = a, spatial c = c) { y[a, c] = max(0.0, t[a, c]) * b[a] } } }
    })");
  EXPECT_EQ(s.apply(ReverseInline{"y"}), Names());
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program p(x: f32[6, 4] input, b: f32[4] constant, y: f32[4, 6] output) {
      for i.0 in 3 { for i.1 in 2 { for j in 4 {
        block t(spatial i in 6 = 2*i.0 + i.1, spatial j = j) { y[j, i] = max(0.0, x[i, j] + b[j]) * b[j] }
      } } }
    })"));
}

TEST(ReverseInline, RefusesReductionsPartsAndSeveralSources) {
  Subject s(R"(
    program p(x: f32[6] input, k: i64[6] input, y: f32[6] output, z: f32[6] output) {
      local t: f32[6]  local u: f32[6]  local v: f32[6]  local w: f32[6]  local m: f32[6]
      for i in 6 { block t(spatial i = i) { t[i] = x[i] } }
      for i.2 in 6 { for r in 6 { block u(spatial i = i.2, reduce r = r) { u[i] += t[r] init 0.0 } } }
      for i.3 in 6 { block v(spatial i = i.3) { v[i] = u[i] } }
      for i.4 in 6 { block w(spatial i = i.4) { w[i] = v[5 - i] } }
      for i.5 in 6 { block y(spatial i = i.5) { y[i] = w[i] + w[5 - i] } }
      for i.6 in 3 { block m1(spatial i = i.6) { m[i] = x[i] } }
      for i.7 in 3 { block m2(spatial i = i.7) { m[i + 3] = x[i] } }
      for i.8 in 6 { block z(spatial i = i.8) { z[i] = m[i] } }
    })");
  EXPECT_EQ(s.refusal(ReverseInline{"nobody"}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(ReverseInline{"t"}), Reason::NotLocal);        // reads no local
  EXPECT_EQ(s.refusal(ReverseInline{"u"}), Reason::NotElementwise);  // is a reduction
  EXPECT_EQ(s.refusal(ReverseInline{"v"}), Reason::NotElementwise);  // of a reduction
  EXPECT_EQ(s.refusal(ReverseInline{"w"}), Reason::NotElementwise);  // reads backwards
  EXPECT_EQ(s.refusal(ReverseInline{"y"}), Reason::NotElementwise);  // reads two places
  EXPECT_EQ(s.refusal(ReverseInline{"z"}), Reason::NotConsumer);     // two producers
}

// What is inlined would see t after the reduction, not before it.
TEST(Inline, RefusesToPassOtherWriters) {
  Subject s(R"(
    program p(x: f32[8, 8] input, y: f32[8] output, z: f32[8] output) {
      local t: f32[8]  local u: f32[8]  local v: f32[8]
      for a in 8 { block t.init(spatial i = a) { t[i] = 0.0 } }
      for g in 8 { block early(spatial i = g) { u[i] = t[i] + 1.0 } }
      for b in 8 { for k in 8 { block t(spatial i = b, reduce k = k) { t[i] += x[i, k] } } }
      for h in 8 { block v(spatial i = h) { v[i] = x[i, 0] } }
      for c in 8 { block y(spatial i = c) { y[i] = t[i] } }
      for d in 8 { block z(spatial i = d) { z[i] = u[i] } }
      for e in 8 { block z2(spatial i = e) { z[i] = v[i] } }
    })");
  EXPECT_EQ(s.refusal(Inline{"early"}), Reason::ChangesOrder);
  EXPECT_EQ(s.refusal(ReverseInline{"z2"}), Reason::ChangesOrder);
}

// b is written after t, so y cannot be computed where t is.
TEST(ReverseInline, RefusesAConsumerThatNeedsWhatComesLater) {
  Subject s(R"(
    program p(x: f32[6] input, y: f32[6] output) {
      local t: f32[6]  local b: f32[6]  local z: f32[6]
      for i in 6 { block t(spatial i = i) { t[i] = x[i] } }
      for i.2 in 6 { block b(spatial i = i.2) { b[i] = x[5 - i] } }
      for i.3 in 6 { block z(spatial i = i.3) { z[i] = b[i] } }
      for i.4 in 6 { block y(spatial i = i.4) { y[i] = t[i] + b[i] + z[i] } }
    })");
  EXPECT_EQ(s.refusal(ReverseInline{"y"}), Reason::ReadBeforeWrite);
}

}  // namespace
}  // namespace cambium::schedule
