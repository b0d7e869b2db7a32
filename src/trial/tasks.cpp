#include "trial/tasks.h"

#include <map>
#include <span>
#include <utility>

#include "compile/group.h"
#include "model/cost.h"
#include "program/canonical.h"
#include "program/fingerprint.h"
#include "program/operations.h"
#include "trial/subgraph.h"

namespace cambium::trial {

namespace {

using model::Model;
using model::NodeId;
using model::Value;

double flops_of(const Model& model, std::span<const NodeId> nodes,
                const program::Program& program) {
  double macs = 0;
  for (const NodeId id : nodes) {
    const model::Node& node = model.node(id);
    std::vector<model::TensorType> inputs;
    for (const Value value : node.inputs) inputs.push_back(model.type(value));
    macs += static_cast<double>(macs_of(node.op, inputs, node.outputs));
  }
  return macs > 0 ? 2 * macs : static_cast<double>(program::operations_of(program));
}

Result<TuningTask> made_of(program::Context& cx, const program::Program& program,
                           const Model& model, std::span<const NodeId> nodes, int threads) {
  TuningTask made;
  for (const NodeId id : nodes) made.nodes.push_back(model.node(id).name);
  made.task.name = made.nodes.front();
  const program::Program named = program::canonical(cx, program);
  made.task.program = program::SharedProgram(named);
  made.task.fingerprint = program::fingerprint_of(named);
  made.task.weight = 0;
  made.task.threads = threads;
  made.flops = flops_of(model, nodes, program);
  CAMBIUM_TRY(made.model, subgraph_of(model, nodes, made.task.name));
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

Result<std::vector<TuningTask>> tasks_of(const compile::LoweredModel& lowered, int threads) {
  const Model& model = lowered.model;
  const compile::Calls& calls = lowered.calls;
  program::Context cx;
  std::vector<TuningTask> tasks;
  std::map<std::size_t, std::size_t> known;  // by kernel
  for (const compile::Call& call : calls.calls) {
    if (call.nodes.empty()) continue;  // a copy
    const auto [found, is_new] = known.emplace(call.kernel, tasks.size());
    if (is_new) {
      CAMBIUM_TRY(TuningTask task,
                  made_of(cx, calls.kernels[call.kernel], model, call.nodes, threads));
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
  CAMBIUM_TRY(const compile::GroupProgram made, compile::lower_group(cx, model, nodes, layouts));
  CAMBIUM_TRY(TuningTask task, made_of(cx, made.program, model, nodes, threads));
  task.task.weight = 1;
  return task;
}

}  // namespace cambium::trial
