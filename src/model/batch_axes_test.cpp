#include "model/batch_axes.h"

#include <gtest/gtest.h>

#include "model/composite.h"
#include "model/zoo/zoo.h"

namespace cambium::model {
namespace {

struct Graph {
  Builder builder{"graph"};
  Value x;

  explicit Graph(Ints dims) { x = builder.input("x", {DType::F32, std::move(dims)}); }

  BatchAxes axes_of(Value value) && {
    builder.output("y", value);
    return batch_axes_of(std::move(builder).finish().value());
  }
};

// The axis of the value that a chain of operators gives.
BatchAxes after(Ints dims, const std::vector<Op>& ops, Value& last) {
  Graph graph(std::move(dims));
  last = graph.x;
  for (const Op& op : ops) last = graph.builder.add(op, {last});
  return std::move(graph).axes_of(last);
}

std::int64_t axis_after(Ints dims, const std::vector<Op>& ops) {
  Value last;
  const BatchAxes axes = after(std::move(dims), ops, last);
  EXPECT_FALSE(axes.fixed.has_value()) << axes.fixed->message();
  return axes.axis[last.node.index];
}

TEST(BatchAxes, FollowSamplesThroughReshapesAndTransposes) {
  EXPECT_EQ(axis_after({4, 6, 8}, {Reshape{{24, 8}}}), 0);
  EXPECT_EQ(axis_after({4, 6, 8}, {Reshape{{24, 8}}, Reshape{{4, 6, 8}}}), 0);
  EXPECT_EQ(axis_after({4, 6, 8}, {Transpose{{1, 0, 2}}}), 1);
  EXPECT_EQ(axis_after({4, 6, 8}, {Transpose{{1, 0, 2}}, Reshape{{6, 4, 2, 4}}}), 1);
  EXPECT_EQ(axis_after({4, 6, 8}, {Transpose{{1, 0, 2}}, Reshape{{2, 3, 4, 8}}}), 2);
  EXPECT_EQ(axis_after({4, 6}, {Reshape{{1, 4, 6}}}), 1);
  EXPECT_EQ(axis_after({4, 6, 8}, {Transpose{{1, 0, 2}}, Reshape{{24, 8}}}), 0);
}

TEST(BatchAxes, FollowABatchOfOne) {
  EXPECT_EQ(axis_after({1, 6, 8}, {Reshape{{6, 8}}}), 0);
  EXPECT_EQ(axis_after({1, 6, 8}, {Transpose{{1, 0, 2}}, Reshape{{6, 1, 2, 4}}}), 1);
  EXPECT_EQ(axis_after({1, 6, 8}, {Transpose{{1, 2, 0}}}), 2);
}

TEST(BatchAxes, MayBeTheChannelsOfWhatIsPooled) {
  Pool pool;
  pool.kernel = pool.strides = {2, 1};
  pool.pads = {0, 0, 0, 0};
  pool.dilations = {1, 1};
  EXPECT_EQ(axis_after({4, 6, 8}, {Reshape{{1, 4, 6, 8}}, pool}), 1);
  Value last;
  EXPECT_TRUE(after({4, 6, 8}, {Reshape{{1, 1, 4, 48}}, pool}, last).fixed.has_value());
}

TEST(BatchAxes, CountAxesThatGoAway) {
  EXPECT_EQ(axis_after({4, 6, 8}, {Transpose{{1, 2, 0}}, Reduce{ReduceFn::Mean, {0}, false}}), 1);
  EXPECT_EQ(axis_after({4, 6, 8}, {Transpose{{1, 2, 0}}, Reduce{ReduceFn::Mean, {0}, true}}), 2);
  EXPECT_EQ(axis_after({4, 6, 8}, {Transpose{{1, 2, 0}}, ArgReduce{true, false, false, 1}}), 1);
}

TEST(BatchAxes, SayWhichNodeMixesSamples) {
  const std::vector<Op> mixing{Reduce{ReduceFn::Mean, {0}, true},
                               Softmax{0},
                               Split{0, {2, 2}},
                               Slice{{1, 0}, {2, 6}, {1, 1}},
                               Pad{PadMode::Constant, {1, 0, 0, 0}},
                               Tile{{2, 1}},
                               ArgReduce{true, false, true, 0}};
  for (const Op& op : mixing) {
    Value last;
    const BatchAxes axes = after({4, 6}, {op}, last);
    ASSERT_TRUE(axes.fixed.has_value()) << name_of(op);
    EXPECT_EQ(axes.fixed->reason(), Reason::ShapeMismatch);
    EXPECT_EQ(axes.axis[last.node.index], kNoAxis);
  }
}

TEST(BatchAxes, FollowProductsAndTables) {
  Graph graph({4, 6, 8});
  Builder& b = graph.builder;
  const Value turned = b.add(Transpose{{0, 2, 1}}, {graph.x});
  EXPECT_TRUE(b.ok());
  const Value scores = b.add(MatMul{}, {graph.x, turned});
  const Value mixed = b.add(Einsum{"bij,bjk->jbik"}, {scores, graph.x});
  const Value table = b.weight("table", Tensor::lazy({DType::F32, {9, 5}}, {}));
  const Value rows = b.add(Cast{DType::I64}, {graph.x});
  const Value looked = b.add(Gather{0}, {table, rows});
  b.output("looked", looked);
  const BatchAxes axes = std::move(graph).axes_of(mixed);
  ASSERT_FALSE(axes.fixed.has_value()) << axes.fixed->message();
  EXPECT_EQ(axes.axis[scores.node.index], 0);
  EXPECT_EQ(axes.axis[mixed.node.index], 1);
  EXPECT_EQ(axes.axis[looked.node.index], 0);
  EXPECT_EQ(axes.axis[table.node.index], kNoAxis);
}

// The first dimension of the weight happens to be the batch, inside of the body and outside.
TEST(BatchAxes, OfACompositeAreThoseOfItsBody) {
  Builder body("body");
  const Value x = body.input("x", {DType::F32, {4, 6}}), w = body.input("w", {DType::F32, {4, 6}});
  body.output("y", body.add(Gemm{1, 1, false, true}, {x, w}));
  const Composite good = composite_of("test", "", std::move(body).finish().value()).value();
  Graph graph({4, 6});
  const Value weight = graph.builder.weight("w", Tensor::lazy({DType::F32, {4, 6}}, {}));
  const Value y = graph.builder.add(good, {graph.x, weight});
  const BatchAxes axes = std::move(graph).axes_of(y);
  ASSERT_FALSE(axes.fixed.has_value()) << axes.fixed->message();
  EXPECT_EQ(axes.axis[y.node.index], 0);

  Graph mixing({4, 6});
  const Value mixed = mixing.builder.add(good, {mixing.x, mixing.x}, "mixed");
  const auto fixed = std::move(mixing).axes_of(mixed).fixed;
  ASSERT_TRUE(fixed.has_value());
  EXPECT_NE(fixed->message().find("mixed"), std::string::npos);
}

TEST(BatchAxes, OfACompositeAreUnknownWhereItsOutputsDisagree) {
  Builder body("body");
  const Value x = body.input("x", {DType::F32, {4, 6}});
  body.output("y", x);
  body.output("z", body.add(Transpose{{1, 0}}, {x}));
  Graph graph({4, 6});
  const auto made = composite_of("test", "", std::move(body).finish().value());
  const Value y = graph.builder.add(made.value(), {graph.x});
  EXPECT_TRUE(std::move(graph).axes_of(y).fixed.has_value());
}

TEST(BatchAxes, AreKnownForTheWholeZoo) {
  for (const zoo::ZooEntry& entry : zoo::entries()) {
    for (const std::int64_t batch : {1, 2}) {
      zoo::ZooOptions options;
      options.batch = batch;
      const auto model = zoo::build(entry.name, options);
      ASSERT_TRUE(model.ok()) << model.rejection().message();
      const BatchAxes axes = batch_axes_of(*model);
      EXPECT_FALSE(axes.fixed.has_value()) << entry.name << ": " << axes.fixed->message();
      for (const Output& output : model->outputs()) {
        EXPECT_EQ(axes.axis[output.value.node.index], 0) << entry.name;
      }
    }
  }
}

TEST(BatchAxes, RefusesTheBatchOfABodyThatHoldsItInAConstant) {
  Builder b("body");
  const Value x = b.input("x", {DType::F32, {2, 3}});
  const Value mask = b.weight("mask", Tensor::of<bool>({2, 1}, {true, false}));
  const Value y = b.add(Where{}, {mask, x, b.weight("zero", Tensor::scalar<float>(0))});
  b.output("y", y);
  const Model model = std::move(b).finish().value();
  const auto changed = with_batch(model, batch_axes_of(model), 3);
  ASSERT_FALSE(changed.ok());
  EXPECT_EQ(changed.rejection().reason(), Reason::ShapeMismatch);
  EXPECT_TRUE(with_batch(model, batch_axes_of(model), 2).ok());
}

}  // namespace
}  // namespace cambium::model
