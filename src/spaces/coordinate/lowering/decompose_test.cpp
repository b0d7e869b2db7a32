#include "spaces/coordinate/lowering/decompose.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/text.h"
#include "model/composite.h"
#include "model/cost.h"
#include "model/recognize/recognize.h"
#include "model/text.h"
#include "spaces/coordinate/lowering/known_testing.h"
#include "spaces/coordinate/lowering/weighted_testing.h"

namespace cambium::spaces::coordinate {
namespace {

using namespace testing;

model::Model body(const Known& known) {
  const Problem problem = known.problem();
  return decompose(known.op(problem), problem.bindings[0]).value();
}

struct Found {
  std::string what;
  std::int64_t macs = 0;
};

// What recognition says that the stages are, one after the other.
Found found(const Known& known) {
  const model::Recognized out = model::recognize(with_weights(body(known)));
  std::vector<std::string> stages;
  for (const std::string& line : out.found) {
    stages.push_back(line.substr(line.find(": ") + 2));
    if (stages.back() == "part of a split") stages.pop_back();  // of a shift
  }
  return {join(stages, "; "), model::cost_of(out.model).macs};
}

std::int64_t staged_macs(const Known& known) {
  const Problem problem = known.problem();
  const Operator op = known.op(problem);
  return cost_of(op, stages_of(op, problem.bindings).value(), problem.bindings[0]).value().macs;
}

TEST(Decompose, KnownOperatorsAreRecognized) {
  EXPECT_EQ(found(known("conv2d")).what, "conv 3x3");
  EXPECT_EQ(found(known("grouped_conv2d")).what, "grouped conv 3x3");
  EXPECT_EQ(found(known("depthwise_conv2d")).what, "depthwise conv 3x3");
  EXPECT_EQ(found(known("dilated_conv2d")).what, "conv 3x3 dilated");
  EXPECT_EQ(found(known("strided_conv2d")).what, "conv 3x3 strided");
  EXPECT_EQ(found(known("average_pool2d")).what, "average pool");
  EXPECT_EQ(found(known("linear")).what, "matmul");
  EXPECT_EQ(found(known("operator1")).what, "grouped conv 1x1, shift; shift, conv 3x1");
  EXPECT_EQ(found(known("operator2")).what, "grouped conv 1x3; shift; conv 3x1");
}

TEST(Decompose, RecognitionFindsNothingCheaperThanTheStages) {
  for (const Known& place : {known("conv2d"), known("grouped_conv2d"), known("depthwise_conv2d"),
                             known("dilated_conv2d"), known("strided_conv2d"), known("linear"),
                             known("operator1"), known("operator2")}) {
    EXPECT_EQ(found(place).macs, staged_macs(place)) << place.document;
  }
}

TEST(Decompose, IsTheBodyOfAComposite) {
  for (const Known& place :
       {known("conv2d"), known("operator1"), known("pixel_shuffle"), known("scale")}) {
    const auto composite =
        model::composite_of("coordinate", std::string(place.document), body(place));
    EXPECT_TRUE(composite.ok()) << composite.rejection().message();
  }
}

TEST(Decompose, PixelShuffleOnlyMoves) {
  const model::Model model = body(known("pixel_shuffle"));
  EXPECT_EQ(model::cost_of(model).macs, 0);
  EXPECT_EQ(model.type(model.outputs()[0].value).dims, (model::Ints{2, 3, 6, 8}));
}

TEST(Decompose, RefusesWhatAModelCannotHold) {
  const Problem problem =
      known("conv2d").problem("N=1000000, Ci=1000, Co=1000, H=1000, W=1000, k=3, g=1, s=1");
  const auto out = decompose(known("conv2d").op(problem), problem.bindings[0]);
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.rejection().reason(), Reason::TensorTooLarge);
}

std::int64_t largest_tensor(const model::Model& body) {
  std::int64_t largest = 0;
  for (const model::NodePtr& node : body.nodes()) {
    for (const model::TensorType& type : node->outputs) {
      std::int64_t elements = 1;
      for (const std::int64_t extent : type.dims) elements *= extent;
      largest = std::max(largest, elements);
    }
  }
  return largest;
}

// Six views of one axis: each made as long as the axis, they would hold 2^31 elements together.
TEST(Decompose, ReadsManyViewsOfOneAxisWithoutRepeatingThem) {
  const std::vector<std::string> bindings{"N=1, C=36, s=3"};
  const Problem problem = problem_of("[N, C]", "[N, C]", bindings).value();
  std::string view = "low(shift(c), s)", views = view;
  for (int i = 0; i < 5; ++i) views += ", " + (view = "shift(" + view + ")");
  const Operator op = parse(problem, "operator [N, C] -> [N, C]\nout n, c\nx n, split(" + view +
                                         ", high(shift(c), s))\nw1 " + views)
                          .value();
  const model::Model body = decompose(op, problem.bindings[0]).value();
  EXPECT_LE(largest_tensor(body), 729) << model::to_text(body);  // the weight
}

// The input is padded so far that a window of three reaches a hundred thousand elements in both
// directions.
TEST(Decompose, RefusesTensorsFarLargerThanTheOperator) {
  const std::vector<std::string> bindings{"N=1, H=4, k=3, s=100000"};
  const Problem problem = problem_of("[N, H]", "[N, H]", bindings).value();
  const Operator op = parse(problem,
                            "operator [N, H] -> [N, H]\nout n, h\nsum a: k\n"
                            "x n, unfold(h, stride(a, s))\nw1 a")
                          .value();
  const auto out = decompose(op, problem.bindings[0]);
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.rejection().reason(), Reason::SizeOutOfRange) << out.rejection().message();
}

// Windows above sixteen and shifts read through a table, which would have a billion entries.
TEST(Decompose, RefusesTablesOfTooManyPlaces) {
  const auto reason = [](const std::string& binding, const std::string& rest) {
    const std::vector<std::string> bindings{binding};
    const Problem problem = problem_of("[N, H]", "[N, H]", bindings).value();
    const Operator op = parse(problem, "operator [N, H] -> [N, H]\nout n, h\n" + rest).value();
    const auto out = decompose(op, problem.bindings[0]);
    return out.ok() ? "accepted" : out.rejection().message();
  };
  EXPECT_EQ(reason("N=1, H=1000000, k=999", "sum a: k\nx n, unfold(h, a)\nw1 a"),
            "the number of entries of a table is 999000000; it must be from 1 to 16777216");
  EXPECT_EQ(reason("N=1, H=1000000000", "x n, shift(h)"),
            "the number of entries of a table is 1000000000; it must be from 1 to 16777216");
}

TEST(Decompose, RefusesMoreAxesThanLetters) {
  const expr::Size one;
  Operator op;
  op.coordinates.push_back({CoordinateKind::Output, kNoCoordinate, kNoCoordinate, one, one});
  CoordinateIndex last = 0;
  std::vector<std::vector<CoordinateIndex>> tensors(6);
  for (int i = 0; i < 60; ++i) {
    const auto next = static_cast<CoordinateIndex>(op.coordinates.size());
    op.coordinates.push_back({CoordinateKind::MergeHigh, last, kNoCoordinate, one, one});
    op.coordinates.push_back({CoordinateKind::MergeLow, last, kNoCoordinate, one, one});
    tensors[static_cast<std::size_t>(i / 10)].push_back(next);
    last = next + 1;
  }
  tensors[5].push_back(last);
  op.data = tensors[0];
  op.weights.assign(tensors.begin() + 1, tensors.end());
  const auto out = decompose(op, expr::Binding());
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.rejection().reason(), Reason::SizeOutOfRange);
}

}  // namespace
}  // namespace cambium::spaces::coordinate
