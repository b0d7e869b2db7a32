#include "schedule/steps/decompose_padding.h"

#include "schedule/steps/compute_at.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kPad = R"(
  program p(x: f32[2, 4, 3] input, y: f32[2, 6, 3] output) {
    local t: f32[2, 7, 3]
    for n in 2 { for h in 7 { for c in 3 {
      block pad(spatial n = n, spatial h = h, spatial c = c) {
        t[n, h, c] = select([1 <= h && h - 1 < 4], x[n, h - 1, c], 0.0)
      }
    } } }
    for n.2 in 2 { for o in 6 { for c.2 in 3 {
      block y(spatial n = n.2, spatial h = o, spatial c = c.2) { y[n, h, c] = t[n, h, c] + t[n, h + 1, c] }
    } } }
  })";

TEST(DecomposePadding, FillsAllAndCopiesTheInside) {
  Subject s(kPad);
  EXPECT_EQ(s.apply(DecomposePadding{"pad"}), (Names{"pad.fill", "pad", "n.3", "h.2", "c.3"}));
  EXPECT_EQ(s.text(), Subject::tidy(R"(
  program p(x: f32[2, 4, 3] input, y: f32[2, 6, 3] output) {
    local t: f32[2, 7, 3]
    for n in 2 { for h in 7 { for c in 3 {
      block pad.fill(spatial n = n, spatial h = h, spatial c = c) { t[n, h, c] = 0.0 }
    } } }
    for n.3 in 2 { for h.2 in 4 { for c.3 in 3 {
      block pad(spatial n = n.3, spatial h = h.2, spatial c = c.3) { t[n, h + 1, c] = x[n, h, c] }
    } } }
    for n.2 in 2 { for o in 6 { for c.2 in 3 {
      block y(spatial n = n.2, spatial h = o, spatial c = c.2) { y[n, h, c] = t[n, h, c] + t[n, h + 1, c] }
    } } }
  })"));
}

TEST(DecomposePadding, LeavesOutByPredicateWhatATileHasOutside) {
  Subject s(kPad);
  s.apply(ComputeAt{"pad", "o"});
  s.apply(DecomposePadding{"pad"});
}

TEST(DecomposePadding, RefusesWhatIsNoPadding) {
  Subject s(R"(
    program p(x: f32[8] input, y: f32[8] output, z: f32[8] output, u: f32[8, 8] output, v: f32[8] output, w: f32[8] output) {
      for a in 8 { block y(spatial i = a) { y[i] = x[i] } }
      for b in 8 { block z(spatial i = b) { z[i] = select([i % 2 == 0], x[i], 0.0) } }
      for c in 8 { for d in 8 { block u(spatial i = c, spatial j = d) { u[i, j] = select([i < j], x[i], 0.0) } } }
      for e in 8 { block v(spatial i = e) { v[i] = select([i < 5], 0.0, x[i]) } }
      for f in 8 { block w(spatial i = f) { w[i] = select([i < 2 && 5 <= i], x[i], 0.0) } }
    })");
  EXPECT_EQ(s.refusal(DecomposePadding{"nobody"}), Reason::UnknownName);
  for (const char* block : {"y", "z", "u", "v", "w"}) {
    EXPECT_EQ(s.refusal(DecomposePadding{block}), Reason::NotPadding) << block;
  }
}

}  // namespace
}  // namespace cambium::schedule
