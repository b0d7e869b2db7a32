#include "model/composite.h"

#include <set>

#include <gtest/gtest.h>

#include "model/cost.h"
#include "model/fingerprint.h"
#include "model/receptive_field.h"
#include "model/text.h"
#include "model/verify.h"

namespace cambium::model {
namespace {

// x[2, 3] times a weight, then a sum of the two halves of the result.
Model product_body() {
  Builder b("body");
  const Value x = b.input("x", {DType::F32, {2, 3}}), w = b.input("w", {DType::F32, {3, 4}});
  const Value halves = b.add(Split{1, {2, 2}}, {b.add(MatMul{}, {x, w})}, "halves");
  b.output("sum", b.add(Binary{BinaryFn::Add}, {halves, {halves.node, 1}}));
  b.output("right", {halves.node, 1});
  return std::move(b).finish().value();
}

Model with_composite(const Model& body = product_body()) {
  Builder b("outer");
  const Value x = b.input("x", {DType::F32, {2, 3}});
  const Value w = b.weight("w", Tensor::lazy({DType::F32, {3, 4}}, {Fill::Law::Normal, 1, 7}));
  b.begin_block("layer1.0", "basic");
  const Value y = b.add(composite_of("test", "a document", body).value(), {b.add(Unary{}, {x}), w},
                        "rewritten");
  b.end_block();
  b.output("y", b.add(Unary{UnaryFn::Neg}, {y}));
  b.output("z", {y.node, 1});
  return std::move(b).finish().value();
}

TEST(Composite, HasTheInterfaceOfItsBody) {
  const Model model = with_composite();
  EXPECT_TRUE(verify(model).ok());
  EXPECT_EQ(model.type(model.outputs()[0].value).text(), "f32[2, 2]");
  EXPECT_EQ(cost_of(model).macs, 2 * 4 * 3);
  EXPECT_EQ(cost_of(model).params, 12) << "weights stay outside of the body";
}

TEST(Composite, ExpandsToStandardOperatorsInItsPlace) {
  const Model model = expanded(with_composite());
  EXPECT_TRUE(verify(model).ok());
  std::size_t in_block = 0;
  for (const NodePtr& node : model.nodes()) {
    EXPECT_EQ(node->as<Composite>(), nullptr);
    in_block += node->block == 0;
  }
  EXPECT_EQ(in_block, 4u) << "relu, product, split, sum";
  EXPECT_EQ(cost_of(model).macs, cost_of(with_composite()).macs);
  EXPECT_EQ(model.outputs()[1].name, "z");
  const Model again = expanded(model);
  EXPECT_EQ(again.nodes().data()[0], model.nodes().data()[0]) << "nothing to do: nothing copied";
}

TEST(Composite, RoundTripsAsText) {
  const Model model = with_composite();
  const auto read = parse_text(to_text(model));
  ASSERT_TRUE(read.ok()) << read.rejection().message();
  EXPECT_EQ(content_of(*read), content_of(model));
  EXPECT_EQ(content_of(expanded(*read)), content_of(expanded(model)));
}

TEST(Composite, IsAnotherOneWithAnotherBody) {
  Builder b(product_body());
  b.replace(product_body().outputs()[0].value, product_body().outputs()[1].value);
  EXPECT_NE(structure_of(with_composite(std::move(b).finish().value())),
            structure_of(with_composite()));
}

// x[1, 2, 4, 4] normalized and convolved, all five operands of the norm from outside.
Model normalizing_body() {
  Builder b("body");
  const Value x = b.input("x", {DType::F32, {1, 2, 4, 4}});
  std::vector<Value> norm = {x};
  for (const char* name : {"scale", "bias", "mean", "variance"}) {
    norm.push_back(b.input(name, {DType::F32, {2}}));
  }
  const Value w = b.input("w", {DType::F32, {3, 2, 3, 3}});
  const Value places = b.weight("places", Tensor::of<std::int64_t>({2}, {1, 0}));
  const Value swapped = b.add(Gather{1}, {b.add(BatchNorm{}, norm), places});
  b.output("y", b.add(Conv{{2, 2}, {1, 1, 1, 1}, {1, 1}, 1}, {swapped, w}));
  return std::move(b).finish().value();
}

Model normalizing(int times) {
  Builder b("outer");
  Value y;
  const Value x = b.input("x", {DType::F32, {1, 2, 4, 4}});
  for (int i = 0; i < times; ++i) {
    std::vector<Value> inputs = {x};
    for (const char* name : {"scale", "bias", "mean", "variance"}) {
      inputs.push_back(b.weight(name, Tensor::lazy({DType::F32, {2}}, {Fill::Law::Constant, 1})));
    }
    inputs.push_back(b.weight("w", Tensor::lazy({DType::F32, {3, 2, 3, 3}}, {Fill::Law::Normal})));
    const Value made = b.add(composite_of("test", "", normalizing_body()).value(), inputs, "made");
    y = i == 0 ? made : b.add(Binary{BinaryFn::Add}, {y, made});
  }
  b.output("y", y);
  return std::move(b).finish().value();
}

TEST(Composite, CostsWhatItsBodyDoesAndKnowsItsStatistics) {
  const Model model = normalizing(1);
  const Cost inside = cost_of(model), outside = cost_of(expanded(model));
  EXPECT_EQ(inside.macs, outside.macs);
  EXPECT_EQ(inside.params, 2 + 2 + 3 * 2 * 9) << "running statistics are none";
  EXPECT_EQ(inside.params, outside.params);
  EXPECT_EQ(inside.weight_bytes, outside.weight_bytes) << "constants of the body count";
  EXPECT_EQ(parameters_of(model), parameters_of(expanded(model)));
}

TEST(Composite, KeepsWeightsAndNamesThemOnceWhereItIsExpanded) {
  const Model model = normalizing(2), flat = expanded(model);
  EXPECT_TRUE(verify(flat).ok());
  std::set<std::string> names;
  for (const NodePtr& node : flat.nodes()) {
    EXPECT_TRUE(names.insert(node->name).second) << node->name;
  }
  for (const NodeId id : parameters_of(model)) {
    EXPECT_EQ(&flat.node(id), &model.node(id)) << "the same node, not a copy";
  }
  EXPECT_EQ(names.count("made.places") + names.count("made_1.places"), 2u);
}

TEST(Composite, TellsWhatComputesItsOutputsNow) {
  const Model model = with_composite();
  const Value rewritten = model.node(model.outputs()[0].value.node).inputs[0];
  const Expansion all = expanded_except(model, [](NodeId) { return false; });
  const Value now = all.model.node(all.model.outputs()[0].value.node).inputs[0];
  EXPECT_EQ(all.moved.at(rewritten), now);
  EXPECT_EQ(all.moved.at({rewritten.node, 1}), all.model.outputs()[1].value);
  const Expansion none = expanded_except(model, [&](NodeId id) { return id == rewritten.node; });
  EXPECT_TRUE(none.moved.empty());
  EXPECT_EQ(content_of(none.model), content_of(model));
}

TEST(Composite, IsLookedThroughByReceptiveFields) {
  const Model model = normalizing(1);
  const auto fields = receptive_fields(model);
  // A gather of channels has no field, so neither has what reads it.
  EXPECT_TRUE(fields.back().empty());
  Builder b("body");
  const Value x = b.input("x", {DType::F32, {1, 2, 8, 8}});
  const Value w = b.input("w", {DType::F32, {2, 2, 3, 3}});
  const Value first = b.add(Conv{{2, 2}, {1, 1, 1, 1}, {1, 1}, 1}, {x, w});
  b.output("y", b.add(Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1}, {first, w}));
  const Model body = std::move(b).finish().value();
  Builder outer("outer");
  const Value image = outer.input("x", {DType::F32, {1, 2, 8, 8}});
  const Value weight = outer.weight("w", Tensor::lazy({DType::F32, {2, 2, 3, 3}}, {}));
  outer.output("y", outer.add(composite_of("test", "", body).value(),
                              {outer.add(Unary{}, {image}), weight}));
  const Model two = std::move(outer).finish().value();
  EXPECT_EQ(receptive_fields(two).back(), (ReceptiveField{{7, 2}, {7, 2}}));
}

TEST(Composite, RefusesABodyThatDoesNotFit) {
  const auto refusal = [](const Composite& composite, const std::vector<TensorType>& types) {
    Builder b("m");
    std::vector<Value> values;
    for (const TensorType& type : types) values.push_back(b.input("", type));
    b.add(composite, values);
    return b.status().ok() ? "" : b.status().rejection().message();
  };
  const TensorType x{DType::F32, {2, 3}}, w{DType::F32, {3, 4}};
  const Composite good = composite_of("test", "", product_body()).value();
  EXPECT_EQ(refusal(good, {x, w}), "");
  EXPECT_NE(refusal(good, {x}).find("1 inputs"), std::string::npos);
  EXPECT_NE(refusal(good, {x, x}).find("the body takes f32[3, 4]"), std::string::npos);
  EXPECT_NE(refusal({}, {x}).find("body: is missing"), std::string::npos);
  const Composite empty{"test", "", std::make_shared<const Model>()};
  EXPECT_NE(refusal(empty, {x}).find("body: has no outputs"), std::string::npos);
}

TEST(Composite, RefusesABodyWithWeightsOrCompositesOfItsOwn) {
  const auto with_weight = composite_of("test", "", with_composite());
  ASSERT_FALSE(with_weight.ok());
  EXPECT_EQ(with_weight.rejection().reason(), Reason::BadAttribute);
  EXPECT_NE(with_weight.rejection().message().find("holds the weight 'w'"), std::string::npos);
  Builder b("body");
  const Value x = b.input("x", {DType::F32, {2, 3}}), w = b.input("w", {DType::F32, {3, 4}});
  b.output("y", b.add(composite_of("test", "", product_body()).value(), {x, w}));
  const auto nested = composite_of("test", "", std::move(b).finish().value());
  ASSERT_FALSE(nested.ok());
  EXPECT_NE(nested.rejection().message().find("contains a composite"), std::string::npos);
}

TEST(Composite, SaysWhereTheTextOfABodyIsWrong) {
  const auto read = parse_text(R"(cambium model 1 "m"
%0 "x" = input : f32[2]
%1 "y" = composite(%0) {space = "s", document = "", body = "cambium model 1 \"b\"\n%0 \"x\" = nonsense"} : f32[2]
output "y" = %1
)");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.rejection().reason(), Reason::BadSyntax);
  EXPECT_NE(read.rejection().message().find("body"), std::string::npos);
}

}  // namespace
}  // namespace cambium::model
