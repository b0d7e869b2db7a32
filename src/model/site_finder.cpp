#include "model/site_finder.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace cambium::model {

namespace {

class Finder {
 public:
  explicit Finder(const Model& model) : model_(model), uses_(model) {
    for (const NodePtr& node : model.nodes()) {
      if (node->block != kNoBlock && node->as<Weight>() == nullptr) {
        members_[node->block].push_back(node->id);
      }
    }
  }

  std::vector<FoundSite> run() const {
    std::vector<FoundSite> out;
    const auto keep = [&](std::optional<FoundSite> site) {
      if (site) out.push_back(std::move(*site));
    };
    for (const NodePtr& node : model_.nodes()) {
      if (node->block != kNoBlock) {
        const auto members = members_.find(node->block);
        if (members != members_.end() && members->second.front() == node->id) {
          keep(block_site(node->block, members->second));
        }
      }
      keep(conv_site(*node));
      keep(linear_site(*node));
    }
    return out;
  }

 private:
  std::string block_type(const Node& node) const {
    return node.block == kNoBlock ? std::string() : model_.blocks()[node.block].type;
  }

  bool is_weight(Value value) const { return model_.weight(value) != nullptr; }

  // The weights that these nodes read, each use of one.
  std::vector<SiteWeight> weights_of(const std::vector<NodeId>& nodes) const {
    const std::unordered_set<NodeId> inside(nodes.begin(), nodes.end());
    std::vector<SiteWeight> out;
    for (const NodeId id : nodes) {
      const Node& node = model_.node(id);
      for (std::uint32_t i = 0; i < node.inputs.size(); ++i) {
        if (!is_weight(node.inputs[i])) continue;
        const auto uses = uses_.of(node.inputs[i]);
        const bool shared = std::any_of(
            uses.begin(), uses.end(), [&](const Use& use) { return inside.count(use.node) == 0; });
        out.push_back({node.inputs[i], id, i, WeightRole::Other, shared});
      }
    }
    return out;
  }

  std::optional<FoundSite> conv_site(const Node& node) const {
    const Conv* conv = node.as<Conv>();
    if (conv == nullptr || !is_weight(node.inputs[1]) || is_weight(node.inputs[0])) return {};
    if (node.inputs.size() == 3 && !is_weight(node.inputs[2])) return {};
    const TensorType& x = model_.type(node.inputs[0]);
    const TensorType& w = model_.type(node.inputs[1]);
    const TensorType& y = node.outputs[0];
    FoundSite found;
    SiteFacts& facts = found.facts;
    facts = {SiteKind::Conv, node.name, block_type(node), {},    conv->strides, conv->dilations,
             conv->groups,   x.dims[1], y.dims[1],        false, true};
    facts.kernel = {w.dims.begin() + 2, w.dims.end()};
    facts.depthwise = conv->groups > 1 && conv->groups == facts.in;
    for (std::size_t i = 0; i < conv->strides.size(); ++i) {
      const std::int64_t stride = conv->strides[i];
      const std::int64_t size = x.dims[i + 2];
      if (y.dims[i + 2] != size / stride + (size % stride != 0 ? 1 : 0)) facts.same = false;
    }
    found.site = {node.name, {node.id}, {node.inputs[0]}, {{node.id, 0}}, weights_of({node.id}),
                  {}};
    for (SiteWeight& weight : found.site.weights) {
      weight.role = weight.input == 1 ? WeightRole::Weight : WeightRole::Bias;
    }
    found.relation = conv_relation(*conv, x, w, y);
    return found;
  }

  // Where the weight of a linear layer stands, and which axes are its channels.
  struct Product {
    std::uint32_t data, weight;
    std::size_t in_axis, out_axis;
  };

  std::optional<Product> product_of(const Node& node) const {
    const Gemm* gemm = node.as<Gemm>();
    if (gemm == nullptr && node.as<MatMul>() == nullptr) return {};
    const bool right = is_weight(node.inputs[1]);
    const bool left = is_weight(node.inputs[0]);
    if (left == right) return {};
    const std::uint32_t data = left ? 1 : 0;
    const std::size_t x_rank = model_.type(node.inputs[data]).dims.size();
    const std::size_t y_rank = node.outputs[0].dims.size();
    if (model_.type(node.inputs[1 - data]).rank() != 2 || x_rank < 2 || x_rank != y_rank) return {};
    if (gemm != nullptr && !is_plain(*gemm, node)) return {};
    const bool transposed = gemm != nullptr && (left ? gemm->transpose_b : gemm->transpose_a);
    // x*W contracts the last axis of x, W*x the one before it; a transposed matrix the other one.
    const bool last = right != transposed;
    return Product{data, 1 - data, x_rank - (last ? 1 : 2), y_rank - (right ? 1 : 2)};
  }

  // Scaled by nothing, and a bias is a weight.
  bool is_plain(const Gemm& gemm, const Node& node) const {
    if (gemm.alpha != 1) return false;
    return node.inputs.size() < 3 || (gemm.beta == 1 && is_weight(node.inputs[2]));
  }

  // The sum with a bias that is the only reader of a product.
  const Node* bias_behind(const Node& node) const {
    const auto uses = uses_.of({node.id, 0});
    if (node.as<MatMul>() == nullptr || uses.size() != 1 || !uses[0].node.valid()) return nullptr;
    const Node& sum = model_.node(uses[0].node);
    const Binary* binary = sum.as<Binary>();
    if (binary == nullptr || binary->fn != BinaryFn::Add) return nullptr;
    const Value other = sum.inputs[1 - uses[0].input];
    if (!is_weight(other) || sum.outputs[0] != node.outputs[0]) return nullptr;
    return is_vector_along(model_.type(other), node) ? &sum : nullptr;
  }

  // One number per output channel; a table over more axes is no bias (position embeddings).
  bool is_vector_along(const TensorType& bias, const Node& node) const {
    const auto product = product_of(node);
    const Ints& out = node.outputs[0].dims;
    if (!product || bias.dims.size() > out.size()) return false;
    const std::size_t shift = out.size() - bias.dims.size();
    for (std::size_t i = 0; i < bias.dims.size(); ++i) {
      if (bias.dims[i] != 1 && i + shift != product->out_axis) return false;
    }
    return true;
  }

  std::optional<FoundSite> linear_site(const Node& node) const {
    const auto product = product_of(node);
    if (!product) return {};
    const TensorType& x = model_.type(node.inputs[product->data]);
    const Node* sum = bias_behind(node);
    const Node& last = sum != nullptr ? *sum : node;
    FoundSite found;
    found.facts.kind = SiteKind::Linear;
    found.facts.name = node.name;
    found.facts.block = block_type(node);
    found.facts.in = x.dims[product->in_axis];
    found.facts.out = node.outputs[0].dims[product->out_axis];
    std::vector<NodeId> nodes{node.id};
    if (sum != nullptr) nodes.push_back(sum->id);
    found.site = {node.name,         nodes, {node.inputs[product->data]}, {{last.id, 0}},
                  weights_of(nodes), {}};
    for (SiteWeight& weight : found.site.weights) {
      const bool matrix = weight.reader == node.id && weight.input == product->weight;
      weight.role = matrix ? WeightRole::Weight : WeightRole::Bias;
    }
    found.relation = linear_relation(x, product->in_axis, last.outputs[0], product->out_axis);
    return found;
  }

  // Whether an input of the place depends on the place: then nothing can stand in for it.
  bool returns(const Site& site, const std::unordered_set<NodeId>& inside) const {
    std::unordered_set<NodeId> behind;
    for (const NodePtr& node : model_.nodes()) {
      if (inside.count(node->id) != 0) continue;
      for (const Value value : node->inputs) {
        if (inside.count(value.node) != 0 || behind.count(value.node) != 0) behind.insert(node->id);
      }
    }
    return std::any_of(site.inputs.begin(), site.inputs.end(),
                       [&](Value value) { return behind.count(value.node) != 0; });
  }

  std::optional<FoundSite> block_site(std::uint32_t block, const std::vector<NodeId>& nodes) const {
    const std::unordered_set<NodeId> inside(nodes.begin(), nodes.end());
    FoundSite found;
    found.facts.kind = SiteKind::Block;
    found.facts.name = model_.blocks()[block].name;
    found.facts.block = model_.blocks()[block].type;
    Site& site = found.site;
    site.name = found.facts.name;
    site.nodes = nodes;
    bool convolves = false;
    for (const NodeId id : nodes) {
      const Node& node = model_.node(id);
      convolves = convolves || node.as<Conv>() != nullptr;
      for (const Value value : node.inputs) {
        if (inside.count(value.node) != 0 || is_weight(value)) continue;
        if (std::find(site.inputs.begin(), site.inputs.end(), value) == site.inputs.end()) {
          site.inputs.push_back(value);
        }
      }
      for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) {
        const auto uses = uses_.of({id, slot});
        if (std::any_of(uses.begin(), uses.end(),
                        [&](const Use& use) { return inside.count(use.node) == 0; })) {
          site.outputs.push_back({id, slot});
        }
      }
    }
    if (site.outputs.empty() || returns(site, inside)) return {};
    site.weights = weights_of(nodes);
    std::vector<TensorType> inputs, outputs;
    for (const Value value : site.inputs) inputs.push_back(model_.type(value));
    for (const Value value : site.outputs) outputs.push_back(model_.type(value));
    const bool channels_first = convolves || outputs[0].rank() >= 4;
    found.relation = block_relation(inputs, outputs, channels_first);
    return found;
  }

  const Model& model_;
  Uses uses_;
  std::unordered_map<std::uint32_t, std::vector<NodeId>> members_;  // by block; no Weight nodes
};

}  // namespace

std::vector<FoundSite> find_sites(const Model& model) {
  return Finder(model).run();
}

}  // namespace cambium::model
