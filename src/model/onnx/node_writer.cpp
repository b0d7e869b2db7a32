#include "model/onnx/node_writer.h"

#include <utility>

#include <fmt/core.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "model/convert.h"
#include "model/onnx/export.h"

namespace cambium::model::onnx_io {

std::string onnx_name(std::string_view name) {
  constexpr std::size_t kLongest = 1000;  // characters, without what helpers append
  if (name.empty()) return "unnamed";     // an empty one is an input that is left out
  return shortened(terminal_text(name), kLongest);
}

std::string FileNames::in_both(const std::string& wanted) {
  std::string name = values.unique(wanted);
  while (!nodes.take(name)) name = values.unique(wanted);
  return name;
}

NodeWriter::NodeWriter(const Model& model, const Node& node, std::string name,
                       std::vector<std::string> inputs, std::vector<std::string> outputs,
                       FileNames& names, Graph& graph)
    : model_(model),
      node_(node),
      name_(std::move(name)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      names_(names),
      graph_(graph) {}

std::string NodeWriter::constant(Tensor tensor, const char* what) {
  std::string name = names_.in_both(fmt::format("{}/{}", name_, what));
  graph_.initializers.push_back({name, std::move(tensor), {}});
  return name;
}

std::string NodeWriter::ints(const Ints& values, const char* what) {
  return constant(Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values),
                  what);
}

std::string NodeWriter::scalar(double value, DType dtype, const char* what) {
  return visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    return constant(Tensor::scalar<T>(convert<T>(value)), what);
  });
}

std::string NodeWriter::helper(const char* type, std::vector<std::string> inputs,
                               std::vector<Attribute> attributes) {
  const std::string name = names_.in_both(fmt::format("{}/{}", name_, type));
  graph_.nodes.push_back({type, "", name, std::move(inputs), {name}, std::move(attributes)});
  return name;
}

Status NodeWriter::node(const char* type, std::vector<std::string> inputs,
                        std::vector<Attribute> attributes) {
  graph_.nodes.push_back({type, "", name_, std::move(inputs), outputs_, std::move(attributes)});
  return Ok{};
}

Status NodeWriter::last_of_several(const char* type, std::vector<std::string> inputs) {
  composed_ = true;
  return node(type, std::move(inputs));
}

Rejection not_exportable(std::string why) {
  return Rejection(Reason::NotExportable, std::move(why), "", kExportOpset);
}

Attribute attribute(const char* name, double value) {
  return {name, static_cast<float>(value)};
}
Attribute attribute(const char* name, std::int64_t value) {
  return {name, value};
}
Attribute attribute(const char* name, bool value) {
  return {name, std::int64_t{value ? 1 : 0}};
}
Attribute attribute(const char* name, const Ints& value) {
  return {name, value};
}
Attribute attribute(const char* name, const std::string& value) {
  return {name, value};
}

}  // namespace cambium::model::onnx_io
