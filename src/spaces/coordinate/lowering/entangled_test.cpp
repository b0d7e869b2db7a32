#include "spaces/coordinate/lowering/entangled.h"

#include "spaces/coordinate/documents_testing.h"
#include "spaces/coordinate/lowering/lowering_testing.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {
namespace {

using namespace testing;

// At N=1, C=12, L=3, where s=3 and k=3.
Operator entangled_operator(const Problem& problem, const std::string& rest) {
  const auto op = parse(problem, "operator [N, C, L] -> [N, C, L]\nout n, c, l\n" + rest);
  EXPECT_TRUE(op.ok()) << op.rejection().message();
  return *op;
}

Problem entangled_problem() {
  return make_problem("[N, C, L]", "[N, C, L]", {"N=1, C=12, L=3, s=3, k=3"});
}

// The axes of the first weight that hang together, where the loops are outputs and reductions.
std::vector<Entangled> groups_of(const Operator& op) {
  const std::size_t leaves = output_count(op) + reduction_count(op);
  Loops loops;
  loops.halves.assign(op.coordinates.size(), {kNoCoordinate, kNoCoordinate});
  for (std::size_t c = 0; c < op.coordinates.size(); ++c) loops.is_loop.push_back(c < leaves);
  return entangled_axes(op, op.weights[0], loops);
}

constexpr const char* kSwapped = "split(low(shift(c), s), high(shift(c), s))";

TEST(Entangled, AnAxisThatIsMadeOfAnotherHangsWithIt) {
  const Problem problem = entangled_problem();
  const Operator op = entangled_operator(problem, std::string("sum r: k\nx n, unfold(") + kSwapped +
                                                      ", r), l\nw1 l, low(shift(c), s), " +
                                                      "unfold(" + kSwapped + ", r)\n");
  const std::vector<Entangled> groups = groups_of(op);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].axes.size(), 2U);   // not l
  EXPECT_EQ(groups[0].loops.size(), 2U);  // c and r
}

TEST(Entangled, HalvesOfOneMergeAreAReshape) {
  const Problem problem = entangled_problem();
  const Operator op = entangled_operator(
      problem, std::string("x n, ") + kSwapped + ", l\nw1 low(shift(c), s), high(shift(c), s)\n");
  EXPECT_TRUE(groups_of(op).empty());
}

// Each of them reads a loop twice, in another way.
TEST(Entangled, WeightsThatReadALoopTwiceAreLoweredRight) {
  const Problem problem = entangled_problem();
  const std::string swapped = kSwapped;
  const std::vector<std::string> rests = {
      "sum r: k\nx n, unfold(" + swapped + ", r), l\nw1 low(shift(c), s), unfold(" + swapped +
          ", r)\n",
      "sum r: k\nx n, unfold(" + swapped + ", r), l\nw1 high(shift(c), s), unfold(" + swapped +
          ", r)\n",
      "sum r: k\nx n, unfold(" + swapped + ", r), l\nw1 high(shift(c), s), low(shift(c), s), " +
          "unfold(" + swapped + ", r)\n",
      "x n, " + swapped + ", l\nw1 c, low(shift(c), s)\n",
      "x n, " + swapped + ", l\nw1 c, shift(c), l, high(shift(c), s)\n",
      "x n, split(low(c, s), high(c, s)), l\nw1 c, low(c, s)\n",
      "x n, split(shift(low(c, s)), high(c, s)), l\nw1 shift(low(c, s)), l, c\n",
      "sum r: k\nx n, c, unfold(l, r)\nw1 l, r, unfold(l, r)\n",
      "sum r: k\nx n, c, unfold(l, r)\nw1 r, c, unfold(l, r)\n",
      "sum r: k\nx n, c, unfold(l, r)\nw1 l, unfold(l, r) w2 r, unfold(l, r), c\n",
      "sum r: k\nx n, unfold(shift(c), r), l\nw1 shift(c), c, unfold(shift(c), r), r\n",
      "sum r: L\nx n, high(split(c, r), L), l\nw1 low(split(c, r), L), l, split(c, r), r\n",
  };
  for (const std::string& rest : rests) {
    SCOPED_TRACE(rest);
    const Case c = case_of(entangled_operator(problem, rest), problem.bindings[0], 1);
    expect_decomposition(c);
    expect_program(c);
    if (HasFatalFailure()) return;
  }
}

// Sixteen million elements if the loops below `h`, `a` and the window were repeated.
TEST(Entangled, NothingIsRepeated) {
  const Problem problem = make_problem("[N, H]", "[N, H]", {"N=1, H=1024, k=5"});
  const Operator op =
      parse(
          problem,
          "operator [N, H] -> [N, H]\nout n, h\nsum a: k\nx n, unfold(h, a)\nw1 a, unfold(h, a)\n")
          .value();
  const model::Model body = decompose(op, problem.bindings[0]).value();
  for (const model::NodePtr& node : body.nodes()) {
    for (const model::TensorType& type : node->outputs) {
      EXPECT_LE(product(type.dims), (1024 + 1) * 5) << model::to_text(body);
    }
  }
}

}  // namespace
}  // namespace cambium::spaces::coordinate
