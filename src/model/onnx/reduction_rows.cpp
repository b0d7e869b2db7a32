// Reductions, arg reductions, softmax.
#include <algorithm>
#include <numeric>

#include "model/onnx/rows.h"

namespace cambium::model::onnx_io {

namespace {

Result<Ints> sorted_axes(const Ints& raw, std::int64_t rank) {
  Ints axes;
  for (const std::int64_t axis : raw) {
    CAMBIUM_TRY(const std::int64_t counted, NodeContext::axis_in(axis, rank));
    axes.push_back(counted);
  }
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) {
    return bad_attribute("axes", "names an axis twice");
  }
  return axes;
}

Ints all_axes(std::int64_t rank) {
  Ints axes(static_cast<std::size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

// Axes as an attribute: until opset 12 for ReduceSum, until 17 for all others.
template <ReduceFn kFn>
Status reduce(NodeContext& n) {
  const std::int64_t rank = n.type(0).rank();
  CAMBIUM_TRY(const Ints raw, n.ints_or("axes", all_axes(rank)));
  CAMBIUM_TRY(Ints axes, sorted_axes(raw.empty() ? all_axes(rank) : raw, rank));
  CAMBIUM_TRY(const bool keep, n.flag_or("keepdims", true));
  return n.give(Reduce{kFn, std::move(axes), keep}, {n.in(0)});
}

// Axes as an input; an absent or empty one means all of them, or none.
template <ReduceFn kFn>
Status reduce_by_input(NodeContext& n) {
  const std::int64_t rank = n.type(0).rank();
  CAMBIUM_TRY(const bool none, n.flag_or("noop_with_empty_axes", false));
  CAMBIUM_TRY(const bool keep, n.flag_or("keepdims", true));
  Ints raw;
  if (n.has(1)) {
    CAMBIUM_TRY(raw, n.known_ints(1, "axes"));
  }
  if (raw.empty() && none) return n.set(0, n.in(0)), Ok{};
  CAMBIUM_TRY(Ints axes, sorted_axes(raw.empty() ? all_axes(rank) : raw, rank));
  return n.give(Reduce{kFn, std::move(axes), keep}, {n.in(0)});
}

template <bool kMaximum>
Status arg_reduce(NodeContext& n) {
  ArgReduce op;
  op.maximum = kMaximum;
  CAMBIUM_TRY(op.axis, n.axis_or("axis", 0, n.type(0).rank()));
  CAMBIUM_TRY(op.keep, n.flag_or("keepdims", true));
  CAMBIUM_TRY(op.last, n.flag_or("select_last_index", false));
  return n.give(op, {n.in(0)});
}

// Until opset 12 the axis divides the shape in two: all axes from it on are normalized together.
template <class T>
Status softmax_of_a_matrix(NodeContext& n) {
  const TensorType& x = n.type(0);
  CAMBIUM_TRY(const std::int64_t axis, n.axis_or("axis", 1, x.rank()));
  if (axis == x.rank() - 1) return n.give(T{axis}, {n.in(0)});
  Ints flat(x.dims.begin(), x.dims.begin() + axis);
  std::int64_t rest = 1;
  for (auto dim = x.dims.begin() + axis; dim != x.dims.end(); ++dim) rest *= *dim;
  flat.push_back(rest);
  const Ints dims = x.dims;
  CAMBIUM_TRY(const Operand matrix, n.emit(Reshape{flat}, {n.in(0)}));
  CAMBIUM_TRY(const Operand normalized, n.emit(T{axis}, {matrix}));
  return n.give(Reshape{dims}, {normalized});
}

template <class T>
Status softmax(NodeContext& n) {
  CAMBIUM_TRY(const std::int64_t axis, n.axis_or("axis", -1, n.type(0).rank()));
  return n.give(T{axis}, {n.in(0)});
}

// One where the first maximum along the axis stands, zero elsewhere.
Status hardmax(NodeContext& n) {
  const TensorType x = n.type(0);
  CAMBIUM_TRY(const std::int64_t axis, n.axis_or("axis", -1, x.rank()));
  if (x.dims[static_cast<std::size_t>(axis)] > (1 << 20)) {
    return bad_shape("input", x.text() + " is too long along the axis");
  }
  CAMBIUM_REQUIRE(n.reserve(x.dims[static_cast<std::size_t>(axis)] * 8));
  CAMBIUM_TRY(const Operand at, n.emit(ArgReduce{true, false, true, axis}, {n.in(0)}));
  Ints positions(static_cast<std::size_t>(x.dims[static_cast<std::size_t>(axis)]));
  std::iota(positions.begin(), positions.end(), 0);
  Ints dims(x.dims.size(), 1);
  dims[static_cast<std::size_t>(axis)] = static_cast<std::int64_t>(positions.size());
  const Operand counted = n.constant(Tensor::of<std::int64_t>(dims, positions));
  CAMBIUM_TRY(const Operand equal, n.emit(Binary{BinaryFn::Equal}, {at, counted}));
  return n.give(Cast{x.dtype}, {equal});
}

// clang-format off
constexpr Row kReductionRows[] = {
    {"ReduceL1", 1, 17, 1, 1, reduce<ReduceFn::L1>},
    {"ReduceL1", 18, kAny, 1, 2, reduce_by_input<ReduceFn::L1>},
    {"ReduceL2", 1, 17, 1, 1, reduce<ReduceFn::L2>},
    {"ReduceL2", 18, kAny, 1, 2, reduce_by_input<ReduceFn::L2>},
    {"ReduceLogSum", 1, 17, 1, 1, reduce<ReduceFn::LogSum>},
    {"ReduceLogSum", 18, kAny, 1, 2, reduce_by_input<ReduceFn::LogSum>},
    {"ReduceLogSumExp", 1, 17, 1, 1, reduce<ReduceFn::LogSumExp>},
    {"ReduceLogSumExp", 18, kAny, 1, 2, reduce_by_input<ReduceFn::LogSumExp>},
    {"ReduceMax", 1, 17, 1, 1, reduce<ReduceFn::Max>},
    {"ReduceMax", 18, kAny, 1, 2, reduce_by_input<ReduceFn::Max>},
    {"ReduceMean", 1, 17, 1, 1, reduce<ReduceFn::Mean>},
    {"ReduceMean", 18, kAny, 1, 2, reduce_by_input<ReduceFn::Mean>},
    {"ReduceMin", 1, 17, 1, 1, reduce<ReduceFn::Min>},
    {"ReduceMin", 18, kAny, 1, 2, reduce_by_input<ReduceFn::Min>},
    {"ReduceProd", 1, 17, 1, 1, reduce<ReduceFn::Prod>},
    {"ReduceProd", 18, kAny, 1, 2, reduce_by_input<ReduceFn::Prod>},
    {"ReduceSum", 1, 12, 1, 1, reduce<ReduceFn::Sum>},
    {"ReduceSum", 13, kAny, 1, 2, reduce_by_input<ReduceFn::Sum>},
    {"ReduceSumSquare", 1, 17, 1, 1, reduce<ReduceFn::SumSquare>},
    {"ReduceSumSquare", 18, kAny, 1, 2, reduce_by_input<ReduceFn::SumSquare>},
    {"ArgMax", 1, kAny, 1, 1, arg_reduce<true>},
    {"ArgMin", 1, kAny, 1, 1, arg_reduce<false>},
    {"Softmax", 1, 12, 1, 1, softmax_of_a_matrix<Softmax>},
    {"Softmax", 13, kAny, 1, 1, softmax<Softmax>},
    {"LogSoftmax", 1, 12, 1, 1, softmax_of_a_matrix<LogSoftmax>},
    {"LogSoftmax", 13, kAny, 1, 1, softmax<LogSoftmax>},
    {"Hardmax", 13, kAny, 1, 1, hardmax},
};
// clang-format on

}  // namespace

std::span<const Row> reduction_rows() {
  return kReductionRows;
}

}  // namespace cambium::model::onnx_io
