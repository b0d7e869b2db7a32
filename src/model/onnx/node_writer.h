// What the writer of one operator sees: the node, the names of its values, and how to add ONNX
// nodes and constants. write_*.cpp has one overload of `write` per operator of model/op.h.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_names.h"
#include "model/model.h"
#include "model/onnx/document.h"

namespace cambium::model::onnx_io {

// A name as one of ONNX: UTF-8 in one line, not empty, of a length that our import takes.
std::string onnx_name(std::string_view name);

// A file has names of values and names of nodes. Import makes one name of a Model of each input,
// constant and node, so that those must differ.
struct FileNames {
  UniqueNames values, nodes;

  // Of an input, a constant, or a node that is called as its value.
  std::string in_both(const std::string& wanted);
};

class NodeWriter {
 public:
  // `name`: of the node in the file.
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
