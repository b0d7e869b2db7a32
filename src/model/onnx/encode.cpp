#include "model/onnx/encode.h"

#include <limits>
#include <type_traits>

#include "base/check.h"
#include "model/onnx/element_type.h"
#include "model/onnx/tensor_proto.h"

namespace cambium::model::onnx_io {

namespace {

void put_graph(const Graph& graph, onnx::GraphProto& proto);

void put_attribute(const Attribute& attribute, onnx::AttributeProto& proto) {
  using A = onnx::AttributeProto;
  proto.set_name(attribute.name);
  if (const auto* number = std::get_if<float>(&attribute.value)) {
    proto.set_type(A::FLOAT);
    proto.set_f(*number);
  } else if (const auto* integer = std::get_if<std::int64_t>(&attribute.value)) {
    proto.set_type(A::INT);
    proto.set_i(*integer);
  } else if (const auto* text = std::get_if<std::string>(&attribute.value)) {
    proto.set_type(A::STRING);
    proto.set_s(*text);
  } else if (const auto* integers = std::get_if<Ints>(&attribute.value)) {
    proto.set_type(A::INTS);
    for (const std::int64_t value : *integers) proto.add_ints(value);
  } else if (const auto* numbers = std::get_if<std::vector<float>>(&attribute.value)) {
    proto.set_type(A::FLOATS);
    for (const float value : *numbers) proto.add_floats(value);
  } else if (const auto* tensor = std::get_if<Tensor>(&attribute.value)) {
    proto.set_type(A::TENSOR);
    put_tensor(*tensor, *proto.mutable_t());
  } else if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&attribute.value)) {
    proto.set_type(A::GRAPH);
    put_graph(**graph, *proto.mutable_g());
  } else {
    report_bug(__FILE__, __LINE__, "an attribute that can be written", attribute.name);
  }
}

void put_node(const NodeRecord& record, onnx::NodeProto& proto) {
  for (const std::string& input : record.inputs) proto.add_input(input);
  for (const std::string& output : record.outputs) proto.add_output(output);
  proto.set_name(record.name);
  proto.set_op_type(record.type);
  if (!record.domain.empty()) proto.set_domain(record.domain);
  for (const Attribute& attribute : record.attributes) {
    put_attribute(attribute, *proto.add_attribute());
  }
}

void put_value_info(const ValueInfo& info, onnx::ValueInfoProto& proto) {
  proto.set_name(info.name);
  auto* type = proto.mutable_type()->mutable_tensor_type();
  if (info.dtype) type->set_elem_type(static_cast<int>(code_of(*info.dtype)));
  if (!info.dims) return;
  auto* shape = type->mutable_shape();
  for (const Dim& dim : *info.dims) {
    auto* written = shape->add_dim();
    if (dim.size) written->set_dim_value(*dim.size);
    if (!dim.size && !dim.name.empty()) written->set_dim_param(dim.name);
  }
}

void put_initializer(const Initializer& initializer, onnx::TensorProto& proto) {
  proto.set_name(initializer.name);
  if (initializer.external) {
    put_external_tensor(initializer.value.type(), *initializer.external, proto);
  } else {
    put_tensor(initializer.value, proto);
  }
}

void put_graph(const Graph& graph, onnx::GraphProto& proto) {
  proto.set_name(graph.name);
  for (const NodeRecord& node : graph.nodes) put_node(node, *proto.add_node());
  for (const Initializer& one : graph.initializers) put_initializer(one, *proto.add_initializer());
  for (const ValueInfo& info : graph.inputs) put_value_info(info, *proto.add_input());
  for (const ValueInfo& info : graph.outputs) put_value_info(info, *proto.add_output());
}

}  // namespace

Result<std::string> encode(const Document& document) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
  std::int64_t inside = 0;
  for (const Initializer& one : document.graph.initializers) {
    if (!one.external) inside += one.value.type().bytes();
  }
  if (inside > kLargest) {
    return Rejection(Reason::TooLarge, "the model without external data", "", inside, kLargest);
  }
  onnx::ModelProto proto;
  proto.set_ir_version(document.ir_version);
  proto.set_producer_name(document.producer);
  for (const auto& [domain, version] : document.opsets) {
    auto* entry = proto.add_opset_import();
    entry->set_domain(domain);
    entry->set_version(version);
  }
  for (const auto& [key, value] : document.metadata) {
    auto* entry = proto.add_metadata_props();
    entry->set_key(key);
    entry->set_value(value);
  }
  for (const std::string& name : document.functions) proto.add_functions()->set_name(name);
  put_graph(document.graph, *proto.mutable_graph());
  if (proto.ByteSizeLong() > static_cast<std::size_t>(kLargest)) {
    return Rejection(Reason::TooLarge, "the model without external data", "",
                     static_cast<std::int64_t>(proto.ByteSizeLong()), kLargest);
  }
  return proto.SerializeAsString();
}

}  // namespace cambium::model::onnx_io
