// Whole networks, node by node through the interpreter.
#include <gtest/gtest.h>

#include "lower/groups.h"
#include "lower/lower_testing.h"
#include "lower/operator_cases.h"
#include "model/builder.h"
#include "model/reference/execute.h"
#include "model/zoo/zoo.h"

namespace cambium::lower {
namespace {

model::Tensor input_of(const model::TensorType& type) {
  if (is_floating(type.dtype)) return random_tensor(type.dtype, type.dims, 3);
  std::vector<std::int64_t> tokens;  // small numbers: indices into a vocabulary
  for (std::int64_t i = 0; i < type.elements(); ++i) tokens.push_back(i * 7 % 19);
  return model::Tensor::of<std::int64_t>(type.dims, tokens);
}

// Rounding is that of single precision in every layer, so results are compared with more tolerance
// than those of single operators.
constexpr double kLayers = 20;

void expect_as_reference(const model::Model& model, const Layouts& layouts) {
  std::vector<model::Tensor> inputs;
  Values values;
  for (const model::NodeId id : model.inputs()) {
    inputs.push_back(input_of(model.type({id, 0})));
    values.emplace(model::Value{id, 0}, inputs.back());
  }
  const auto expected = model::execute(model, inputs);
  ASSERT_TRUE(expected.ok()) << expected.rejection().message();
  for (const model::NodeId id : computing_nodes(model)) {
    const Status done = run_group(model, std::span(&id, 1), layouts, values);
    ASSERT_TRUE(done.ok()) << model.node(id).name << ": " << done.rejection().message();
  }
  for (std::size_t i = 0; i < expected->size(); ++i) {
    EXPECT_LE(disagreement(values.at(model.outputs()[i].value), expected->at(i)), kLayers)
        << model.name() << ", output " << i;
  }
}

TEST(LowerModelsTest, TinyResNetIsComputedNodeByNode) {
  const model::Model model = model::zoo::build("tiny-resnet").value();
  expect_as_reference(model, {});
}

TEST(LowerModelsTest, TinyResNetIsComputedChannelsLast) {
  model::zoo::ZooOptions options;
  options.width_divisor = 4;
  const model::Model model = model::zoo::build("tiny-resnet", options).value();
  expect_as_reference(model, channels_last_layouts(model));
}

TEST(LowerModelsTest, TinyGptIsComputedNodeByNode) {
  model::zoo::ZooOptions options;
  options.length = 16;
  const model::Model model = model::zoo::build("tiny-gpt", options).value();
  expect_as_reference(model, {});
}

TEST(LowerModelsTest, MobileNetIsComputedNodeByNode) {
  model::zoo::ZooOptions options;
  options.image = 32;
  options.width_divisor = 2;
  options.classes = 10;
  const model::Model model = model::zoo::build("mobilenet-v2", options).value();
  expect_as_reference(model, channels_last_layouts(model));
}

// Programs of real sizes are proved right too; nothing is computed from here on.
TEST(LowerModelsTest, EveryNodeOfTheZooIsLowered) {
  for (const model::zoo::ZooEntry& entry : model::zoo::entries()) {
    const model::Model model = model::zoo::build(entry.name).value();
    const Layouts layouts = channels_last_layouts(model);
    program::Context cx;
    for (const model::NodeId id : computing_nodes(model)) {
      for (const Layouts& chosen : {Layouts{}, layouts}) {
        const auto lowered = lower(cx, model, std::span(&id, 1), chosen);
        ASSERT_TRUE(lowered.ok()) << entry.name << ": " << lowered.rejection().message();
      }
    }
  }
}

TEST(LowerModelsTest, EveryGroupOfTheZooIsLowered) {
  for (const model::zoo::ZooEntry& entry : model::zoo::entries()) {
    const model::Model model = model::zoo::build(entry.name).value();
    const Layouts layouts = channels_last_layouts(model);
    program::Context cx;
    for (const FusionGroup& group : groups_of(model)) {
      const auto lowered = lower(cx, model, group.nodes, layouts);
      ASSERT_TRUE(lowered.ok()) << entry.name << ": " << lowered.rejection().message();
    }
  }
}

TEST(LowerModelsTest, LargeWindowsAndReshapesAreProved) {
  using namespace model;  // NOLINT(google-build-using-namespace): many operators are named
  const Ints one{1, 1}, two{2, 2}, three{3, 3}, none{0, 0, 0, 0}, around{1, 1, 1, 1};
  struct Large {
    Op op;
    std::vector<Ints> inputs;
  };
  const std::vector<Large> cases{
      {ConvTranspose{two, around, one, {0, 0}, 1}, {{1, 512, 64, 64}, {512, 256, 4, 4}}},
      {ConvTranspose{two, around, one, one, 1}, {{1, 64, 112, 112}, {64, 32, 3, 3}, {32}}},
      {ConvTranspose{three, {2, 1, 0, 1}, one, two, 4}, {{2, 64, 300, 200}, {64, 8, 5, 4}}},
      {ConvTranspose{two, around, three, one, 1}, {{1, 64, 300, 300}, {64, 32, 3, 3}, {32}}},
      {Conv{two, {3, 3, 2, 2}, one, 1}, {{8, 3, 448, 448}, {64, 3, 7, 7}, {64}}},
      {Pool{PoolFn::Average, three, two, around, one, true}, {{8, 64, 448, 448}}},
      {Pool{PoolFn::Max, three, two, around, one, true, false, true}, {{8, 64, 448, 448}}},
      {Reshape{{7 * 4096, 33 * 5, 13}}, {{33 * 4096, 5 * 7, 13}}},
      {Reshape{{2, 196, 12, 64}}, {{2, 196, 768}}},
      {Pad{PadMode::Reflect, {0, 0, 80, 90, 0, 0, 70, 60}, 0}, {{1, 3, 500, 500}}},
      {GroupNorm{32, 1e-5}, {{4, 256, 128, 128}, {256}, {256}}},
      {Resize{{1, 8, 333, 777}, {1, 1, 333 / 256.0, 777 / 256.0}, "half_pixel", "floor"},
       {{1, 8, 256, 256}}},
      {DepthToSpace{4, false}, {{1, 64, 300, 300}}},
      {Tile{{1, 7, 300}}, {{2, 300, 500}}},
      {ArgReduce{true, false, false, 1}, {{64, 50000}}},
  };
  for (const Large& large : cases) {
    Builder builder("large");
    std::vector<Value> inputs;
    for (const Ints& dims : large.inputs) inputs.push_back(builder.input("x", {DType::F32, dims}));
    const Value y = builder.add(large.op, inputs, "y");
    builder.output("y", y);
    const Model model = std::move(builder).finish().value();
    for (const Layouts& layouts : {Layouts{}, channels_last_layouts(model)}) {
      program::Context cx;
      const auto lowered = lower(cx, model, std::span(&y.node, 1), layouts);
      EXPECT_TRUE(lowered.ok()) << name_of(large.op) << ": " << lowered.rejection().message();
    }
  }
}

}  // namespace
}  // namespace cambium::lower
