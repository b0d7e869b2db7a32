#include <utility>
#include <vector>

#include "lower/passes.h"
#include "model/builder.h"
#include "model/reference/execute.h"

namespace cambium::lower {
namespace {

using namespace model;

constexpr std::int64_t kMostGrowth = 1 << 20;  // bytes

// The weights that a node reads; nothing if it reads anything else, or is a leaf.
std::vector<Tensor> constants_read(const Builder& builder, const Node& node) {
  std::vector<Tensor> read;
  for (const Value value : node.inputs) {
    const Tensor* weight = builder.weight_of(value);
    if (weight == nullptr) return {};
    read.push_back(*weight);
  }
  return read;
}

}  // namespace

Result<Model> fold_constants(const Model& model) {
  Builder builder(model);
  for (const NodePtr& original : model.nodes()) {
    const Node node = builder.node(original->id);  // a copy: adding moves the builder's nodes
    const std::vector<Tensor> read = constants_read(builder, node);
    if (read.empty()) continue;
    std::int64_t bytes_read = 0, bytes_made = 0;
    for (const Tensor& tensor : read) bytes_read += tensor.type().bytes();
    for (const TensorType& type : node.outputs) bytes_made += type.bytes();
    if (bytes_made > bytes_read + kMostGrowth) continue;
    auto made = execute(node.op, read);
    if (!made.ok()) continue;  // an index out of range, say: left for whoever runs the model
    for (std::uint32_t slot = 0; slot < made->size(); ++slot) {
      builder.replace({node.id, slot}, builder.weight(node.name, std::move((*made)[slot])));
    }
  }
  return std::move(builder).finish();
}

}  // namespace cambium::lower
