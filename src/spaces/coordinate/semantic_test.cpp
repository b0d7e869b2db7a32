#include "spaces/coordinate/semantic.h"

#include <map>
#include <string>

#include "spaces/coordinate/documents_testing.h"
#include "spaces/coordinate/known.h"
#include "spaces/coordinate/small_sizes.h"

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

TEST(SmallSizesTest, TellVariablesApartAndDivideAsTheBindingsDo) {
  const Problem p = make_problem("[N, Ci, H, W]", "[N, Co, H, W]",
                                 {"N=1, Ci=64, Co=64, H=56, W=56, k=3, g=32, s=2",
                                  "N=1, Ci=64, Co=128, H=7, W=14, k=3, g=32, s=2"});
  const std::vector<expr::Binding> rungs = small_sizes(p);
  // The window is the smallest prime; channels are multiples of both blocks.
  EXPECT_EQ(p.sizes.print(rungs.front()), "N=1, Ci=30, H=7, W=15, Co=45, k=2, g=5, s=3");
  EXPECT_EQ(rungs.back(), p.bindings.back());
  for (const expr::Binding& rung : rungs) {
    EXPECT_TRUE(expr::evaluate(*p.sizes.parse("Co/(g*s)"), rung).ok());
  }
}

TEST(SmallSizesTest, VariablesThatAreAlwaysEqualStayEqual) {
  const Problem p = make_problem("[N, Ci]", "[N, Co]", {"N=1, Ci=64, Co=64, g=2, s=2"});
  const expr::Binding small = small_sizes(p).front();
  EXPECT_EQ(small[*p.sizes.find("Ci")], small[*p.sizes.find("Co")]);
  EXPECT_EQ(small[*p.sizes.find("g")], small[*p.sizes.find("s")]);
}

TEST(SmallSizesTest, ShapesAreWholeOnEveryRung) {
  const Problem p = make_problem("[H]", "[H/s^4]", {"H=64, s=2"});
  for (const expr::Binding& rung : small_sizes(p)) {
    EXPECT_TRUE(expr::evaluate(p.output.front(), rung).ok()) << p.sizes.print(rung);
  }
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

TEST(SemanticTest, ClimbsTheLadderWhenSizesDoNotDivide) {
  const Problem p = make_problem("[H]", "[H]", {"H=64, s=2"});
  SemanticHasher hasher(p);
  const Operator once =
      parse(p, "operator [H] -> [H] out h x split(low(h, s), high(h, s))").value();
  ASSERT_TRUE(hasher.fingerprint(once).ok());
  EXPECT_EQ(hasher.rung(), 0U);
  const Operator often =
      parse(p, "operator [H] -> [H] out h x split(low(h, s^5), high(h, s^5))").value();
  ASSERT_TRUE(hasher.fingerprint(often).ok());
  EXPECT_GT(hasher.rung(), 0U);
}

TEST(SemanticTest, RefusesMoreTermsThanItCanList) {
  const Problem p = make_problem("[H]", "[H]", {"H=4, k=2"});
  const Operator op = parse(p, "operator [H] -> [H] out h sum a: k^24 x h w1 a").value();
  EXPECT_EQ(SemanticHasher(p).fingerprint(op).rejection().reason(), Reason::SizeOutOfRange);
}

}  // namespace
}  // namespace cambium::spaces::coordinate
