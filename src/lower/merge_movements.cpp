#include "lower/passes.h"
#include "model/builder.h"

namespace cambium::lower {

using namespace model;

Result<Model> merge_movements(const Model& model) {
  Builder builder(model);
  for (const NodePtr& original : model.nodes()) {
    const Node node = builder.node(original->id);
    if (node.inputs.size() != 1) continue;
    const Node before = builder.node(node.inputs[0].node);
    Value merged;
    if (node.as<Reshape>() != nullptr && before.as<Reshape>() != nullptr) {
      merged = builder.add(node.op, {before.inputs[0]}, node.name);
    }
    const Transpose* outer = node.as<Transpose>();
    const Transpose* inner = before.as<Transpose>();
    if (outer != nullptr && inner != nullptr) {
      Ints perm;
      for (const std::int64_t axis : outer->perm) {
        perm.push_back(inner->perm[static_cast<std::size_t>(axis)]);
      }
      merged = builder.add(Transpose{perm}, {before.inputs[0]}, node.name);
    }
    if (merged.valid()) builder.replace({node.id, 0}, merged);
  }
  return std::move(builder).finish();
}

}  // namespace cambium::lower
