#include "model/onnx/import.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "base/file.h"
#include "base/text.h"
#include "model/onnx/annotations.h"
#include "model/onnx/bind.h"
#include "model/onnx/decode.h"
#include "model/onnx/order.h"
#include "model/onnx/recognize.h"
#include "model/onnx/rows.h"

namespace cambium::model {

namespace {

using namespace onnx_io;  // NOLINT(google-build-using-namespace): the inside of this folder

// protobuf reads no more; larger models keep their weights in files beside them.
constexpr std::int64_t kMaxFile = std::numeric_limits<std::int32_t>::max();

class Importer {
 public:
  Importer(const Document& document, const ImportOptions& options, std::int64_t opset,
           bool own_file)
      : document_(document),
        options_(options),
        opset_(opset),
        builder_(document.graph.name.empty() ? "model" : document.graph.name),
        values_(builder_, options.limits, weight_bytes(document.graph), own_file),
        inline_graph_([this](const Graph& graph) { return inlined(graph); }) {}

  Result<Imported> run();

 private:
  static std::int64_t weight_bytes(const Graph& graph) {
    std::int64_t bytes = 0;
    for (const Initializer& one : graph.initializers) bytes += one.value.type().bytes();
    return bytes;
  }

  Operand find(const std::string& name) const;
  Status define(const std::string& name, Operand operand);
  Status add_constants();
  Result<std::vector<std::string>> add_inputs();
  Status add_nodes(const Graph& graph);
  Status add_node(const NodeRecord& node);
  Result<const Row*> row_of(const NodeRecord& node) const;
  Result<std::vector<Operand>> inlined(const Graph& graph);
  void note_outputs(std::vector<std::string>& notes) const;

  const Document& document_;
  const ImportOptions& options_;
  std::int64_t opset_;
  Builder builder_;
  Values values_;
  InlineGraph inline_graph_;
  std::vector<std::unordered_map<std::string, Operand>> scopes_ = {{}};  // innermost last
};

Operand Importer::find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->find(name); found != scope->end()) return found->second;
  }
  return {};
}

Status Importer::define(const std::string& name, Operand operand) {
  if (!scopes_.back().emplace(name, operand).second) {
    return Rejection(Reason::DuplicateValue, name);
  }
  return Ok{};
}

Status Importer::add_constants() {
  for (const Initializer& one : document_.graph.initializers) {
    CAMBIUM_REQUIRE(define(one.name, values_.constant(one.name, one.value)));
  }
  std::vector<std::string> names;
  for (const ValueInfo& input : document_.graph.inputs) names.push_back(input.name);
  for (const auto& [name, tensor] : options_.constants) {
    const auto input =
        std::find_if(document_.graph.inputs.begin(), document_.graph.inputs.end(),
                     [&, &wanted = name](const ValueInfo& info) { return info.name == wanted; });
    if (input == document_.graph.inputs.end()) {
      return Rejection(Reason::UnknownConstant, name, "its inputs are " + join(names, ", "));
    }
    if (input->dtype && *input->dtype != tensor.dtype()) {
      return Rejection(Reason::WrongType, "constant " + quote(name),
                       fmt::format("is {}, the input is {}", cambium::name_of(tensor.dtype()),
                                   cambium::name_of(*input->dtype)));
    }
    CAMBIUM_REQUIRE(define(name, values_.constant(name, tensor)));
  }
  return Ok{};
}

Result<std::vector<std::string>> Importer::add_inputs() {
  std::vector<const ValueInfo*> inputs;
  std::set<std::string> seen;
  for (const ValueInfo& input : document_.graph.inputs) {
    if (!seen.insert(input.name).second) return Rejection(Reason::DuplicateValue, input.name);
    // An initializer of the same name is the input's default; that is what it is here.
    if (!find(input.name).valid()) inputs.push_back(&input);
  }
  CAMBIUM_TRY(BoundInputs bound, bind_inputs(inputs, options_.bind));
  for (const auto& [name, type] : bound.inputs) {
    CAMBIUM_REQUIRE(define(name, values_.input(name, builder_.input(name, type))));
  }
  CAMBIUM_REQUIRE(builder_.status());
  return std::move(bound.notes);
}

Result<const Row*> Importer::row_of(const NodeRecord& node) const {
  if (std::find(document_.functions.begin(), document_.functions.end(), node.type) !=
      document_.functions.end()) {
    return Rejection(Reason::UnsupportedOperator, node.type, ": it is a function of the model");
  }
  if (!node.domain.empty() && node.domain != "ai.onnx") {
    return Rejection(Reason::UnsupportedOperator, node.type, " (domain " + node.domain + ")");
  }
  return find_row(node.type, opset_);
}

Status Importer::add_node(const NodeRecord& node) {
  CAMBIUM_TRY(const Row* row, row_of(node));
  std::vector<Operand> inputs;
  for (const std::string& name : node.inputs) {
    inputs.push_back(name.empty() ? Operand{} : find(name));
    if (!name.empty() && !inputs.back().valid()) return Rejection(Reason::UndefinedValue, name);
  }
  NodeContext context(node, opset_, values_, std::move(inputs), inline_graph_);
  const auto count = static_cast<int>(context.count());
  bool all_there = count >= row->fewest;
  for (int i = 0; i < row->fewest && all_there; ++i) {
    all_there = context.has(static_cast<std::size_t>(i));
  }
  // Of operators with any number of inputs, none may be left out.
  for (int i = 0; row->most == kAny && i < count && all_there; ++i) {
    all_there = context.has(static_cast<std::size_t>(i));
  }
  if (!all_there || count > row->most) {
    return Rejection(Reason::WrongInputCount, count, row->fewest,
                     row->most == kAny ? -1 : row->most);
  }
  CAMBIUM_REQUIRE(row->handler(context));
  CAMBIUM_REQUIRE(context.all_attributes_read());
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    if (!context.outputs()[i].valid()) {
      return Rejection(Reason::UnsupportedOperator, node.type,
                       fmt::format(" with output {} ('{}')", i, node.outputs[i]));
    }
    CAMBIUM_REQUIRE(define(node.outputs[i], context.outputs()[i]));
  }
  return Ok{};
}

Status Importer::add_nodes(const Graph& graph) {
  CAMBIUM_TRY(const std::vector<const NodeRecord*> order,
              live_order(graph, [this](const std::string& name) { return find(name).valid(); }));
  for (const NodeRecord* node : order) CAMBIUM_REQUIRE(add_node(*node).at(place_of(*node)));
  return Ok{};
}

Result<std::vector<Operand>> Importer::inlined(const Graph& graph) {
  scopes_.emplace_back();
  for (const Initializer& one : graph.initializers) {
    CAMBIUM_REQUIRE(define(one.name, values_.constant(one.name, one.value)));
  }
  CAMBIUM_REQUIRE(add_nodes(graph));
  std::vector<Operand> outputs;
  for (const ValueInfo& output : graph.outputs) outputs.push_back(find(output.name));
  scopes_.pop_back();
  return outputs;
}

// Exporters write wrong shapes for outputs now and then; what was computed counts.
void Importer::note_outputs(std::vector<std::string>& notes) const {
  for (const ValueInfo& output : document_.graph.outputs) {
    const TensorType& type = values_.type(find(output.name));
    bool differs = output.dtype && *output.dtype != type.dtype;
    if (output.dims) {
      differs = differs || output.dims->size() != type.dims.size();
      for (std::size_t i = 0; i < output.dims->size() && !differs; ++i) {
        differs = (*output.dims)[i].size && *(*output.dims)[i].size != type.dims[i];
      }
    }
    if (differs) {
      notes.push_back(fmt::format("output {} is {}, but the file declares another type",
                                  quote(output.name), type.text()));
    }
  }
}

Result<Imported> Importer::run() {
  CAMBIUM_REQUIRE(add_constants());
  CAMBIUM_TRY(std::vector<std::string> notes, add_inputs());
  CAMBIUM_REQUIRE(add_nodes(document_.graph));
  std::set<std::string> seen;
  for (const ValueInfo& output : document_.graph.outputs) {
    if (!seen.insert(output.name).second) return Rejection(Reason::DuplicateValue, output.name);
    builder_.output(output.name, values_.in_model(find(output.name)));
  }
  note_outputs(notes);
  CAMBIUM_TRY(Model model, std::move(builder_).finish());
  return Imported{std::move(model), std::move(notes), {}};
}

Result<std::int64_t> opset_of(const Document& document) {
  std::int64_t opset = document.ir_version < 3 ? 1 : 0;
  for (const auto& [domain, version] : document.opsets) {
    if (domain.empty() || domain == "ai.onnx") opset = version;
  }
  if (opset == 0) return Rejection(Reason::OnnxMalformed, "it does not name its opset");
  if (opset < kOldestOpset || opset > kNewestOpset) {
    return Rejection(Reason::UnsupportedOpset, opset, kOldestOpset, kNewestOpset);
  }
  return opset;
}

Result<Imported> import_document(const Document& document, const ImportOptions& options) {
  CAMBIUM_TRY(const std::int64_t opset, opset_of(document));
  const auto entry = std::find_if(document.metadata.begin(), document.metadata.end(),
                                  [](const auto& pair) { return pair.first == kAnnotationsKey; });
  const bool own_file = entry != document.metadata.end();
  const Annotations annotations = own_file ? parse_annotations(entry->second) : Annotations{};
  CAMBIUM_TRY(Imported imported, Importer(document, options, opset, own_file).run());
  CAMBIUM_TRY(imported.model, recognize(imported.model, own_file ? &annotations : nullptr));
  imported.metadata = {document.metadata.begin(), document.metadata.end()};
  imported.metadata.erase(kAnnotationsKey);
  return imported;
}

}  // namespace

Result<Imported> import_onnx_bytes(std::string_view bytes, const std::filesystem::path& folder,
                                   const ImportOptions& options) {
  CAMBIUM_TRY(const Document document, decode(bytes, folder));
  return import_document(document, options);
}

Result<Imported> import_onnx(const std::filesystem::path& file, const ImportOptions& options) {
  CAMBIUM_TRY(std::string bytes, read_file(file.string(), kMaxFile));
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  auto document = decode(bytes, folder);
  bytes = {};  // before the model is made: a large file is not held twice
  if (!document.ok()) return std::move(document).rejection().at(file.string());
  return import_document(*document, options).at(file.string());
}

Result<Tensor> read_onnx_tensor(const std::filesystem::path& file) {
  CAMBIUM_TRY(const std::string bytes, read_file(file.string()));
  return decode_tensor(bytes).at(file.string());
}

}  // namespace cambium::model
