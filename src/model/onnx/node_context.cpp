#include "model/onnx/node_context.h"

#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "model/convert.h"
#include "model/onnx/decimal.h"

namespace cambium::model::onnx_io {

Rejection bad_attribute(const char* name, std::string why) {
  return Rejection(Reason::BadAttribute, name, std::move(why));
}

Rejection bad_shape(std::string what, std::string why) {
  return Rejection(Reason::ShapeMismatch, std::move(what), std::move(why));
}

Tensor filled(DType dtype, Ints dims, double value) {
  return Tensor::lazy({dtype, std::move(dims)}, {Fill::Law::Constant, value, 0});
}

NodeContext::NodeContext(const NodeRecord& record, std::int64_t opset, Values& values,
                         std::vector<Operand> inputs, const InlineGraph& inline_graph)
    : record_(record),
      opset_(opset),
      values_(values),
      inputs_(std::move(inputs)),
      outputs_(record.outputs.size()),
      read_(record.attributes.size()),
      inline_graph_(inline_graph),
      name_(!record.name.empty()      ? record.name
            : !record.outputs.empty() ? record.outputs[0]
                                      : record.type) {
  while (!inputs_.empty() && !inputs_.back().valid()) inputs_.pop_back();
}

Operand NodeContext::in(std::size_t i) const {
  CAMBIUM_CHECK(has(i), "a handler asks for an input that its row does not require");
  return inputs_[i];
}

Result<Tensor> NodeContext::known(std::size_t i, const char* what) const {
  if (!has(i)) return Rejection(Reason::UndefinedValue, what);
  if (const Tensor* tensor = values_.tensor(inputs_[i])) return *tensor;
  return Rejection(Reason::NotConstant, fmt::format("'{}' ({})", record_.inputs[i], what),
                   quote(values_.origin(inputs_[i])));
}

Result<Ints> NodeContext::known_ints(std::size_t i, const char* what) const {
  CAMBIUM_TRY(const Tensor tensor, known(i, what));
  if (tensor.type().rank() > 1 || !is_integer(tensor.dtype())) {
    return bad_shape(what, "is " + tensor.type().text() + ", must be a list of integers");
  }
  // The longest real lists say how to split an axis; a lazy one of any length may be hostile.
  if (tensor.elements() > 1 << 16) {
    return bad_shape(what, fmt::format("has {} entries", tensor.elements()));
  }
  return tensor.to_ints();
}

const AttributeValue* NodeContext::raw(const char* name) {
  for (std::size_t i = 0; i < record_.attributes.size(); ++i) {
    if (record_.attributes[i].name != name) continue;
    read_[i] = true;
    return &record_.attributes[i].value;
  }
  return nullptr;
}

namespace {

template <class T>
Result<std::optional<T>> typed(const AttributeValue* value, const char* name, const char* kind) {
  if (value == nullptr) return std::optional<T>();
  if (const T* held = std::get_if<T>(value)) return std::optional<T>(*held);
  return bad_attribute(name, fmt::format("is not {}", kind));
}

}  // namespace

Result<std::int64_t> NodeContext::int_or(const char* name, std::int64_t otherwise) {
  CAMBIUM_TRY(const auto value, typed<std::int64_t>(raw(name), name, "an integer"));
  return value.value_or(otherwise);
}

Result<bool> NodeContext::flag_or(const char* name, bool otherwise) {
  CAMBIUM_TRY(const std::int64_t value, int_or(name, otherwise ? 1 : 0));
  if (value != 0 && value != 1) return bad_attribute(name, fmt::format("is {}, not 0 or 1", value));
  return value == 1;
}

Result<double> NodeContext::number_or(const char* name, double otherwise) {
  CAMBIUM_TRY(const auto value, typed<float>(raw(name), name, "a number"));
  return value ? decimal_of(*value) : otherwise;
}

Result<std::string> NodeContext::text_or(const char* name, std::string otherwise) {
  CAMBIUM_TRY(auto value, typed<std::string>(raw(name), name, "a text"));
  return value ? *value : std::move(otherwise);
}

Result<std::optional<Ints>> NodeContext::maybe_ints(const char* name) {
  return typed<Ints>(raw(name), name, "a list of integers");
}

Result<Ints> NodeContext::ints_or(const char* name, Ints otherwise) {
  CAMBIUM_TRY(auto value, maybe_ints(name));
  return value ? *value : std::move(otherwise);
}

Result<std::int64_t> NodeContext::axis_in(std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis >= rank) {
    return bad_attribute("axis", fmt::format("{} is not an axis of rank {}", axis, rank));
  }
  return axis < 0 ? axis + rank : axis;
}

Result<std::int64_t> NodeContext::axis_or(const char* name, std::int64_t otherwise,
                                          std::int64_t rank) {
  CAMBIUM_TRY(const std::int64_t axis, int_or(name, otherwise));
  return axis_in(axis, rank);
}

Operand NodeContext::constant(Tensor tensor) {
  return values_.constant(name_ + "/constant", std::move(tensor));
}

Operand NodeContext::scalar(DType dtype, double value) {
  return visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    return constant(Tensor::scalar<T>(convert<T>(value)));
  });
}

Result<Operand> NodeContext::emit(const Op& op, const std::vector<Operand>& inputs) {
  CAMBIUM_TRY(const std::vector<Operand> outputs,
              values_.emit(op, inputs, fmt::format("{}/{}", name_, name_of(op))));
  return outputs[0];
}

Result<Operand> NodeContext::emit(const Op& op, std::initializer_list<Operand> inputs) {
  return emit(op, std::vector<Operand>(inputs));
}

Status NodeContext::give(const Op& op, const std::vector<Operand>& inputs) {
  CAMBIUM_TRY(const std::vector<Operand> outputs, values_.emit(op, inputs, name_));
  for (std::size_t i = 0; i < outputs.size() && i < outputs_.size(); ++i) outputs_[i] = outputs[i];
  return Ok{};
}

Status NodeContext::give(const Op& op, std::initializer_list<Operand> inputs) {
  return give(op, std::vector<Operand>(inputs));
}

void NodeContext::set(std::size_t output, Operand operand) {
  if (output < outputs_.size()) outputs_[output] = operand;
}

bool NodeContext::wants(std::size_t output) const {
  return output < record_.outputs.size() && !record_.outputs[output].empty();
}

Status NodeContext::all_attributes_read() const {
  for (std::size_t i = 0; i < read_.size(); ++i) {
    if (read_[i]) continue;
    return bad_attribute(record_.attributes[i].name.c_str(),
                         fmt::format("is not known of {} at opset {}", record_.type, opset_));
  }
  return Ok{};
}

}  // namespace cambium::model::onnx_io
