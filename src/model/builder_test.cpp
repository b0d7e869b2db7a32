#include "model/builder.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace cambium::model {
namespace {

TensorType f32(Ints dims) {
  return {DType::F32, std::move(dims)};
}

// x -> matmul(w) -> relu -> y
struct Small {
  Value x, w, product, relu;
  Model model;

  Small() {
    Builder b("small");
    x = b.input("x", f32({2, 3}));
    w = b.weight("w", Tensor::lazy(f32({3, 4}), {Fill::Law::Normal, 1, 1}));
    product = b.add(MatMul{}, {x, w}, "fc");
    relu = b.add(Unary{UnaryFn::Relu}, {product});
    b.output("y", relu);
    model = std::move(b).finish().value();
  }
};

NodePtr node_of(const Model& model, NodeId id) {
  for (const NodePtr& node : model.nodes()) {
    if (node->id == id) return node;
  }
  return nullptr;
}

Reason refusal_of(Builder&& builder) {
  const auto model = std::move(builder).finish();
  return model.ok() ? Reason::NotFound : model.rejection().reason();
}

TEST(Builder, MakesATypedModelInTopologicalOrder) {
  const Small s;
  ASSERT_EQ(s.model.nodes().size(), 4u);
  EXPECT_EQ(s.model.type(s.relu), f32({2, 4}));
  std::set<NodeId> seen;
  for (const NodePtr& node : s.model.nodes()) {
    for (const Value value : node->inputs) EXPECT_TRUE(seen.contains(value.node));
    seen.insert(node->id);
  }
  EXPECT_EQ(s.model.node(s.relu.node).name, "relu");
}

TEST(Builder, AnEditSharesWhatItDidNotTouch) {
  const Small s;
  Builder edit(s.model);
  const Value gelu = edit.add(Unary{UnaryFn::Gelu}, {s.product});
  edit.replace(s.relu, gelu);
  const Model changed = std::move(edit).finish().value();
  for (const Value value : {s.x, s.w, s.product}) {
    EXPECT_EQ(node_of(changed, value.node), node_of(s.model, value.node));
  }
  EXPECT_EQ(changed.weight(s.w)->fill(), s.model.weight(s.w)->fill());
  EXPECT_FALSE(changed.contains(s.relu.node));  // nobody reads it any more
  EXPECT_TRUE(changed.contains(gelu.node));
  EXPECT_EQ(changed.outputs()[0].value, gelu);
  EXPECT_EQ(s.model.outputs()[0].value, s.relu);  // the base is as it was
}

TEST(Builder, NodeIdsAreNeverReusedInALineOfEdits) {
  const Small s;
  Builder first(s.model);
  first.replace(s.relu, s.product);
  const Model without = std::move(first).finish().value();
  EXPECT_FALSE(without.contains(s.relu.node));
  Builder second(without);
  const Value fresh = second.add(Unary{UnaryFn::Tanh}, {s.product});
  EXPECT_NE(fresh.node, s.relu.node);
}

TEST(Builder, AnEditInfersAgainWhatDependsOnIt) {
  const Small s;
  Builder edit(s.model);
  const Value wider = edit.weight("w2", Tensor::lazy(f32({3, 9}), {}));
  edit.replace(s.w, wider);
  const Model changed = std::move(edit).finish().value();
  EXPECT_EQ(changed.type(s.relu), f32({2, 9}));
  EXPECT_EQ(s.model.type(s.relu), f32({2, 4}));
}

TEST(Builder, RefusesAnEditThatLeavesANodeWithoutAType) {
  const Small s;
  Builder edit(s.model);
  edit.replace(s.w, edit.weight("w2", Tensor::lazy(f32({5, 9}), {})));
  const auto changed = std::move(edit).finish();
  ASSERT_FALSE(changed.ok());
  EXPECT_EQ(changed.rejection().reason(), Reason::ShapeMismatch);
  EXPECT_NE(changed.rejection().message().find("node 'fc' (matmul)"), std::string::npos);
}

TEST(Builder, RefusesCycles) {
  const Small s;
  Builder edit(s.model);
  edit.replace(s.product, s.relu);  // relu now reads itself
  EXPECT_EQ(refusal_of(std::move(edit)), Reason::Cycle);
}

TEST(Builder, InsertsBehindAValue) {
  const Small s;
  Builder edit(s.model);
  const Value tanh = edit.add(Unary{UnaryFn::Tanh}, {s.product});
  edit.replace_except(s.product, tanh, tanh.node);
  const Model changed = std::move(edit).finish().value();
  EXPECT_EQ(changed.node(tanh.node).inputs[0], s.product);
  EXPECT_EQ(changed.node(s.relu.node).inputs[0], tanh);
}

TEST(Builder, AWeightWithOtherElementsStaysTheSameNode) {
  const Small small;
  Builder edit(small.model);
  edit.set_weight(small.w.node, Tensor::lazy(f32({3, 4}), {Fill::Law::Constant, 2, 0}));
  const Model edited = std::move(edit).finish().value();
  EXPECT_EQ(edited.weight(small.w)->fill()->scale, 2);
  EXPECT_EQ(small.model.weight(small.w)->fill()->scale, 1);
  EXPECT_EQ(edited.node(small.w.node).name, "w");
  EXPECT_EQ(node_of(edited, small.product.node), node_of(small.model, small.product.node));
}

TEST(Builder, DropsDeadNodesButKeepsInputs) {
  Builder b("dead");
  const Value x = b.input("x", f32({2}));
  b.input("unused", f32({3}));
  b.add(Unary{UnaryFn::Exp}, {x}, "dead");
  b.output("y", x);
  const Model model = std::move(b).finish().value();
  EXPECT_EQ(model.nodes().size(), 2u);
  EXPECT_EQ(model.inputs().size(), 2u);
}

TEST(Builder, NamesAreUnique) {
  Builder b("names");
  const Value x = b.input("a", f32({2}));
  Value y = b.add(Unary{UnaryFn::Exp}, {x}, "a_1");
  for (int i = 0; i < 5; ++i) y = b.add(Unary{UnaryFn::Exp}, {y}, i % 2 == 0 ? "a" : "");
  b.output("y", y);
  const Model model = std::move(b).finish().value();
  Builder edit(model);
  edit.replace(y, edit.add(Unary{UnaryFn::Exp}, {y}, "a"));
  std::set<std::string> names;
  for (const NodePtr& node : model.nodes()) EXPECT_TRUE(names.insert(node->name).second);
  const Value again = edit.add(Unary{UnaryFn::Exp}, {x}, "a");
  EXPECT_FALSE(names.contains(edit.node(again.node).name));
}

TEST(Builder, KeepsBlocksThroughEdits) {
  Builder b("blocks");
  const Value x = b.input("x", f32({2}));
  b.begin_block("layer1.0", "basic");
  const Value y = b.add(Unary{UnaryFn::Exp}, {x});
  b.end_block();
  const Value z = b.add(Unary{UnaryFn::Exp}, {y});
  b.output("z", z);
  const Model model = std::move(b).finish().value();
  EXPECT_EQ(model.node(x.node).block, kNoBlock);
  EXPECT_EQ(model.node(y.node).block, 0u);
  EXPECT_EQ(model.node(z.node).block, kNoBlock);
  Builder edit(model);
  const std::uint32_t other = edit.add_block({"layer1.1", "basic"});
  edit.set_block(z.node, other);
  const Model changed = std::move(edit).finish().value();
  ASSERT_EQ(changed.blocks().size(), 2u);
  EXPECT_EQ(changed.blocks()[0], model.blocks()[0]);
  EXPECT_EQ(changed.node(z.node).block, 1u);
  EXPECT_EQ(node_of(changed, y.node), node_of(model, y.node));
}

TEST(Builder, TheFirstRefusalSticks) {
  Builder b("refused");
  const Value x = b.input("x", f32({2, 3}));
  const Value bad = b.add(Transpose{{0}}, {x}, "t");
  EXPECT_FALSE(bad.valid());
  EXPECT_FALSE(b.ok());
  EXPECT_EQ(b.type(bad), TensorType{});
  EXPECT_FALSE(b.add(Unary{}, {bad}).valid());
  b.refuse(Rejection(Reason::NotFound, "later"));
  EXPECT_EQ(b.status().rejection().reason(), Reason::BadAttribute);
  EXPECT_EQ(refusal_of(std::move(b)), Reason::BadAttribute);
}

TEST(Builder, RefusesWhatDoesNotExist) {
  Builder unknown("unknown");
  unknown.add(Unary{}, {Value{NodeId{7}, 0}});
  EXPECT_EQ(refusal_of(std::move(unknown)), Reason::UnknownValue);
  Builder slot("slot");
  const Value x = slot.input("x", f32({2}));
  slot.output("y", {x.node, 1});
  EXPECT_EQ(refusal_of(std::move(slot)), Reason::UnknownValue);
  Builder silent("silent");
  silent.input("x", f32({2}));
  EXPECT_EQ(refusal_of(std::move(silent)), Reason::NoOutputs);
  Builder large("large");
  large.input("x", f32({std::int64_t{1} << 50}));
  EXPECT_EQ(refusal_of(std::move(large)), Reason::TensorTooLarge);
  Builder few("few");
  few.add(MatMul{}, {few.input("x", f32({2}))});
  EXPECT_EQ(refusal_of(std::move(few)), Reason::WrongInputCount);
}

TEST(Builder, AHundredThousandNodesInAChainAreNoRecursion) {
  Builder b("chain");
  Value y = b.input("x", f32({1}));
  for (int i = 0; i < 100000; ++i) y = b.add(Unary{UnaryFn::Neg}, {y});
  b.output("y", y);
  EXPECT_EQ(std::move(b).finish().value().nodes().size(), 100001u);
}

}  // namespace
}  // namespace cambium::model
