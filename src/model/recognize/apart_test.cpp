#include "model/recognize/apart.h"

#include <gtest/gtest.h>

#include "model/builder.h"
#include "model/reference/execute.h"

namespace cambium::model {
namespace {

template <class Op>
int count_of(const Model& model) {
  int count = 0;
  for (const NodePtr& node : model.nodes()) count += node->as<Op>() != nullptr;
  return count;
}

Value normal(Builder& b, const char* name, Ints dims) {
  return b.weight(name, Tensor::lazy({DType::F32, std::move(dims)}, {Fill::Law::Normal, 1, 5}));
}

// Two stages: the second reads the first through the reshape that the first one ends with.
Model two_stages(std::int64_t batch) {
  Builder b("stages");
  const Value x = b.input("x", {DType::F32, {batch, 8, 5, 5}});
  const Value parts = b.add(Reshape{{batch, 4, 2, 5, 5}}, {x});
  const Value first = b.add(Einsum{"nachw,oc->naohw"}, {parts, normal(b, "w1", {3, 2})});
  b.output("y", b.add(Einsum{"naohw,pao->nphw"}, {first, normal(b, "w2", {6, 4, 3})}));
  return std::move(b).finish().value();
}

TEST(RecognizesApart, WhatIsReadThroughAnotherSolution) {
  const RecognizedApart out = recognize_apart(two_stages(1));
  EXPECT_EQ(count_of<Einsum>(out.recognized.model), 0);
  EXPECT_EQ(count_of<Conv>(out.recognized.model), 2);
  EXPECT_FALSE(out.axes.fixed.has_value());
  for (const auto& [old, now] : out.recognized.moved) {
    EXPECT_TRUE(out.recognized.model.contains(now.node));
  }
}

TEST(RecognizesApart, ForSamplesOfAnyNumber) {
  const RecognizedApart out = recognize_apart(two_stages(1));
  for (const std::int64_t batch : {1, 3}) {
    const Model given = two_stages(batch);
    const auto changed = with_batch(out.recognized.model, out.axes, batch);
    ASSERT_TRUE(changed.ok()) << changed.rejection().message();
    const Tensor x = Tensor::lazy(given.type({given.inputs()[0], 0}), {Fill::Law::Normal, 1, 3});
    const auto want = execute(given, {&x, 1}), have = execute(*changed, {&x, 1});
    ASSERT_TRUE(want.ok() && have.ok());
    const auto w = (*want)[0].to_doubles(), h = (*have)[0].to_doubles();
    ASSERT_EQ(w.size(), h.size());
    for (std::size_t i = 0; i < w.size(); ++i) ASSERT_NEAR(w[i], h[i], 1e-4) << i;
  }
}

// The mean over pairs of channels pools planes of which each is a sample.
TEST(RecognizesApart, SamplesThatArePooledLikeChannels) {
  Builder b("means");
  const Value x = b.input("x", {DType::F32, {1, 8, 5, 5}});
  const Value parts = b.add(Reshape{{1, 4, 2, 5, 5}}, {x});
  b.output("y", b.add(Reduce{ReduceFn::Mean, {2}, false}, {parts}));
  const RecognizedApart out = recognize_apart(std::move(b).finish().value());
  EXPECT_EQ(count_of<Pool>(out.recognized.model), 1);
  EXPECT_FALSE(out.axes.fixed.has_value());
}

TEST(RecognizesApart, LeavesWhatMixesSamplesToItsOwnBatch) {
  Builder b("mixed");
  const Value x = b.input("x", {DType::F32, {1, 8}});
  b.output("y", b.add(Reduce{ReduceFn::Mean, {0}, true}, {x}));
  const RecognizedApart out = recognize_apart(std::move(b).finish().value());
  EXPECT_TRUE(out.axes.fixed.has_value());
  EXPECT_EQ(out.axes.batch, 1);
}

}  // namespace
}  // namespace cambium::model
