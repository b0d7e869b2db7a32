#include "model/dot.h"

#include <vector>

#include <fmt/core.h>

#include "base/escape.h"

namespace cambium::model {

namespace {

std::string node_line(const Model& model, const Node& node) {
  std::string weights;
  for (const Value value : node.inputs) {
    const Tensor* weight = model.weight(value);
    if (weight != nullptr) weights += "\\n" + weight->type().text();
  }
  return fmt::format("n{} [label=\"{}\\n{}{}\"{}];\n", node.id.index, name_of(node.op),
                     dot_text(node.name), weights,
                     node.as<Input>() != nullptr ? ", shape=ellipse" : "");
}

}  // namespace

std::string to_dot(const Model& model) {
  std::string out = fmt::format(
      "digraph \"{}\" {{\n  node [shape=box, fontname=\"sans-serif\"];\n"
      "  edge [fontname=\"sans-serif\", fontsize=9];\n",
      dot_text(model.name()));
  std::vector<std::string> clusters(model.blocks().size());
  std::string edges;
  for (const NodePtr& node : model.nodes()) {
    if (node->as<Weight>() != nullptr) continue;
    if (node->block < clusters.size()) {
      clusters[node->block] += "    " + node_line(model, *node);
    } else {
      out += "  " + node_line(model, *node);
    }
    for (const Value value : node->inputs) {
      if (model.weight(value) != nullptr) continue;
      edges += fmt::format("  n{} -> n{} [label=\"{}\"];\n", value.node.index, node->id.index,
                           model.type(value).text());
    }
  }
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const Block& block = model.blocks()[i];
    out += fmt::format("  subgraph cluster_{} {{\n    label=\"{} ({})\";\n{}  }}\n", i,
                       dot_text(block.name), dot_text(block.type), clusters[i]);
  }
  for (std::size_t i = 0; i < model.outputs().size(); ++i) {
    const Output& output = model.outputs()[i];
    if (model.weight(output.value) != nullptr) continue;
    out += fmt::format("  out{} [label=\"{}\", shape=ellipse];\n", i, dot_text(output.name));
    edges += fmt::format("  n{} -> out{} [label=\"{}\"];\n", output.value.node.index, i,
                         model.type(output.value).text());
  }
  return out + edges + "}\n";
}

}  // namespace cambium::model
