// Operators that only move elements.
#include <algorithm>
#include <numeric>
#include <optional>

#include "model/reference/execute.h"
#include "train/torch/operators.h"
#include "train/torch/tensors.h"

namespace cambium::train {

using model::Ints;

namespace {

// The sources of the elements along one axis: the result of the reference executor for 0, 1, 2, ...
// Nothing: every element stays in place.
std::optional<model::Tensor> sources_of(const model::Op& op_of_axis, std::int64_t size) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(size));
  std::iota(places.begin(), places.end(), 0);
  const std::vector<model::Tensor> input{model::Tensor::of<std::int64_t>({size}, places)};
  model::Tensor moved = model::execute(op_of_axis, input).value().at(0);
  const auto found = moved.as<std::int64_t>();
  if (std::equal(places.begin(), places.end(), found.begin(), found.end())) return std::nullopt;
  return moved;
}

// Moves along one axis by the table of this operator, which the first call makes.
torch::Tensor moved_along(const torch::Tensor& x, std::int64_t axis, const model::Op& op_of_axis,
                          const Call& call) {
  const auto [place, fresh] = call.tables->try_emplace({call.node.id, axis});
  if (fresh) {
    if (const auto sources = sources_of(op_of_axis, x.size(axis))) {
      place->second = to_torch(*sources, {}).to(x.device());
    }
  }
  return place->second.defined() ? torch::index_select(x, axis, place->second) : x;
}

}  // namespace

Tensors run(const model::Concat& op, const Call& call) {
  Tensors parts(call.inputs.begin(), call.inputs.end());
  if (call.batch_axis >= 0 && call.batch_axis != op.axis) {
    // A part that does not depend on the inputs (a class token) has the graph's batch.
    const std::int64_t batch =
        call.at_batch(call.node.outputs[0].dims)[static_cast<std::size_t>(call.batch_axis)];
    for (torch::Tensor& part : parts) {
      const std::int64_t own = part.size(call.batch_axis);
      if (own == batch || own == 0) continue;
      Ints repeats(static_cast<std::size_t>(part.dim()), 1);
      repeats[static_cast<std::size_t>(call.batch_axis)] = (batch + own - 1) / own;
      part = part.repeat(repeats).narrow(call.batch_axis, 0, batch);
    }
  }
  return {torch::cat(parts, op.axis)};
}

Tensors run(const model::Split& op, const Call& call) {
  return torch::split_with_sizes(call.input(0), op.sizes, op.axis);
}

Tensors run(const model::Slice& op, const Call& call) {
  torch::Tensor x = call.input(0);
  const Ints extents = call.at_batch(op.extents);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    const std::int64_t start = op.starts[i], count = extents[i];
    const std::int64_t step = count > 1 ? op.steps[i] : 1;
    if (count == 0) {
      x = x.slice(axis, 0, 0);
    } else if (step > 0) {
      x = x.slice(axis, start, start + (count - 1) * step + 1, step);
    } else {
      x = x.slice(axis, start + (count - 1) * step, start + 1, -step).flip({axis});
    }
  }
  return {x};
}

Tensors run(const model::Gather& op, const Call& call) {
  const torch::Tensor& data = call.input(0);
  const std::int64_t size = data.size(op.axis);
  torch::Tensor indices = call.input(1).to(torch::kLong);
  indices = torch::where(indices < 0, indices + size, indices);
  Ints dims = data.sizes().vec();
  dims.erase(dims.begin() + op.axis);
  const auto shape = indices.sizes();
  dims.insert(dims.begin() + op.axis, shape.begin(), shape.end());
  return {torch::index_select(data, op.axis, indices.reshape({-1})).reshape(dims)};
}

Tensors run(const model::Reshape& op, const Call& call) {
  return {call.input(0).reshape(call.at_batch(op.dims))};
}

Tensors run(const model::Transpose& op, const Call& call) {
  return {call.input(0).permute(op.perm)};
}

Tensors run(const model::Expand& op, const Call& call) {
  return {call.input(0).expand(call.at_batch(op.dims))};
}

Tensors run(const model::Tile& op, const Call& call) {
  // Along the batch axis, either the input or the repeats hold the batch; only the latter is
  // adapted here.
  const bool held =
      call.batch_axis >= 0 && op.repeats[static_cast<std::size_t>(call.batch_axis)] > 1;
  return {call.input(0).repeat(held ? call.at_batch(op.repeats) : op.repeats)};
}

Tensors run(const model::Pad& op, const Call& call) {
  torch::Tensor x = call.input(0);
  const std::size_t rank = op.pads.size() / 2;
  if (op.mode == model::PadMode::Constant) {
    Ints pads;  // last axis first
    for (std::size_t i = rank; i-- > 0;) {
      pads.push_back(op.pads[i]);
      pads.push_back(op.pads[i + rank]);
    }
    const torch::Tensor value = converted(torch::tensor(op.value, torch::kDouble), x.scalar_type());
    return {torch::constant_pad_nd(x, pads, value.item())};
  }
  for (std::size_t i = 0; i < rank; ++i) {
    if (op.pads[i] == 0 && op.pads[i + rank] == 0) continue;
    const model::Pad one{op.mode, {op.pads[i], op.pads[i + rank]}, op.value};
    x = moved_along(x, static_cast<std::int64_t>(i), one, call);
  }
  return {x};
}

Tensors run(const model::Resize& op, const Call& call) {
  torch::Tensor x = call.input(0);
  for (std::size_t i = 0; i < op.sizes.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    if (axis == call.batch_axis && op.scales[i] == 1) continue;
    const model::Resize one{{op.sizes[i]}, {op.scales[i]}, op.coordinates, op.rounding};
    x = moved_along(x, axis, one, call);
  }
  return {x};
}

Tensors run(const model::DepthToSpace& op, const Call& call) {
  const torch::Tensor& x = call.input(0);
  const std::int64_t b = op.block, n = x.size(0), h = x.size(2), w = x.size(3);
  const std::int64_t depth = x.size(1) / (b * b);
  const torch::Tensor blocks = op.column_row_depth
                                   ? x.reshape({n, depth, b, b, h, w}).permute({0, 1, 4, 2, 5, 3})
                                   : x.reshape({n, b, b, depth, h, w}).permute({0, 3, 4, 1, 5, 2});
  return {blocks.reshape({n, depth, h * b, w * b})};
}

Tensors run(const model::SpaceToDepth& op, const Call& call) {
  const torch::Tensor& x = call.input(0);
  const std::int64_t b = op.block, n = x.size(0), c = x.size(1);
  const std::int64_t h = x.size(2) / b, w = x.size(3) / b;
  return {x.reshape({n, c, h, b, w, b}).permute({0, 3, 5, 1, 2, 4}).reshape({n, c * b * b, h, w})};
}

}  // namespace cambium::train
