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
