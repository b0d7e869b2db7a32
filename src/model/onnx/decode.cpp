#include "model/onnx/decode.h"

#include <limits>
#include <utility>

#include <fmt/core.h>
#include <google/protobuf/stubs/logging.h>

#include "base/text.h"
#include "base/utf8.h"
#include "model/onnx/element_type.h"
#include "model/onnx/tensor_proto.h"

namespace cambium::model::onnx_io {

namespace {

// Deeper graphs inside graphs are refused; real files have two levels.
constexpr int kMaxGraphDepth = 8;
constexpr std::size_t kMaxName = 4096;

Rejection malformed(std::string why) {
  return Rejection(Reason::OnnxMalformed, std::move(why));
}

// Names end up in messages of one line and in texts that must parse again.
Result<std::string> name_from(const std::string& text, const char* what) {
  if (text.size() > kMaxName) {
    return malformed(fmt::format("the name of {} is longer than {} bytes", what, kMaxName));
  }
  if (!is_utf8(text)) return malformed(fmt::format("the name of {} is not UTF-8", what));
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      return malformed(fmt::format("the name of {} contains a control character", what));
    }
  }
  return text;
}

class Decoder {
 public:
  explicit Decoder(const std::filesystem::path& folder) : external_(folder) {}

  Result<Graph> graph(onnx::GraphProto& proto, int depth);
  ExternalData& external() { return external_; }

 private:
  Result<NodeRecord> node(onnx::NodeProto& proto, int depth);
  Result<AttributeValue> attribute(onnx::AttributeProto& proto, int depth);
  static Result<ValueInfo> value_info(const onnx::ValueInfoProto& proto);

  ExternalData external_;
};

Result<ValueInfo> Decoder::value_info(const onnx::ValueInfoProto& proto) {
  ValueInfo info;
  CAMBIUM_TRY(info.name, name_from(proto.name(), "an input or output"));
  const onnx::TypeProto& type = proto.type();
  if (type.has_sequence_type()) info.unsupported = "a sequence";
  if (type.has_optional_type()) info.unsupported = "an optional value";
  if (type.has_map_type()) info.unsupported = "a map";
  if (type.has_sparse_tensor_type()) info.unsupported = "a sparse tensor";
  if (type.has_opaque_type()) info.unsupported = "an opaque value";
  if (!type.has_tensor_type()) return info;
  const auto& tensor = type.tensor_type();
  if (tensor.elem_type() != 0) {
    info.dtype = dtype_of_code(tensor.elem_type());
    if (!info.dtype) info.unsupported = "a tensor of " + describe_code(tensor.elem_type());
  }
  if (!tensor.has_shape()) return info;
  info.dims.emplace();
  if (tensor.shape().dim_size() > kMaxRank) {
    return Rejection(Reason::RankTooHigh, tensor.shape().dim_size(), kMaxRank)
        .at("value " + quote(info.name));
  }
  for (const auto& dim : tensor.shape().dim()) {
    Dim read;
    if (dim.has_dim_value()) read.size = dim.dim_value();
    if (dim.has_dim_param()) {
      CAMBIUM_TRY(read.name, name_from(dim.dim_param(), "a dimension"));
    }
    info.dims->push_back(std::move(read));
  }
  return info;
}

Result<AttributeValue> Decoder::attribute(onnx::AttributeProto& proto, int depth) {
  using A = onnx::AttributeProto;
  if (!proto.ref_attr_name().empty()) {
    return AttributeValue(UnsupportedAttribute{"a reference to an attribute of a function"});
  }
  switch (proto.type()) {
    case A::FLOAT: return AttributeValue(proto.f());
    case A::INT: return AttributeValue(std::int64_t{proto.i()});
    case A::STRING: return AttributeValue(proto.s());
    case A::FLOATS:
      return AttributeValue(std::vector<float>(proto.floats().begin(), proto.floats().end()));
    case A::INTS: return AttributeValue(Ints(proto.ints().begin(), proto.ints().end()));
    case A::STRINGS:
      return AttributeValue(
          std::vector<std::string>(proto.strings().begin(), proto.strings().end()));
    case A::TENSOR: {
      CAMBIUM_TRY(Tensor tensor, take_tensor(*proto.mutable_t(), external_));
      return AttributeValue(std::move(tensor));
    }
    case A::GRAPH: {
      CAMBIUM_TRY(Graph inner, graph(*proto.mutable_g(), depth + 1));
      return AttributeValue(std::make_shared<const Graph>(std::move(inner)));
    }
    default: break;
  }
  return AttributeValue(UnsupportedAttribute{"of a kind that is not supported"});
}

Result<NodeRecord> Decoder::node(onnx::NodeProto& proto, int depth) {
  NodeRecord record;
  CAMBIUM_TRY(record.name, name_from(proto.name(), "a node"));
  CAMBIUM_TRY(record.type, name_from(proto.op_type(), "an operator"));
  CAMBIUM_TRY(record.domain, name_from(proto.domain(), "a domain"));
  for (const std::string& input : proto.input()) {
    CAMBIUM_TRY(std::string name, name_from(input, "a value"));
    record.inputs.push_back(std::move(name));
  }
  for (const std::string& output : proto.output()) {
    CAMBIUM_TRY(std::string name, name_from(output, "a value"));
    record.outputs.push_back(std::move(name));
  }
  for (auto& entry : *proto.mutable_attribute()) {
    CAMBIUM_TRY(std::string name, name_from(entry.name(), "an attribute"));
    CAMBIUM_TRY(
        AttributeValue value,
        attribute(entry, depth).at(fmt::format("node '{}' ({})", record.name, record.type)));
    record.attributes.push_back({std::move(name), std::move(value)});
  }
  return record;
}

Result<Graph> Decoder::graph(onnx::GraphProto& proto, int depth) {
  if (depth > kMaxGraphDepth) return malformed("graphs are nested too deeply");
  Graph graph;
  CAMBIUM_TRY(graph.name, name_from(proto.name(), "a graph"));
  if (proto.sparse_initializer_size() > 0) {
    return Rejection(Reason::UnsupportedType,
                     "initializer " + quote(proto.sparse_initializer(0).values().name()),
                     "a sparse tensor");
  }
  for (auto& entry : *proto.mutable_initializer()) {
    CAMBIUM_TRY(std::string name, name_from(entry.name(), "an initializer"));
    CAMBIUM_TRY(Tensor value, take_tensor(entry, external_));
    graph.initializers.push_back({std::move(name), std::move(value), {}});
  }
  for (const auto& entry : proto.input()) {
    CAMBIUM_TRY(ValueInfo info, value_info(entry));
    graph.inputs.push_back(std::move(info));
  }
  for (const auto& entry : proto.output()) {
    CAMBIUM_TRY(ValueInfo info, value_info(entry));
    graph.outputs.push_back(std::move(info));
  }
  for (auto& entry : *proto.mutable_node()) {
    CAMBIUM_TRY(NodeRecord record, node(entry, depth));
    graph.nodes.push_back(std::move(record));
  }
  return graph;
}

// protobuf explains itself on stderr; a refusal is our line, and the only one.
template <class Message>
bool parse(Message& message, std::string_view bytes) {
  const google::protobuf::LogSilencer silence;
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace

Result<Document> decode(std::string_view bytes, const std::filesystem::path& folder) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return Rejection(Reason::TooLarge, "the model", "", static_cast<std::int64_t>(bytes.size()),
                     std::numeric_limits<int>::max());
  }
  onnx::ModelProto proto;
  if (!parse(proto, bytes)) {
    return malformed("the file is truncated or not protobuf");
  }
  if (!proto.has_graph()) return malformed("it contains no graph");
  Document document;
  document.ir_version = proto.ir_version();
  for (const auto& entry : proto.opset_import()) {
    document.opsets.emplace_back(entry.domain(), entry.version());
  }
  for (const auto& entry : proto.metadata_props()) {
    document.metadata.emplace_back(entry.key(), entry.value());
  }
  for (const auto& function : proto.functions()) document.functions.push_back(function.name());
  Decoder decoder(folder);
  CAMBIUM_TRY(document.graph, decoder.graph(*proto.mutable_graph(), 0));
  return document;
}

Result<Tensor> decode_tensor(std::string_view bytes) {
  onnx::TensorProto proto;
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      !parse(proto, bytes)) {
    return malformed("it is not an ONNX tensor");
  }
  ExternalData external{{}};
  return take_tensor(proto, external);
}

}  // namespace cambium::model::onnx_io
