// Whole networks, node by node through the interpreter.
#include <gtest/gtest.h>

#include "lower/lower_testing.h"
#include "lower/operator_cases.h"
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

}  // namespace
}  // namespace cambium::lower
