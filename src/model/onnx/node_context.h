// The interface of a handler for one ONNX operator: inputs, attributes, and functions that emit the
// result. Attributes that no handler reads are refused, because ignoring an attribute could change
// the meaning.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/onnx/document.h"
#include "model/onnx/values.h"

namespace cambium::model::onnx_io {

using InlineGraph = std::function<Result<std::vector<Operand>>(const Graph&)>;

class NodeContext {
 public:
  NodeContext(const NodeRecord& record, std::int64_t opset, Values& values,
              std::vector<Operand> inputs, const InlineGraph& inline_graph);

  const NodeRecord& record() const { return record_; }
  std::int64_t opset() const { return opset_; }
  // For files that Cambium wrote: keeps operators that have no effect, because they were written on
  // purpose.
  bool as_written() const { return values_.as_written(); }

  // ---- inputs; required inputs are always present
  std::size_t count() const { return inputs_.size(); }  // without absent trailing inputs
  bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i].valid(); }
  Operand in(std::size_t i) const;
  const TensorType& type(std::size_t i) const { return values_.type(in(i)); }
  const TensorType& type(Operand operand) const { return values_.type(operand); }
  const Tensor* tensor(std::size_t i) const { return values_.tensor(in(i)); }
  const Tensor* tensor(Operand operand) const { return values_.tensor(operand); }
  // An input that determines a shape. Refuses NotConstant.
  Result<Tensor> known(std::size_t i, const char* what) const;
  Result<Ints> known_ints(std::size_t i, const char* what) const;  // rank 0 or 1, integer

  // ---- attributes
  Result<std::int64_t> int_or(const char* name, std::int64_t otherwise);
  Result<bool> flag_or(const char* name, bool otherwise);
  Result<double> number_or(const char* name, double otherwise);
  Result<std::string> text_or(const char* name, std::string otherwise);
  Result<std::optional<Ints>> maybe_ints(const char* name);
  Result<Ints> ints_or(const char* name, Ints otherwise);
  const AttributeValue* raw(const char* name);  // marks it as read; null if absent
  void ignore(const char* name) { raw(name); }
  // The axis counted from the front. Refuses values outside [-rank, rank).
  static Result<std::int64_t> axis_in(std::int64_t axis, std::int64_t rank);
  Result<std::int64_t> axis_or(const char* name, std::int64_t otherwise, std::int64_t rank);

  // ---- result
  Operand constant(Tensor tensor);
  // Reserves memory for a constant whose size depends on a shape, before the handler makes it.
  Status reserve(std::int64_t bytes) { return values_.reserve(bytes); }
  Operand scalar(DType dtype, double value);
  Result<Operand> emit(const Op& op, std::initializer_list<Operand> inputs);  // a helper
  Result<Operand> emit(const Op& op, const std::vector<Operand>& inputs);
  // Emits the operator itself, with the name and the outputs of the node.
  Status give(const Op& op, std::initializer_list<Operand> inputs);
  Status give(const Op& op, const std::vector<Operand>& inputs);
  void set(std::size_t output, Operand operand);
  bool wants(std::size_t output) const;
  std::size_t output_count() const { return record_.outputs.size(); }
  Result<std::vector<Operand>> inlined(const Graph& graph) const { return inline_graph_(graph); }

  Status all_attributes_read() const;
  const std::vector<Operand>& outputs() const { return outputs_; }

 private:
  const NodeRecord& record_;
  std::int64_t opset_;
  Values& values_;
  std::vector<Operand> inputs_, outputs_;
  std::vector<bool> read_;
  const InlineGraph& inline_graph_;
  std::string name_;
};

Rejection bad_attribute(const char* name, std::string why);
Rejection bad_shape(std::string what, std::string why);
// A lazy tensor of one element type with the same value everywhere.
Tensor filled(DType dtype, Ints dims, double value);

}  // namespace cambium::model::onnx_io
