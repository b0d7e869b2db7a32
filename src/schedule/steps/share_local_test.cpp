#include "schedule/steps/share_local.h"

#include "schedule/steps/cache.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

// Two locals that hold the same, and one that does not.
constexpr std::string_view kCopies = R"(
  program p(x: f32[4] input, y: f32[4] output) {
    local a: f32[4]
    local b: f32[4]
    local c: f32[4]
    for i in 4 { block a(spatial i = i) { a[i] = max(x[i], 0.0) } }
    for i.2 in 4 { block b(spatial i = i.2) { b[i] = max(x[i], 0.0) } }
    for i.3 in 4 { block c(spatial i = i.3) { c[i] = max(x[i], 1.0) } }
    for j in 4 { block y(spatial j = j) { y[j] = a[j] + b[j] * c[j] } }
  })";

TEST(ShareLocal, ComputesOnceWhatTwoLocalsHold) {
  Subject s(kCopies);
  EXPECT_EQ(s.apply(ShareLocal{"b", "a"}), Names());
  EXPECT_EQ(s.text(), Subject::tidy(R"(
    program p(x: f32[4] input, y: f32[4] output) {
      local a: f32[4]
      local c: f32[4]
      for i in 4 { block a(spatial i = i) { a[i] = max(x[i], 0.0) } }
      for i.3 in 4 { block c(spatial i = i.3) { c[i] = max(x[i], 1.0) } }
      for j in 4 { block y(spatial j = j) { y[j] = a[j] + a[j] * c[j] } }
    })"));
}

TEST(ShareLocal, RefusesAndSaysWhy) {
  Subject s(kCopies);
  EXPECT_EQ(s.refusal(ShareLocal{"z", "a"}), Reason::UnknownName);
  EXPECT_EQ(s.refusal(ShareLocal{"b", "x"}), Reason::NotLocal);
  EXPECT_EQ(s.refusal(ShareLocal{"c", "a"}), Reason::NotConsumer);
  EXPECT_EQ(s.refusal(ShareLocal{"a", "a"}), Reason::NotConsumer);
  EXPECT_EQ(s.refusal(ShareLocal{"a", "b"}), Reason::ChangesOrder) << "b is computed after it";
}

}  // namespace
}  // namespace cambium::schedule
