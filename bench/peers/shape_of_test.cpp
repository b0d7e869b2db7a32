#include "peers/shape_of.h"

#include <gtest/gtest.h>

#include "model/builder.h"
#include "model/text.h"

namespace cambium::bench {
namespace {

using model::Builder;
using model::Value;

Result<Shape> shape_of(Builder b, Value output) {
  b.output("y", output);
  return bench::shape_of(std::move(b).finish().value());
}

TEST(ShapeOf, ReadsTheTableBackFromTheTextOfItsModels) {
  for (const Workload& w : operator_table()) {
    const auto model = model::parse_text(model::to_text(w.model));
    ASSERT_TRUE(model.ok()) << w.name;
    const auto shape = bench::shape_of(*model);
    ASSERT_TRUE(shape.ok()) << w.name << ": " << shape.rejection().message();
    EXPECT_TRUE(*shape == w.shape) << w.name;
  }
}

TEST(ShapeOf, SeesManyRowsWhereOneMatrixOfWeightsServesABatch) {
  Builder b("m");
  const Value x = b.input("x", {DType::F32, {2, 3, 4}});
  const Value w = b.weight("w", model::Tensor::lazy({DType::F32, {4, 5}}, {}));
  const auto shape = shape_of(b, b.add(model::MatMul{}, {x, w}));
  ASSERT_TRUE(shape.ok()) << shape.rejection().message();
  EXPECT_TRUE(*shape == Shape(MatMulShape{1, 6, 5, 4, false, true}));
}

TEST(ShapeOf, TakesTransposedOperandsOfGemmAsTheyAre) {
  Builder b("m");
  const Value x = b.input("x", {DType::F32, {4, 3}}), y = b.input("y", {DType::F32, {5, 4}});
  const auto shape = shape_of(b, b.add(model::Gemm{1, 1, true, true}, {x, y}));
  ASSERT_TRUE(shape.ok()) << shape.rejection().message();
  EXPECT_TRUE(*shape == Shape(MatMulShape{1, 3, 5, 4}));
}

TEST(ShapeOf, RefusesWhatNoLibraryIsAskedFor) {
  const auto expect_refused = [](Builder b, Value output, const char* part) {
    const auto shape = shape_of(std::move(b), output);
    ASSERT_FALSE(shape.ok()) << part;
    EXPECT_EQ(shape.rejection().reason(), Reason::UnsupportedOperator);
    EXPECT_NE(shape.rejection().message().find(part), std::string::npos)
        << shape.rejection().message();
  };
  Builder b("m");
  const Value x = b.input("x", {DType::F32, {4, 4}});
  const auto with = [&](const model::Op& op) {
    Builder more = b;
    const Value y = more.add(op, {x});
    return std::pair(std::move(more), y);
  };
  const auto refuse_one = [&](const model::Op& op, const char* part) {
    const auto [builder, value] = with(op);
    expect_refused(builder, value, part);
  };
  refuse_one(model::Unary{model::UnaryFn::Relu}, "relu");
  refuse_one(model::Reduce{model::ReduceFn::Mean, {0, 1}, false}, "mean");
  refuse_one(model::Reduce{model::ReduceFn::L2, {1}, false}, "of parts");
  refuse_one(model::Softmax{0}, "last axis");
  refuse_one(model::LogSoftmax{1}, "log_softmax");
  expect_refused(b, x, "none");
  Builder two = b;
  const Value once = two.add(model::Softmax{1}, {x});
  expect_refused(two, two.add(model::MatMul{}, {once, x}), "after softmax");
}

}  // namespace
}  // namespace cambium::bench
