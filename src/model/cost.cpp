#include "model/cost.h"

#include <algorithm>
#include <map>

#include "model/einsum.h"
#include "model/saturating.h"

namespace cambium::model {

namespace {

void accumulate(std::int64_t& sum, std::int64_t value) {
  sum = saturating_sum(sum, value);
}

// Of a weight [rows, columns, kernel...]: what one element of a convolution is multiplied with.
std::int64_t kernel_volume(const TensorType& weight) {
  std::int64_t volume = weight.dims[1];
  for (std::size_t i = 2; i < weight.dims.size(); ++i)
    volume = saturating_product(volume, weight.dims[i]);
  return volume;
}

// All loops over distinct indices, one multiplication for each operand after the first.
std::int64_t einsum_macs(const Einsum& op, std::span<const TensorType> inputs) {
  const auto equation = parse_einsum(op.equation);
  CAMBIUM_CHECK(equation.ok() && equation->inputs.size() == inputs.size(), op.equation);
  std::map<char, std::int64_t> extents;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].elements() == 0) return 0;
    for (std::size_t axis = 0; axis < inputs[i].dims.size(); ++axis) {
      std::int64_t& extent = extents[equation->inputs[i][axis]];
      extent = std::max(extent, inputs[i].dims[axis]);
    }
  }
  std::int64_t loops = static_cast<std::int64_t>(inputs.size()) - 1;
  for (const auto& [letter, extent] : extents) loops = saturating_product(loops, extent);
  return loops;
}

bool is_parameter_type(const TensorType& type) {
  return is_floating(type.dtype) && type.rank() >= 1;
}

bool reads_as_statistic(const Node& reader, std::size_t input);

// A composite reads an input as its body does.
bool only_statistic(const Model& model, Value value) {
  const Uses uses(model);
  const auto readers = uses.of(value);
  return std::all_of(readers.begin(), readers.end(), [&](const Use& use) {
    return use.node.valid() && reads_as_statistic(model.node(use.node), use.input);
  });
}

bool reads_as_statistic(const Node& reader, std::size_t input) {
  if (const auto* composite = reader.as<Composite>()) {
    return only_statistic(*composite->body, {composite->body->inputs()[input], 0});
  }
  return reader.as<BatchNorm>() != nullptr && input >= 3;
}

// Bytes that exist, and the buffer behind each value: a reshape shares that of its input.
class Liveness {
 public:
  explicit Liveness(const Model& model) : model_(model) {
    std::uint32_t highest = 0;
    for (const NodePtr& node : model.nodes()) highest = std::max(highest, node->id.index);
    first_buffer_.resize(highest + 1);
    for (std::uint32_t i = 0; i < model.nodes().size(); ++i) {
      give_buffers(*model.nodes()[i], i);
      for (const Value value : model.nodes()[i]->inputs) last_use_[buffer(value)] = i;
    }
    for (const Output& output : model.outputs()) last_use_[buffer(output.value)] = kForever;
  }

  // Fills live_bytes of every node and returns the peak.
  std::int64_t walk(std::vector<NodeCost>& costs) {
    std::int64_t live = 0;
    std::int64_t peak = 0;
    std::vector<std::vector<std::size_t>> dying(costs.size());
    for (std::size_t b = 0; b < bytes_.size(); ++b) {
      if (last_use_[b] != kForever) dying[last_use_[b]].push_back(b);
    }
    for (const NodeId id : model_.inputs()) accumulate(live, bytes_[buffer({id, 0})]);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const Node& node = *model_.nodes()[i];
      if (node.as<Input>() == nullptr) accumulate(live, costs[i].activation_bytes);
      costs[i].live_bytes = live;
      peak = std::max(peak, live);
      for (const std::size_t b : dying[i]) live -= bytes_[b];
    }
    return peak;
  }

 private:
  static constexpr std::uint32_t kForever = ~0u;

  void give_buffers(const Node& node, std::uint32_t position) {
    if (node.as<Reshape>() != nullptr) {
      first_buffer_[node.id.index] = buffer(node.inputs[0]);
      return;
    }
    first_buffer_[node.id.index] = bytes_.size();
    for (const TensorType& type : node.outputs) {
      bytes_.push_back(node.as<Weight>() != nullptr ? 0 : type.bytes());
      last_use_.push_back(position);
    }
  }

  std::size_t buffer(Value value) const { return first_buffer_[value.node.index] + value.slot; }

  const Model& model_;
  std::vector<std::size_t> first_buffer_;  // by NodeId::index, of slot 0
  std::vector<std::int64_t> bytes_;        // by buffer
  std::vector<std::uint32_t> last_use_;    // by buffer: position of the node that reads it last
};

}  // namespace

std::int64_t macs_of(const Op& op, std::span<const TensorType> inputs,
                     std::span<const TensorType> outputs) {
  if (std::holds_alternative<Conv>(op)) {
    return saturating_product(outputs[0].elements(), kernel_volume(inputs[1]));
  }
  if (std::holds_alternative<ConvTranspose>(op)) {
    return saturating_product(inputs[0].elements(), kernel_volume(inputs[1]));
  }
  if (std::holds_alternative<MatMul>(op)) {
    return saturating_product(outputs[0].elements(), inputs[0].dims.back());
  }
  if (const auto* gemm = std::get_if<Gemm>(&op)) {
    return saturating_product(outputs[0].elements(), inputs[0].dims[gemm->transpose_a ? 0 : 1]);
  }
  if (const auto* einsum = std::get_if<Einsum>(&op)) return einsum_macs(*einsum, inputs);
  if (const auto* composite = std::get_if<Composite>(&op)) return cost_of(*composite->body).macs;
  return 0;
}

std::int64_t activation_bytes_of(const Node& node) {
  std::int64_t bytes = 0;
  if (node.as<Reshape>() != nullptr) return bytes;
  for (const TensorType& type : node.outputs) accumulate(bytes, type.bytes());
  return bytes;
}

std::vector<NodeId> parameters_of(const Model& model) {
  std::vector<NodeId> out;
  const Uses uses(model);
  for (const NodePtr& node : model.nodes()) {
    if (node->as<Weight>() == nullptr || !is_parameter_type(node->outputs[0])) continue;
    bool statistic_only = true;
    for (const Use& use : uses.of({node->id, 0})) {
      if (!use.node.valid() || !reads_as_statistic(model.node(use.node), use.input)) {
        statistic_only = false;
      }
    }
    if (!statistic_only) out.push_back(node->id);
  }
  return out;
}

Cost cost_of(const Model& model) {
  Cost cost;
  cost.nodes.resize(model.nodes().size());
  std::vector<bool> unread_parameter;
  for (const NodeId id : parameters_of(model)) {
    if (id.index >= unread_parameter.size()) unread_parameter.resize(id.index + 1);
    unread_parameter[id.index] = true;
    accumulate(cost.params, model.node(id).outputs[0].elements());
  }
  std::vector<TensorType> inputs;
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    const Node& node = *model.nodes()[i];
    NodeCost& own = cost.nodes[i];
    if (node.as<Weight>() != nullptr) {
      accumulate(cost.weight_bytes, node.outputs[0].bytes());
      continue;
    }
    inputs.clear();
    for (const Value value : node.inputs) {
      inputs.push_back(model.type(value));
      if (value.node.index < unread_parameter.size() && unread_parameter[value.node.index]) {
        unread_parameter[value.node.index] = false;
        accumulate(own.params, inputs.back().elements());
      }
    }
    own.macs = macs_of(node.op, inputs, node.outputs);
    if (const auto* composite = node.as<Composite>()) {
      accumulate(cost.weight_bytes, cost_of(*composite->body).weight_bytes);
    }
    own.activation_bytes = activation_bytes_of(node);
    accumulate(cost.macs, own.macs);
    accumulate(cost.activation_bytes, own.activation_bytes);
  }
  cost.peak_bytes = Liveness(model).walk(cost.nodes);
  return cost;
}

}  // namespace cambium::model
