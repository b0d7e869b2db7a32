// Resize, nearest neighbour: every axis reads through a table of its own.
#include <algorithm>
#include <cmath>
#include <string>

#include "model/reference/movement.h"

namespace cambium::model::reference {

namespace {

// Where output `i` of an axis lies in the input: ONNX coordinate_transformation_mode.
double coordinate(const std::string& mode, double i, double scale, double in, double out) {
  if (mode == "asymmetric") return i / scale;
  if (mode == "align_corners") return out == 1 ? 0 : i * (in - 1) / (out - 1);
  if (mode == "pytorch_half_pixel") return out > 1 ? (i + 0.5) / scale - 0.5 : 0;
  if (mode == "half_pixel_symmetric") {
    // The centre of the input stays in the centre when `scale` and the size disagree.
    const double adjustment = out / (scale * in);
    const double centre = in / 2;
    return centre * (1 - adjustment) + (i + 0.5) / scale - 0.5;
  }
  return (i + 0.5) / scale - 0.5;  // half_pixel
}

double rounded(const std::string& mode, double x) {
  if (mode == "floor") return std::floor(x);
  if (mode == "ceil") return std::ceil(x);
  if (mode == "round_prefer_ceil") return std::floor(x + 0.5);
  return std::ceil(x - 0.5);  // round_prefer_floor
}

}  // namespace

Computed run(const Resize& op, const Task& task) {
  const Ints& dims = task.inputs[0].dims();
  const Ints strides = strides_of(dims);
  std::vector<Ints> offsets;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    offsets.push_back(steps(0, 1, op.sizes[axis]));
    for (std::int64_t& offset : offsets.back()) {
      const double at =
          rounded(op.rounding,
                  coordinate(op.coordinates, static_cast<double>(offset), op.scales[axis],
                             static_cast<double>(dims[axis]), static_cast<double>(op.sizes[axis])));
      const auto source = std::clamp<std::int64_t>(convert<std::int64_t>(at), 0, dims[axis] - 1);
      offset = source * strides[axis];
    }
  }
  return std::vector<Tensor>{moved(task.inputs[0], task.outputs[0], offsets, 0, task)};
}

}  // namespace cambium::model::reference
