// Operators over indices: lookups, one-hot codes, running sums.
#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "model/onnx/rows.h"

namespace cambium::model::onnx_io {

namespace {

// Longer running sums and codes would need constants of unreasonable size.
constexpr std::int64_t kMaxSum = 4096;
constexpr std::int64_t kMaxDepth = 1 << 20;

Status gather(NodeContext& n) {
  CAMBIUM_TRY(const std::int64_t axis, n.axis_or("axis", 0, n.type(0).rank()));
  return n.give(Gather{axis}, {n.in(0), n.in(1)});
}

// Element `at` of a list of two, as a scalar.
Result<Operand> element(NodeContext& n, Operand pair, std::int64_t at) {
  CAMBIUM_TRY(const Operand one, n.emit(Slice{{at}, {1}, {1}}, {pair}));
  return n.emit(Reshape{{}}, {one});
}

Status one_hot(NodeContext& n) {
  const TensorType& indices = n.type(0);
  CAMBIUM_TRY(const Tensor depth_tensor, n.known(1, "depth"));
  if (depth_tensor.elements() != 1) return bad_shape("depth", "must be one number");
  const std::int64_t depth = depth_tensor.to_ints()[0];
  if (depth < 1 || depth > kMaxDepth) return bad_shape("depth", fmt::format("is {}", depth));
  CAMBIUM_TRY(const std::int64_t axis, n.axis_or("axis", -1, indices.rank() + 1));
  if (n.type(2).dims != Ints{2})
    return bad_shape("values", n.type(2).text() + ", must be two numbers");
  Ints dims = indices.dims;
  dims.insert(dims.begin() + axis, 1);
  CAMBIUM_REQUIRE(n.reserve(depth * 8));
  Ints positions(static_cast<std::size_t>(depth));
  std::iota(positions.begin(), positions.end(), 0);
  Ints along(dims.size(), 1);
  along[static_cast<std::size_t>(axis)] = depth;

  Operand at = n.in(0);
  if (indices.dtype != DType::I64) {
    CAMBIUM_TRY(at, n.emit(Cast{DType::I64}, {at}));
  }
  CAMBIUM_TRY(const Operand negative,
              n.emit(Binary{BinaryFn::Less}, {at, n.scalar(DType::I64, 0)}));
  CAMBIUM_TRY(
      const Operand shifted,
      n.emit(Binary{BinaryFn::Add}, {at, n.scalar(DType::I64, static_cast<double>(depth))}));
  CAMBIUM_TRY(at, n.emit(Where{}, {negative, shifted, at}));
  CAMBIUM_TRY(at, n.emit(Reshape{dims}, {at}));
  CAMBIUM_TRY(const Operand hot,
              n.emit(Binary{BinaryFn::Equal},
                     {at, n.constant(Tensor::of<std::int64_t>(along, positions))}));
  CAMBIUM_TRY(const Operand off, element(n, n.in(2), 0));
  CAMBIUM_TRY(const Operand on, element(n, n.in(2), 1));
  return n.give(Where{}, {hot, on, off});
}

// A running sum is a product with a triangle of ones.
Status cum_sum(NodeContext& n) {
  const TensorType& x = n.type(0);
  CAMBIUM_TRY(const Ints given, n.known_ints(1, "axis"));
  if (given.size() != 1) return bad_shape("axis", "must be one number");
  CAMBIUM_TRY(const std::int64_t axis, NodeContext::axis_in(given[0], x.rank()));
  CAMBIUM_TRY(const bool exclusive, n.flag_or("exclusive", false));
  CAMBIUM_TRY(const bool reverse, n.flag_or("reverse", false));
  const std::int64_t size = x.dims[static_cast<std::size_t>(axis)];
  if (size > kMaxSum)
    return bad_shape("input", fmt::format("{} entries are too many to add up", size));
  CAMBIUM_REQUIRE(n.reserve(size * size * 8));
  std::vector<float> ones;
  for (std::int64_t from = 0; from < size; ++from) {
    for (std::int64_t to = 0; to < size; ++to) {
      const bool before = reverse ? from > to : from < to;
      ones.push_back(before || (from == to && !exclusive) ? 1.0F : 0.0F);
    }
  }
  Operand triangle = n.constant(Tensor::of<float>({size, size}, ones));
  if (x.dtype != DType::F32) {
    CAMBIUM_TRY(triangle, n.emit(Cast{x.dtype}, {triangle}));
  }
  if (axis == x.rank() - 1) return n.give(MatMul{}, {n.in(0), triangle});
  Ints perm(x.dims.size());
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[static_cast<std::size_t>(axis)], perm.back());
  CAMBIUM_TRY(const Operand turned, n.emit(Transpose{perm}, {n.in(0)}));
  CAMBIUM_TRY(const Operand summed, n.emit(MatMul{}, {turned, triangle}));
  return n.give(Transpose{perm}, {summed});
}

constexpr Row kIndexRows[] = {
    {"Gather", 1, kAny, 2, 2, gather},
    {"OneHot", 9, kAny, 3, 3, one_hot},
    {"CumSum", 11, kAny, 2, 2, cum_sum},
};

}  // namespace

std::span<const Row> index_rows() {
  return kIndexRows;
}

}  // namespace cambium::model::onnx_io
