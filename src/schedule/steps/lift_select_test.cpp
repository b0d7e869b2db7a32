#include "schedule/steps/lift_select.h"

#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

std::string sum_of(const std::string& value, const std::string& combine = "+=") {
  return R"(
    program p(x: f32[6] input, w: f32[3] constant, y: f32[6] output) {
      for o in 6 { for k in 3 {
        block y(spatial o = o, reduce k = k) { y[o] )" +
         combine + " " + value + R"( init 0.0 }
      } }
    })";
}
constexpr const char* kPaddedRead = "select([1 <= o + k && o + k - 1 < 6], x[o + k - 1], 0.0)";

TEST(LiftSelect, MovesTheConditionAroundTheProduct) {
  for (const std::string& value :
       {std::string(kPaddedRead) + " * w[k]", "w[k] * " + std::string(kPaddedRead)}) {
    Subject s(sum_of(value));
    EXPECT_EQ(s.apply(LiftSelect{"y"}), Names());
    EXPECT_NE(s.text().find("0.0)"), std::string::npos) << s.text();
    EXPECT_EQ(s.text().find("0.0) *"), std::string::npos) << s.text();
    EXPECT_EQ(s.refusal(LiftSelect{"y"}), Reason::NotAContraction) << "it is done already";
  }
}

TEST(LiftSelect, RefusesWhatIsNoPaddedProduct) {
  EXPECT_EQ(Subject(sum_of("x[o] * w[k]")).refusal(LiftSelect{"y"}), Reason::NotAContraction);
  EXPECT_EQ(Subject(sum_of(kPaddedRead)).refusal(LiftSelect{"y"}), Reason::NotAContraction);
  EXPECT_EQ(Subject(sum_of("select([1 <= o], x[o], 1.0) * w[k]")).refusal(LiftSelect{"y"}),
            Reason::NotAContraction);
  EXPECT_EQ(Subject(sum_of("x[o]")).refusal(LiftSelect{"nowhere"}), Reason::UnknownName);
}

}  // namespace
}  // namespace cambium::schedule
