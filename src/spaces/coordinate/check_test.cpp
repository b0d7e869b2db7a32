#include "spaces/coordinate/check.h"

#include "spaces/coordinate/documents_testing.h"

namespace cambium::spaces::coordinate {
namespace {

using testing::conv_problem;
using testing::make_problem;
using testing::plane_problem;
using testing::refusal;

constexpr std::string_view kPlane = "operator [H, W] -> [H, W] out h, w ";

std::string refused_plane(std::string_view rest) {
  return refusal(plane_problem(), std::string(kPlane) + std::string(rest));
}

Reason reason_of(const Problem& problem, std::string_view document) {
  return parse(problem, document).rejection().reason();
}

TEST(CheckTest, AcceptsWhatIsDisciplined) {
  EXPECT_EQ(refused_plane("x h, w"), "accepted");
  EXPECT_EQ(refused_plane("sum a: k x unfold(h, a), shift(w) w1 a, w"), "accepted");
  EXPECT_EQ(refused_plane("x h, split(high(w, s), low(w, s))"), "accepted");
}

TEST(CheckTest, RefusesACoordinateConsumedTwice) {
  EXPECT_EQ(refused_plane("sum a: k x unfold(h, a), unfold(w, a)"),
            "line 1, column 40: REDUCE a is used 2 times, at last by UNFOLD unfold(w, a); "
            "each coordinate must be used exactly once");
  EXPECT_EQ(reason_of(plane_problem(), "operator [H, W] -> [H, W] out h, w x h, h"),
            Reason::CoordinateUsedTwice);
  // A MERGE consumes its operand with both halves at once, a second one consumes it again.
  EXPECT_EQ(refused_plane("x h, split(high(w, s), low(w, W))").substr(0, 27),
            "line 1, column 34: OUTPUT w");
}

TEST(CheckTest, RefusesAWeightThatReadsACoordinateTwice) {
  EXPECT_EQ(refused_plane("x h, w w1 h, h"),
            "line 1, column 31: OUTPUT h is used twice, by w1; each coordinate must be used "
            "exactly once");
}

TEST(CheckTest, RefusesWhatNothingReads) {
  EXPECT_EQ(refused_plane("sum a: k x h, w"),
            "line 1, column 40: REDUCE a is unused: neither the input nor a weight reads it");
  EXPECT_EQ(reason_of(plane_problem(), "operator [H, W] -> [H, W] out h, w sum a: k x h, w"),
            Reason::CoordinateUnused);
  // Half a MERGE may stay unread only if the document says so.
  EXPECT_EQ(
      refusal(make_problem("[H]", "[s*H]", {"H=4, s=2"}),
              "operator [H] -> [s*H] out h x high(h, s)"),
      "line 1, column 31: MERGE low(h, s) is unused: x and the weights do not read it; if that "
      "is meant, list it under expand");
}

// Its border would count although nothing reads it.
TEST(CheckTest, RefusesAnUnfoldFromWhichNothingIsRead) {
  const Problem problem = make_problem("[N, C]", "[N, C, H]", {"N=1, C=4, H=12, k=3, s=3"});
  const auto refused = [&](const std::string& rest) {
    return refusal(problem, "operator [N, C] -> [N, C, H] out n, c, h sum a: k x n, c " + rest);
  };
  const std::string halves = "expand high(unfold(h, a), s), low(unfold(h, a), s)";
  EXPECT_EQ(refused("w1 c " + halves).substr(18),
            " UNFOLD unfold(h, a) is unused: neither the input nor a weight reads anything of it");
  EXPECT_EQ(
      refused("w1 c expand high(shift(unfold(h, a)), s), low(shift(unfold(h, a)), s)").substr(18),
      " UNFOLD unfold(h, a) is unused: neither the input nor a weight reads anything of it");
  EXPECT_EQ(refused("w1 c, low(unfold(h, a), s) expand high(unfold(h, a), s)"), "accepted");
  EXPECT_EQ(refused("w1 c, unfold(h, a) " + halves), "accepted");
  EXPECT_EQ(refused("w1 c, a expand high(shift(h), s), low(shift(h), s)"), "accepted");
}

TEST(CheckTest, RefusesAnOperatorOfCodeThatLacksHalfAMerge) {
  const Problem problem = make_problem("[H]", "[s*H]", {"H=4, s=2"});
  Operator op = *parse(problem, "operator [H] -> [s*H] out h x high(h, s) expand low(h, s)");
  EXPECT_TRUE(check(problem, op).ok());
  op.coordinates.pop_back();
  EXPECT_EQ(check(problem, op).rejection().message(),
            "MERGE high(h, s) is unused: its other half is missing");
}

TEST(CheckTest, RefusesDomainsThatDoNotFit) {
  EXPECT_EQ(refused_plane("x w, h"),
            "line 1, column 34: OUTPUT w has the domain W, axis 0 of the input is H");
  EXPECT_EQ(reason_of(plane_problem(), "operator [H, W] -> [H, W] out h, w x w, h"),
            Reason::WrongDomain);
  Operator op = *parse(plane_problem(), std::string(kPlane) + "x shift(h), w");
  op.coordinates[2].domain = op.coordinates[1].domain;
  EXPECT_EQ(check(plane_problem(), op).rejection().message(),
            "SHIFT shift(h) has the domain W, what its operands make is H");
}

TEST(CheckTest, RefusesSizesThatAreNoIntegersInSomeBinding) {
  const Problem problem = make_problem("[C]", "[C]", {"C=8, g=2", "C=9, g=2"});
  EXPECT_EQ(
      refusal(problem, "operator [C] -> [C] out c x split(high(c, g), low(c, g))"),
      "line 1, column 35: MERGE high(c, g): C/g: the size is 9/2, not an integer (binding 1)");
}

TEST(CheckTest, RefusesSizesBeyond64Bits) {
  const Problem problem = make_problem("[H]", "[H]", {"H=4000000000, k=4000000000"});
  EXPECT_EQ(refusal(problem, "operator [H] -> [H] out h sum a: k*k*k x h w1 a"),
            "line 1, column 31: REDUCE a: k^3: the size does not fit 64 bits");
}

TEST(CheckTest, RefusesStridesThatDiscardData) {
  const Problem problem = make_problem("[s*H]", "[H]", {"H=4, s=2, k=3", "H=4, s=4, k=3"});
  EXPECT_EQ(refusal(problem, "operator [s*H] -> [H] out h x stride(h, s)"),
            "line 1, column 31: STRIDE stride(h, s) discards data: it must go into an UNFOLD");
  EXPECT_EQ(
      refusal(problem, "operator [s*H] -> [H] out h sum a: k x unfold(stride(h, s), a)"),
      "line 1, column 47: STRIDE stride(h, s) discards data: the window a is 3, the step is 4 "
      "(binding 1)");
  EXPECT_EQ(
      refusal(problem, "operator [s*H] -> [H] out h sum a: k x unfold(stride(h, s), stride(a, s))"),
      "line 1, column 47: STRIDE stride(h, s) discards data: both base and window of UNFOLD "
      "unfold(stride(h, s), stride(a, s)) are strided");
  EXPECT_EQ(reason_of(problem, "operator [s*H] -> [H] out h x stride(h, s)"), Reason::DiscardsData);
  EXPECT_EQ(refusal(plane_problem(),
                    "operator [H, W] -> [H, W] out h, w sum a: k x unfold(h, stride(a, s)), w"),
            "accepted");
}

TEST(CheckTest, RefusesToMixTheBatch) {
  const Problem problem = make_problem("[N, C]", "[N, C]", {"N=4, C=4"});
  EXPECT_EQ(
      refusal(problem, "operator [N, C] -> [N, C] out n, c x shift(n), c"),
      "line 1, column 38: axis 0 of the output is fixed, like the batch axis: axis 0 of x is SHIFT "
      "shift(n)");
  EXPECT_EQ(
      refusal(problem, "operator [N, C] -> [N, C] out n, c x n, c w1 n, c"),
      "line 1, column 31: axis 0 of the output is fixed, like the batch axis: a weight reads n");
  EXPECT_EQ(reason_of(problem, "operator [N, C] -> [N, C] out n, c x n, c w1 n"),
            Reason::MixesFixedAxis);
}

TEST(CheckTest, RefusesTheWrongNumberOfAxes) {
  EXPECT_EQ(refused_plane("x h"), "x: 1 coordinates for the input [H, W]");
  EXPECT_EQ(refusal(plane_problem(), "operator [H, W] -> [H, W] out h x h, h"),
            "out: 1 coordinates for the output [H, W]");
  Operator op = *parse(plane_problem(), std::string(kPlane) + "x h, w w1 h");
  op.weights.emplace_back();
  EXPECT_EQ(check(plane_problem(), op).rejection().message(),
            "w2: a weight reads one coordinate at least");
}

}  // namespace
}  // namespace cambium::spaces::coordinate
