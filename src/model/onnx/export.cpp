#include "model/onnx/export.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/core.h>

#include "base/file.h"
#include "base/file_writer.h"
#include "base/text.h"
#include "model/onnx/annotations.h"
#include "model/onnx/encode.h"
#include "model/onnx/node_writer.h"
#include "model/recognize/recognize.h"

namespace cambium::model {

namespace {

using namespace onnx_io;  // NOLINT(google-build-using-namespace): the inside of this folder

constexpr std::int64_t kIrVersion = 8;            // what opset 17 came with
constexpr std::int64_t kSmallestExternal = 1024;  // smaller weights stay in the model file
constexpr std::int64_t kExternalAlignment = 4096;

ValueInfo declared(std::string name, const TensorType& type) {
  ValueInfo info{std::move(name), type.dtype, "", std::vector<Dim>()};
  for (const std::int64_t dim : type.dims) info.dims->push_back({dim, ""});
  return info;
}

class Exporter {
 public:
  explicit Exporter(const Model& model) : model_(model) {}

  Result<Document> run();

 private:
  Status name_interface();
  Result<std::string> name_output(const Output& output);
  void name_nodes();
  const std::string& name_of_value(Value value);
  Status add(const Node& node);
  void annotate(const Node& node, const Op& op, bool composed);

  const Model& model_;
  Document document_;
  FileNames names_;
  std::map<Value, std::string> value_names_;
  std::map<NodeId, std::string> node_names_;
  Annotations annotations_;
};

// Inputs and outputs keep their names whatever else is called so.
Status Exporter::name_interface() {
  Graph& graph = document_.graph;
  for (const NodeId id : model_.inputs()) {
    const Node& node = model_.node(id);
    const std::string name = names_.in_both(onnx_name(node.name));
    value_names_[{id, 0}] = node_names_[id] = name;
    graph.inputs.push_back(declared(name, node.outputs[0]));
  }
  for (const Output& output : model_.outputs()) {
    CAMBIUM_TRY(const std::string name, name_output(output));
    graph.outputs.push_back(declared(name, model_.type(output.value)));
    if (model_.weight(output.value) == nullptr) value_names_.emplace(output.value, name);
  }
  return Ok{};
}

Result<std::string> Exporter::name_output(const Output& output) {
  const auto is_called_so = [&](NodeId input) { return model_.node(input).name == output.name; };
  const NodeId source = output.value.node;
  if (model_.node(source).as<Input>() != nullptr && is_called_so(source)) {
    return node_names_.at(source);
  }
  if (std::any_of(model_.inputs().begin(), model_.inputs().end(), is_called_so)) {
    return not_exportable("an output with the name of another input, " + quote(output.name));
  }
  return names_.values.unique(onnx_name(output.name));
}

// Before anything is written, so that no helper takes the name of a node.
void Exporter::name_nodes() {
  for (const NodePtr& node : model_.nodes()) {
    if (node->as<Input>() != nullptr) continue;
    std::string& name = node_names_[node->id];
    if (node->as<Weight>() == nullptr) {
      name = names_.nodes.unique(onnx_name(node->name));
    } else {
      value_names_[{node->id, 0}] = name = names_.in_both(onnx_name(node->name));
    }
  }
}

const std::string& Exporter::name_of_value(Value value) {
  auto& name = value_names_[value];
  if (!name.empty()) return name;
  const std::string& wanted = node_names_.at(value.node);
  name = names_.values.unique(value.slot == 0 ? wanted : fmt::format("{}:{}", wanted, value.slot));
  return name;
}

void Exporter::annotate(const Node& node, const Op& op, bool composed) {
  const std::string& name = node_names_.at(node.id);
  if (node.block != kNoBlock) annotations_.block_of.emplace(name, node.block);
  if (composed) annotations_.composed.insert(name);
  auto exact = inexact_attributes(op, node.outputs[0].dtype);
  if (!exact.empty()) annotations_.exact.emplace(name, std::move(exact));
}

Status Exporter::add(const Node& node) {
  if (node.as<Input>() != nullptr) {
    annotate(node, node.op, false);
    return Ok{};
  }
  if (const Weight* weight = node.as<Weight>()) {
    document_.graph.initializers.push_back({name_of_value({node.id, 0}), weight->value, {}});
    annotate(node, node.op, false);
    return Ok{};
  }
  std::vector<std::string> inputs, outputs;
  for (const Value value : node.inputs) inputs.push_back(name_of_value(value));
  for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) {
    outputs.push_back(name_of_value({node.id, slot}));
  }
  NodeWriter writer(model_, node, node_names_.at(node.id), std::move(inputs), std::move(outputs),
                    names_, document_.graph);
  CAMBIUM_REQUIRE(std::visit([&](const auto& one) { return write(one, writer); }, node.op)
                      .at(fmt::format("node '{}' ({})", node.name, name_of(node.op))));
  annotate(node, node.op, writer.composed());
  return Ok{};
}

Result<Document> Exporter::run() {
  document_.ir_version = kIrVersion;
  document_.producer = "cambium";
  document_.opsets = {{"", kExportOpset}};
  document_.graph.name = model_.name().empty() ? "model" : onnx_name(model_.name());
  CAMBIUM_REQUIRE(name_interface());
  name_nodes();
  for (const NodePtr& node : model_.nodes()) CAMBIUM_REQUIRE(add(*node));
  for (std::size_t i = 0; i < model_.outputs().size(); ++i) {
    const std::string& name = name_of_value(model_.outputs()[i].value);
    const std::string& wanted = document_.graph.outputs[i].name;
    if (name == wanted) continue;
    document_.graph.nodes.push_back(
        {"Identity", "", names_.nodes.unique(wanted), {name}, {wanted}, {}});
  }
  annotations_.blocks.assign(model_.blocks().begin(), model_.blocks().end());
  document_.metadata = {{kAnnotationsKey, text_of(annotations_)}};
  return std::move(document_);
}

// Writes large weights one behind another, each at the start of a page, so that readers may map
// the file.
Status write_external(Document& document, const std::filesystem::path& file) {
  CAMBIUM_TRY(FileWriter stream, FileWriter::create(file.string()));
  std::int64_t offset = 0;
  for (Initializer& one : document.graph.initializers) {
    const std::int64_t length = one.value.type().bytes();
    if (length < kSmallestExternal) continue;
    const std::int64_t start =
        (offset + kExternalAlignment - 1) / kExternalAlignment * kExternalAlignment;
    CAMBIUM_REQUIRE(stream.write(std::string(static_cast<std::size_t>(start - offset), '\0')));
    const auto bytes = one.value.bytes();
    CAMBIUM_REQUIRE(stream.write(
        {reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length)}));
    one.external = ExternalRange{file.filename().string(), start, length};
    offset = start + length;
  }
  return stream.finish();
}

}  // namespace

Result<std::string> export_onnx_bytes(const Model& model) {
  const Model standard = recognize_composites(model).model;
  CAMBIUM_TRY(const Document document, Exporter(standard).run());
  return encode(document);
}

Status export_onnx(const Model& model, const std::filesystem::path& file,
                   const ExportOptions& options) {
  const Model standard = recognize_composites(model).model;
  CAMBIUM_TRY(Document document, Exporter(standard).run());
  document.metadata.insert(document.metadata.end(), options.metadata.begin(),
                           options.metadata.end());
  std::int64_t bytes = 0;
  for (const Initializer& one : document.graph.initializers) bytes += one.value.type().bytes();
  if (bytes > options.external_above) {
    CAMBIUM_REQUIRE(write_external(document, file.string() + ".data"));
  }
  CAMBIUM_TRY(const std::string content, encode(document));
  return write_file(file.string(), content);
}

}  // namespace cambium::model
