#include "spaces/coordinate/semantic.h"

#include <algorithm>
#include <map>
#include <string>

#include "spaces/coordinate/documents_testing.h"
#include "spaces/coordinate/known.h"
#include "spaces/coordinate/probe_points.h"
#include "spaces/coordinate/probe_sizes.h"

namespace cambium::spaces::coordinate {
namespace {

using testing::conv_problem;
using testing::make_problem;
using testing::plane_problem;

Fingerprint meaning(const Problem& problem, std::string_view document) {
  const auto op = parse(problem, document);
  EXPECT_TRUE(op.ok()) << document << "\n" << op.rejection().message();
  return SemanticHasher(problem).fingerprint(*op).value();
}

// All lines are rests of one document; equal ones must have equal fingerprints.
void expect_equal(const Problem& problem, const std::string& head,
                  const std::vector<std::string>& rests) {
  for (const std::string& rest : rests) {
    EXPECT_EQ(meaning(problem, head + rest), meaning(problem, head + rests.front())) << rest;
  }
}

void expect_different(const Problem& problem, const std::string& head,
                      const std::vector<std::string>& rests) {
  std::map<Fingerprint, std::string> seen;
  for (const std::string& rest : rests) {
    const auto [place, is_new] = seen.emplace(meaning(problem, head + rest), rest);
    EXPECT_TRUE(is_new) << rest << " is taken for " << place->second;
  }
}

// Layers of ResNet-34: as many or twice as many channels come out.
Problem two_stages() {
  const std::string rest = ", k=3, k2=7, s=2, g=32";
  return make_problem(
      "[N, Ci, H, W]", "[N, Co, H, W]",
      {"N=1, Ci=64, Co=64, H=56, W=56" + rest, "N=1, Ci=64, Co=128, H=28, W=28" + rest,
       "N=1, Ci=128, Co=128, H=28, W=28" + rest, "N=1, Ci=128, Co=256, H=14, W=14" + rest});
}

TEST(ProbeSizesTest, OneBindingIsEnoughWhereNothingCoincides) {
  const Problem p = make_problem("[N, H]", "[N, H]", {"N=8, H=35, k=3", "N=8, H=70, k=3"});
  const std::vector<expr::Binding> sizes = probe_sizes(p);
  ASSERT_EQ(sizes.size(), 1U);
  EXPECT_EQ(p.sizes.print(sizes.front()), "N=1, H=35, k=3");  // and one of the batch
}

TEST(ProbeSizesTest, TwoBindingsTellApartWhatCoincidesInOne) {
  // s^2 is Co/g in the first two, Ci is Co in the first.
  const Problem p = make_problem(
      "[Ci]", "[Co]",
      {"Ci=64, Co=64, g=16, s=2", "Ci=60, Co=64, g=16, s=2", "Ci=66, Co=128, g=16, s=2"});
  std::vector<expr::Binding> sizes = probe_sizes(p);
  ASSERT_GE(sizes.size(), 2U);
  sizes.resize(2);
  const auto is_told_apart = [&](const char* a, const char* b) {
    return std::any_of(sizes.begin(), sizes.end(), [&](const expr::Binding& at) {
      return *expr::evaluate(*p.sizes.parse(a), at) != *expr::evaluate(*p.sizes.parse(b), at);
    });
  };
  EXPECT_TRUE(is_told_apart("s^2", "Co/g"));
  EXPECT_TRUE(is_told_apart("Ci", "Co"));
}

TEST(ProbePointsTest, DifferFromTheMiddleOnOneAxisFirst) {
  Rng rng(1);
  const auto points = probe_points({12, 9}, 40, Centre::Middle, rng);
  ASSERT_EQ(points.size(), 40U);
  EXPECT_EQ(points.front(), (std::vector<std::int64_t>{6, 4}));
  std::size_t star = 0;
  for (const auto& point : points) star += (point[0] == 6) != (point[1] == 4);
  EXPECT_GE(star, 9U);
  // Beyond the cuts of the factors 2 and 3: places that share the low half of a MERGE.
  for (const std::int64_t place : {0, 10}) {
    EXPECT_NE(std::find(points.begin(), points.end(), std::vector<std::int64_t>{place, 4}),
              points.end());
  }
}

TEST(ProbeSizesTest, TakesSmallerBindingsTooWhereOneIsNotEnough) {
  const std::vector<expr::Binding> sizes = probe_sizes(two_stages());
  ASSERT_EQ(sizes.size(), 4U);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(sizes[i], sizes[j]);
  }
}

TEST(ProbePointsTest, StandInTheCornerToShowBorders) {
  Rng rng(1);
  const auto points = probe_points({12, 9}, 40, Centre::Corner, rng);
  EXPECT_EQ(points.front(), (std::vector<std::int64_t>{0, 0}));
  for (const std::int64_t place : {1, 11, 6, 2}) {
    EXPECT_NE(std::find(points.begin(), points.end(), std::vector<std::int64_t>{place, 0}),
              points.end());
  }
}

TEST(ProbePointsTest, AreAllOfASmallShape) {
  Rng rng(1);
  EXPECT_EQ(probe_points({3, 4}, 40, Centre::Middle, rng).size(), 12U);
}

TEST(SemanticTest, ReductionsAndWeightsHaveNoOrder) {
  expect_equal(conv_problem(), "operator [N, Ci, H, W] -> [N, Co, H, W] out n, o, h, w ",
               {"sum i: Ci, a: k, b: k x n, i, unfold(h, a), unfold(w, b) w1 o, i, a, b",
                "sum b: k, a: k, i: Ci x n, i, unfold(h, b), unfold(w, a) w1 a, b, i, o"});
  expect_equal(conv_problem(), "operator [N, Ci, H, W] -> [N, Co, H, W] out n, o, h, w ",
               {"sum i: Ci, r: g x n, i, h, w w1 o, r w2 i, r",
                "sum r: g, i: Ci x n, i, h, w w1 r, i w2 r, o"});
}

TEST(SemanticTest, MergeAboveSplitIsSplitAboveMerge) {
  // Figure 3(a) of the paper, with A = H/s, B = s, C = W.
  const Problem p = make_problem("[H/s, s*W]", "[H, W]", {"H=6, W=4, s=2"});
  expect_equal(
      p, "operator [H/s, s*W] -> [H, W] out h, w ",
      {"x high(split(h, w), s*W), low(split(h, w), s*W)", "x high(h, s), split(low(h, s), w)"});
}

TEST(SemanticTest, ViewsThatUndoEachOtherVanish) {
  expect_equal(plane_problem(), "operator [H, W] -> [H, W] out h, w ",
               {"x h, w", "x split(high(h, s), low(h, s)), w",
                "x high(split(h, w), W), low(split(h, w), W)"});
}

TEST(SemanticTest, WeightsMayBeReshapedAndPermuted) {
  expect_equal(plane_problem(), "operator [H, W] -> [H, W] out h, w ",
               {"x h, w w1 h, w", "x split(high(h, s), low(h, s)), w w1 high(h, s), w, low(h, s)",
                "x high(split(h, w), W), low(split(h, w), W) w1 split(h, w)"});
  // A shifted window of the weight is the same weight in another order.
  expect_equal(plane_problem(), "operator [H, W] -> [H, W] out h, w ",
               {"x shift(h), w w1 h", "x shift(h), w w1 shift(h)"});
}

TEST(SemanticTest, AveragesAreNormalized) {
  // Averaging what does not depend on the reduction is no change, summing it is.
  const Problem p = plane_problem();
  const std::string head = "operator [H, W] -> [H, W] out h, w ";
  const Fingerprint plain = meaning(p, head + "sum a: k x unfold(h, a), w w1 a");
  EXPECT_NE(plain, meaning(p, head + "sum a: k x unfold(h, a), w"));
  Operator op = parse(p, head + "x h, w").value();
  SemanticHasher hasher(p);
  const Fingerprint identity = hasher.fingerprint(op).value();
  const expr::Size k = expr::Size::var(*p.sizes.find("k"));
  op.coordinates.push_back({CoordinateKind::Reduce, kNoCoordinate, kNoCoordinate, k, {}});
  EXPECT_EQ(hasher.fingerprint(op).value(), identity);
}

TEST(SemanticTest, DifferentOperatorsDiffer) {
  expect_different(
      plane_problem(), "operator [H, W] -> [H, W] out h, w sum a: k, b: k ",
      {"x unfold(h, a), unfold(w, b)", "x unfold(h, a), unfold(w, b) w1 a",
       "x unfold(h, a), unfold(w, b) w1 b", "x unfold(h, a), unfold(w, b) w1 a, b",
       "x unfold(h, a), unfold(w, b) w1 a w2 b", "x shift(unfold(h, a)), unfold(w, b) w1 a, b",
       "x unfold(shift(h), a), unfold(w, b) w1 a, b", "x unfold(h, a), shift(unfold(w, b)) w1 a, b",
       "x unfold(unfold(h, a), b), w w1 a", "x unfold(unfold(h, a), b), w w1 b",
       "x unfold(unfold(h, a), b), w w1 a, b", "x unfold(h, unfold(a, b)), w w1 a, b",
       "x unfold(h, a), unfold(w, b) w1 a, b, h", "x unfold(h, a), unfold(w, b) w1 a, b, w",
       "x unfold(h, stride(a, s)), unfold(w, b) w1 a, b",
       "x unfold(h, a), unfold(w, stride(b, s)) w1 a, b"});
}

TEST(SemanticTest, OrderOfPiecesMatters) {
  const Problem p = make_problem("[H]", "[H]", {"H=12, s=3, k=5"});
  expect_different(
      p, "operator [H] -> [H] out h ",
      {"x h", "x shift(h)", "x shift(shift(h))", "x split(low(h, s), high(h, s))",
       "x split(shift(high(h, s)), low(h, s))", "x split(high(h, s), shift(low(h, s)))"});
}

TEST(SemanticTest, TheWholeCatalogueDiffers) {
  // In one problem where their shapes allow, otherwise shapes differ anyway.
  std::map<std::string, std::map<Fingerprint, std::string_view>> seen;
  for (const KnownOperator& known : known_operators()) {
    const Problem problem = problem_of(known);
    const std::string shapes =
        shape_text(problem.sizes, problem.input) + shape_text(problem.sizes, problem.output);
    const auto print = SemanticHasher(problem).fingerprint(operator_of(known));
    ASSERT_TRUE(print.ok()) << known.name << ": " << print.rejection().message();
    const auto [place, is_new] = seen[shapes].emplace(*print, known.name);
    EXPECT_TRUE(is_new) << known.name << " is taken for " << place->second;
  }
}

TEST(SemanticTest, EqualOperatorsMeetHoweverMuchTheyDivide) {
  // The first needs h to be divisible by s^5, the second by s.
  const Problem p = make_problem("[H]", "[H]", {"H=64, s=2"});
  expect_equal(p, "operator [H] -> [H] out h ",
               {"x split(high(h, s^5), low(h, s^5))", "x split(high(h, s), low(h, s))", "x h"});
}

TEST(SemanticTest, SizesThatAgreeInOneBindingAreToldApart) {
  // Co/g is s^2 in the first binding; the two differ in the second.
  const Problem p = make_problem("[Ci, L]", "[Co, L]",
                                 {"Ci=6, Co=64, L=5, g=16, s=2", "Ci=6, Co=128, L=5, g=16, s=2"});
  expect_different(p, "operator [Ci, L] -> [Co, L] out o, l sum i: Ci x i, l ",
                   {"w1 i, high(o, s^2) w2 low(o, s^2)", "w1 i, high(o, Co/g) w2 low(o, Co/g)"});
}

TEST(SemanticTest, AWeightAbsorbsAFactor) {
  // A sum of which a weight reads a part, and the same as a sum and an average.
  const Problem p = make_problem("[L*M]", "[N]", {"L=6, M=5, N=4"});
  expect_equal(p, "operator [L*M] -> [N] out n ",
               {"sum r: L*M x split(high(r, M), low(r, M)) w1 n, high(r, M)",
                "sum a: L, b: M x split(a, b) w1 n, a"});
}

// ResNet's first layers: so many terms that most elements of the input are passed over.
Problem large_problem() {
  return make_problem("[N, Ci, H, W]", "[N, Co, H, W]",
                      {"N=1, Ci=64, Co=64, H=56, W=56, k=3, k2=7, s=2, g=32"});
}
constexpr const char* kLargeHead = "operator [N, Ci, H, W] -> [N, Co, H, W] out n, o, h, w ";

TEST(SemanticTest, SummingOverMoreThanIsReadIsAFactor) {
  expect_equal(large_problem(), kLargeHead,
               {"sum i: Ci x n, i, h, w w1 o, i",
                "sum i: s*Ci x n, low(i, Ci), h, w w1 o, low(i, Ci) expand high(i, Ci)",
                "sum i: k*Ci x n, low(i, Ci), h, w w1 o, low(i, Ci) expand high(i, Ci)",
                "sum i: s^5*Ci x n, low(i, Ci), h, w w1 o, low(i, Ci) expand high(i, Ci)"});
}

TEST(SemanticTest, WindowsThatStopInsideOfTheImageAreToldApart) {
  for (const std::string cut : {"H/s", "H/s^2", "H/k2", "k2", "s"}) {
    expect_different(large_problem(), std::string(kLargeHead) + "sum i: Ci, a: k, c: Co/s ",
                     {"x n, i, unfold(h, a), w w1 o, a, c w2 i, c",
                      "x n, i, split(high(h, " + cut + "), unfold(low(h, " + cut +
                          "), a)), w w1 o, a, c w2 i, c",
                      "x n, i, split(unfold(high(h, " + cut + "), a), low(h, " + cut +
                          ")), w w1 o, a, c w2 i, c"});
  }
}

TEST(SemanticTest, WeightsThatDifferInBordersAloneAreToldApart) {
  // In the middle r3 and r4 may change places; in the first rows, where one of them leaves the
  // image and returns, they may not.
  expect_different(
      two_stages(),
      "operator [N, Ci, H, W] -> [N, Co, H, W] out n, co, h, w "
      "sum r1: k2*Ci/s/g, r2: g/s, r3: k, r4: k "
      "x n, low(split(r1, split(r2, co)), Ci), shift(unfold(unfold(h, r3), r4)), w ",
      {"w1 r4, high(split(r1, split(r2, co)), Ci), low(split(r1, split(r2, co)), Ci)",
       "w1 r3, high(split(r1, split(r2, co)), Ci), low(split(r1, split(r2, co)), Ci)"});
}

TEST(SemanticTest, WhatFollowsFromAnotherAxisInSomeBindingsAloneIsToldApart) {
  // r3 follows from the high half unless as many channels come out as go in, and are 128 or more.
  const std::string merged = "split(unfold(unfold(co, r1), r2), split(r3, split(r4, r5)))";
  expect_different(two_stages(),
                   "operator [N, Ci, H, W] -> [N, Co, H, W] out n, co, h, w "
                   "sum r1: k, r2: k2, r3: Ci/s/g, r4: g, r5: Co/s/g "
                   "x n, low(" +
                       merged + ", Ci), h, w ",
                   {"w1 r4, high(" + merged + ", Ci)", "w1 r3, r4, high(" + merged + ", Ci)"});
}

TEST(SemanticTest, WeightsOfMoreElementsThan32BitsCountAreToldApart) {
  const Problem p =
      make_problem("[N, Ci, H, W]", "[N, Co, H, W]", {"N=1, Ci=64, Co=64, H=64, W=64, s=2"});
  expect_different(p, std::string(kLargeHead) + "sum i: Ci, p: H, q: W x n, i, p, q ",
                   {"w1 o, h, w, i, p, q", "w1 low(o, s^2), h, w, i, p, q expand high(o, s^2)"});
}

TEST(SemanticTest, RefusesMoreTermsThanItCanList) {
  const Problem p = make_problem("[H]", "[H]", {"H=4, k=2"});
  const Operator op = parse(p, "operator [H] -> [H] out h sum a: k^24 x h w1 a").value();
  EXPECT_EQ(SemanticHasher(p).fingerprint(op).rejection().reason(), Reason::SizeOutOfRange);
}

}  // namespace
}  // namespace cambium::spaces::coordinate
