// Operators that move elements and compute nothing.
#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "model/infer.h"
#include "model/onnx/decimal.h"
#include "model/onnx/resize_rows.h"
#include "model/onnx/rows.h"

namespace cambium::model::onnx_io {

namespace {

Status concat(NodeContext& n) {
  std::vector<Operand> inputs;
  for (std::size_t i = 0; i < n.count(); ++i) inputs.push_back(n.in(i));
  if (n.raw("axis") == nullptr) return bad_attribute("axis", "is missing");
  CAMBIUM_TRY(const std::int64_t axis, n.axis_or("axis", 0, n.type(0).rank()));
  return n.give(Concat{axis}, inputs);
}

Result<Ints> equal_parts(std::int64_t size, std::int64_t parts, bool may_leave_a_rest) {
  if (parts < 1 || parts > 1 << 16)
    return bad_attribute("num_outputs", "is not a valid number of parts");
  if (!may_leave_a_rest && size % parts != 0) {
    return bad_shape("input", fmt::format("{} cannot be divided into {} equal parts", size, parts));
  }
  const std::int64_t part = (size + parts - 1) / parts;
  Ints sizes(static_cast<std::size_t>(parts), part);
  sizes.back() = size - part * (parts - 1);
  if (sizes.back() < 0)
    return bad_shape("input", fmt::format("{} is less than the number of parts", size));
  return sizes;
}

Status split(NodeContext& n) {
  const TensorType& x = n.type(0);
  CAMBIUM_TRY(const std::int64_t axis, n.axis_or("axis", 0, x.rank()));
  std::optional<Ints> sizes;
  if (n.opset() < 13) {
    CAMBIUM_TRY(sizes, n.maybe_ints("split"));
  } else if (n.has(1)) {
    CAMBIUM_TRY(sizes, n.known_ints(1, "split"));
  }
  auto parts = static_cast<std::int64_t>(n.output_count());
  if (n.opset() >= 18) {
    CAMBIUM_TRY(parts, n.int_or("num_outputs", parts));
  }
  if (!sizes) {
    CAMBIUM_TRY(sizes, equal_parts(x.dims[static_cast<std::size_t>(axis)], parts, n.opset() >= 18));
  }
  if (sizes->size() != n.output_count()) {
    return bad_attribute(
        "split", fmt::format("has {} entries for {} outputs", sizes->size(), n.output_count()));
  }
  return n.give(Split{axis, *std::move(sizes)}, {n.in(0)});
}

// One axis of a slice as numpy counts: negative numbers from the end, too large ones clamped.
void place_slice(std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step,
                 std::size_t axis, Slice& op) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 62;
  step = std::clamp(step, -kLargest, kLargest);
  const auto from_front = [&](std::int64_t at) {
    return at < 0 ? std::max(at, -kLargest) + dim : at;
  };
  const std::int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? dim : dim - 1;
  start = std::clamp(from_front(start), std::min<std::int64_t>(0, highest), highest);
  end = std::clamp(from_front(end), std::min(lowest, highest), highest);
  const std::int64_t distance = step > 0 ? end - start : start - end;
  const std::int64_t stride = step > 0 ? step : -step;
  op.starts[axis] = std::max<std::int64_t>(start, 0);
  op.extents[axis] = distance <= 0 ? 0 : (distance - 1) / stride + 1;
  op.steps[axis] = step;
}

Status give_slice(NodeContext& n, const Ints& starts, const Ints& ends, Ints axes, Ints steps) {
  const TensorType& x = n.type(0);
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  if (steps.empty()) steps.assign(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    return bad_attribute("starts, ends, axes, steps", "differ in length");
  }
  Slice op{Ints(x.dims.size(), 0), x.dims, Ints(x.dims.size(), 1)};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    CAMBIUM_TRY(const std::int64_t axis, NodeContext::axis_in(axes[i], x.rank()));
    if (steps[i] == 0) return bad_attribute("steps", "a step must not be 0");
    const auto at = static_cast<std::size_t>(axis);
    place_slice(x.dims[at], starts[i], ends[i], steps[i], at, op);
  }
  return n.give(op, {n.in(0)});
}

Status slice_by_attributes(NodeContext& n) {
  CAMBIUM_TRY(const Ints starts, n.ints_or("starts", {}));
  CAMBIUM_TRY(const Ints ends, n.ints_or("ends", {}));
  CAMBIUM_TRY(const Ints axes, n.ints_or("axes", {}));
  return give_slice(n, starts, ends, axes, {});
}

Status slice(NodeContext& n) {
  CAMBIUM_TRY(const Ints starts, n.known_ints(1, "starts"));
  CAMBIUM_TRY(const Ints ends, n.known_ints(2, "ends"));
  Ints axes, steps;
  if (n.has(3)) {
    CAMBIUM_TRY(axes, n.known_ints(3, "axes"));
  }
  if (n.has(4)) {
    CAMBIUM_TRY(steps, n.known_ints(4, "steps"));
  }
  return give_slice(n, starts, ends, axes, steps);
}

Status transpose(NodeContext& n) {
  Ints reversed(n.type(0).dims.size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  CAMBIUM_TRY(const Ints perm, n.ints_or("perm", reversed));
  return n.give(Transpose{perm}, {n.in(0)});
}

Status expand(NodeContext& n) {
  CAMBIUM_TRY(const Ints wanted, n.known_ints(1, "shape"));
  CAMBIUM_TRY(Ints dims, broadcast(n.type(0).dims, wanted));
  return n.give(Expand{std::move(dims)}, {n.in(0)});
}

Status tile(NodeContext& n) {
  CAMBIUM_TRY(const Ints repeats, n.known_ints(1, "repeats"));
  return n.give(Tile{repeats}, {n.in(0)});
}

Result<PadMode> pad_mode(NodeContext& n) {
  CAMBIUM_TRY(const std::string text, n.text_or("mode", "constant"));
  if (const auto mode = enumerator_named<PadMode>(text)) return *mode;
  return bad_attribute("mode", "'" + text + "' is not supported");
}

Status pad_by_attributes(NodeContext& n) {
  CAMBIUM_TRY(const PadMode mode, pad_mode(n));
  CAMBIUM_TRY(const Ints pads, n.ints_or("pads", {}));
  CAMBIUM_TRY(const double value, n.number_or("value", 0));
  return n.give(Pad{mode, pads, value}, {n.in(0)});
}

Status pad(NodeContext& n) {
  const TensorType& x = n.type(0);
  CAMBIUM_TRY(const PadMode mode, pad_mode(n));
  CAMBIUM_TRY(Ints pads, n.known_ints(1, "pads"));
  double value = 0;
  if (n.has(2)) {
    CAMBIUM_TRY(const Tensor tensor, n.known(2, "constant_value"));
    if (tensor.elements() != 1) return bad_shape("constant_value", "must be one number");
    value =
        tensor.dtype() == DType::F32 ? decimal_of(tensor.as<float>()[0]) : tensor.to_doubles()[0];
  }
  if (n.opset() >= 18 && n.has(3)) {
    CAMBIUM_TRY(const Ints axes, n.known_ints(3, "axes"));
    if (pads.size() != 2 * axes.size()) return bad_attribute("pads", "do not match the axes");
    Ints all(2 * x.dims.size(), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      CAMBIUM_TRY(const std::int64_t axis, NodeContext::axis_in(axes[i], x.rank()));
      all[static_cast<std::size_t>(axis)] = pads[i];
      all[static_cast<std::size_t>(axis) + x.dims.size()] = pads[i + axes.size()];
    }
    pads = std::move(all);
  }
  return n.give(Pad{mode, std::move(pads), value}, {n.in(0)});
}

Status depth_to_space(NodeContext& n) {
  CAMBIUM_TRY(const std::int64_t block, n.int_or("blocksize", 0));
  CAMBIUM_TRY(const std::string mode, n.text_or("mode", "DCR"));
  if (mode != "DCR" && mode != "CRD") return bad_attribute("mode", "'" + mode + "' is not known");
  return n.give(DepthToSpace{block, mode == "CRD"}, {n.in(0)});
}

Status space_to_depth(NodeContext& n) {
  CAMBIUM_TRY(const std::int64_t block, n.int_or("blocksize", 0));
  return n.give(SpaceToDepth{block}, {n.in(0)});
}

constexpr Row kMovementRows[] = {
    {"Concat", 4, kAny, 1, kAny, concat},
    {"Split", 2, 12, 1, 1, split},
    {"Split", 13, kAny, 1, 2, split},
    {"Slice", 1, 9, 1, 1, slice_by_attributes},
    {"Slice", 10, kAny, 3, 5, slice},
    {"Transpose", 1, kAny, 1, 1, transpose},
    {"Expand", 8, kAny, 2, 2, expand},
    {"Tile", 6, kAny, 2, 2, tile},
    {"Pad", 2, 10, 1, 1, pad_by_attributes},
    {"Pad", 11, kAny, 2, 4, pad},
    {"Resize", 10, 10, 2, 2, resize_by_scales},
    {"Resize", 11, kAny, 1, 4, resize},
    {"Upsample", 7, 8, 1, 1, resize_by_scales},
    {"Upsample", 9, 9, 2, 2, resize_by_scales},
    {"DepthToSpace", 1, kAny, 1, 1, depth_to_space},
    {"SpaceToDepth", 1, kAny, 1, 1, space_to_depth},
};

}  // namespace

std::span<const Row> movement_rows() {
  return kMovementRows;
}

}  // namespace cambium::model::onnx_io
