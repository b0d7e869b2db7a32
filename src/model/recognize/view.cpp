#include "model/recognize/view.h"

#include "model/recognize/view_steps.h"

namespace cambium::model::recognition {

namespace {

// A model may be a chain of a million movements; nobody writes an operator that way.
constexpr int kDeepest = 100;

std::size_t index(std::int64_t axis) {
  return static_cast<std::size_t>(axis);
}

bool slice_all(View& view, const Slice& op) {
  for (std::size_t d = 0; d < op.starts.size(); ++d) {
    if (!slice_view(view, d, op.starts[d], op.steps[d], op.extents[d])) return false;
  }
  return true;
}

bool pad_all(View& view, const Pad& op) {
  if (op.mode != PadMode::Constant) return false;
  const std::size_t rank = op.pads.size() / 2;
  for (std::size_t d = 0; d < rank; ++d) {
    if (!pad_view(view, d, op.pads[d], op.pads[d + rank], op.value)) return false;
  }
  return true;
}

bool gather(View& view, const Gather& op, const Tensor& indices, std::int64_t extent) {
  if (const std::vector<Step>* steps = indices.steps()) {
    std::int64_t last = 0;
    for (const Step& step : *steps) last += (step.extent - 1) * step.step;
    return last < extent && select_view(view, index(op.axis), *steps, indices.dims());
  }
  Ints places = indices.to_ints();
  for (std::int64_t& place : places) {
    if (place < 0) place += extent;
    if (place < 0 || place >= extent) return false;  // the executor refuses it
  }
  return select_view(view, index(op.axis), places, indices.dims());
}

// Both are a reshape, a transpose and a reshape.
bool depth_to_space(View& view, const DepthToSpace& op, const Ints& x) {
  const std::int64_t b = op.block, depth = x[1] / (b * b);
  const bool split = op.column_row_depth ? reshape_view(view, {x[0], depth, b, b, x[2], x[3]})
                                         : reshape_view(view, {x[0], b, b, depth, x[2], x[3]});
  if (!split) return false;
  transpose_view(view, op.column_row_depth ? Ints{0, 1, 4, 2, 5, 3} : Ints{0, 3, 4, 1, 5, 2});
  return reshape_view(view, {x[0], depth, x[2] * b, x[3] * b});
}

bool space_to_depth(View& view, const SpaceToDepth& op, const Ints& x) {
  const std::int64_t b = op.block;
  if (!reshape_view(view, {x[0], x[1], x[2] / b, b, x[3] / b, b})) return false;
  transpose_view(view, {0, 3, 5, 1, 2, 4});
  return reshape_view(view, {x[0], x[1] * b * b, x[2] / b, x[3] / b});
}

}  // namespace

View Views::opaque(Value value) const {
  const Ints& dims = builder_.type(value).dims;
  View view{value, {}, {}, {}};
  for (std::size_t d = 0; d < dims.size(); ++d) {
    view.coordinates.push_back({dims[d], 0, 0, dims[d], d});
    view.dims.emplace_back();
    if (dims[d] == 1) continue;
    Atom atom{dims[d], Ints(dims.size(), 0)};
    atom.steps[d] = 1;
    view.dims[d].push_back(std::move(atom));
  }
  return view;
}

const View& Views::of(Value value, int depth) {
  const auto known = known_.find(value);
  if (known != known_.end()) return known->second;
  std::optional<View> view;
  if (depth < kDeepest && builder_.type(value).elements() > 0) {
    view = through(builder_.node(value.node), value.slot, depth + 1);
  }
  return known_.emplace(value, view ? std::move(*view) : opaque(value)).first->second;
}

std::optional<View> Views::concat(const Node& node, int depth) {
  const Concat& op = *node.as<Concat>();
  std::vector<const View*> pieces;
  for (const Value piece : node.inputs) {
    // Differing pieces are no shifts of each other; asking for their views would be in vain.
    if (builder_.type(piece) != builder_.type(node.inputs[0])) return std::nullopt;
  }
  for (const Value piece : node.inputs) pieces.push_back(&of(piece, depth));
  return join_views(pieces, index(op.axis));
}

std::optional<View> Views::through(const Node& node, std::uint32_t slot, int depth) {
  if (node.as<Concat>() != nullptr) return concat(node, depth);
  if (node.inputs.empty()) return std::nullopt;
  const Value from = node.inputs[0];
  const TensorType& type = builder_.type(from);
  const bool moves = node.as<Reshape>() || node.as<Transpose>() || node.as<Slice>() ||
                     node.as<Split>() || node.as<Expand>() || node.as<Tile>() || node.as<Pad>() ||
                     node.as<Gather>() || node.as<DepthToSpace>() || node.as<SpaceToDepth>();
  if (!moves || type.elements() == 0) return std::nullopt;
  View view = of(from, depth);
  bool done = true;
  if (const auto* reshape = node.as<Reshape>()) {
    done = reshape_view(view, reshape->dims);
  } else if (const auto* transpose = node.as<Transpose>()) {
    transpose_view(view, transpose->perm);
  } else if (const auto* slice = node.as<Slice>()) {
    done = slice_all(view, *slice);
  } else if (const auto* split = node.as<Split>()) {
    std::int64_t start = 0;
    for (std::uint32_t i = 0; i < slot; ++i) start += split->sizes[i];
    done = slice_view(view, index(split->axis), start, 1, split->sizes[slot]);
  } else if (const auto* expand = node.as<Expand>()) {
    done = expand_view(view, expand->dims);
  } else if (const auto* tile = node.as<Tile>()) {
    tile_view(view, tile->repeats);
  } else if (const auto* pad = node.as<Pad>()) {
    done = pad_all(view, *pad);
  } else if (const auto* to_space = node.as<DepthToSpace>()) {
    done = depth_to_space(view, *to_space, type.dims);
  } else if (const auto* to_depth = node.as<SpaceToDepth>()) {
    done = space_to_depth(view, *to_depth, type.dims);
  } else if (const auto* gathered = node.as<Gather>()) {
    const Tensor* indices = builder_.weight_of(node.inputs[1]);
    done =
        indices != nullptr && gather(view, *gathered, *indices, type.dims[index(gathered->axis)]);
  }
  if (!done) return std::nullopt;
  return view;
}

}  // namespace cambium::model::recognition
