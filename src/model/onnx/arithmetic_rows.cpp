// Elementwise functions of one, two or many tensors.
#include <limits>

#include "model/onnx/element_type.h"
#include "model/onnx/rows.h"

namespace cambium::model::onnx_io {

namespace {

template <UnaryFn kFn>
Status unary(NodeContext& n) {
  return n.give(Unary{kFn}, {n.in(0)});
}

template <BinaryFn kFn>
Status binary(NodeContext& n) {
  return n.give(Binary{kFn}, {n.in(0), n.in(1)});
}

// Before opset 7 broadcasting had to be asked for, and could begin at any axis of the first input.
template <BinaryFn kFn>
Status binary_of_opset_6(NodeContext& n) {
  CAMBIUM_TRY(const bool broadcasts, n.flag_or("broadcast", false));
  CAMBIUM_TRY(const std::int64_t axis, n.int_or("axis", -1));
  const TensorType& a = n.type(0);
  const TensorType& b = n.type(1);
  if (!broadcasts && a.dims != b.dims) {
    return bad_shape("inputs", a.text() + " and " + b.text() + " differ");
  }
  Operand second = n.in(1);
  if (broadcasts && axis >= 0) {
    if (axis + b.rank() > a.rank()) return bad_attribute("axis", "is beyond the last axis");
    Ints dims = b.dims;
    dims.insert(dims.end(), static_cast<std::size_t>(a.rank() - axis - b.rank()), 1);
    CAMBIUM_TRY(second, n.emit(Reshape{dims}, {second}));
  }
  return n.give(Binary{kFn}, {n.in(0), second});
}

template <BinaryFn kFn>
Status variadic(NodeContext& n) {
  Operand sum = n.in(0);
  if (n.count() == 1) return n.set(0, sum), Ok{};
  for (std::size_t i = 1; i + 1 < n.count(); ++i) {
    CAMBIUM_TRY(sum, n.emit(Binary{kFn}, {sum, n.in(i)}));
  }
  return n.give(Binary{kFn}, {sum, n.in(n.count() - 1)});
}

Status mean(NodeContext& n) {
  Operand sum = n.in(0);
  for (std::size_t i = 1; i < n.count(); ++i) {
    CAMBIUM_TRY(sum, n.emit(Binary{BinaryFn::Add}, {sum, n.in(i)}));
  }
  const Operand count = n.scalar(n.type(0).dtype, static_cast<double>(n.count()));
  return n.give(Binary{BinaryFn::Div}, {sum, count});
}

Status mod(NodeContext& n) {
  CAMBIUM_TRY(const bool fmod, n.flag_or("fmod", false));
  return n.give(Binary{fmod ? BinaryFn::Fmod : BinaryFn::Mod}, {n.in(0), n.in(1)});
}

Status cast_to(NodeContext& n, DType to) {
  if (n.type(0).dtype == to && !n.as_written()) return n.set(0, n.in(0)), Ok{};
  return n.give(Cast{to}, {n.in(0)});
}

Status cast(NodeContext& n) {
  CAMBIUM_TRY(const std::int64_t code, n.int_or("to", 0));
  n.ignore("saturate");  // only says something about float8, which is refused
  const auto to = dtype_of_code(code);
  if (!to) return Rejection(Reason::UnsupportedType, "attribute 'to'", describe_code(code));
  return cast_to(n, *to);
}

Status cast_like(NodeContext& n) {
  n.ignore("saturate");
  return cast_to(n, n.type(1).dtype);
}

Status where(NodeContext& n) {
  return n.give(Where{}, {n.in(0), n.in(1), n.in(2)});
}

Status is_inf(NodeContext& n) {
  CAMBIUM_TRY(const bool positive, n.flag_or("detect_positive", true));
  CAMBIUM_TRY(const bool negative, n.flag_or("detect_negative", true));
  const DType dtype = n.type(0).dtype;
  if (!is_floating(dtype)) return Rejection(Reason::WrongType, "input", "must be floating");
  const double infinity = std::numeric_limits<double>::infinity();
  if (!positive && !negative) {
    n.set(0, n.constant(filled(DType::Bool, n.type(0).dims, 0)));
    return Ok{};
  }
  Operand x = n.in(0);
  if (positive && negative) {
    CAMBIUM_TRY(x, n.emit(Unary{UnaryFn::Abs}, {x}));
  }
  return n.give(Binary{BinaryFn::Equal}, {x, n.scalar(dtype, positive ? infinity : -infinity)});
}

// clang-format off
constexpr Row kArithmeticRows[] = {
    {"Abs", 6, kAny, 1, 1, unary<UnaryFn::Abs>},
    {"Acos", 7, kAny, 1, 1, unary<UnaryFn::Acos>},
    {"Acosh", 9, kAny, 1, 1, unary<UnaryFn::Acosh>},
    {"Asin", 7, kAny, 1, 1, unary<UnaryFn::Asin>},
    {"Asinh", 9, kAny, 1, 1, unary<UnaryFn::Asinh>},
    {"Atan", 7, kAny, 1, 1, unary<UnaryFn::Atan>},
    {"Atanh", 9, kAny, 1, 1, unary<UnaryFn::Atanh>},
    {"Ceil", 6, kAny, 1, 1, unary<UnaryFn::Ceil>},
    {"Cos", 7, kAny, 1, 1, unary<UnaryFn::Cos>},
    {"Cosh", 9, kAny, 1, 1, unary<UnaryFn::Cosh>},
    {"Erf", 9, kAny, 1, 1, unary<UnaryFn::Erf>},
    {"Exp", 6, kAny, 1, 1, unary<UnaryFn::Exp>},
    {"Floor", 6, kAny, 1, 1, unary<UnaryFn::Floor>},
    {"IsNaN", 9, kAny, 1, 1, unary<UnaryFn::IsNan>},
    {"Log", 6, kAny, 1, 1, unary<UnaryFn::Log>},
    {"Neg", 6, kAny, 1, 1, unary<UnaryFn::Neg>},
    {"Not", 1, kAny, 1, 1, unary<UnaryFn::Not>},
    {"Reciprocal", 6, kAny, 1, 1, unary<UnaryFn::Reciprocal>},
    {"Round", 11, kAny, 1, 1, unary<UnaryFn::Round>},
    {"Sign", 9, kAny, 1, 1, unary<UnaryFn::Sign>},
    {"Sin", 7, kAny, 1, 1, unary<UnaryFn::Sin>},
    {"Sinh", 9, kAny, 1, 1, unary<UnaryFn::Sinh>},
    {"Sqrt", 6, kAny, 1, 1, unary<UnaryFn::Sqrt>},
    {"Tan", 7, kAny, 1, 1, unary<UnaryFn::Tan>},
    {"Add", 6, 6, 2, 2, binary_of_opset_6<BinaryFn::Add>},
    {"Add", 7, kAny, 2, 2, binary<BinaryFn::Add>},
    {"Div", 6, 6, 2, 2, binary_of_opset_6<BinaryFn::Div>},
    {"Div", 7, kAny, 2, 2, binary<BinaryFn::Div>},
    {"Mul", 6, 6, 2, 2, binary_of_opset_6<BinaryFn::Mul>},
    {"Mul", 7, kAny, 2, 2, binary<BinaryFn::Mul>},
    {"Pow", 1, 6, 2, 2, binary_of_opset_6<BinaryFn::Pow>},
    {"Pow", 7, kAny, 2, 2, binary<BinaryFn::Pow>},
    {"Sub", 6, 6, 2, 2, binary_of_opset_6<BinaryFn::Sub>},
    {"Sub", 7, kAny, 2, 2, binary<BinaryFn::Sub>},
    {"Mod", 10, kAny, 2, 2, mod},
    {"Equal", 7, kAny, 2, 2, binary<BinaryFn::Equal>},
    {"Greater", 7, kAny, 2, 2, binary<BinaryFn::Greater>},
    {"GreaterOrEqual", 12, kAny, 2, 2, binary<BinaryFn::GreaterOrEqual>},
    {"Less", 7, kAny, 2, 2, binary<BinaryFn::Less>},
    {"LessOrEqual", 12, kAny, 2, 2, binary<BinaryFn::LessOrEqual>},
    {"And", 7, kAny, 2, 2, binary<BinaryFn::And>},
    {"Or", 7, kAny, 2, 2, binary<BinaryFn::Or>},
    {"Xor", 7, kAny, 2, 2, binary<BinaryFn::Xor>},
    {"Max", 6, kAny, 1, kAny, variadic<BinaryFn::Max>},
    {"Min", 6, kAny, 1, kAny, variadic<BinaryFn::Min>},
    {"Sum", 6, kAny, 1, kAny, variadic<BinaryFn::Add>},
    {"Mean", 6, kAny, 1, kAny, mean},
    {"Cast", 6, kAny, 1, 1, cast},
    {"CastLike", 15, kAny, 2, 2, cast_like},
    {"Where", 9, kAny, 3, 3, where},
    {"IsInf", 10, kAny, 1, 1, is_inf},
};
// clang-format on

}  // namespace

std::span<const Row> arithmetic_rows() {
  return kArithmeticRows;
}

}  // namespace cambium::model::onnx_io
