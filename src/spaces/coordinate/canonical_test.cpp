#include "spaces/coordinate/canonical.h"

#include "base/random.h"
#include "spaces/coordinate/documents_testing.h"
#include "spaces/coordinate/random_testing.h"

namespace cambium::spaces::coordinate {
namespace {

using testing::conv_problem;
using testing::make_problem;

void expect_one_form(const Problem& problem, std::string_view document) {
  const auto op = parse(problem, document);
  ASSERT_TRUE(op.ok()) << op.rejection().message();
  EXPECT_EQ(canonical(*op), *op) << "what parse gives is canonical";
  Rng rng(1);
  for (int i = 0; i < 50; ++i) {
    const Operator other = testing::shuffled(*op, rng);
    EXPECT_EQ(canonical(other), *op) << to_text(problem, other);
    EXPECT_EQ(identity(problem, other), identity(problem, *op));
  }
}

TEST(CanonicalTest, OrderOfConstructionDoesNotMatter) {
  expect_one_form(conv_problem(), testing::kConv2d);
  expect_one_form(conv_problem(), testing::kOperator1);
}

TEST(CanonicalTest, EqualReductionsThatOnlyWeightsReadAreToldApartByThem) {
  const Problem problem = make_problem("[C]", "[D]", {"C=4, D=4, k=2"});
  // Four of one size: p and q are twins, r stands with the input, s with the output.
  expect_one_form(problem, R"(operator [C] -> [D]
out o
sum i: C, p: k, q: k, r: k, s: k
x   i
w1  p, q, r, s
w2  i, r
w3  o, s)");
  // A ring of weights: nothing but their connection tells reductions apart.
  expect_one_form(problem, R"(operator [C] -> [D]
out o
sum i: C, p: k, q: k, r: k, s: k
x   i
w1  p, q
w2  q, r
w3  r, s
w4  s, p, i
w5  o, i)");
}

TEST(CanonicalTest, DifferentEquationsStayDifferent) {
  const Problem problem = testing::plane_problem();
  const std::string head = "operator [H, W] -> [H, W] out h, w sum a: k, b: k ";
  const std::vector<std::string> rests = {
      "x unfold(h, a), unfold(w, b) w1 a, b",       "x unfold(h, a), unfold(w, b) w1 a",
      "x unfold(h, a), unfold(w, b) w1 a w2 b",     "x unfold(unfold(h, a), b), w w1 a, b",
      "x unfold(unfold(h, a), b), w w1 a",          "x shift(unfold(h, a)), unfold(w, b) w1 a, b",
      "x unfold(shift(h), a), unfold(w, b) w1 a, b"};
  for (const std::string& a : rests) {
    for (const std::string& b : rests) {
      const auto first = parse(problem, head + a);
      const auto second = parse(problem, head + b);
      ASSERT_TRUE(first.ok() && second.ok()) << a << " " << first.rejection().message();
      EXPECT_EQ(identity(problem, *first) == identity(problem, *second), a == b) << a << "; " << b;
    }
  }
}

}  // namespace
}  // namespace cambium::spaces::coordinate
