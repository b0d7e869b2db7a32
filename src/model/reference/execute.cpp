#include "model/reference/execute.h"

#include <optional>
#include <utility>

#include <fmt/core.h>

#include "model/infer.h"
#include "model/reference/kernels.h"

namespace cambium::model {

namespace reference {

Computed run(const Input&, const Task&) {
  return Rejection(Reason::UnknownValue);  // an input by itself has no value
}

Computed run(const Weight& op, const Task&) {
  return std::vector<Tensor>{op.value};
}

Computed run(const Composite& op, const Task& task) {
  ExecuteOptions options;
  options.pool = task.pool;
  return execute(*op.body, task.inputs, options);
}

}  // namespace reference

namespace {

Result<std::vector<Tensor>> run_typed(const Op& op, std::span<const Tensor> inputs,
                                      std::span<const TensorType> outputs, ThreadPool* pool) {
  const reference::Task task{inputs, outputs, pool};
  return std::visit([&](const auto& one) { return reference::run(one, task); }, op);
}

// Values that are alive, by node; each knows how many readers are still to come.
class Values {
 public:
  explicit Values(const Model& model) {
    for (const NodePtr& node : model.nodes()) {
      if (node->id.index >= slots_.size()) slots_.resize(node->id.index + 1);
      slots_[node->id.index].resize(node->outputs.size());
      for (const Value value : node->inputs) ++slot(value).readers;
    }
    for (const Output& output : model.outputs()) ++slot(output.value).readers;
  }

  void put(NodeId node, std::vector<Tensor> tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      Slot& slot = slots_[node.index][i];
      if (slot.readers > 0) slot.tensor = std::move(tensors[i]);
    }
  }

  Tensor take(Value value) {
    Slot& from = slot(value);
    Tensor tensor = *from.tensor;
    if (--from.readers == 0) from.tensor.reset();
    return tensor;
  }

 private:
  struct Slot {
    std::int64_t readers = 0;
    std::optional<Tensor> tensor;
  };

  Slot& slot(Value value) { return slots_[value.node.index][value.slot]; }

  std::vector<std::vector<Slot>> slots_;
};

Status check_inputs(const Model& model, std::span<const Tensor> inputs) {
  const auto expected = static_cast<std::int64_t>(model.inputs().size());
  if (static_cast<std::int64_t>(inputs.size()) != expected) {
    return Rejection(Reason::WrongInputCount, static_cast<std::int64_t>(inputs.size()), expected,
                     expected)
        .at(fmt::format("model '{}'", model.name()));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Node& node = model.node(model.inputs()[i]);
    if (inputs[i].type() == node.outputs[0]) continue;
    return Rejection(
        Reason::ShapeMismatch, fmt::format("input '{}'", node.name),
        fmt::format("is {}, the model takes {}", inputs[i].type().text(), node.outputs[0].text()));
  }
  return Ok{};
}

}  // namespace

Result<std::vector<Tensor>> execute(const Op& op, std::span<const Tensor> inputs,
                                    ThreadPool* pool) {
  std::vector<TensorType> types;
  for (const Tensor& input : inputs) types.push_back(input.type());
  CAMBIUM_TRY(const std::vector<TensorType> outputs, infer(op, types));
  return run_typed(op, inputs, outputs, pool);
}

Result<std::vector<Tensor>> execute(const Model& model, std::span<const Tensor> inputs,
                                    const ExecuteOptions& options) {
  CAMBIUM_REQUIRE(check_inputs(model, inputs));
  Values values(model);
  for (std::size_t i = 0; i < inputs.size(); ++i) values.put(model.inputs()[i], {inputs[i]});
  for (const NodePtr& node : model.nodes()) {
    if (node->as<Input>() != nullptr) continue;
    std::vector<Tensor> arguments;
    for (const Value value : node->inputs) arguments.push_back(values.take(value));
    auto results = run_typed(node->op, arguments, node->outputs, options.pool)
                       .at(fmt::format("node '{}' ({})", node->name, name_of(node->op)));
    if (!results.ok()) return std::move(results).rejection();
    if (options.observe) options.observe(*node, *results);
    values.put(node->id, std::move(results).value());
  }
  std::vector<Tensor> outputs;
  for (const Output& output : model.outputs()) outputs.push_back(values.take(output.value));
  return outputs;
}

}  // namespace cambium::model
