#include "spaces/loopnest/nest.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lower/lower.h"
#include "model/builder.h"
#include "program/walk.h"
#include "schedule/recipe/replay.h"

namespace cambium::spaces::loopnest {
namespace {

Result<model::Model> conv_alone(const model::Conv& conv, const model::Ints& filter,
                                const model::Ints& input) {
  model::Builder builder("nest");
  const model::Value x = builder.input("x", {DType::F32, input});
  // The elements do not matter: lowering looks at types only.
  const model::Value w = builder.weight("w", model::Tensor::lazy({DType::F32, filter}, {}));
  builder.output("y", builder.add(conv, {x, w}, "conv"));
  return std::move(builder).finish();
}

// The block that multiplies with the weight.
std::string sum_of(const program::Program& program) {
  for (const program::Site& site : program::sites_of(program)) {
    const auto is_weight = [](const program::Buffer* b) {
      return b->role == program::Role::Constant;
    };
    const auto buffers = site.block->body->buffers;
    if (std::any_of(buffers.begin(), buffers.end(), is_weight))
      return std::string(site.block->name);
  }
  return {};
}

}  // namespace

Result<Nest> nest_of(program::Context& cx, const model::Conv& conv, const model::Ints& filter,
                     const model::Ints& input) {
  CAMBIUM_TRY(const model::Model alone, conv_alone(conv, filter, input));
  std::vector<model::NodeId> nodes;
  for (const model::NodePtr& node : alone.nodes()) {
    if (node->as<model::Conv>() != nullptr) nodes.push_back(node->id);
  }
  CAMBIUM_TRY(lower::Lowered lowered, lower::lower(cx, alone, nodes));
  Nest nest{lowered.program, sum_of(lowered.program), {}, {}};
  CAMBIUM_TRY(const schedule::NeuralHalf none,
              schedule::replay_document(cx, nest.program, nest.block, {}));
  CAMBIUM_TRY(nest.sizes, schedule::sizes_of(none.schedule.program(), nest.block));
  CAMBIUM_TRY(nest.original, schedule::function_of(cx, none.schedule.program(), none.blocks));
  return nest;
}

Result<Nest> nest_of(program::Context& cx, const lower::NestForm& form, const model::Ints& input) {
  return nest_of(cx, form.conv, form.filter, input);
}

}  // namespace cambium::spaces::loopnest
