#include "spaces/coordinate/lowering/verify.h"

#include <gtest/gtest.h>

#include "model/builder.h"
#include "spaces/coordinate/documents_testing.h"
#include "spaces/coordinate/known.h"
#include "spaces/coordinate/lowering/decompose.h"
#include "spaces/coordinate/lowering/small_sizes.h"

namespace cambium::spaces::coordinate {
namespace {

using testing::make_problem;

TEST(Verify, TakesTheCatalogueAtItsOwnSizes) {
  for (const KnownOperator& known : known_operators()) {
    const Problem problem = problem_of(known);
    const Operator op = operator_of(known);
    const expr::Binding& place = problem.bindings[0];
    const auto stages = stages_of(op, {&place, 1}).value();
    const auto body = verified_decomposition(op, stages, place, std::string(known.name));
    ASSERT_TRUE(body.ok()) << body.rejection().message();
    EXPECT_EQ(body->type(body->outputs()[0].value).dims, bind(op, place)->output_shape());
  }
}

// The body of another operator of the same shapes.
TEST(Verify, RefusesADecompositionThatComputesSomethingElse) {
  const Problem problem = make_problem("[N, H]", "[N, H]", {"N=2, H=12, k=3, s=3"});
  const std::string head = "operator [N, H] -> [N, H]\nout n, h\n";
  const auto op_of = [&](const std::string& rest) { return parse(problem, head + rest).value(); };
  const Operator op = op_of("sum a: k\nx n, unfold(h, a)\nw1 a\n");
  const Extents extents = extents_of(op, problem.bindings[0]).value();
  for (const std::string other :
       {"sum a: k\nx n, unfold(shift(h), a)\nw1 a\n", "sum a: k\nx n, shift(unfold(h, a))\nw1 a\n",
        "sum a: k\nx n, unfold(split(low(h, s), high(h, s)), a)\nw1 a\n",
        "sum a: k\nx n, split(high(h, s), unfold(low(h, s), a))\nw1 a\n",  // differs at few places
        "sum a: k\nx n, h\nw1 a\n"}) {
    const model::Model body = decompose(op_of(other), problem.bindings[0]).value();
    const Status found = verify(extents, body, "conv1");
    ASSERT_FALSE(found.ok()) << other;
    EXPECT_EQ(found.rejection().reason(), Reason::WrongDecomposition);
    EXPECT_NE(found.rejection().message().find("conv1"), std::string::npos);
  }
  EXPECT_TRUE(verify(extents, decompose(op, problem.bindings[0]).value(), "conv1").ok());
}

// The body of another operator of the same shapes, at the small sizes where a search verifies.
Status verify_small(const Problem& problem, const std::string& document, const std::string& other) {
  const Operator op = parse(problem, document).value();
  const expr::Binding small = small_like(op, problem.bindings[0]).value();
  const model::Model body = decompose(parse(problem, other).value(), small).value();
  return verify(extents_of(op, small).value(), body, "conv1");
}

TEST(Verify, TellsBlocksApartAtSmallSizes) {
  const Problem problem = make_problem("[N, C]", "[N, C]", {"N=1, C=64, s=2"});
  const std::string head = "operator [N, C] -> [N, C]\nout n, c\n";
  const std::string op = head + "x n, split(low(c, s), high(c, s))\nw1 c\n";
  EXPECT_TRUE(verify_small(problem, op, op).ok());
  EXPECT_FALSE(
      verify_small(problem, op, head + "x n, split(low(c, C/s), high(c, C/s))\nw1 c\n").ok());
}

TEST(Verify, TellsAShiftFromItsInverseAtSmallSizes) {
  const Problem problem = make_problem("[N, C]", "[N, C]", {"N=1, C=512, g=32"});
  const std::string head = "operator [N, C] -> [N, C]\nout n, c\nx n, split(high(c, g), ";
  std::string back = "low(c, g)";
  for (int i = 0; i < 31; ++i) back = "shift(" + back + ")";
  const std::string op = head + "shift(low(c, g)))\nw1 c\n";
  EXPECT_TRUE(verify_small(problem, op, op).ok());
  EXPECT_FALSE(verify_small(problem, op, head + back + ")\nw1 c\n").ok());
}

// 256 terms make each element, so that not all of them are compared.
TEST(Verify, ComparesElementsOfAllColumns) {
  const Problem problem =
      make_problem("[N, Ci, H, W]", "[N, Co, H, W]", {"N=1, Ci=16, Co=16, H=4, W=4, s=2, r=16"});
  const std::string head =
      "operator [N, Ci, H, W] -> [N, Co, H, W]\nout n, o, h, w\nsum i: Ci, c: r\nx n, i, h, ";
  const Operator op = parse(problem, head + "w\nw1 o, c\nw2 i, c\n").value();
  const Operator exchanged =  // columns 1 and 2
      parse(problem, head + "split(low(w, s), high(w, s))\nw1 o, c\nw2 i, c\n").value();
  const expr::Binding& place = problem.bindings[0];
  const Extents extents = extents_of(op, place).value();
  EXPECT_TRUE(verify(extents, decompose(op, place).value(), "conv1").ok());
  EXPECT_FALSE(verify(extents, decompose(exchanged, place).value(), "conv1").ok());
}

// A body that is right but for its last element.
TEST(Verify, ComparesTheLastElement) {
  const Problem problem = make_problem("[N, Ci, H]", "[N, Co, H]", {"N=1, Ci=1024, Co=8, H=64"});
  const Operator op = parse(problem,
                            "operator [N, Ci, H] -> [N, Co, H]\nout n, o, h\nsum i: Ci\n"
                            "x n, i, h\nw1 o, i\n")
                          .value();
  const expr::Binding& place = problem.bindings[0];
  const model::Model body = decompose(op, place).value();
  const model::Value right = body.outputs()[0].value;
  model::Builder builder(body);
  const auto pad = [](std::int64_t after) {
    return model::Pad{model::PadMode::Constant, {0, after}, 0};
  };
  model::Value value = builder.add(model::Reshape{{8 * 64}}, {right});
  const model::NodeId first = value.node;
  value = builder.add(pad(1), {builder.add(pad(-1), {value})});
  builder.replace_except(right, builder.add(model::Reshape{{1, 8, 64}}, {value}), first);
  const model::Model wrong = std::move(builder).finish().value();
  const Extents extents = extents_of(op, place).value();
  EXPECT_TRUE(verify(extents, body, "conv1").ok());
  EXPECT_FALSE(verify(extents, wrong, "conv1").ok());
}

// As a search calls it; here with stages that leave a weight out.
TEST(Verify, RefusesWrongStagesBeforeTheyAreDecomposedAtThePlace) {
  const Problem problem =
      make_problem("[N, Ci, H]", "[N, Co, H]", {"N=1, Ci=64, Co=64, H=56, k=3, s=4"});
  const Operator op =
      parse(problem,
            "operator [N, Ci, H] -> [N, Co, H]\nout n, o, h\nsum i: Ci, a: k, c: s\n"
            "x n, i, unfold(h, a)\nw1 i, c\nw2 c, a, o\n")
          .value();
  const expr::Binding& place = problem.bindings[0];
  std::vector<Stage> stages = stages_of(op, {&place, 1}).value();
  ASSERT_TRUE(verified_decomposition(op, stages, place, "conv1").ok());
  ASSERT_EQ(stages.size(), 2U);
  for (const std::size_t left_out : {0U, 1U}) {
    std::vector<Stage> wrong = stages;
    wrong[left_out].weights.clear();
    const auto body = verified_decomposition(op, wrong, place, "conv1");
    ASSERT_FALSE(body.ok());
    EXPECT_EQ(body.rejection().reason(), Reason::WrongDecomposition) << body.rejection().message();
  }
}

}  // namespace
}  // namespace cambium::spaces::coordinate
