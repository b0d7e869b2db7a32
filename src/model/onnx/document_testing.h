// For tests: short ways to write small ONNX files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/onnx/document.h"
#include "model/onnx/encode.h"
#include "model/onnx/import.h"

namespace cambium::model::onnx_io {

inline ValueInfo info(std::string name, const std::vector<Dim>& dims, DType dtype = DType::F32) {
  return {std::move(name), dtype, "", dims};
}

inline ValueInfo fixed(std::string name, const Ints& dims, DType dtype = DType::F32) {
  ValueInfo out = info(std::move(name), {}, dtype);
  for (const std::int64_t dim : dims) out.dims->push_back({dim, ""});
  return out;
}

// An output by name only; a file need not declare more.
inline ValueInfo output(std::string name) {
  return {std::move(name), {}, "", {}};
}

inline NodeRecord node(std::string type, std::vector<std::string> inputs,
                       std::vector<std::string> outputs, std::vector<Attribute> attributes = {}) {
  std::string name = "the_" + type;
  return {std::move(type),      "", std::move(name), std::move(inputs), std::move(outputs),
          std::move(attributes)};
}

inline Initializer ints(std::string name, const Ints& values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return {std::move(name), Tensor::of<std::int64_t>({count}, values), {}};
}

inline Document document(std::int64_t opset, Graph graph) {
  Document out;
  out.ir_version = 8;
  out.opsets = {{"", opset}};
  out.graph = std::move(graph);
  if (out.graph.name.empty()) out.graph.name = "test";
  return out;
}

inline std::string bytes_of(const Document& document) {
  return encode(document).value();
}

inline Result<Imported> imported(const Document& document, const ImportOptions& options = {}) {
  return import_onnx_bytes(bytes_of(document), "", options);
}

// How often the model uses an operator of this name (op.h: `name_of`).
inline int count_of(const Model& model, std::string_view name) {
  int count = 0;
  for (const NodePtr& one : model.nodes()) count += name_of(one->op) == name ? 1 : 0;
  return count;
}

}  // namespace cambium::model::onnx_io
