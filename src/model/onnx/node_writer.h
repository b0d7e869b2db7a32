// What the writer of one operator sees: the node, the names of its values, and how to add ONNX
// nodes and constants. write_*.cpp has one overload of `write` per operator of model/op.h.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/model.h"
#include "model/onnx/document.h"

namespace cambium::model::onnx_io {

// Names that no other value of the file has.
class Names {
 public:
  // `wanted`, or `wanted` with a number behind it.
  std::string unique(const std::string& wanted);
  bool take(const std::string& name) { return taken_.insert(name).second; }

 private:
  std::set<std::string> taken_;
};

class NodeWriter {
 public:
  NodeWriter(const Model& model, const Node& node, std::vector<std::string> inputs,
             std::vector<std::string> outputs, Names& names, Graph& graph);

  const TensorType& type(std::size_t input) const { return model_.type(node_.inputs[input]); }
  const TensorType& out_type() const { return node_.outputs[0]; }
  std::size_t count() const { return inputs_.size(); }
  const std::string& in(std::size_t i) const { return inputs_[i]; }
  const std::vector<std::string>& inputs() const { return inputs_; }

  std::string constant(Tensor tensor, const char* what);
  std::string ints(const Ints& values, const char* what);
  std::string scalar(double value, DType dtype, const char* what);
  // A helper with one output, whose name it gives back.
  std::string helper(const char* type, std::vector<std::string> inputs,
                     std::vector<Attribute> attributes = {});
  // The node itself: its name, its outputs.
  Status node(const char* type, std::vector<std::string> inputs,
              std::vector<Attribute> attributes = {});
  // The same, as the last of several that stand for one operator.
  Status last_of_several(const char* type, std::vector<std::string> inputs);
  bool composed() const { return composed_; }

 private:
  const Model& model_;
  const Node& node_;
  std::vector<std::string> inputs_, outputs_;
  Names& names_;
  Graph& graph_;
  bool composed_ = false;
};

Rejection not_exportable(std::string why);
Attribute attribute(const char* name, double value);
Attribute attribute(const char* name, std::int64_t value);
Attribute attribute(const char* name, bool value);
Attribute attribute(const char* name, const Ints& value);
Attribute attribute(const char* name, const std::string& value);

#define CAMBIUM_X(op, name, fewest, most, outputs) Status write(const op& one, NodeWriter& w);
CAMBIUM_FOR_EACH_OP(CAMBIUM_X)
#undef CAMBIUM_X

}  // namespace cambium::model::onnx_io
