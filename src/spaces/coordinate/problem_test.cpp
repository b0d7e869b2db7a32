#include "spaces/coordinate/problem.h"

#include <gtest/gtest.h>

namespace cambium::spaces::coordinate {
namespace {

Result<Problem> problem(std::string_view in, std::string_view out, std::string binding) {
  const std::vector<std::string> bindings = {std::move(binding)};
  return problem_of(in, out, bindings);
}

std::string refusal(std::string_view in, std::string_view out, std::string binding) {
  const Result<Problem> result = problem(in, out, std::move(binding));
  return result.ok() ? "accepted" : result.rejection().message();
}

TEST(ProblemTest, ReadsShapesAndBindings) {
  const std::vector<std::string> bindings = {"N=1, Ci=64, Co=64, H=56, W=56, k=3",
                                             "N=1, Ci=64, Co=128, H=28, W=28, k=3"};
  const auto p = problem_of("[N, Ci, H, W]", "[N, Co, H, W]", bindings);
  ASSERT_TRUE(p.ok()) << p.rejection().message();
  EXPECT_EQ(shape_text(p->sizes, p->input), "[N, Ci, H, W]");
  EXPECT_EQ(shape_text(p->sizes, p->output), "[N, Co, H, W]");
  EXPECT_EQ(p->bindings.size(), 2U);
  EXPECT_TRUE(p->sizes.find("Co")->is_primary());
  EXPECT_FALSE(p->sizes.find("k")->is_primary());
}

TEST(ProblemTest, FactorsOfAnAxisAreCoefficients) {
  const auto p = problem("[N, S, H]", "[N, S, t*H]", "N=1, S=8, H=16, t=3");
  ASSERT_TRUE(p.ok()) << p.rejection().message();
  EXPECT_TRUE(p->sizes.find("H")->is_primary());
  EXPECT_FALSE(p->sizes.find("t")->is_primary());
  const auto q = problem("[a*b, 3]", "[b*a]", "a=2, b=5");
  ASSERT_TRUE(q.ok()) << q.rejection().message();
  EXPECT_TRUE(q->sizes.find("a")->is_primary() && q->sizes.find("b")->is_primary());
}

TEST(ProblemTest, TheBatchIsAFixedPair) {
  const FixedPair first{0, 0};
  EXPECT_EQ(problem("[N, C]", "[N, C]", "N=1, C=2")->fixed, std::vector{first});
  EXPECT_TRUE(problem("[H]", "[H]", "H=3")->fixed.empty());
  EXPECT_TRUE(problem("[H, H]", "[H, H]", "H=3")->fixed.empty());
  EXPECT_TRUE(problem("[H, C]", "[C, H]", "H=3, C=3")->fixed.empty());
  EXPECT_TRUE(problem("[2*H, C]", "[2*H, C]", "H=3, C=3")->fixed.empty());
}

TEST(ProblemTest, RefusesWhatIsNoShape) {
  EXPECT_EQ(refusal("N, C", "[N]", "N=1"), "input: line 1, column 1: expected '[', found 'N'");
  EXPECT_EQ(refusal("[N]", "[N", "N=1"), "output: line 1, column 3: expected ']', found the end");
  EXPECT_EQ(refusal("[N]", "[]", "N=1"), "output: line 1, column 2: expected a size, found ']'");
  EXPECT_EQ(refusal("[N] N", "[N]", "N=1"), "input: line 1, column 5: expected the end, found 'N'");
  EXPECT_EQ(refusal("[1,1,1,1,1,1,1,1,1]", "[1]", ""),
            "input: a tensor has rank 9; the highest supported rank is 8");
}

TEST(ProblemTest, RefusesBindingsThatLeaveOutAVariable) {
  const std::vector<std::string> bindings = {"H=4, k=3", "H=4"};
  EXPECT_EQ(problem_of("[H]", "[H]", bindings).rejection().message(),
            "binding 1: 'k' is missing or not a positive number");
  EXPECT_EQ(problem_of("[H]", "[H]", {}).rejection().reason(), Reason::MissingField);
}

TEST(ProblemTest, RefusesSizesThatAreNoCountOfElements) {
  EXPECT_EQ(refusal("[H]", "[H/s]", "H=5, s=2"),
            "binding 0: [H/s]: the size is 5/2, not an integer (binding 0)");
  EXPECT_EQ(refusal("[H, H]", "[H]", "H=4000000000"),
            "binding 0: [H, H]: the size does not fit 64 bits");
  EXPECT_EQ(refusal("[H]", "[H]", "H=0"), "binding 0: a size must be a positive number, not 0");
}

}  // namespace
}  // namespace cambium::spaces::coordinate
