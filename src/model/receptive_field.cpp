#include "model/receptive_field.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "model/saturating.h"

namespace cambium::model {

namespace {

struct Window {
  Ints kernel, strides, dilations;
};

std::optional<Window> window_of(const Model& model, const Node& node) {
  if (const auto* conv = node.as<Conv>()) {
    const Ints& weight = model.type(node.inputs[1]).dims;
    return Window{{weight.begin() + 2, weight.end()}, conv->strides, conv->dilations};
  }
  if (const auto* pool = node.as<Pool>()) {
    return Window{pool->kernel, pool->strides, pool->dilations};
  }
  return {};
}

ReceptiveField through_window(ReceptiveField field, const Window& window) {
  for (std::size_t i = 0; i < field.size(); ++i) {
    AxisField& f = field[i];
    const std::int64_t reach = saturating_product(window.kernel[i] - 1, window.dilations[i]);
    f.size = saturating_sum(f.size, saturating_product(reach, f.jump));
    f.jump = saturating_product(f.jump, window.strides[i]);
  }
  return field;
}

// One element now sees the whole axis.
void widen(ReceptiveField& field, const TensorType& type, std::int64_t axis) {
  if (axis < 2 || axis >= type.rank() || field.empty()) return;
  AxisField& f = field[static_cast<std::size_t>(axis - 2)];
  const std::int64_t extent = type.dims[static_cast<std::size_t>(axis)];
  if (extent > 1) f.size = saturating_sum(f.size, saturating_product(extent - 1, f.jump));
}

class Fields {
 public:
  explicit Fields(const Model& model) : model_(model) {}
  // A body whose inputs have these fields.
  Fields(const Model& body, std::vector<ReceptiveField> inputs)
      : model_(body), given_(std::move(inputs)) {}

  ReceptiveField of(const Node& node) {
    if (node.as<Weight>() != nullptr) return {};
    if (const auto* composite = node.as<Composite>()) return through_body(node, *composite->body);
    if (const auto* input = node.as<Input>()) {
      if (!given_.empty()) return given_[static_cast<std::size_t>(place_of(node.id))];
      if (input->type.rank() < 3) return {};
      return ReceptiveField(static_cast<std::size_t>(input->type.rank() - 2));
    }
    if (const auto window = window_of(model_, node)) {
      return through_window(known_[node.inputs[0].node], *window);
    }
    if (is_pointwise(node)) return merged(node);
    return through_axes(node);
  }

  std::vector<ReceptiveField> run() {
    std::vector<ReceptiveField> out;
    for (const NodePtr& node : model_.nodes()) {
      ReceptiveField field = of(*node);
      if (field.size() + 2 != node->outputs[0].dims.size()) field.clear();
      known_[node->id] = field;
      out.push_back(std::move(field));
    }
    return out;
  }

 private:
  static bool is_pointwise(const Node& node) {
    return node.as<BatchNorm>() != nullptr || node.as<Unary>() != nullptr ||
           node.as<Activation>() != nullptr || node.as<Binary>() != nullptr ||
           node.as<Where>() != nullptr || node.as<Cast>() != nullptr ||
           node.as<Concat>() != nullptr;
  }

  std::ptrdiff_t place_of(NodeId input) const {
    const auto inputs = model_.inputs();
    return std::find(inputs.begin(), inputs.end(), input) - inputs.begin();
  }

  // An input of a body that is a weight outside sees nothing of the model's input either.
  bool constant(Value value) const {
    const Node& node = model_.node(value.node);
    return node.as<Weight>() != nullptr ||
           (node.as<Input>() != nullptr && !given_.empty() && known_.at(value.node).empty());
  }

  ReceptiveField through_body(const Node& node, const Model& body) {
    std::vector<ReceptiveField> inputs;
    for (const Value value : node.inputs) inputs.push_back(known_[value.node]);
    Fields inside(body, std::move(inputs));
    inside.run();
    return inside.known_[body.outputs()[0].value.node];
  }

  // Several operands: the widest, and the jump of those that vary along the axis.
  ReceptiveField merged(const Node& node) {
    if (const auto* concat = node.as<Concat>(); concat != nullptr && concat->axis != 1) return {};
    const Ints& out = node.outputs[0].dims;
    ReceptiveField sum;
    std::vector<bool> jump_known;
    for (const Value value : node.inputs) {
      if (constant(value)) continue;
      const ReceptiveField& own = known_[value.node];
      const Ints& dims = model_.type(value).dims;
      if (own.empty() || dims.size() != out.size()) return {};
      sum.resize(own.size());
      jump_known.resize(own.size());
      for (std::size_t i = 0; i < own.size(); ++i) {
        sum[i].size = std::max(sum[i].size, own[i].size);
        const bool stretched = dims[i + 2] != out[i + 2];
        if (stretched) continue;
        if (jump_known[i] && sum[i].jump != own[i].jump) return {};
        sum[i].jump = own[i].jump;
        jump_known[i] = true;
      }
    }
    return sum;
  }

  // Operators that treat axes one by one.
  ReceptiveField through_axes(const Node& node) {
    const TensorType& type = model_.type(node.inputs[0]);
    ReceptiveField field = known_[node.inputs[0].node];
    if (const auto* reduce = node.as<Reduce>()) {
      for (const std::int64_t axis : reduce->axes) widen(field, type, axis);
      return field;
    }
    if (const auto* softmax = node.as<Softmax>()) {
      widen(field, type, softmax->axis);
      return field;
    }
    if (const auto* slice = node.as<Slice>()) {
      for (std::size_t i = 0; i < field.size(); ++i) {
        const std::int64_t step = slice->steps[i + 2];
        if (step < 1) return {};
        field[i].jump = saturating_product(field[i].jump, step);
      }
      return field;
    }
    if (node.as<GroupNorm>() != nullptr) {
      for (std::int64_t axis = 2; axis < type.rank(); ++axis) widen(field, type, axis);
      return field;
    }
    const auto* pad = node.as<Pad>();
    if (pad != nullptr && pad->mode == PadMode::Constant) return field;
    if (const auto* split = node.as<Split>(); split != nullptr && split->axis == 1) return field;
    return {};
  }

  const Model& model_;
  std::vector<ReceptiveField> given_;  // of the inputs; empty: they are where fields begin
  std::unordered_map<NodeId, ReceptiveField> known_;
};

}  // namespace

std::vector<ReceptiveField> receptive_fields(const Model& model) {
  return Fields(model).run();
}

}  // namespace cambium::model
