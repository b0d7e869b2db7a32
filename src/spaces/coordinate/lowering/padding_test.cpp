#include "spaces/coordinate/lowering/padding.h"

#include <gtest/gtest.h>

#include "model/reference/execute.h"
#include "program/interpret.h"
#include "spaces/coordinate/evaluate.h"
#include "spaces/coordinate/lowering/decompose.h"
#include "spaces/coordinate/lowering/known_testing.h"
#include "spaces/coordinate/lowering/program.h"

namespace cambium::spaces::coordinate {
namespace {

using namespace testing;

// The variables after padding for a place where the operator does not fit as it is.
std::string padding(const Known& known, std::string_view at) {
  const Problem problem = known.problem();
  const Operator op = known.op(problem);
  const expr::Binding place = problem.sizes.parse_binding(at).value();
  const auto out = padded(problem, op, place);
  return out.ok() ? problem.sizes.print(*out) : out.rejection().message();
}

TEST(Padding, LeavesAloneWhatFits) {
  EXPECT_EQ(padding(known("operator1"), "N=1, Ci=8, Co=16, H=6, W=10, k=3, g=2, s=2"),
            "N=1, Ci=8, H=6, W=10, Co=16, k=3, g=2, s=2");
}

TEST(Padding, EnlargesOnlyWhatDoesNotDivide) {
  EXPECT_EQ(padding(known("operator1"), "N=1, Ci=6, Co=17, H=5, W=7, k=3, g=4, s=2"),
            "N=1, Ci=8, H=5, W=7, Co=24, k=3, g=4, s=2");
}

// H*W/6 at 5 x 4: 6 x 4 is less than 5 x 6, 6 x 6 and 5 x 12.
TEST(Padding, SharesADenominatorAmongVariables) {
  const Problem problem =
      problem_of("[H, W]", "[s, H*W/s]", std::vector<std::string>{"H=6, W=6, s=6"}).value();
  const Operator op = parse(problem,
                            "operator [H, W] -> [s, H*W/s]\nout i, j\n"
                            "x high(split(i, j), W), low(split(i, j), W)")
                          .value();
  const expr::Binding place = problem.sizes.parse_binding("H=5, W=4, s=6").value();
  EXPECT_EQ(problem.sizes.print(padded(problem, op, place).value()), "H=6, W=4, s=6");
}

TEST(Padding, RefusesWhatNoPaddingHelps) {
  const Known grouped{"operator [H] -> [H]\nout h\nsum a: k/g\nx unfold(h, a)\nw1 a",
                      "H=8, k=4, g=2"};
  EXPECT_NE(padding(grouped, "H=8, k=3, g=2").find("not an integer"), std::string::npos);
}

// As the padded operator computes on zeros behind the data, cropped.
TEST(Padding, IsHonouredByLowerings) {
  const Problem problem = known("operator2").problem();
  const Operator op = known("operator2").op(problem);
  const expr::Binding place =
      problem.sizes.parse_binding("N=1, Ci=5, Co=6, H=3, W=4, k=3, g=2, s=2").value();
  const expr::Binding inside = padded(problem, op, place).value();
  const Extents extents = extents_of(op, place, inside).value();
  const std::vector<Stage> stages = stages_of(op, {&inside, 1}).value();
  ASSERT_EQ(extents.input, (std::vector<std::int64_t>{1, 5, 3, 4}));
  ASSERT_EQ(extents.output, (std::vector<std::int64_t>{1, 6, 3, 4}));

  const auto counting = [](std::size_t count) {
    std::vector<float> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(static_cast<float>(i % 7) - 3);
    return out;
  };
  const std::vector<float> x = counting(5 * 12);
  std::vector<std::vector<float>> weights;
  std::vector<model::Tensor> tensors{model::Tensor::of<float>({1, 5, 3, 4}, x)};
  std::vector<program::Array> arrays{program::Array::of(x)};
  for (const auto& weight : op.weights) {
    model::Ints dims;
    std::size_t count = 1;
    for (const CoordinateIndex c : weight) {
      dims.push_back(extents.of(c));
      count *= static_cast<std::size_t>(extents.of(c));
    }
    weights.push_back(counting(count));
    tensors.push_back(model::Tensor::of<float>(dims, weights.back()));
    arrays.push_back(program::Array::of(weights.back()));
  }
  // Six channels inside, five outside; eight outputs inside, six outside.
  std::vector<double> padded_x(6 * 12, 0);
  std::copy(x.begin(), x.end(), padded_x.begin());
  const std::vector<std::vector<double>> doubles{{weights[0].begin(), weights[0].end()},
                                                 {weights[1].begin(), weights[1].end()}};
  std::vector<double> expected = evaluate<double>(extents.inside, padded_x, doubles).value();
  ASSERT_EQ(expected.size(), 8u * 12);
  expected.resize(6 * 12);

  const model::Model body = decompose(op, stages, extents).value();
  EXPECT_EQ(model::execute(body, tensors).value()[0].to_doubles(), expected);
  program::Context cx;
  const program::Program program = program_of(cx, "p", op, stages, extents).value();
  EXPECT_EQ(program::interpret(cx, program, arrays).value()[0].as_doubles(), expected);
}

}  // namespace
}  // namespace cambium::spaces::coordinate
