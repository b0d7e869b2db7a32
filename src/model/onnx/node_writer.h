// The interface of the writer for one operator: the node, the names of its values, and functions
// that add ONNX nodes and constants. write_*.cpp has one overload of `write` per operator of
// model/op.h.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_names.h"
#include "model/model.h"
#include "model/onnx/document.h"

namespace cambium::model::onnx_io {

// Makes a name valid in ONNX: one line of UTF-8, not empty, short enough for our import.
std::string onnx_name(std::string_view name);

// Assigns the names of a file. ONNX names values and nodes separately, but import turns each input,
// constant and node into one name of a Model, so these names must all differ.
struct FileNames {
  UniqueNames values, nodes;

  // The name of an input, a constant, or a node with the same name as its value.
  std::string in_both(const std::string& wanted);
};

class NodeWriter {
 public:
  // `name` is the name of the node in the file.
  NodeWriter(const Model& model, const Node& node, std::string name,
             std::vector<std::string> inputs, std::vector<std::string> outputs, FileNames& names,
             Graph& graph);

  const TensorType& type(std::size_t input) const { return model_.type(node_.inputs[input]); }
  const TensorType& out_type() const { return node_.outputs[0]; }
  std::size_t count() const { return inputs_.size(); }
  const std::string& in(std::size_t i) const { return inputs_[i]; }
  const std::vector<std::string>& inputs() const { return inputs_; }

  std::string constant(Tensor tensor, const char* what);
  std::string ints(const Ints& values, const char* what);
  std::string scalar(double value, DType dtype, const char* what);
  // Adds a helper node with one output and returns the output's name.
  std::string helper(const char* type, std::vector<std::string> inputs,
                     std::vector<Attribute> attributes = {});
  // Adds the node itself, with its name and outputs.
  Status node(const char* type, std::vector<std::string> inputs,
              std::vector<Attribute> attributes = {});
  // The same, as the last of several ONNX nodes for one operator.
  Status last_of_several(const char* type, std::vector<std::string> inputs);
  bool composed() const { return composed_; }

 private:
  const Model& model_;
  const Node& node_;
  std::string name_;
  std::vector<std::string> inputs_, outputs_;
  FileNames& names_;
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
