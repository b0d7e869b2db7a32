// The interface of the PyTorch writer for one operator: the node, the names of its inputs, and
// functions that add lines. emit_*.cpp has one overload of `emit` per operator of model/op.h. It
// returns the expression of the node's value (a tuple for several outputs).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_names.h"
#include "model/model.h"

namespace cambium::model::pytorch {

// Gives out unused Python identifiers.
class Names {
 public:
  // `wanted` as an identifier, with a number appended if it is taken.
  std::string unique(std::string_view wanted);
  // The same for an attribute of an nn.Module, which has many attributes of its own.
  std::string unique_attribute(std::string_view wanted);

 private:
  UniqueNames taken_;
};

class NodeText {
 public:
  NodeText(const Model& model, const Node& node, std::vector<std::string> inputs,
           std::vector<std::string>& lines, Names& names, std::int64_t samples_axis,
           bool in_module);

  const TensorType& type(std::size_t input) const { return model_.type(node_.inputs[input]); }
  const TensorType& out() const { return node_.outputs[0]; }
  std::size_t count() const { return inputs_.size(); }
  const std::string& in(std::size_t i) const { return inputs_[i]; }
  // Names an expression on a line before the node's line.
  std::string let(std::string_view name, const std::string& expression);
  // The dimensions of the output, where PyTorch infers the number of samples.
  Ints dims_for_any_batch(Ints dims) const;
  bool in_module() const { return in_module_; }  // whether `self` exists
  Rejection refusal(const std::string& why) const;

 private:
  const Model& model_;
  const Node& node_;
  std::vector<std::string> inputs_;
  std::vector<std::string>& lines_;
  Names& names_;
  std::int64_t samples_axis_;  // of the output; kNoAxis if it or the first input has none
  bool in_module_;
};

// ---- Python texts
std::string number(double value);
std::string list(const Ints& values);         // [1, 2]
std::string arguments(const Ints& values);    // 1, 2
std::string one_or_list(const Ints& values);  // 2 if all are 2, otherwise (1, 2)
// The element type as `torch.float32`. Refuses types that PyTorch lacks (UnsupportedType).
Result<std::string> torch_type(DType dtype);
// A constant of any rank as an expression.
Result<std::string> tensor_literal(const Tensor& tensor, const std::string& device);
// Pads in the order of torch.nn.functional.pad. The given pads are [begin of each axis ..., end
// ...] of the last axes.
std::string pad_call(const std::string& x, const Ints& pads, const std::string& value);
bool all_equal(const Ints& values, std::int64_t to);

using Text = Result<std::string>;
#define CAMBIUM_X(op, name, fewest, most, outputs) Text emit(const op& one, NodeText& t);
CAMBIUM_FOR_EACH_OP(CAMBIUM_X)
#undef CAMBIUM_X

}  // namespace cambium::model::pytorch
