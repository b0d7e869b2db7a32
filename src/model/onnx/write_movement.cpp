// Operators that move elements as ONNX nodes. What determines a shape becomes a constant input.
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/onnx/decimal.h"
#include "model/onnx/node_writer.h"

namespace cambium::model::onnx_io {

Status write(const Concat& op, NodeWriter& w) {
  return w.node("Concat", w.inputs(), {attribute("axis", op.axis)});
}

Status write(const Split& op, NodeWriter& w) {
  return w.node("Split", {w.in(0), w.ints(op.sizes, "sizes")}, {attribute("axis", op.axis)});
}

Status write(const Slice& op, NodeWriter& w) {
  const Ints& dims = w.type(0).dims;
  Ints starts, ends, axes, steps;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (op.starts[i] == 0 && op.extents[i] == dims[i] && op.steps[i] == 1) continue;
    std::int64_t end = op.starts[i];
    if (op.extents[i] > 0) {
      const std::int64_t last = op.starts[i] + (op.extents[i] - 1) * op.steps[i];
      end = op.steps[i] > 0 ? last + 1 : last - 1;
    }
    // Backwards to the front, the end is a negative number, which would count from the back.
    if (end < 0) end = std::numeric_limits<std::int64_t>::min();
    starts.push_back(op.starts[i]);
    ends.push_back(end);
    axes.push_back(static_cast<std::int64_t>(i));
    steps.push_back(op.steps[i]);
  }
  return w.node("Slice", {w.in(0), w.ints(starts, "starts"), w.ints(ends, "ends"),
                          w.ints(axes, "axes"), w.ints(steps, "steps")});
}

Status write(const Gather& op, NodeWriter& w) {
  return w.node("Gather", w.inputs(), {attribute("axis", op.axis)});
}

Status write(const Reshape& op, NodeWriter& w) {
  // A 0 would otherwise copy a dimension of the input.
  const bool zero = std::count(op.dims.begin(), op.dims.end(), 0) > 0;
  return w.node("Reshape", {w.in(0), w.ints(op.dims, "shape")}, {attribute("allowzero", zero)});
}

Status write(const Transpose& op, NodeWriter& w) {
  return w.node("Transpose", w.inputs(), {attribute("perm", op.perm)});
}

Status write(const Expand& op, NodeWriter& w) {
  return w.node("Expand", {w.in(0), w.ints(op.dims, "shape")});
}

Status write(const Tile& op, NodeWriter& w) {
  return w.node("Tile", {w.in(0), w.ints(op.repeats, "repeats")});
}

Status write(const Pad& op, NodeWriter& w) {
  return w.node("Pad",
                {w.in(0), w.ints(op.pads, "pads"), w.scalar(op.value, w.type(0).dtype, "value")},
                {attribute("mode", std::string(name_of(op.mode)))});
}

Status write(const Resize& op, NodeWriter& w) {
  if (op.coordinates == "half_pixel_symmetric") return not_exportable("half_pixel_symmetric");
  const Ints& dims = w.type(0).dims;
  bool by_sizes = true, by_scales = true;
  std::vector<float> scales;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto from = static_cast<double>(dims[i]), to = static_cast<double>(op.sizes[i]);
    const bool empty = dims[i] == 0 || op.sizes[i] == 0;
    by_sizes = by_sizes && op.scales[i] == (empty ? 1 : to / from);
    scales.push_back(static_cast<float>(op.scales[i]));
    by_scales = by_scales && std::floor(from * decimal_of(scales.back())) == to;
  }
  const std::vector<Attribute> attributes = {
      attribute("coordinate_transformation_mode", op.coordinates),
      attribute("mode", std::string("nearest")), attribute("nearest_mode", op.rounding)};
  if (by_sizes) return w.node("Resize", {w.in(0), "", "", w.ints(op.sizes, "sizes")}, attributes);
  if (!by_scales) return not_exportable("a resize whose scales do not give its sizes");
  const auto rank = static_cast<std::int64_t>(dims.size());
  return w.node("Resize", {w.in(0), "", w.constant(Tensor::of<float>({rank}, scales), "scales")},
                attributes);
}

Status write(const DepthToSpace& op, NodeWriter& w) {
  return w.node("DepthToSpace", w.inputs(),
                {attribute("blocksize", op.block),
                 attribute("mode", std::string(op.column_row_depth ? "CRD" : "DCR"))});
}

Status write(const SpaceToDepth& op, NodeWriter& w) {
  return w.node("SpaceToDepth", w.inputs(), {attribute("blocksize", op.block)});
}

Status write(const Composite& op, NodeWriter&) {
  return not_exportable("a composite of " + op.space + " that was not expanded");
}

}  // namespace cambium::model::onnx_io
