#include "model/recognize/tidy.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "model/builder.h"

namespace cambium::model::recognition {

namespace {

// A slice without steps of one axis.
struct Piece {
  NodeId node;
  std::size_t axis = 0;
  std::int64_t start = 0, extent = 0;
};

std::optional<Piece> piece_of(const Node& node, const Ints& dims) {
  const auto* slice = node.as<Slice>();
  if (slice == nullptr) return std::nullopt;
  std::optional<Piece> piece;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (slice->starts[i] == 0 && slice->extents[i] == dims[i]) continue;
    if (piece || slice->steps[i] != 1 || slice->extents[i] == 0) return std::nullopt;
    piece = Piece{node.id, i, slice->starts[i], slice->extents[i]};
  }
  return piece;
}

// Pads of a Constant pad or, negative, of a slice without steps.
struct Margins {
  Ints pads;  // as Pad has them
  std::optional<double> fill;
};

std::optional<Margins> margins_of(const Node& node, const Ints& dims) {
  if (const auto* pad = node.as<Pad>(); pad != nullptr && pad->mode == PadMode::Constant) {
    return Margins{pad->pads, pad->value};
  }
  const auto* slice = node.as<Slice>();
  if (slice == nullptr) return std::nullopt;
  Margins margins{Ints(2 * dims.size(), 0), std::nullopt};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (slice->steps[i] != 1 || slice->extents[i] == 0) return std::nullopt;
    margins.pads[i] = -slice->starts[i];
    margins.pads[i + dims.size()] = slice->starts[i] + slice->extents[i] - dims[i];
  }
  return margins;
}

// The one after the other, unless something is cut off and then padded, or all that was is gone.
std::optional<Margins> joined(const Margins& first, const Margins& second, const Ints& dims) {
  if (first.fill && second.fill && *first.fill != *second.fill) return std::nullopt;
  Margins both{first.pads, first.fill ? first.fill : second.fill};
  for (std::size_t i = 0; i < both.pads.size(); ++i) {
    if (first.pads[i] < 0 && second.pads[i] > 0) return std::nullopt;
    both.pads[i] += second.pads[i];
  }
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t cut = std::min<std::int64_t>(both.pads[i], 0) +
                             std::min<std::int64_t>(both.pads[i + dims.size()], 0);
    if (dims[i] + cut <= 0) return std::nullopt;
  }
  return both;
}

Op op_of(const Margins& margins, const Ints& dims) {
  const bool pads = std::any_of(margins.pads.begin(), margins.pads.end(),
                                [](std::int64_t pad) { return pad > 0; });
  if (pads) return Pad{PadMode::Constant, margins.pads, *margins.fill};
  Slice slice{Ints(dims.size(), 0), dims, Ints(dims.size(), 1)};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    slice.starts[i] = -margins.pads[i];
    slice.extents[i] += margins.pads[i] + margins.pads[i + dims.size()];
  }
  return slice;
}

class Tidier {
 public:
  explicit Tidier(const Model& model) : model_(model), uses_(model), builder_(model) {}

  Recognized run(const std::function<bool(NodeId)>& asked) {
    for (const NodePtr& node : model_.nodes()) {
      for (std::uint32_t slot = 0; slot < node->outputs.size(); ++slot) {
        split({node->id, slot}, asked);
      }
    }
    for (const NodePtr& node : model_.nodes()) {
      if (asked(node->id)) join(*node);
    }
    if (out_.found.empty()) return {model_, {}, {}};
    out_.model = std::move(builder_).finish().value();  // everything was typed when it was added
    return std::move(out_);
  }

 private:
  void replace(Value old, Value fresh, const std::string& name, std::uint32_t block,
               const char* what) {
    builder_.set_block(fresh.node, block);
    builder_.replace(old, fresh);
    out_.moved[old] = fresh;
    out_.found.push_back(fmt::format("{}: {}", name, what));
  }

  // The value and others that are the same reshape of the same; none if it is not their first.
  std::vector<Value> alike(Value value) const {
    const Node& node = model_.node(value.node);
    if (node.as<Reshape>() == nullptr) return {value};
    std::vector<Value> same;
    for (const Use& use : uses_.of(node.inputs[0])) {
      if (!use.node.valid()) continue;
      const Node& other = model_.node(use.node);
      if (other.as<Reshape>() != nullptr && other.outputs == node.outputs) {
        same.push_back({other.id, 0});
      }
    }
    return same[0] == value ? same : std::vector<Value>();
  }

  // Slices of one axis that together are the value.
  void split(Value value, const std::function<bool(NodeId)>& asked) {
    const Ints& dims = model_.type(value).dims;
    std::vector<Piece> pieces;
    for (const Value same : alike(value)) {
      for (const Use& use : uses_.of(same)) {
        if (!use.node.valid() || !asked(use.node)) continue;
        const auto piece = piece_of(model_.node(use.node), dims);
        if (piece && (pieces.empty() || piece->axis == pieces[0].axis)) pieces.push_back(*piece);
      }
    }
    if (pieces.size() < 2) return;
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return a.start < b.start; });
    Split op{static_cast<std::int64_t>(pieces[0].axis), {}};
    std::int64_t end = 0;
    for (const Piece& piece : pieces) {
      if (piece.start != end) return;
      end += piece.extent;
      op.sizes.push_back(piece.extent);
    }
    if (end != dims[pieces[0].axis]) return;
    const Node& first = model_.node(pieces[0].node);
    const Value made = builder_.add(op, {value}, first.name + ".split");
    for (std::uint32_t i = 0; i < pieces.size(); ++i) {
      const Node& piece = model_.node(pieces[i].node);
      replace({piece.id, 0}, {made.node, i}, piece.name, first.block, "part of a split");
    }
  }

  // With the pads and slices before it that nobody else reads.
  void join(const Node& node) {
    if (out_.moved.count({node.id, 0}) != 0) return;  // part of a split
    const Node* first = &builder_.node(node.id);
    const auto dims_of = [&](const Node& one) { return builder_.type(one.inputs[0]).dims; };
    if (first->inputs.size() != 1) return;
    auto margins = margins_of(*first, dims_of(*first));
    if (!margins) return;
    bool changed = false;
    for (;;) {
      const Node& before = builder_.node(first->inputs[0].node);
      if (before.inputs.size() != 1 || !model_.contains(before.id)) break;
      if (uses_.of({before.id, 0}).size() != 1) break;
      const auto earlier = margins_of(before, dims_of(before));
      const auto both = earlier ? joined(*earlier, *margins, dims_of(before)) : std::nullopt;
      if (!both) break;
      margins = both;
      first = &before;
      changed = true;
    }
    // What reads it goes on from here, so only the last of a row is added.
    const auto readers = uses_.of({node.id, 0});
    const bool last = readers.size() != 1 || !readers[0].node.valid() ||
                      !margins_of(model_.node(readers[0].node), node.outputs[0].dims);
    if (!changed || !last) return;
    const Value made =
        builder_.add(op_of(*margins, dims_of(*first)), {first->inputs[0]}, node.name + ".joined");
    replace({node.id, 0}, made, node.name, node.block, "one pad or slice for several");
  }

  const Model& model_;
  Uses uses_;
  Builder builder_;
  Recognized out_;
};

}  // namespace

Recognized tidied(const Model& model, const std::function<bool(NodeId)>& asked) {
  return Tidier(model).run(asked);
}

}  // namespace cambium::model::recognition
