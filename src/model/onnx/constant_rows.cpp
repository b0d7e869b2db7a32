// Operators whose result is known when the file is read: constants, shapes, ranges, masks.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "model/convert.h"
#include "model/onnx/element_type.h"
#include "model/onnx/rows.h"

namespace cambium::model::onnx_io {

namespace {

// Ranges and identity matrices are made element by element; nothing real is longer.
constexpr std::int64_t kMaxMade = std::int64_t{1} << 24;

Status give_ints(NodeContext& n, Ints dims, const Ints& values) {
  n.set(0, n.constant(Tensor::of<std::int64_t>(std::move(dims), values)));
  return Ok{};
}

Status constant(NodeContext& n) {
  if (const AttributeValue* value = n.raw("value")) {
    const Tensor* tensor = std::get_if<Tensor>(value);
    if (tensor == nullptr) return bad_attribute("value", "is not a tensor");
    n.set(0, n.constant(*tensor));
    return Ok{};
  }
  if (const AttributeValue* value = n.raw("value_float")) {
    if (const float* held = std::get_if<float>(value)) {
      return n.set(0, n.constant(Tensor::scalar<float>(*held))), Ok{};
    }
  }
  if (const AttributeValue* value = n.raw("value_int")) {
    if (const auto* held = std::get_if<std::int64_t>(value)) return give_ints(n, {}, {*held});
  }
  if (const AttributeValue* value = n.raw("value_floats")) {
    if (const auto* held = std::get_if<std::vector<float>>(value)) {
      const auto count = static_cast<std::int64_t>(held->size());
      return n.set(0, n.constant(Tensor::of<float>({count}, *held))), Ok{};
    }
  }
  if (const AttributeValue* value = n.raw("value_ints")) {
    if (const auto* held = std::get_if<Ints>(value)) {
      return give_ints(n, {static_cast<std::int64_t>(held->size())}, *held);
    }
  }
  return bad_attribute("value", "is missing, or of a kind that is not supported");
}

Status shape(NodeContext& n) {
  const TensorType& x = n.type(0);
  std::int64_t start = 0, end = x.rank();
  if (n.opset() >= 15) {
    CAMBIUM_TRY(start, n.int_or("start", 0));
    CAMBIUM_TRY(end, n.int_or("end", x.rank()));
  }
  const auto place = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + x.rank() : at, 0, x.rank());
  };
  start = place(start);
  end = std::max(start, place(end));
  const Ints dims(x.dims.begin() + start, x.dims.begin() + end);
  return give_ints(n, {end - start}, dims);
}

Status size(NodeContext& n) {
  return give_ints(n, {}, {n.type(0).elements()});
}

Status constant_of_shape(NodeContext& n) {
  CAMBIUM_TRY(Ints dims, n.known_ints(0, "shape"));
  DType dtype = DType::F32;
  double fill = 0;
  if (const AttributeValue* value = n.raw("value")) {
    const Tensor* tensor = std::get_if<Tensor>(value);
    if (tensor == nullptr || tensor->elements() != 1) {
      return bad_attribute("value", "is not a tensor of one element");
    }
    dtype = tensor->dtype();
    fill = tensor->to_doubles()[0];
    if (is_integer(dtype) && std::fabs(fill) > 0x1p53) {
      return bad_attribute("value", "is too large");
    }
  }
  CAMBIUM_REQUIRE(check_type({dtype, dims}));
  // Numbers stay lazy whatever their size; integers and bools are looked at by whoever names the
  // model.
  if (!is_floating(dtype)) CAMBIUM_REQUIRE(n.reserve(TensorType{dtype, dims}.bytes()));
  n.set(0, n.constant(filled(dtype, std::move(dims), fill)));
  return Ok{};
}

Status range(NodeContext& n) {
  const char* const names[] = {"start", "limit", "delta"};
  double numbers[3] = {};
  const DType dtype = n.type(0).dtype;
  for (std::size_t i = 0; i < 3; ++i) {
    CAMBIUM_TRY(const Tensor tensor, n.known(i, names[i]));
    if (tensor.elements() != 1 || tensor.dtype() != dtype || dtype == DType::Bool) {
      return bad_shape(names[i], tensor.type().text() + " is not one number of the common type");
    }
    numbers[i] = tensor.to_doubles()[0];
  }
  const auto [start, limit, delta] = numbers;
  if (delta == 0) return bad_attribute("delta", "is 0");
  const double count = std::max(0.0, std::ceil((limit - start) / delta));
  if (!(count <= static_cast<double>(kMaxMade))) {
    return bad_shape("result", fmt::format("has {} entries", count));
  }
  const auto entries = static_cast<std::size_t>(count);
  CAMBIUM_REQUIRE(n.reserve(static_cast<std::int64_t>(entries) * size_of(dtype)));
  const Ints dims{static_cast<std::int64_t>(entries)};
  n.set(0, visit_dtype(dtype, [&](auto zero) {
          using T = decltype(zero);
          std::vector<T> elements;
          for (std::size_t i = 0; i < entries; ++i) {
            elements.push_back(convert<T>(numbers[0] + static_cast<double>(i) * numbers[2]));
          }
          return n.constant(Tensor::of<T>(dims, elements));
        }));
  return Ok{};
}

Status eye_like(NodeContext& n) {
  const TensorType& x = n.type(0);
  CAMBIUM_TRY(const std::int64_t diagonal, n.int_or("k", 0));
  CAMBIUM_TRY(const std::int64_t code, n.int_or("dtype", code_of(x.dtype)));
  const auto dtype = dtype_of_code(code);
  if (!dtype) return Rejection(Reason::UnsupportedType, "attribute 'dtype'", describe_code(code));
  if (x.rank() != 2 || x.elements() > kMaxMade) {
    return bad_shape("input", x.text() + " is not a matrix, or is too large");
  }
  CAMBIUM_REQUIRE(n.reserve(x.elements() * 8));
  std::vector<float> values(static_cast<std::size_t>(x.elements()), 0);
  for (std::int64_t row = 0; row < x.dims[0]; ++row) {
    for (std::int64_t column = 0; column < x.dims[1]; ++column) {
      if (column - row == diagonal) values[static_cast<std::size_t>(row * x.dims[1] + column)] = 1;
    }
  }
  return n.give(Cast{*dtype}, {n.constant(Tensor::of<float>(x.dims, values))});
}

// The upper or lower triangle: a constant mask chooses between the input and zero.
Status trilu(NodeContext& n) {
  const TensorType& x = n.type(0);
  CAMBIUM_TRY(const bool upper, n.flag_or("upper", true));
  std::int64_t diagonal = 0;
  if (n.has(1)) {
    CAMBIUM_TRY(const Ints given, n.known_ints(1, "k"));
    if (given.size() != 1) return bad_shape("k", "must be one number");
    // Beyond the matrix all diagonals are alike.
    diagonal = std::clamp<std::int64_t>(given[0], -kMaxMade, kMaxMade);
  }
  if (x.rank() < 2) return bad_shape("input", x.text() + " is not a matrix");
  const std::int64_t rows = x.dims[x.dims.size() - 2], columns = x.dims.back();
  if (rows > 0 && columns > kMaxMade / rows) return bad_shape("input", x.text() + " is too large");
  CAMBIUM_REQUIRE(n.reserve(rows * columns));
  std::vector<std::byte> mask;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const bool kept = upper ? column >= row + diagonal : column <= row + diagonal;
      mask.push_back(kept ? std::byte{1} : std::byte{0});
    }
  }
  const Operand keep = n.constant(Tensor({DType::Bool, {rows, columns}}, std::move(mask)));
  return n.give(Where{}, {keep, n.in(0), n.scalar(x.dtype, 0)});
}

constexpr Row kConstantRows[] = {
    {"Constant", 1, kAny, 0, 0, constant}, {"ConstantOfShape", 9, kAny, 1, 1, constant_of_shape},
    {"EyeLike", 9, kAny, 1, 1, eye_like},  {"Range", 11, kAny, 3, 3, range},
    {"Shape", 1, kAny, 1, 1, shape},       {"Size", 1, kAny, 1, 1, size},
    {"Trilu", 14, kAny, 1, 2, trilu},
};

}  // namespace

std::span<const Row> constant_rows() {
  return kConstantRows;
}

}  // namespace cambium::model::onnx_io
