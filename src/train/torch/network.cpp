#include "train/torch/network.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "model/builder.h"
#include "model/composite.h"
#include "model/cost.h"
#include "train/batch_axes.h"
#include "train/torch/operators.h"
#include "train/torch/tensors.h"

namespace cambium::train {

// Leaves are made by Network itself.
Tensors run(const model::Input&, const Call&) {
  CAMBIUM_CHECK(false, "an input is given");
  return {};
}

Tensors run(const model::Weight&, const Call&) {
  CAMBIUM_CHECK(false, "a weight is kept");
  return {};
}

Tensors run(const model::Composite&, const Call&) {
  CAMBIUM_CHECK(false, "a composite is expanded");
  return {};
}

struct Network::State {
  model::Model given;                          // whose values and weights callers know
  model::Model model;                          // as it runs: composites are expanded
  std::map<model::Value, model::Value> moved;  // values of the first that others compute now
  NetworkOptions options;
  std::vector<torch::Tensor> leaves;       // by node index: the tensors of weights
  std::vector<bool> is_statistic;          // by node index
  std::vector<std::uint32_t> last_reader;  // by node index: place in the order of nodes
  BatchAxes axes;
  Tables tables;

  model::Value running(model::Value value) const {
    const auto place = moved.find(value);
    return place == moved.end() ? value : place->second;
  }
};

namespace {

// The most spatial dimensions that libtorch has convolutions and pools for.
constexpr std::size_t kMostSpatial = 3;

std::string place_of(const model::Node& node) {
  return fmt::format("node '{}'", node.name);
}

Status supported(const model::Model& model, const model::Node& node) {
  for (const model::TensorType& type : node.outputs) {
    if (!has_torch_type(type.dtype)) {
      return Rejection(Reason::UnsupportedType, "its result", type.text()).at(place_of(node));
    }
  }
  const bool windows = node.as<model::Conv>() != nullptr ||
                       node.as<model::ConvTranspose>() != nullptr ||
                       node.as<model::Pool>() != nullptr;
  if (!windows) return Ok{};
  const model::TensorType& x = model.type(node.inputs[0]);
  if (x.dims.size() > kMostSpatial + 2) {
    return Rejection(Reason::UnsupportedOperator, std::string(model::name_of(node.op)),
                     fmt::format(": libtorch has it in {} dimensions, this one has {}",
                                 kMostSpatial, x.dims.size() - 2))
        .at(place_of(node));
  }
  if (node.as<model::Pool>() == nullptr && !is_floating(x.dtype)) {
    return Rejection(Reason::UnsupportedType, "its input", x.text()).at(place_of(node));
  }
  return Ok{};
}

bool is_narrow(DType type) {
  return type == DType::F16 || type == DType::BF16;
}

// On a CPU narrow types are computed as f32 and rounded once, as everywhere in Cambium; libtorch
// has no kernels for most of them.
Tensors run_widened(const model::Model& model, Call call) {
  Tensors wide(call.inputs.begin(), call.inputs.end());
  for (std::size_t i = 0; i < wide.size(); ++i) {
    if (is_narrow(model.type(call.node.inputs[i]).dtype)) wide[i] = wide[i].to(torch::kFloat);
  }
  call.inputs = wide;
  Tensors results = std::visit([&](const auto& op) { return run(op, call); }, call.node.op);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i] = results[i].to(torch_type(call.node.outputs[i].dtype));
  }
  return results;
}

void show(model::NodeId node, Tensors& results, const Wanted& wanted) {
  for (std::uint32_t slot = 0; !wanted.empty() && slot < results.size(); ++slot) {
    const auto [begin, end] = wanted.equal_range({node, slot});
    for (auto place = begin; place != end; ++place) {
      // With parameters that need no gradient, this is where the recorded part begins.
      if (torch::GradMode::is_enabled() && !results[slot].requires_grad()) {
        results[slot] = results[slot].detach().requires_grad_();
      }
      *place->second = results[slot];
    }
  }
}

torch::Tensor leaf_of(const model::Tensor& weight, const NetworkOptions& options) {
  const auto make = [&] {
    torch::Tensor tensor = to_torch(weight, {});
    if (options.channels_last && tensor.dim() == 4) {
      tensor = tensor.contiguous(torch::MemoryFormat::ChannelsLast);
    }
    return tensor.to(torch_device(options.device));
  };
  return options.weights != nullptr ? options.weights->leaf(weight, make) : make();
}

}  // namespace

Result<Network> Network::make(const model::Model& given, const NetworkOptions& options) {
  Network network;
  network.state_ = std::make_shared<State>();
  State& state = *network.state_;
  state.given = given;
  model::Expansion expansion = model::expanded_except(given, [](model::NodeId) { return false; });
  state.model = std::move(expansion.model);
  state.moved = std::move(expansion.moved);
  const model::Model& model = state.model;
  state.options = options;
  state.axes = batch_axes_of(model);
  std::uint32_t most = 0;
  for (const model::NodePtr& node : model.nodes()) {
    CAMBIUM_REQUIRE(supported(model, *node));
    most = std::max(most, node->id.index + 1);
  }
  state.leaves.resize(most);
  state.is_statistic.resize(most);
  state.last_reader.resize(most);
  const auto listed = model::parameters_of(model);
  const std::set<model::NodeId> parameters(listed.begin(), listed.end());
  for (std::uint32_t i = 0; i < model.nodes().size(); ++i) {
    const model::Node& node = *model.nodes()[i];
    for (const model::Value input : node.inputs) state.last_reader[input.node.index] = i;
    const auto* weight = node.as<model::Weight>();
    if (weight == nullptr) continue;
    torch::Tensor tensor = leaf_of(weight->value, options);
    state.leaves[node.id.index] = tensor;
    const bool statistic = node.outputs[0].rank() > 0 && is_floating(node.outputs[0].dtype);
    if (parameters.contains(node.id)) {
      if (options.weights == nullptr) tensor.requires_grad_();
      network.parameters_.push_back({node.id, node.name, tensor, node.outputs[0].rank() > 1});
    } else if (statistic) {
      state.is_statistic[node.id.index] = true;
      network.statistics_.push_back({node.id, node.name, tensor, false});
    }
  }
  for (const model::Output& output : model.outputs()) {
    state.last_reader[output.value.node.index] = ~0u;
  }
  return network;
}

Status Network::takes_batch(std::int64_t batch) const {
  const BatchAxes& axes = state_->axes;
  if (batch != axes.batch && axes.fixed) return *axes.fixed;
  return Ok{};
}

Tensors Network::computed(const model::Node& node, const std::vector<Tensors>& values,
                          std::int64_t batch, Mode mode) {
  State& state = *state_;
  Tensors arguments;
  bool narrow = false;
  for (const model::Value input : node.inputs) {
    arguments.push_back(values[input.node.index][input.slot]);
    narrow = narrow || is_narrow(state.model.type(input).dtype);
  }
  Call call{node, arguments, mode == Mode::Training};
  call.tables = &state.tables;
  call.graph_batch = state.axes.batch;
  call.batch = batch;
  call.batch_axis = state.axes.axis[node.id.index];
  call.dense_groups = state.options.dense_groups;
  if (node.as<model::BatchNorm>() != nullptr) {
    call.updates_statistics = call.training && state.options.weights == nullptr &&
                              state.is_statistic[node.inputs[3].node.index] &&
                              state.is_statistic[node.inputs[4].node.index];
  }
  if (narrow && !state.options.device.is_cuda()) return run_widened(state.model, call);
  return std::visit([&](const auto& op) { return run(op, call); }, node.op);
}

std::vector<torch::Tensor> Network::forward(const std::vector<torch::Tensor>& inputs, Mode mode,
                                            Watched* watched, SharedValues* shared) {
  State& state = *state_;
  const model::Model& model = state.model;
  CAMBIUM_CHECK(inputs.size() == model.inputs().size(), "one tensor per input");
  CAMBIUM_CHECK(shared == nullptr || state.options.weights != nullptr,
                "what is shared must not change with the statistics of a network");
  std::vector<Tensors> values(state.leaves.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool image = state.options.channels_last && inputs[i].dim() == 4;
    values[model.inputs()[i].index] = {
        image ? inputs[i].contiguous(torch::MemoryFormat::ChannelsLast) : inputs[i]};
  }
  Wanted wanted;
  if (watched != nullptr) {
    for (auto& [value, tensor] : *watched) wanted.emplace(state.running(value), &tensor);
  }
  const std::int64_t batch = inputs.empty() || inputs[0].dim() == 0 ? 1 : inputs[0].size(0);
  if (shared != nullptr) shared->begin(model, wanted);
  for (std::uint32_t at = 0; at < model.nodes().size(); ++at) {
    const model::Node& node = *model.nodes()[at];
    if (node.as<model::Input>() != nullptr) continue;
    Tensors& results = values[node.id.index];
    if (node.as<model::Weight>() != nullptr) {
      results = {state.leaves[node.id.index]};
      continue;
    }
    const Tensors* known = shared != nullptr ? shared->find(node.id) : nullptr;
    results = known != nullptr ? *known : computed(node, values, batch, mode);
    show(node.id, results, wanted);
    if (shared != nullptr && known == nullptr) shared->put(node.id, results);
    for (const model::Value input : node.inputs) {
      if (state.last_reader[input.node.index] <= at) values[input.node.index].clear();
    }
  }
  std::vector<torch::Tensor> outputs;
  for (const model::Output& output : model.outputs()) {
    outputs.push_back(values[output.value.node.index][output.value.slot]);
  }
  return outputs;
}

void Network::widen() {
  for (torch::Tensor& leaf : state_->leaves) {
    // The parameter is the same tensor, and stays the leaf that it is.
    if (leaf.defined() && torch::isFloatingType(leaf.scalar_type())) {
      leaf.set_data(leaf.data().to(torch::kDouble));
    }
  }
}

model::Model Network::trained() const {
  model::Builder builder(state_->given);
  for (const std::vector<Parameter>* list : {&parameters_, &statistics_}) {
    for (const Parameter& parameter : *list) {
      builder.set_weight(parameter.node, from_torch(parameter.tensor));
    }
  }
  return std::move(builder).finish().value();
}

}  // namespace cambium::train
