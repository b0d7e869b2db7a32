#include "spaces/coordinate/all_terms.h"

#include "spaces/coordinate/documents_testing.h"

namespace cambium::spaces::coordinate {
namespace {

using testing::plane_problem;

Fingerprint from_all_terms(const std::string& rest) {
  const Problem problem = plane_problem();
  const auto op = parse(problem, "operator [H, W] -> [H, W] out h, w " + rest);
  EXPECT_TRUE(op.ok()) << rest << op.rejection().message();
  return fingerprint_of_all_terms(*op, problem.bindings[0]).value();
}

TEST(AllTermsTest, WeightsHaveNoOrderAndMayBeReshaped) {
  EXPECT_EQ(from_all_terms("sum a: k, b: k x unfold(h, a), unfold(w, b) w1 a, b w2 b, h"),
            from_all_terms("sum a: k, b: k x unfold(h, b), unfold(w, a) w1 h, a w2 b, a"));
  EXPECT_EQ(from_all_terms("x h, w w1 h"),
            from_all_terms("x split(high(h, s), low(h, s)), w w1 low(h, s), high(h, s)"));
}

TEST(AllTermsTest, SummingOverMoreThanIsReadIsAFactor) {
  EXPECT_EQ(from_all_terms("sum a: k x unfold(h, a), w w1 a"),
            from_all_terms("sum a: s*k x unfold(h, low(a, k)), w w1 low(a, k) expand high(a, k)"));
}

TEST(AllTermsTest, SeesOneElementThatDiffers) {
  EXPECT_NE(from_all_terms("sum a: k x unfold(h, a), w w1 a, w"),
            from_all_terms("sum a: k x split(high(h, s), unfold(low(h, s), a)), w w1 a, w"));
  EXPECT_NE(from_all_terms("x h, w w1 h w2 w"), from_all_terms("x h, w w1 h, w"));
}

TEST(AllTermsTest, RefusesMoreTermsThanAreWanted) {
  const Problem problem = plane_problem();
  const Operator op = parse(problem, "operator [H, W] -> [H, W] out h, w x h, w").value();
  EXPECT_EQ(fingerprint_of_all_terms(op, problem.bindings[0], 23).rejection().reason(),
            Reason::SizeOutOfRange);
  EXPECT_TRUE(fingerprint_of_all_terms(op, problem.bindings[0], 24).ok());
}

}  // namespace
}  // namespace cambium::spaces::coordinate
