#include "engine/tuning_tasks.h"

#include <map>
#include <span>
#include <utility>

#include "compile/calls.h"
#include "compile/layouts.h"
#include "engine/programs.h"
#include "lower/lower.h"
#include "lower/passes.h"
#include "model/builder.h"
#include "model/cost.h"
#include "program/canonical.h"
#include "program/fingerprint.h"
#include "program/text.h"

namespace cambium::engine {

namespace {

using model::Model;
using model::NodeId;
using model::Value;

// The time of a library does not depend on the numbers, and some weights are large to hand over.
model::Tensor stand_in(const model::Tensor& weight) {
  if (weight.type().dtype != DType::F32) return weight;
  return model::Tensor::lazy(weight.type(), {model::Fill::Law::Uniform, 0.5, 1});
}

// These nodes as a model: what they read from outside are its inputs, what others read of them its
// outputs.
Result<Model> alone(const Model& model, std::span<const NodeId> nodes, const std::string& name) {
  model::Builder b(name);
  std::map<Value, Value> moved;
  const auto outside = [&](Value value) {
    const auto [found, is_new] = moved.emplace(value, Value{});
    if (!is_new) return found->second;
    const model::Tensor* weight = model.weight(value);
    const std::string& label = model.node(value.node).name;
    found->second =
        weight != nullptr ? b.weight(label, stand_in(*weight)) : b.input(label, model.type(value));
    return found->second;
  };
  for (const NodeId id : nodes) {
    const model::Node& node = model.node(id);
    std::vector<Value> inputs;
    for (const Value value : node.inputs) inputs.push_back(outside(value));
    const Value made = b.add(node.op, inputs, node.name);
    for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) {
      moved[{id, slot}] = {made.node, made.slot + slot};
    }
  }
  const model::Uses uses(model);
  std::size_t outputs = 0;
  for (const NodeId id : nodes) {
    for (std::uint32_t slot = 0; slot < model.node(id).outputs.size(); ++slot) {
      bool leaves = false;
      for (const model::Use& use : uses.of({id, slot})) {
        bool is_inside = false;
        for (const NodeId other : nodes) is_inside = is_inside || other == use.node;
        leaves = leaves || !is_inside;
      }
      if (leaves) b.output("y" + std::to_string(outputs++), moved.at({id, slot}));
    }
  }
  return std::move(b).finish();
}

double flops_of(const Model& model, std::span<const NodeId> nodes,
                const program::Program& program) {
  double macs = 0;
  for (const NodeId id : nodes) {
    const model::Node& node = model.node(id);
    std::vector<model::TensorType> inputs;
    for (const Value value : node.inputs) inputs.push_back(model.type(value));
    macs += static_cast<double>(macs_of(node.op, inputs, node.outputs));
  }
  return macs > 0 ? 2 * macs : static_cast<double>(operations_of(program));
}

Result<TuningTask> made_of(program::Context& cx, const program::Program& program,
                           const Model& model, std::span<const NodeId> nodes, int threads) {
  TuningTask made;
  for (const NodeId id : nodes) made.nodes.push_back(model.node(id).name);
  made.task.name = made.nodes.front();
  const program::Program named = program::canonical(cx, program);
  made.task.program = program::to_text(cx, named);
  made.task.fingerprint = program::fingerprint_of(named);
  made.task.weight = 0;
  made.task.threads = threads;
  made.flops = flops_of(model, nodes, program);
  CAMBIUM_TRY(made.model, alone(model, nodes, made.task.name));
  return made;
}

}  // namespace

std::vector<NodeId> operators_of(const Model& model) {
  std::vector<NodeId> nodes;
  for (const model::NodePtr& node : model.nodes()) {
    if (!node->inputs.empty()) nodes.push_back(node->id);
  }
  return nodes;
}

Result<std::vector<TuningTask>> tasks_of(const Model& model, const std::vector<std::string>& off,
                                         int threads) {
  CAMBIUM_TRY(const Model prepared, lower::prepare(model, off));
  program::Context cx;
  CAMBIUM_TRY(const compile::Calls calls,
              compile::calls_of(cx, prepared, compile::choose_layouts(prepared)));
  std::vector<TuningTask> tasks;
  std::map<std::size_t, std::size_t> known;  // by kernel
  for (const compile::Call& call : calls.calls) {
    if (call.nodes.empty()) continue;  // a copy
    const auto [found, is_new] = known.emplace(call.kernel, tasks.size());
    if (is_new) {
      CAMBIUM_TRY(TuningTask task,
                  made_of(cx, calls.kernels[call.kernel], prepared, call.nodes, threads));
      tasks.push_back(std::move(task));
    }
    tasks[found->second].task.weight += 1;
  }
  if (tasks.empty()) {
    return Rejection(Reason::NothingToTune, model.name(), "it computes nothing but constants");
  }
  return tasks;
}

Result<TuningTask> task_of(const Model& model, const lower::Layouts& layouts, int threads) {
  const std::vector<NodeId> nodes = operators_of(model);
  if (nodes.empty()) {
    return Rejection(Reason::NothingToTune, model.name(), "it has no operators");
  }
  program::Context cx;
  CAMBIUM_TRY(const lower::Lowered lowered, lower::lower(cx, model, nodes, layouts));
  CAMBIUM_TRY(TuningTask task, made_of(cx, lowered.program, model, nodes, threads));
  task.task.weight = 1;
  return task;
}

}  // namespace cambium::engine
