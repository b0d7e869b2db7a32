#include "spaces/coordinate/evaluate.h"

#include "spaces/coordinate/documents_testing.h"

namespace cambium::spaces::coordinate {
namespace {

using testing::make_problem;

BoundOperator bound(const Problem& problem, std::string_view document) {
  return bind(parse(problem, document).value(), problem.bindings.front()).value();
}

std::vector<double> run(const BoundOperator& op, const std::vector<double>& x,
                        const std::vector<std::vector<double>>& weights = {}) {
  return evaluate<double>(op, x, weights).value();
}

using Values = std::vector<double>;

TEST(EvaluateTest, UnfoldIsZeroOutsideOfItsDomain) {
  const Problem p = make_problem("[H]", "[H]", {"H=4, k=3, s=2"});
  const std::string head = "operator [H] -> [H] out h sum a: k ";
  EXPECT_EQ(run(bound(p, head + "x unfold(h, a) w1 a"), {1, 2, 3, 4}, {{1, 10, 100}}),
            (Values{210, 321, 432, 43}));
  // A dilated window of 3 with step 2 reaches two to each side.
  EXPECT_EQ(run(bound(p, head + "x unfold(h, stride(a, s)) w1 a"), {1, 2, 3, 4}, {{1, 10, 100}}),
            (Values{310, 420, 31, 42}));
}

TEST(EvaluateTest, SomeElementsAreThoseOfTheWhole) {
  const Problem p = make_problem("[H, W]", "[W, H]", {"H=2, W=3"});
  const BoundOperator op = bound(p, "operator [H, W] -> [W, H] out w, h sum r: W x h, r w1 r, w");
  const Values x{1, 2, 3, 4, 5, 6};
  const std::vector<Values> weights{{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  const Values all = run(op, x, weights);
  const std::vector<std::int64_t> places{5, 0, 3};
  EXPECT_EQ(evaluate_at(op, x, weights, places).value(), (Values{all[5], all[0], all[3]}));
  const std::vector<std::int64_t> beyond{6};
  EXPECT_EQ(evaluate_at(op, x, weights, beyond).rejection().reason(), Reason::WrongArgument);
}

TEST(EvaluateTest, AnEvenWindowReachesFurtherToTheLeft) {
  const Problem p = make_problem("[H]", "[H]", {"H=4, k=2, s=3"});
  const std::string head = "operator [H] -> [H] out h sum a: k ";
  EXPECT_EQ(run(bound(p, head + "x unfold(h, a) w1 a"), {1, 2, 3, 4}, {{1, 10}}),
            (Values{10, 21, 32, 43}));
  // Offsets 0 and 3, less their middle, rounded up.
  EXPECT_EQ(run(bound(p, head + "x unfold(h, stride(a, s)) w1 a"), {1, 2, 3, 4}, {{1, 10}}),
            (Values{20, 30, 41, 2}));
}

TEST(EvaluateTest, ShiftWrapsAroundAfterTheZerosOfAnUnfoldBelowIt) {
  const Problem p = make_problem("[H]", "[H]", {"H=3, k=3"});
  const std::string head = "operator [H] -> [H] out h sum a: k ";
  EXPECT_EQ(run(bound(p, head + "x shift(unfold(h, a)) w1 a"), {1, 2, 3}, {{1, 10, 100}}),
            (Values{320, 132, 13}));
  EXPECT_EQ(run(bound(p, head + "x unfold(shift(h), a) w1 a"), {1, 2, 3}, {{1, 10, 100}}),
            (Values{321, 32, 210}));
}

TEST(EvaluateTest, SplitAndMergeAreInverse) {
  const Problem p = make_problem("[H]", "[H]", {"H=6, s=2"});
  EXPECT_EQ(
      run(bound(p, "operator [H] -> [H] out h x split(high(h, s), low(h, s))"), {1, 2, 3, 4, 5, 6}),
      (Values{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(
      run(bound(p, "operator [H] -> [H] out h x split(low(h, s), high(h, s))"), {1, 2, 3, 4, 5, 6}),
      (Values{1, 4, 2, 5, 3, 6}));
}

TEST(EvaluateTest, ReductionsThatNoWeightReadsAverage) {
  const Problem p = make_problem("[s*H]", "[H]", {"H=2, s=2"});
  EXPECT_EQ(run(bound(p, "operator [s*H] -> [H] out h sum a: s x split(h, a)"), {1, 2, 3, 6}),
            (Values{1.5, 4.5}));
  EXPECT_EQ(run(bound(p, "operator [s*H] -> [H] out h sum a: s x split(h, a) w1 split(h, a)"),
                {1, 2, 3, 6}, {{1, 1, 1, 1}}),
            (Values{3, 9}));
}

TEST(EvaluateTest, AllNumbersAgree) {
  const Problem p = make_problem("[s*H]", "[H]", {"H=2, s=2, k=3"});
  const BoundOperator op = bound(
      p, "operator [s*H] -> [H] out h sum a: s, b: k, c: s x split(h, unfold(a, b)) w1 b, c w2 c");
  EXPECT_EQ(op.averaged, 2);
  const std::vector<double> x = {2, 4, 6, 8};
  const std::vector<std::vector<double>> w = {{1, 2, 3, 4, 5, 6}, {2, 4}};
  const Values y = run(op, x, w);
  const auto narrow = evaluate<float>(op, std::vector<float>(x.begin(), x.end()),
                                      std::vector<std::vector<float>>{{1, 2, 3, 4, 5, 6}, {2, 4}});
  std::vector<FieldElement> fx;
  for (const double v : x) fx.emplace_back(static_cast<std::uint64_t>(v));
  std::vector<std::vector<FieldElement>> fw;
  for (const auto& weight : w) {
    fw.emplace_back();
    for (const double v : weight) fw.back().emplace_back(static_cast<std::uint64_t>(v));
  }
  const auto exact = evaluate<FieldElement>(op, fx, fw);
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ(static_cast<double>((*narrow)[i]), y[i]);
    EXPECT_EQ(static_cast<double>((*exact)[i].value()), y[i]);
  }
}

TEST(EvaluateTest, RefusesTensorsOfTheWrongSize) {
  const Problem p = make_problem("[H]", "[H]", {"H=3"});
  const BoundOperator op = bound(p, "operator [H] -> [H] out h x h w1 h");
  const std::vector<double> three = {1, 2, 3};
  const std::vector<std::vector<double>> short_weight = {{1, 2}};
  EXPECT_EQ(evaluate<double>(op, std::vector<double>{1}, {}).rejection().message(),
            "argument 'x': 1 elements, expected 3");
  EXPECT_EQ(evaluate<double>(op, three, {}).rejection().message(),
            "argument 'weights': 0 tensors, expected 1");
  EXPECT_EQ(evaluate<double>(op, three, short_weight).rejection().message(),
            "argument 'w1': 2 elements, expected 3");
}

TEST(BoundTest, KnowsShapesAndParameters) {
  const Problem p = testing::conv_problem();
  const Operator op = parse(p, testing::kConv2d).value();
  const BoundOperator first = bind(op, p.bindings[0]).value();
  EXPECT_EQ(first.input_shape(), (std::vector<std::int64_t>{1, 8, 6, 7}));
  EXPECT_EQ(first.output_shape(), (std::vector<std::int64_t>{1, 8, 6, 7}));
  EXPECT_EQ(first.weight_shape(0), (std::vector<std::int64_t>{8, 8, 3, 3}));
  EXPECT_EQ(bind(op, p.bindings[1])->parameters(), 16 * 8 * 9);
}

TEST(BoundTest, RefusesMorePointsThan64BitsCount) {
  const Problem p = make_problem("[H]", "[H]", {"H=4000000000, k=4000000000"});
  const Operator op = parse(p, "operator [H] -> [H] out h sum a: k, b: k x h w1 a, b").value();
  EXPECT_EQ(bind(op, p.bindings.front()).rejection().reason(), Reason::SizeOverflow);
}

TEST(FieldTest, DividesWhatItMultiplied) {
  const FieldElement a(123456789012345);
  const FieldElement b(987654321);
  EXPECT_EQ(a * b * b.inverse(), a);
  EXPECT_EQ(FieldElement(FieldElement::kPrime), FieldElement(0));
  EXPECT_EQ(FieldElement(FieldElement::kPrime - 1) + FieldElement(2), FieldElement(1));
}

}  // namespace
}  // namespace cambium::spaces::coordinate
