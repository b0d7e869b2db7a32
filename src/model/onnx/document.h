// An ONNX file as plain C++ values, so that protobuf stays in decode.cpp and encode.cpp. A Document
// is not interpreted yet: import.cpp makes a Model from it, and export.cpp makes it from a Model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/tensor.h"

namespace cambium::model::onnx_io {

struct Graph;

// An attribute of a kind that no supported operator uses (sparse tensor, type, reference ...).
struct UnsupportedAttribute {
  std::string what;
};

using AttributeValue =
    std::variant<float, std::int64_t, std::string, Tensor, std::vector<float>, Ints,
                 std::vector<std::string>, std::shared_ptr<const Graph>, UnsupportedAttribute>;

struct Attribute {
  std::string name;
  AttributeValue value;
};

struct NodeRecord {
  std::string type, domain, name;
  std::vector<std::string> inputs, outputs;  // an empty name is an absent optional input or output
  std::vector<Attribute> attributes;
};

struct Dim {
  std::optional<std::int64_t> size;  // absent: free
  std::string name;                  // of a free dimension; may be empty
};

struct ValueInfo {
  std::string name;
  std::optional<DType> dtype;            // absent: undeclared, or `unsupported` names the type
  std::string unsupported;               // "a sequence", "a tensor of strings"
  std::optional<std::vector<Dim>> dims;  // absent: not even the rank is declared
};

// The location of a tensor's bytes outside the model file.
struct ExternalRange {
  std::string location;  // relative to the folder of the model
  std::int64_t offset = 0, length = 0;
};

struct Initializer {
  std::string name;
  Tensor value;
  std::optional<ExternalRange> external;  // only for writing; reading resolves it
};

struct Graph {
  std::string name;
  std::vector<NodeRecord> nodes;
  std::vector<Initializer> initializers;
  std::vector<ValueInfo> inputs, outputs;
};

struct Document {
  std::int64_t ir_version = 0;
  std::string producer;                                      // only for writing
  std::vector<std::pair<std::string, std::int64_t>> opsets;  // domain and version
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<std::string> functions;  // names of model-local functions
  Graph graph;
};

}  // namespace cambium::model::onnx_io
