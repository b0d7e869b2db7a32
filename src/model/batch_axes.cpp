#include "model/batch_axes.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

#include "base/check.h"
#include "model/builder.h"
#include "model/einsum.h"

namespace cambium::model {

namespace {

struct Seen {
  const Model& model;
  const Node& node;
  const BatchAxes& known;
  std::span<const std::int64_t> given = {};  // axes of the inputs of a body

  const Ints& dims(std::size_t input) const { return model.type(node.inputs[input]).dims; }
  std::int64_t rank(std::size_t input) const {
    return static_cast<std::int64_t>(dims(input).size());
  }
  std::int64_t axis(std::size_t input) const {
    return input < node.inputs.size() ? known.axis[node.inputs[input].node.index] : kNoAxis;
  }
  std::int64_t out_rank() const { return node.outputs[0].rank(); }
};

// The axis, or nothing: samples are mixed or counted there.
using Found = std::optional<std::int64_t>;

// Inputs are aligned at their ends, as broadcasting does.
Found aligned(const Seen& seen) {
  std::int64_t found = kNoAxis;
  for (std::size_t i = 0; i < seen.node.inputs.size(); ++i) {
    if (seen.axis(i) == kNoAxis) continue;
    const std::int64_t axis = seen.axis(i) + seen.out_rank() - seen.rank(i);
    if (found != kNoAxis && found != axis) return std::nullopt;
    found = axis;
  }
  return found;
}

// Inputs are aligned at their beginnings, and all but the first are weights.
Found of_first(const Seen& seen) {
  for (std::size_t i = 1; i < seen.node.inputs.size(); ++i) {
    if (seen.axis(i) != kNoAxis) return std::nullopt;
  }
  return seen.axis(0);
}

// Nothing if samples would be mixed along the axis.
Found unless(std::int64_t mixed, const Seen& seen) {
  if (seen.axis(0) != kNoAxis && seen.axis(0) == mixed) return std::nullopt;
  return of_first(seen);
}

// Where samples must lie along the first axis.
Found only_first(const Seen& seen) {
  const Found found = of_first(seen);
  return found == kNoAxis || found == 0 ? found : std::nullopt;
}

Found rule(const Input&, const Seen& seen) {
  if (!seen.given.empty()) {
    const auto inputs = seen.model.inputs();
    const auto place = std::find(inputs.begin(), inputs.end(), seen.node.id) - inputs.begin();
    return seen.given[static_cast<std::size_t>(place)];
  }
  const Ints& dims = seen.node.outputs[0].dims;
  return !dims.empty() && dims[0] == seen.known.batch ? 0 : kNoAxis;
}
Found rule(const Weight&, const Seen&) {
  return kNoAxis;
}
Found rule(const Conv&, const Seen& seen) {
  return only_first(seen);
}
Found rule(const ConvTranspose&, const Seen& seen) {
  return only_first(seen);
}

Found rule(const MatMul&, const Seen& seen) {
  // The two last axes of each side are a matrix: rows of the left and columns of the right stay.
  if (seen.rank(0) < 2 || seen.rank(1) < 2) {
    return seen.axis(1) == kNoAxis && seen.axis(0) < seen.rank(0) - 1 ? seen.axis(0) : Found();
  }
  if (seen.axis(0) == seen.rank(0) - 1 ||
      (seen.axis(1) != kNoAxis && seen.axis(1) == seen.rank(1) - 2)) {
    return std::nullopt;
  }
  return aligned(seen);
}

Found rule(const Gemm& op, const Seen& seen) {
  if (seen.axis(1) != kNoAxis || seen.axis(2) != kNoAxis) return std::nullopt;
  if (seen.axis(0) == kNoAxis) return kNoAxis;
  return seen.axis(0) == (op.transpose_a ? 1 : 0) ? Found(0) : std::nullopt;
}

Found rule(const Einsum& op, const Seen& seen) {
  const auto equation = parse_einsum(op.equation);
  char letter = 0;
  for (std::size_t i = 0; i < seen.node.inputs.size(); ++i) {
    if (seen.axis(i) == kNoAxis) continue;
    const char own = equation->inputs[i][static_cast<std::size_t>(seen.axis(i))];
    if (letter != 0 && letter != own) return std::nullopt;
    letter = own;
  }
  if (letter == 0) return kNoAxis;
  const std::size_t at = equation->output.find(letter);
  return at == std::string::npos ? Found() : static_cast<std::int64_t>(at);
}

Found rule(const BatchNorm&, const Seen& seen) {
  return only_first(seen);
}
Found rule(const LayerNorm& op, const Seen& seen) {
  return seen.axis(0) >= op.axis ? Found() : of_first(seen);
}
Found rule(const GroupNorm&, const Seen& seen) {
  return only_first(seen);
}
Found rule(const Unary&, const Seen& seen) {
  return of_first(seen);
}
Found rule(const Activation&, const Seen& seen) {
  return of_first(seen);
}
Found rule(const Binary&, const Seen& seen) {
  return aligned(seen);
}
Found rule(const Where&, const Seen& seen) {
  return aligned(seen);
}
Found rule(const Cast&, const Seen& seen) {
  return of_first(seen);
}
Found rule(const Softmax& op, const Seen& seen) {
  return unless(op.axis, seen);
}
Found rule(const LogSoftmax& op, const Seen& seen) {
  return unless(op.axis, seen);
}
// Channels are pooled as apart from each other as samples are.
Found rule(const Pool& op, const Seen& seen) {
  return seen.axis(0) == 1 && !op.with_indices ? Found(1) : only_first(seen);
}

Found rule(const Reduce& op, const Seen& seen) {
  const std::int64_t axis = seen.axis(0);
  if (axis == kNoAxis || op.axes.empty()) return axis;
  if (std::binary_search(op.axes.begin(), op.axes.end(), axis)) return std::nullopt;
  if (op.keep) return axis;
  return axis -
         std::count_if(op.axes.begin(), op.axes.end(), [&](auto gone) { return gone < axis; });
}

Found rule(const ArgReduce& op, const Seen& seen) {
  const std::int64_t axis = seen.axis(0);
  if (axis == kNoAxis) return axis;
  if (axis == op.axis) return std::nullopt;
  return !op.keep && op.axis < axis ? axis - 1 : axis;
}

Found rule(const Concat& op, const Seen& seen) {
  const Found found = aligned(seen);
  return found != kNoAxis && found == op.axis ? Found() : found;
}
Found rule(const Split& op, const Seen& seen) {
  return unless(op.axis, seen);
}

Found rule(const Slice& op, const Seen& seen) {
  const std::int64_t axis = seen.axis(0);
  if (axis == kNoAxis) return axis;
  const auto i = static_cast<std::size_t>(axis);
  const bool whole = op.starts[i] == 0 && op.extents[i] == seen.dims(0)[i];
  return whole && (op.steps[i] == 1 || op.extents[i] == 1) ? Found(axis) : std::nullopt;
}

Found rule(const Gather& op, const Seen& seen) {
  const std::int64_t data = seen.axis(0), indices = seen.axis(1);
  if (data != kNoAxis && indices != kNoAxis) return std::nullopt;
  if (indices != kNoAxis) return op.axis + indices;
  if (data == kNoAxis || data < op.axis) return data;
  return data == op.axis ? Found() : data + seen.rank(1) - 1;
}

// Where the elements before the samples end: the same number of them stands before the new axis.
Found rule(const Reshape& op, const Seen& seen) {
  const std::int64_t axis = seen.axis(0);
  if (axis == kNoAxis) return axis;
  std::int64_t before = 1, passed = 1;
  for (std::int64_t i = 0; i < axis; ++i) before *= seen.dims(0)[static_cast<std::size_t>(i)];
  for (std::size_t i = 0; i < op.dims.size(); ++i) {
    const std::int64_t dim = op.dims[i];
    const bool here = passed == before || (passed < before && passed * dim > before);
    if (here && dim % seen.known.batch == 0 && (dim > 0 || seen.known.batch == 1)) {
      return static_cast<std::int64_t>(i);
    }
    passed *= dim;
  }
  return std::nullopt;
}

Found rule(const Transpose& op, const Seen& seen) {
  if (seen.axis(0) == kNoAxis) return kNoAxis;
  return std::find(op.perm.begin(), op.perm.end(), seen.axis(0)) - op.perm.begin();
}

// What is stretched to the batch of the graph along the first axis follows it.
Found rule(const Expand& op, const Seen& seen) {
  if (seen.axis(0) != kNoAxis) return aligned(seen);
  const bool stretched = seen.rank(0) < seen.out_rank() || seen.dims(0)[0] == 1;
  const bool to_batch = !op.dims.empty() && op.dims[0] == seen.known.batch && op.dims[0] > 1;
  return stretched && to_batch ? Found(0) : kNoAxis;
}

Found rule(const Tile& op, const Seen& seen) {
  const std::int64_t axis = seen.axis(0);
  if (axis != kNoAxis)
    return op.repeats[static_cast<std::size_t>(axis)] == 1 ? Found(axis) : std::nullopt;
  const bool to_batch = !op.repeats.empty() && seen.dims(0)[0] == 1 && op.repeats[0] > 1 &&
                        op.repeats[0] == seen.known.batch;
  return to_batch ? Found(0) : kNoAxis;
}

Found rule(const Pad& op, const Seen& seen) {
  const std::int64_t axis = seen.axis(0);
  if (axis == kNoAxis) return axis;
  const auto i = static_cast<std::size_t>(axis);
  const bool padded = op.pads[i] != 0 || op.pads[i + op.pads.size() / 2] != 0;
  return padded ? Found() : axis;
}

Found rule(const Resize& op, const Seen& seen) {
  const std::int64_t axis = seen.axis(0);
  if (axis == kNoAxis) return axis;
  const auto i = static_cast<std::size_t>(axis);
  return op.sizes[i] == seen.dims(0)[i] && op.scales[i] == 1 ? Found(axis) : std::nullopt;
}

Found rule(const DepthToSpace&, const Seen& seen) {
  return only_first(seen);
}
Found rule(const SpaceToDepth&, const Seen& seen) {
  return only_first(seen);
}

// All outputs must agree, because a node has one axis.
Found rule(const Composite& op, const Seen& seen) {
  std::vector<std::int64_t> given;
  for (std::size_t i = 0; i < seen.node.inputs.size(); ++i) given.push_back(seen.axis(i));
  const BatchAxes inside = batch_axes_of(*op.body, seen.known.batch, given);
  if (inside.fixed) return std::nullopt;
  const auto axis_of = [&](const Output& output) { return inside.axis[output.value.node.index]; };
  const std::int64_t first = axis_of(op.body->outputs()[0]);
  for (const Output& output : op.body->outputs()) {
    if (axis_of(output) != first) return std::nullopt;
  }
  return first;
}

BatchAxes walked(const Model& model, std::int64_t batch, std::span<const std::int64_t> given) {
  BatchAxes axes;
  axes.batch = batch;
  for (const NodePtr& node : model.nodes()) {
    if (node->id.index >= axes.axis.size()) axes.axis.resize(node->id.index + 1, kNoAxis);
    const Seen seen{model, *node, axes, given};
    const Found found = std::visit([&](const auto& op) { return rule(op, seen); }, node->op);
    axes.axis[node->id.index] = found.value_or(kNoAxis);
    if (!found && !axes.fixed) {
      axes.fixed = Rejection(Reason::ShapeMismatch, "batch",
                             fmt::format("{} mixes or counts samples, so the model runs only with "
                                         "its own batch size of {}",
                                         name_of(node->op), axes.batch))
                       .at(fmt::format("node '{}'", node->name));
    }
  }
  return axes;
}

// Attributes that hold the batch along this axis of the result.
Op with_batch(Op op, std::int64_t axis, std::int64_t from, std::int64_t to) {
  const auto change = [&](Ints& dims) {
    std::int64_t& dim = dims[static_cast<std::size_t>(axis)];
    if (dim % from == 0) dim = dim / from * to;
  };
  if (axis == kNoAxis) return op;
  std::visit(
      [&](auto& one) {
        using T = std::decay_t<decltype(one)>;
        if constexpr (std::is_same_v<T, Reshape> || std::is_same_v<T, Expand>) {
          change(one.dims);
        } else if constexpr (std::is_same_v<T, Slice>) {
          change(one.extents);
        } else if constexpr (std::is_same_v<T, Resize>) {
          change(one.sizes);
        } else if constexpr (std::is_same_v<T, Tile>) {
          if (one.repeats[static_cast<std::size_t>(axis)] > 1) change(one.repeats);
        }
      },
      op);
  return op;
}

}  // namespace

BatchAxes batch_axes_of(const Model& model) {
  std::int64_t batch = 1;
  if (!model.inputs().empty()) {
    const Ints& dims = model.type({model.inputs()[0], 0}).dims;
    if (!dims.empty() && dims[0] > 0) batch = dims[0];
  }
  return walked(model, batch, {});
}

BatchAxes batch_axes_of(const Model& body, std::int64_t batch,
                        std::span<const std::int64_t> inputs) {
  CAMBIUM_CHECK(inputs.size() == body.inputs().size(), "one axis per input");
  return walked(body, batch, inputs);
}

Result<Model> with_batch(const Model& model, const BatchAxes& axes, std::int64_t batch) {
  Builder builder(model);
  for (const NodePtr& node : model.nodes()) {
    const std::int64_t axis = axes.axis[node->id.index];
    if (axis == kNoAxis) continue;
    if (const auto* input = node->as<Input>()) {
      Input changed = *input;
      std::int64_t& dim = changed.type.dims[static_cast<std::size_t>(axis)];
      dim = dim / axes.batch * batch;
      builder.set_op(node->id, std::move(changed));
    } else {
      builder.set_op(node->id, with_batch(node->op, axis, axes.batch, batch));
    }
  }
  return std::move(builder).finish();
}

}  // namespace cambium::model
