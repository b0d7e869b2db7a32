#include "spaces/places/neighbours.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "model/builder.h"
#include "model/reference/execute.h"
#include "model/zoo/zoo.h"
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/search/space.h"

namespace cambium::spaces::coordinate {
namespace {

using model::Model;
using model::Value;
using Axes = std::vector<std::uint8_t>;

std::unique_ptr<CoordinateSpace> space_over(const Model& base, std::string_view selector) {
  return CoordinateSpace::make(base, model::select(base, selector).value(), {}).value();
}

// Of the only family.
UnorderedAxes unordered(const Model& base, std::string_view selector) {
  const auto space = space_over(base, selector);
  EXPECT_EQ(space->families().size(), 1u);
  const Problem& problem = space->families()[0].problem;
  return {problem.unordered_input, problem.unordered_output};
}

TEST(Neighbours, BetweenDenseLayersChannelsAreUnordered) {
  for (const char* name : {"resnet50", "mobilenet-v2"}) {
    const Model base = model::zoo::build(name, {}).value();
    const UnorderedAxes axes = unordered(base, "conv:k=3");
    EXPECT_EQ(axes.input, Axes{1}) << name;
    EXPECT_EQ(axes.output, Axes{1}) << name;
  }
}

// Sums of two values keep the order, as do neighbours that are rewritten.
TEST(Neighbours, InBasicBlocksChannelsAreOrdered) {
  const Model base = model::zoo::build("resnet18", {}).value();
  const UnorderedAxes axes = unordered(base, "conv:k=3");
  EXPECT_EQ(axes.input, Axes{});
  EXPECT_EQ(axes.output, Axes{});
}

TEST(Neighbours, RewrittenOnesKeepTheOrder) {
  const Model base = model::zoo::build("resnet50", {}).value();
  const auto space = space_over(base, "conv:*");
  for (const Family& family : space->families()) {
    EXPECT_EQ(family.problem.unordered_input, Axes{});
    EXPECT_EQ(family.problem.unordered_output, Axes{});
  }
}

// conv1, relu, the place conv2, relu, and whatever a test puts behind it.
struct Net {
  model::Builder builder{"net"};
  std::map<std::string, model::Tensor> weights;

  Value conv(Value x, const std::string& name, model::Ints dims) {
    model::Conv conv{{1, 1}, {0, 0, 0, 0}, {1, 1}, 1};
    if (dims[2] == 3) conv.pads = {1, 1, 1, 1};
    const model::TensorType type{DType::F32, std::move(dims)};
    const model::Fill fill{model::Fill::Law::Normal, 1, std::hash<std::string>()(name) % 1000};
    weights.emplace(name, model::Tensor::lazy(type, fill));
    const Value weight = builder.weight(name + ".weight", weights.at(name));
    return builder.add(conv, {x, weight}, name);
  }
  Value relu(Value x) { return builder.add(model::Unary{model::UnaryFn::Relu}, {x}); }
  Value begin() {
    const Value x = builder.input("x", {DType::F32, {1, 4, 6, 6}});
    return relu(conv(relu(conv(x, "conv1", {8, 4, 1, 1})), "conv2", {8, 8, 3, 3}));
  }
  Model end(Value y) {
    builder.output("y", y);
    return std::move(builder).finish().value();
  }
};

TEST(Neighbours, WhateverElseReadsAnAxisKeepsItsOrder) {
  const auto output_axes = [](Value (*behind)(Net&, Value)) {
    Net net;
    const Value y = net.begin();
    return unordered(net.end(behind(net, y)), "conv:k=3").output;
  };
  const auto dense = [](Net& net, Value y) { return net.conv(y, "conv3", {4, 8, 1, 1}); };
  EXPECT_EQ(output_axes(dense), Axes{1});
  EXPECT_EQ(output_axes([](Net&, Value y) { return y; }), Axes{});
  EXPECT_EQ(output_axes([](Net& net, Value y) {
              net.builder.output("z", y);
              return net.conv(y, "conv3", {4, 8, 1, 1});
            }),
            Axes{});
  EXPECT_EQ(output_axes([](Net& net, Value y) {
              const Value sum = net.builder.add(model::Binary{model::BinaryFn::Add}, {y, y});
              return net.conv(sum, "conv3", {4, 8, 1, 1});
            }),
            Axes{});
  EXPECT_EQ(output_axes([](Net& net, Value y) {
              const Value both = net.builder.add(model::Concat{1}, {y, y});
              return net.conv(both, "conv3", {4, 16, 1, 1});
            }),
            Axes{});
  EXPECT_EQ(output_axes([](Net& net, Value y) {
              const Value weight = net.builder.weight("w", net.weights.at("conv1"));
              model::Conv grouped{{1, 1}, {0, 0, 0, 0}, {1, 1}, 2};  // 8 channels in two groups
              return net.builder.add(grouped, {y, weight}, "conv3");
            }),
            Axes{});
}

std::vector<double> run(const Model& model) {
  const model::Fill fill{model::Fill::Law::Normal, 1, 7};
  const auto x = model::Tensor::lazy(model.node(model.inputs()[0]).outputs[0], fill);
  return model::execute(model, {&x, 1}).value()[0].to_doubles();
}

const model::Node& node_named(const Model& model, std::string_view name) {
  for (const model::NodePtr& node : model.nodes()) {
    if (node->name == name) return *node;
  }
  ADD_FAILURE() << name;
  return *model.nodes()[0];
}

// Element i of an axis becomes element (i + by) % extent.
model::Tensor rolled(const model::Tensor& from, std::size_t axis, std::int64_t by) {
  const model::Ints dims = from.type().dims;
  const std::vector<double> values = from.to_doubles();
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i < dims.size(); ++i) inner *= dims[i];
  std::vector<float> out(values.size());
  for (std::int64_t i = 0; i < std::ssize(values); ++i) {
    const std::int64_t at = i / inner % dims[axis];
    const std::int64_t to = i + ((at + by + dims[axis]) % dims[axis] - at) * inner;
    out[static_cast<std::size_t>(to)] = static_cast<float>(values[static_cast<std::size_t>(i)]);
  }
  return model::Tensor::of<float>(dims, std::move(out));
}

// The first axis becomes the last one.
model::Tensor first_axis_last(const model::Tensor& from) {
  model::Ints dims = from.type().dims;
  const std::vector<double> values = from.to_doubles();
  const auto rows = static_cast<std::size_t>(dims[0]), columns = values.size() / rows;
  std::vector<float> out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    out[i % columns * rows + i / columns] = static_cast<float>(values[i]);
  }
  std::rotate(dims.begin(), dims.begin() + 1, dims.end());
  return model::Tensor::of<float>(dims, std::move(out));
}

// The network with an operator in the place, and one neighbour rolled along an axis.
Model with(const std::string& op, const std::string& neighbour, std::size_t axis, std::int64_t by) {
  Net net;
  const Value y = net.begin();
  const Model base = net.end(net.conv(y, "conv3", {4, 8, 1, 1}));
  const auto space = space_over(base, "conv:k=3");
  const std::string document = "operator [N, Ci, H, W] -> [N, Co, H, W]\nout n, o, h, w\n" + op;
  const Edit edit = space->edit_of(space->families()[0], document).value();
  model::Builder builder(space->apply(base, edit).value());
  // The operator keeps the numbers of the convolution; a document may list a SHIFT last.
  const model::NodeId own = node_named(base, "conv2.weight").id;
  const model::Tensor& numbers = net.weights.at("conv2");
  const bool is_as_it_was = builder.node(own).outputs[0] == numbers.type();
  builder.set_weight(own, is_as_it_was ? numbers : first_axis_last(numbers));
  builder.set_weight(node_named(base, neighbour + ".weight").id,
                     rolled(net.weights.at(neighbour), axis, by));
  return std::move(builder).finish().value();
}

// The two rules rest on this: a SHIFT of such an axis is what the neighbour's weights can undo.
TEST(Neighbours, UndoAShiftWithWeightsOfTheirOwn) {
  const std::string sum = "sum i: Ci, a: k, b: k\n";
  const std::string plain = sum + "x n, i, unfold(h, a), unfold(w, b)\nw1 o, i, a, b\n";
  const std::string behind = sum + "x n, i, unfold(h, a), unfold(w, b)\nw1 shift(o), i, a, b\n";
  const std::string before = sum + "x n, shift(i), unfold(h, a), unfold(w, b)\nw1 o, i, a, b\n";
  const std::vector<double> expected = run(with(plain, "conv3", 1, 0));
  const auto is_expected = [&](const Model& model) {
    const std::vector<double> got = run(model);
    EXPECT_EQ(got.size(), expected.size());
    double most = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      most = std::max(most, std::fabs(got[i] - expected[i]));
    }
    return most < 1e-4;
  };
  EXPECT_FALSE(is_expected(with(behind, "conv3", 1, 0)));
  EXPECT_TRUE(is_expected(with(behind, "conv3", 1, -1)));
  EXPECT_FALSE(is_expected(with(before, "conv1", 0, 0)));
  EXPECT_TRUE(is_expected(with(before, "conv1", 0, 1)));
}

// How many of some samples hold a SHIFT of the output's channels, one that indexes the input's, and
// any other.
struct Shifts {
  int of_output = 0, to_input = 0, others = 0;
};
Shifts shifts_drawn(const synthesis::RuleSet& rules) {
  Net net;
  const Value y = net.begin();
  const Model base = net.end(net.conv(y, "conv3", {4, 8, 1, 1}));
  SpaceOptions options;
  options.rules = rules;
  const auto space =
      CoordinateSpace::make(base, model::select(base, "conv:k=3").value(), options).value();
  Shifts drawn;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto edits = space->samples()->sample(seed);
    if (!edits.ok()) continue;
    const auto document = read_edit_document(edits->front().document).value();
    const Operator op = parse(space->families()[0].problem, document.op).value();
    for (std::size_t i = 0; i < op.coordinates.size(); ++i) {
      const Coordinate& c = op.coordinates[i];
      if (c.kind != CoordinateKind::Shift) continue;
      const bool is_of_output = c.first == 1, is_to_input = place_of(op.data[1]) == i;
      drawn.of_output += is_of_output ? 1 : 0;
      drawn.to_input += is_to_input ? 1 : 0;
      drawn.others += is_of_output || is_to_input ? 0 : 1;
    }
  }
  return drawn;
}

TEST(Neighbours, SamplesHoldNoShiftThatTheyUndo) {
  const Shifts with_rules = shifts_drawn({});
  EXPECT_EQ(with_rules.of_output, 0);
  EXPECT_EQ(with_rules.to_input, 0);
  EXPECT_GT(with_rules.others, 0);
  const Shifts without = shifts_drawn(
      synthesis::RuleSet().without("shift-of-unordered")->without("shift-to-unordered").value());
  EXPECT_GT(without.of_output, 0);
  EXPECT_GT(without.to_input, 0);
}

}  // namespace
}  // namespace cambium::spaces::coordinate
