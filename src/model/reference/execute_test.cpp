// One hand-computed case for each operator of the list (an operator without one does not compile),
// and the execution of whole models.
#include "model/reference/execute.h"

#include <sys/resource.h>

#include "base/thread_pool.h"
#include "model/builder.h"
#include "model/composite.h"
#include "model/reference/testing.h"

namespace cambium::model {
namespace {

struct Case {
  Op op;
  std::vector<Tensor> inputs;
  Ints dims;
  std::vector<double> elements;
};

const Tensor kRow = floats({1, 2}, {1, 2});
const Tensor kPlane = floats({1, 1, 2, 2}, {1, 2, 3, 4});
const Tensor kOne = floats({1}, {1});

// A body of one sum.
Composite doubling() {
  Builder b("doubling");
  const Value x = b.input("x", kRow.type());
  b.output("y", b.add(Binary{BinaryFn::Add}, {x, x}));
  return composite_of("test", "2 * x", std::move(b).finish().value()).value();
}

// clang-format off
Case example(const Input*)         { return {Unary{UnaryFn::Neg}, {kOne}, {1}, {-1}}; }  // in models below
Case example(const Weight*)        { return {Weight{kRow}, {}, {1, 2}, {1, 2}}; }
Case example(const Conv*)          { return {Conv{{1, 1}, {0, 0, 0, 0}, {1, 1}, 1}, {kPlane, kPlane}, {1, 1, 1, 1}, {30}}; }
Case example(const ConvTranspose*) { return {ConvTranspose{{1, 1}, {1, 1, 1, 1}, {1, 1}, {0, 0}, 1}, {kPlane, floats({1, 1, 3, 3}, {0, 0, 0, 0, 2, 0, 0, 0, 0})}, {1, 1, 2, 2}, {2, 4, 6, 8}}; }
Case example(const MatMul*)        { return {MatMul{}, {kRow, floats({2, 1}, {3, 4})}, {1, 1}, {11}}; }
Case example(const Gemm*)          { return {Gemm{2, 1, false, true}, {kRow, kRow, kOne}, {1, 1}, {11}}; }
Case example(const Einsum*)        { return {Einsum{"ij,ij->j"}, {kRow, kRow}, {2}, {1, 4}}; }
Case example(const BatchNorm*)     { return {BatchNorm{3}, {floats({1, 1}, {5}), kOne, kOne, kOne, kOne}, {1, 1}, {3}}; }
Case example(const LayerNorm*)     { return {LayerNorm{1, 0}, {floats({1, 2}, {3, 5}), kOne}, {1, 2}, {-1, 1}}; }
Case example(const GroupNorm*)     { return {GroupNorm{1, 0}, {floats({1, 1, 2}, {3, 5}), kOne, kOne}, {1, 1, 2}, {0, 2}}; }
Case example(const Unary*)         { return {Unary{UnaryFn::Abs}, {floats({2}, {-1, 1})}, {2}, {1, 1}}; }
Case example(const Activation*)    { return {Activation{ActivationFn::Clip, 0, 1.5}, {kRow}, {1, 2}, {1, 1.5}}; }
Case example(const Binary*)        { return {Binary{BinaryFn::Add}, {kRow, kOne}, {1, 2}, {2, 3}}; }
Case example(const Where*)         { return {Where{}, {bools({1}, {false}), kOne, kRow}, {1, 2}, {1, 2}}; }
Case example(const Cast*)          { return {Cast{DType::I8}, {floats({1}, {-1.5})}, {1}, {-1}}; }
Case example(const Softmax*)       { return {Softmax{0}, {floats({2}, {3, 3})}, {2}, {0.5, 0.5}}; }
Case example(const LogSoftmax*)    { return {LogSoftmax{0}, {kOne}, {1}, {0}}; }
Case example(const Pool*)          { return {Pool{PoolFn::Average, {2, 2}, {1, 1}, {0, 0, 0, 0}, {1, 1}}, {kPlane}, {1, 1, 1, 1}, {2.5}}; }
Case example(const Reduce*)        { return {Reduce{ReduceFn::Sum, {1}, false}, {kRow}, {1}, {3}}; }
Case example(const ArgReduce*)     { return {ArgReduce{true, false, false, 1}, {kRow}, {1}, {1}}; }
Case example(const Concat*)        { return {Concat{0}, {kOne, kOne}, {2}, {1, 1}}; }
Case example(const Split*)         { return {Split{1, {1, 1}}, {kRow}, {1, 1}, {1}}; }
Case example(const Slice*)         { return {Slice{{0, 1}, {1, 2}, {1, -1}}, {kRow}, {1, 2}, {2, 1}}; }
Case example(const Gather*)        { return {Gather{1}, {kRow, ints({1}, {-1})}, {1, 1}, {2}}; }
Case example(const Reshape*)       { return {Reshape{{2}}, {kRow}, {2}, {1, 2}}; }
Case example(const Transpose*)     { return {Transpose{{1, 0}}, {kRow}, {2, 1}, {1, 2}}; }
Case example(const Expand*)        { return {Expand{{2, 2}}, {kRow}, {2, 2}, {1, 2, 1, 2}}; }
Case example(const Tile*)          { return {Tile{{1, 2}}, {kRow}, {1, 4}, {1, 2, 1, 2}}; }
Case example(const Pad*)           { return {Pad{PadMode::Edge, {0, 0, 0, 1}}, {kRow}, {1, 3}, {1, 2, 2}}; }
Case example(const Resize*)        { return {Resize{{1, 4}, {1, 2}, "asymmetric", "floor"}, {kRow}, {1, 4}, {1, 1, 2, 2}}; }
Case example(const DepthToSpace*)  { return {DepthToSpace{2}, {floats({1, 4, 1, 1}, {1, 2, 3, 4})}, {1, 1, 2, 2}, {1, 2, 3, 4}}; }
Case example(const SpaceToDepth*)  { return {SpaceToDepth{2}, {kPlane}, {1, 4, 1, 1}, {1, 2, 3, 4}}; }
Case example(const Composite*)     { return {doubling(), {kRow}, {1, 2}, {2, 4}}; }
// clang-format on

TEST(Execute, EveryOperatorOfTheListRuns) {
  int operators = 0;
#define CAMBIUM_X(type, name, fewest, most, outputs)                    \
  {                                                                     \
    SCOPED_TRACE(name);                                                 \
    const Case c = example(static_cast<const type*>(nullptr));          \
    expect_elements(run_one(c.op, c.inputs), c.dims, c.elements, 1e-6); \
    ++operators;                                                        \
  }
  CAMBIUM_FOR_EACH_OP(CAMBIUM_X)
#undef CAMBIUM_X
  EXPECT_EQ(operators, static_cast<int>(std::variant_size_v<Op>));
}

TEST(Execute, RefusesWhatInferenceRefuses) {
  EXPECT_EQ(execute(MatMul{}, std::vector<Tensor>{kRow}).rejection().reason(),
            Reason::WrongInputCount);
  EXPECT_EQ(execute(MatMul{}, std::vector<Tensor>{kRow, kRow}).rejection().reason(),
            Reason::ShapeMismatch);
  EXPECT_EQ(execute(Input{}, {}).rejection().reason(), Reason::UnknownValue);
}

Model small_model() {
  Builder b("small");
  const Value x = b.input("x", {DType::F32, {1, 2}});
  const Value index = b.input("index", {DType::I64, {1}});
  const Value w = b.weight("w", floats({2, 3}, {1, 2, 3, 4, 5, 6}));
  const Value y = b.add(MatMul{}, {x, w}, "fc");
  const Value parts = b.add(Split{1, {1, 2}}, {y});
  const Value picked = b.add(Gather{1}, {Value{parts.node, 1}, index}, "pick");
  b.output("picked", picked);
  b.output("first", parts);
  b.output("again", picked);
  return std::move(b).finish().value();
}

TEST(ExecuteModel, GivesOneTensorPerOutput) {
  std::vector<std::string> seen;
  ExecuteOptions options;
  options.observe = [&](const Node& node, std::span<const Tensor> results) {
    EXPECT_EQ(results.size(), node.outputs.size());
    seen.push_back(node.name);
  };
  const std::vector<Tensor> inputs{kRow, ints({1}, {1})};
  const auto outputs = execute(small_model(), inputs, options).value();
  ASSERT_EQ(outputs.size(), 3u);
  expect_elements(outputs[0], {1, 1}, {15});
  expect_elements(outputs[1], {1, 1}, {9});
  expect_elements(outputs[2], {1, 1}, {15});
  EXPECT_EQ(seen, (std::vector<std::string>{"w", "fc", "split", "pick"}));
}

TEST(ExecuteModel, RefusalsNameInputAndNode) {
  const Model model = small_model();
  const auto message = [&](const std::vector<Tensor>& inputs) {
    const auto outputs = execute(model, inputs);
    return outputs.ok() ? std::string() : outputs.rejection().message();
  };
  EXPECT_EQ(message({kRow}), "model 'small': it has 1 inputs, but takes 2 to 2 (-1: any number)");
  EXPECT_EQ(message({kOne, ints({1}, {0})}), "input 'x': is f32[1], the model takes f32[1, 2]");
  EXPECT_EQ(message({kRow, ints({1}, {2})}),
            "node 'pick' (gather): an index is 2, but axis 1 has 2 elements");
}

TEST(ExecuteModel, FreesATensorAfterItsLastReader) {
  Builder b("chain");
  Value y = b.input("x", {DType::F32, {1 << 22}});
  for (int i = 0; i < 40; ++i) {
    y = b.add(Cast{DType::F64}, {y});
    y = b.add(Cast{DType::F32}, {y});
  }
  b.output("y", y);
  const Model model = std::move(b).finish().value();
  const std::vector<Tensor> inputs{Tensor::lazy({DType::F32, {1 << 22}}, {})};
  const auto peak_kib = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const long before = peak_kib();
  EXPECT_TRUE(execute(model, inputs).ok());
  // All tensors together are 1.9 GiB; a sanitizer keeps some freed ones for a while.
  EXPECT_LT(peak_kib() - before, 700 * 1024);
}

}  // namespace
}  // namespace cambium::model
