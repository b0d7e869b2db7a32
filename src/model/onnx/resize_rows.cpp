#include "model/onnx/resize_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "model/onnx/decimal.h"
#include "model/onnx/interpolation.h"

namespace cambium::model::onnx_io {

namespace {

constexpr double kLargest = 0x1p40;
constexpr std::int64_t kMaxMatrix = 1 << 22;  // entries of one interpolation

Result<std::vector<double>> known_scales(NodeContext& n, std::size_t i) {
  CAMBIUM_TRY(const Tensor tensor, n.known(i, "scales"));
  if (!is_floating(tensor.dtype()) || tensor.type().rank() != 1 || tensor.elements() > kMaxRank) {
    return bad_shape("scales", tensor.type().text() + " is not a list of factors");
  }
  std::vector<double> scales = tensor.to_doubles();
  if (tensor.dtype() == DType::F32) {
    for (double& scale : scales) scale = decimal_of(static_cast<float>(scale));
  }
  return scales;
}

Status size_by_scales(const TensorType& x, Resize& op) {
  if (op.scales.size() != x.dims.size()) {
    return bad_attribute("scales",
                         fmt::format("has {} entries for {}", op.scales.size(), x.text()));
  }
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    const double size = std::floor(static_cast<double>(x.dims[i]) * op.scales[i]);
    if (!(size >= 0 && size < kLargest)) {
      return bad_attribute("scales",
                           fmt::format("{} is not a valid factor for {}", op.scales[i], x.text()));
    }
    op.sizes.push_back(static_cast<std::int64_t>(size));
  }
  return Ok{};
}

void scales_by_size(const TensorType& x, Resize& op) {
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    const auto from = static_cast<double>(x.dims[i]), to = static_cast<double>(op.sizes[i]);
    op.scales.push_back(x.dims[i] == 0 || op.sizes[i] == 0 ? 1 : to / from);
  }
}

// Spreads what was given for some axes over all of them.
template <class T>
Result<std::vector<T>> over_all_axes(const std::vector<T>& given, const std::optional<Ints>& axes,
                                     std::vector<T> all) {
  if (!axes) return given;
  if (given.size() != axes->size()) return bad_attribute("axes", "do not match sizes or scales");
  for (std::size_t i = 0; i < given.size(); ++i) {
    CAMBIUM_TRY(const std::int64_t axis,
                NodeContext::axis_in((*axes)[i], static_cast<std::int64_t>(all.size())));
    all[static_cast<std::size_t>(axis)] = given[i];
  }
  return all;
}

// One scale for all axes, so that the result is within (or around) the sizes asked for.
Status keep_aspect(const std::string& policy, const TensorType& x, const std::optional<Ints>& axes,
                   Resize& op) {
  if (policy == "stretch") return Ok{};
  if (policy != "not_larger" && policy != "not_smaller") {
    return bad_attribute("keep_aspect_ratio_policy", "'" + policy + "' is not known");
  }
  std::vector<std::size_t> resized;
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    const bool named = axes && (std::count(axes->begin(), axes->end(), axis) > 0 ||
                                std::count(axes->begin(), axes->end(), axis - x.rank()) > 0);
    if (!axes || named) resized.push_back(i);
  }
  double scale = policy == "not_larger" ? kLargest : 0;
  for (const std::size_t i : resized) {
    if (x.dims[i] == 0) return bad_shape("input", x.text() + " is empty");
    const double one = static_cast<double>(op.sizes[i]) / static_cast<double>(x.dims[i]);
    scale = policy == "not_larger" ? std::min(scale, one) : std::max(scale, one);
  }
  for (const std::size_t i : resized) {
    const double size = std::floor(scale * static_cast<double>(x.dims[i]) + 0.5);
    if (!(size < kLargest)) return bad_attribute("sizes", "are too large");
    op.sizes[i] = static_cast<std::int64_t>(size);
  }
  return Ok{};
}

std::int64_t rounded(double at, const std::string& mode) {
  if (mode == "floor") return static_cast<std::int64_t>(std::floor(at));
  if (mode == "ceil") return static_cast<std::int64_t>(std::ceil(at));
  if (mode == "round_prefer_ceil") return static_cast<std::int64_t>(std::floor(at + 0.5));
  return static_cast<std::int64_t>(std::ceil(at - 0.5));
}

// Coordinates that a Model's Resize does not have: a Gather along each axis that changes.
Status gather_each_axis(NodeContext& n, const TensorType& x, const Resize& op) {
  Operand value = n.in(0);
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    if (op.sizes[i] == x.dims[i]) continue;
    if (x.dims[i] == 0 || op.sizes[i] < 0 || op.sizes[i] > 1 << 20) {
      return bad_attribute("sizes",
                           fmt::format("{} is not a valid size for {}", op.sizes[i], x.text()));
    }
    CAMBIUM_REQUIRE(n.reserve(op.sizes[i] * 8));
    Ints indices;
    for (std::int64_t at = 0; at < op.sizes[i]; ++at) {
      const double from = std::min((static_cast<double>(at) + 0.5) / op.scales[i], kLargest);
      indices.push_back(std::clamp<std::int64_t>(rounded(from, op.rounding), 0, x.dims[i] - 1));
    }
    const Operand where = n.constant(Tensor::of<std::int64_t>({op.sizes[i]}, indices));
    CAMBIUM_TRY(value, n.emit(Gather{static_cast<std::int64_t>(i)}, {value, where}));
  }
  n.set(0, value);
  return Ok{};
}

// Linear and cubic: a product with a constant matrix along each axis that changes.
Status multiply_each_axis(NodeContext& n, const TensorType& x, const Resize& op,
                          const Interpolation& law) {
  Operand value = n.in(0);
  for (std::size_t i = 0; i < x.dims.size(); ++i) {
    const std::int64_t from = x.dims[i], to = op.sizes[i];
    if (from == to && op.scales[i] == 1) continue;
    if (from < 1 || to < 0 || (to > 0 && from > kMaxMatrix / to) || !(op.scales[i] > 0)) {
      return bad_attribute("sizes", fmt::format("{} is not a valid size for {}", to, x.text()));
    }
    CAMBIUM_REQUIRE(n.reserve(from * to * 8));
    const std::vector<double> weights = interpolation_matrix(law, from, to, op.scales[i]);
    CAMBIUM_TRY(const Operand matrix,
                n.emit(Cast{x.dtype}, {n.constant(Tensor::of<double>({from, to}, weights))}));
    Ints perm(x.dims.size());
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[i], perm.back());
    const bool last = i + 1 == x.dims.size();
    if (!last) {
      CAMBIUM_TRY(value, n.emit(Transpose{perm}, {value}));
    }
    CAMBIUM_TRY(value, n.emit(MatMul{}, {value, matrix}));
    if (!last) {
      CAMBIUM_TRY(value, n.emit(Transpose{perm}, {value}));
    }
  }
  n.set(0, value);
  return Ok{};
}

Status unsupported(const NodeContext& n, const std::string& what) {
  return Rejection(Reason::UnsupportedOperator, n.record().type, " with " + what);
}

Result<Interpolation> read_interpolation(NodeContext& n, const std::string& mode) {
  Interpolation law;
  law.cubic = mode == "cubic";
  CAMBIUM_TRY(law.cubic_coefficient, n.number_or("cubic_coeff_a", -0.75));
  CAMBIUM_TRY(law.exclude_outside, n.flag_or("exclude_outside", false));
  return law;
}

}  // namespace

Status resize_by_scales(NodeContext& n) {
  const TensorType& x = n.type(0);
  CAMBIUM_TRY(const std::string mode, n.text_or("mode", "nearest"));
  Resize op;
  op.coordinates = "asymmetric";
  op.rounding = "floor";
  if (n.has(1)) {
    CAMBIUM_TRY(op.scales, known_scales(n, 1));
  } else if (const AttributeValue* value = n.raw("scales")) {
    const auto* floats = std::get_if<std::vector<float>>(value);
    if (floats == nullptr) return bad_attribute("scales", "is not a list of numbers");
    for (const float scale : *floats) op.scales.push_back(decimal_of(scale));
  }
  CAMBIUM_REQUIRE(size_by_scales(x, op));
  if (mode == "linear") return multiply_each_axis(n, x, op, {false, 0, false, op.coordinates});
  if (mode != "nearest") return unsupported(n, "mode " + mode);
  return n.give(op, {n.in(0)});
}

Status resize(NodeContext& n) {
  const TensorType& x = n.type(0);
  Resize op;
  CAMBIUM_TRY(const std::string mode, n.text_or("mode", "nearest"));
  CAMBIUM_TRY(Interpolation law, read_interpolation(n, mode));
  CAMBIUM_TRY(const bool antialias, n.flag_or("antialias", false));
  CAMBIUM_TRY(op.coordinates, n.text_or("coordinate_transformation_mode", "half_pixel"));
  CAMBIUM_TRY(op.rounding, n.text_or("nearest_mode", "round_prefer_floor"));
  n.ignore("extrapolation_value");  // only for tf_crop_and_resize
  std::optional<Ints> axes;
  std::string policy = "stretch";
  if (n.opset() >= 18) {
    CAMBIUM_TRY(axes, n.maybe_ints("axes"));
    CAMBIUM_TRY(policy, n.text_or("keep_aspect_ratio_policy", policy));
  }
  if (n.has(3) && n.type(3).elements() > 0) {
    CAMBIUM_TRY(const Ints given, n.known_ints(3, "sizes"));
    CAMBIUM_TRY(op.sizes, over_all_axes<std::int64_t>(given, axes, x.dims));
    if (op.sizes.size() != x.dims.size()) {
      return bad_attribute("sizes",
                           fmt::format("has {} entries for {}", op.sizes.size(), x.text()));
    }
    CAMBIUM_REQUIRE(keep_aspect(policy, x, axes, op));
    scales_by_size(x, op);
  } else if (n.has(2)) {
    CAMBIUM_TRY(const std::vector<double> given, known_scales(n, 2));
    CAMBIUM_TRY(op.scales,
                over_all_axes<double>(given, axes, std::vector<double>(x.dims.size(), 1)));
    CAMBIUM_REQUIRE(size_by_scales(x, op));
  } else {
    return bad_attribute("sizes or scales", "must be given");
  }
  if (mode == "linear" || mode == "cubic") {
    if (antialias) return unsupported(n, "antialias");
    if (!has_coordinates(op.coordinates)) return unsupported(n, "coordinates " + op.coordinates);
    law.coordinates = op.coordinates;
    return multiply_each_axis(n, x, op, law);
  }
  if (mode != "nearest") return unsupported(n, "mode " + mode);
  if (op.coordinates == "tf_half_pixel_for_nn") return gather_each_axis(n, x, op);
  return n.give(op, {n.in(0)});
}

}  // namespace cambium::model::onnx_io
