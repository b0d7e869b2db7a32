#include "train/torch/network.h"

#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "model/builder.h"
#include "model/cost.h"
#include "train/norms.h"
#include "train/running.h"
#include "train/torch/operators.h"
#include "train/torch/provided_call.h"
#include "train/torch/tensors.h"
#include "train/torch/tiles.h"

namespace cambium::train {

// Network itself makes the leaves.
Tensors run(const model::Input&, const Call&) {
  CAMBIUM_CHECK(false, "an input is given");
  return {};
}

Tensors run(const model::Weight&, const Call&) {
  CAMBIUM_CHECK(false, "a weight is kept");
  return {};
}

Tensors run(const model::Composite&, const Call& call) {
  CAMBIUM_CHECK(call.kernel != nullptr, "a composite without a kernel is expanded");
  Tensors inputs;
  // Autocast may have narrowed some of them.
  for (const torch::Tensor& input : call.inputs) inputs.push_back(input.to(torch::kFloat));
  std::vector<model::Ints> dims;
  for (const model::TensorType& type : call.node.outputs) dims.push_back(call.at_batch(type.dims));
  return provided_call(*call.kernel, inputs, dims);
}

// How the network runs at one batch.
struct Plan {
  Running running;
  std::vector<torch::Tensor> leaves;       // by node index: the tensors of weights
  std::vector<std::uint32_t> last_reader;  // by node index: place in the order of nodes
  Tables tables;
};

struct Network::State {
  model::Model given;  // whose values and weights callers know
  NetworkOptions options;
  bool wide = false;
  std::map<model::NodeId, torch::Tensor> weights;  // of the given model
  std::set<model::NodeId> statistics;
  std::unique_ptr<Plan> plain;  // without provided kernels, for any batch
  std::map<std::int64_t, std::unique_ptr<Plan>> with_kernels;  // by batch

  torch::Tensor tensor_of(const model::Weight& weight) const;
  std::unique_ptr<Plan> planned(Running running) const;
  Plan& plan(std::int64_t batch);
  Tensors computed(Plan& plan, const model::Node& node, const std::vector<Tensors>& values,
                   std::int64_t batch, Mode mode) const;
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
                     fmt::format(": libtorch has it in up to {} dimensions, this one has {}",
                                 kMostSpatial, x.dims.size() - 2))
        .at(place_of(node));
  }
  if (node.as<model::Pool>() == nullptr && !is_floating(x.dtype)) {
    return Rejection(Reason::UnsupportedType, "its input", x.text()).at(place_of(node));
  }
  return Ok{};
}

// Scales and biases of norms, of any rank.
std::set<model::NodeId> read_by_norms(const model::Model& model) {
  std::set<model::NodeId> out;
  for (const model::NodePtr& node : model.nodes()) {
    if (!is_norm(*node)) continue;
    for (std::size_t i = 1; i < node->inputs.size(); ++i) out.insert(node->inputs[i].node);
  }
  return out;
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
      // If parameters need no gradient, the recorded part begins here.
      if (torch::GradMode::is_enabled() && !results[slot].requires_grad()) {
        results[slot] = results[slot].detach().requires_grad_();
      }
      *place->second = results[slot];
    }
  }
}

}  // namespace

torch::Tensor Network::State::tensor_of(const model::Weight& weight) const {
  const auto make = [&] {
    torch::Tensor tensor = to_torch(weight.value, {});
    if (wide && torch::isFloatingType(tensor.scalar_type())) tensor = tensor.to(torch::kDouble);
    if (options.channels_last && tensor.dim() == 4) {
      tensor = tensor.contiguous(torch::MemoryFormat::ChannelsLast);
    }
    return tensor.to(torch_device(options.device));
  };
  return options.weights != nullptr ? options.weights->leaf(weight.value, make) : make();
}

std::unique_ptr<Plan> Network::State::planned(Running running) const {
  auto plan = std::make_unique<Plan>();
  const model::Model& model = running.model;
  std::uint32_t most = 0;
  for (const model::NodePtr& node : model.nodes()) most = std::max(most, node->id.index + 1);
  plan->leaves.resize(most);
  plan->last_reader.resize(most);
  for (std::uint32_t i = 0; i < model.nodes().size(); ++i) {
    const model::Node& node = *model.nodes()[i];
    for (const model::Value input : node.inputs) plan->last_reader[input.node.index] = i;
    const auto* weight = node.as<model::Weight>();
    if (weight == nullptr) continue;
    const auto known = weights.find(node.id);
    plan->leaves[node.id.index] = known != weights.end() ? known->second : tensor_of(*weight);
  }
  for (const model::Output& output : model.outputs()) {
    plan->last_reader[output.value.node.index] = ~0u;
  }
  plan->running = std::move(running);
  return plan;
}

Plan& Network::State::plan(std::int64_t batch) {
  if (options.kernels == nullptr) return *plain;
  std::unique_ptr<Plan>& own = with_kernels[batch];
  if (own == nullptr) own = planned(running_of(given, batch, options.kernels, options.recognizes));
  return *own;
}

Result<Network> Network::make(const model::Model& given, const NetworkOptions& options) {
  keep_off_tiles();
  Network network;
  network.state_ = std::make_shared<State>();
  State& state = *network.state_;
  state.given = given;
  state.options = options;
  // Provided kernels run on CPUs only.
  if (options.device.is_cuda()) state.options.kernels = nullptr;
  Running running = running_of(given, 0, nullptr, options.recognizes);
  for (const model::NodePtr& node : running.model.nodes()) {
    CAMBIUM_REQUIRE(supported(running.model, *node));
  }
  const auto listed = model::parameters_of(given);
  const std::set<model::NodeId> parameters(listed.begin(), listed.end());
  const std::set<model::NodeId> of_norms = read_by_norms(running.model);
  for (const model::NodePtr& node : given.nodes()) {
    const auto* weight = node->as<model::Weight>();
    if (weight == nullptr) continue;
    torch::Tensor tensor = state.tensor_of(*weight);
    state.weights.emplace(node->id, tensor);
    const bool statistic = node->outputs[0].rank() > 0 && is_floating(node->outputs[0].dtype);
    if (parameters.contains(node->id)) {
      if (options.weights == nullptr) tensor.requires_grad_();
      const bool decays = node->outputs[0].rank() > 1 && !of_norms.contains(node->id);
      network.parameters_.push_back({node->id, node->name, tensor, decays});
    } else if (statistic) {
      state.statistics.insert(node->id);
      network.statistics_.push_back({node->id, node->name, tensor, false});
    }
  }
  state.plain = state.planned(std::move(running));
  return network;
}

Status Network::takes_batch(std::int64_t batch) const {
  const model::BatchAxes& axes = state_->plain->running.axes;
  if (batch != axes.batch && axes.fixed) return *axes.fixed;
  return Ok{};
}

Tensors Network::State::computed(Plan& plan, const model::Node& node,
                                 const std::vector<Tensors>& values, std::int64_t batch,
                                 Mode mode) const {
  const Running& running = plan.running;
  Tensors arguments;
  bool narrow = false;
  for (const model::Value input : node.inputs) {
    arguments.push_back(values[input.node.index][input.slot]);
    narrow = narrow || is_narrow(running.model.type(input).dtype);
  }
  Call call{node, arguments, mode == Mode::Training};
  call.tables = &plan.tables;
  call.graph_batch = running.axes.batch;
  call.batch = batch;
  call.batch_axis = running.axes.axis[node.id.index];
  call.dense_groups = options.dense_groups;
  call.channels_last = options.channels_last;
  if (node.as<model::BatchNorm>() != nullptr) {
    call.updates_statistics = call.training && options.weights == nullptr &&
                              statistics.contains(node.inputs[3].node) &&
                              statistics.contains(node.inputs[4].node);
  } else if (node.as<model::Composite>() != nullptr) {
    call.kernel = &running.kernels.at(node.id);
  }
  if (narrow && !options.device.is_cuda()) return run_widened(running.model, call);
  return std::visit([&](const auto& op) { return run(op, call); }, node.op);
}

std::vector<torch::Tensor> Network::forward(const std::vector<torch::Tensor>& inputs, Mode mode,
                                            Watched* watched, SharedValues* shared) {
  State& state = *state_;
  CAMBIUM_CHECK(inputs.size() == state.given.inputs().size(), "one tensor per input");
  CAMBIUM_CHECK(shared == nullptr || state.options.weights != nullptr,
                "what is shared must not change with the statistics of a network");
  const std::int64_t batch = inputs.empty() || inputs[0].dim() == 0 ? 1 : inputs[0].size(0);
  Plan& plan = state.plan(batch);
  const model::Model& model = plan.running.model;
  std::vector<Tensors> values(plan.leaves.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool image = state.options.channels_last && inputs[i].dim() == 4;
    values[model.inputs()[i].index] = {
        image ? inputs[i].contiguous(torch::MemoryFormat::ChannelsLast) : inputs[i]};
  }
  Wanted wanted;
  if (watched != nullptr) {
    for (auto& [value, tensor] : *watched) wanted.emplace(plan.running.now(value), &tensor);
  }
  if (shared != nullptr) shared->begin(model, wanted);
  for (std::uint32_t at = 0; at < model.nodes().size(); ++at) {
    const model::Node& node = *model.nodes()[at];
    Tensors& results = values[node.id.index];
    if (node.as<model::Input>() != nullptr) {
      show(node.id, results, wanted);  // a Composite may hand on what it reads
      continue;
    }
    if (node.as<model::Weight>() != nullptr) {
      results = {plan.leaves[node.id.index]};
      continue;
    }
    const Tensors* known = shared != nullptr ? shared->find(node.id) : nullptr;
    results = known != nullptr ? *known : state.computed(plan, node, values, batch, mode);
    show(node.id, results, wanted);
    if (shared != nullptr && known == nullptr) shared->put(node.id, results);
    for (const model::Value input : node.inputs) {
      if (plan.last_reader[input.node.index] <= at) values[input.node.index].clear();
    }
  }
  std::vector<torch::Tensor> outputs;
  for (const model::Output& output : model.outputs()) {
    outputs.push_back(values[output.value.node.index][output.value.slot]);
  }
  return outputs;
}

void Network::widen() {
  State& state = *state_;
  state.wide = true;
  for (auto& [node, tensor] : state.weights) {
    // The parameter is the same tensor and stays a leaf.
    if (torch::isFloatingType(tensor.scalar_type())) {
      tensor.set_data(tensor.data().to(torch::kDouble));
    }
  }
  // Provided kernels compute in f32; the constants of the plan are made anew.
  state.options.kernels = nullptr;
  state.with_kernels.clear();
  state.plain = state.planned(std::move(state.plain->running));
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
