#include "model/verify.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include <fmt/core.h>

#include "model/infer.h"

namespace cambium::model {

namespace {

Rejection broken(const Node& node, std::string rule) {
  return Rejection(Reason::Unsound, std::move(rule))
      .at(fmt::format("node '{}' ({})", node.name, name_of(node.op)));
}

Status check_weight(const Node& node, const Tensor& tensor) {
  if (node.outputs.size() != 1 || node.outputs[0] != tensor.type()) {
    return broken(node, "its type is not that of its tensor");
  }
  if (const auto fill = tensor.fill()) {
    if (!can_fill(tensor.dtype(), *fill)) return broken(node, "its rule cannot fill its type");
  } else if (std::ssize(tensor.bytes()) != tensor.type().bytes()) {
    return broken(node, "its bytes do not match its type");
  } else if (!are_elements(tensor.dtype(), tensor.bytes())) {
    return broken(node, "a bool is neither 0 nor 1");
  }
  return Ok{};
}

Status check_operator(const Node& node, std::span<const TensorType> inputs) {
  const Arity arity = arity_of(node.op);
  const auto count = static_cast<int>(inputs.size());
  if (count < arity.fewest_inputs || (arity.most_inputs >= 0 && count > arity.most_inputs)) {
    return broken(node, "it has too few or too many inputs");
  }
  if (const auto* composite = node.as<Composite>(); composite != nullptr && composite->body) {
    const Status body = verify(*composite->body);
    if (!body.ok()) return broken(node, body.rejection().message());
  }
  const auto inferred = infer(node.op, inputs);
  if (!inferred.ok()) return broken(node, inferred.rejection().message());
  if (*inferred != node.outputs) return broken(node, "its types differ from the inferred ones");
  return Ok{};
}

class Verifier {
 public:
  explicit Verifier(const Model& model) : model_(model) {}

  Status run() {
    for (const NodePtr& node : model_.nodes()) CAMBIUM_REQUIRE(check(*node));
    CAMBIUM_REQUIRE(check_interface());
    return check_all_live();
  }

 private:
  bool is_earlier(Value value) const {
    return seen_.count(value.node) != 0 && value.slot < model_.node(value.node).outputs.size();
  }

  Status check(const Node& node) {
    if (!model_.contains(node.id) || &model_.node(node.id) != &node) {
      return broken(node, "its id belongs to another node");
    }
    if (!names_.insert(node.name).second) return broken(node, "its name is not unique");
    if (node.block != kNoBlock && node.block >= model_.blocks().size()) {
      return broken(node, "its block does not exist");
    }
    std::vector<TensorType> inputs;
    for (const Value value : node.inputs) {
      if (!is_earlier(value)) return broken(node, "it reads a value that is computed after it");
      inputs.push_back(model_.type(value));
    }
    for (const TensorType& type : node.outputs) {
      if (const auto sane = check_type(type); !sane.ok()) {
        return broken(node, sane.rejection().message());
      }
    }
    seen_.insert(node.id);
    if (const Weight* weight = node.as<Weight>()) return check_weight(node, weight->value);
    if (const Input* input = node.as<Input>()) {
      ++inputs_;
      if (node.outputs == std::vector<TensorType>{input->type}) return Ok{};
      return broken(node, "its type differs from the declared one");
    }
    return check_operator(node, inputs);
  }

  Status check_interface() const {
    std::unordered_set<NodeId> listed;
    for (const NodeId id : model_.inputs()) {
      if (!model_.contains(id) || model_.node(id).as<Input>() == nullptr ||
          !listed.insert(id).second) {
        return Rejection(Reason::Unsound, "an input of the model is not a distinct input node");
      }
    }
    if (listed.size() != inputs_) {
      return Rejection(Reason::Unsound, "an input node is not an input of the model");
    }
    if (model_.outputs().empty()) return Rejection(Reason::NoOutputs, model_.name());
    std::unordered_set<std::string_view> names;
    for (const Output& output : model_.outputs()) {
      if (!names.insert(output.name).second) {
        return Rejection(Reason::Unsound, fmt::format("two outputs are named '{}'", output.name));
      }
      if (!is_earlier(output.value)) {
        return Rejection(Reason::Unsound, fmt::format("output '{}' does not exist", output.name));
      }
    }
    return Ok{};
  }

  Status check_all_live() const {
    std::unordered_set<NodeId> live;
    for (const Output& output : model_.outputs()) live.insert(output.value.node);
    for (auto node = model_.nodes().rbegin(); node != model_.nodes().rend(); ++node) {
      if (live.count((*node)->id) != 0) {
        for (const Value value : (*node)->inputs) live.insert(value.node);
      } else if ((*node)->as<Input>() == nullptr) {
        return broken(**node, "no output needs it");
      }
    }
    return Ok{};
  }

  const Model& model_;
  std::unordered_set<NodeId> seen_;
  std::unordered_set<std::string_view> names_;
  std::size_t inputs_ = 0;
};

}  // namespace

Status verify(const Model& model) {
  return Verifier(model).run().at(fmt::format("model '{}'", model.name()));
}

bool can_fill(DType dtype, const Fill& fill) {
  if (is_floating(dtype)) return true;
  if (fill.law != Fill::Law::Constant || !(fill.scale == std::trunc(fill.scale))) return false;
  return visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      // 2^digits is exact as a double, and the first value beyond the range.
      const double limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
      return fill.scale < limit && fill.scale >= (std::is_signed_v<T> ? -limit : 0.0);
    } else {
      return true;
    }
  });
}

bool are_elements(DType dtype, std::span<const std::byte> bytes) {
  return dtype != DType::Bool || std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) {
           return byte == std::byte{0} || byte == std::byte{1};
         });
}

}  // namespace cambium::model
