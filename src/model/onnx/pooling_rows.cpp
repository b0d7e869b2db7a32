// Pools; the global ones are reductions over the spatial axes.
#include <numeric>

#include "model/onnx/rows.h"
#include "model/onnx/window.h"

namespace cambium::model::onnx_io {

namespace {

Status pool(NodeContext& n, Pool op) {
  const TensorType& x = n.type(0);
  CAMBIUM_TRY(op.kernel, n.ints_or("kernel_shape", {}));
  if (static_cast<std::int64_t>(op.kernel.size()) != x.rank() - 2 || op.kernel.empty()) {
    return bad_attribute("kernel_shape",
                         "must have one entry for each spatial axis of " + x.text());
  }
  CAMBIUM_TRY(const Window window, read_window(n, x, op.kernel));
  op.strides = window.strides;
  op.pads = window.pads;
  op.dilations = window.dilations;
  CAMBIUM_TRY(op.ceil_mode, n.flag_or("ceil_mode", false));
  return n.give(op, {n.in(0)});
}

Status max_pool(NodeContext& n) {
  Pool op;
  op.fn = PoolFn::Max;
  CAMBIUM_TRY(op.column_major_indices, n.flag_or("storage_order", false));
  op.with_indices = n.wants(1);
  // Without indices their order says nothing; the normal form leaves it at its default.
  op.column_major_indices = op.column_major_indices && op.with_indices;
  return pool(n, op);
}

Status average_pool(NodeContext& n) {
  Pool op;
  op.fn = PoolFn::Average;
  CAMBIUM_TRY(op.count_include_pad, n.flag_or("count_include_pad", false));
  return pool(n, op);
}

template <ReduceFn kFn>
Status global_pool(NodeContext& n) {
  const std::int64_t rank = n.type(0).rank();
  if (rank < 3) return bad_shape("input", n.type(0).text() + " has no spatial axes");
  Ints axes(static_cast<std::size_t>(rank - 2));
  std::iota(axes.begin(), axes.end(), 2);
  return n.give(Reduce{kFn, axes, true}, {n.in(0)});
}

constexpr Row kPoolingRows[] = {
    {"MaxPool", 1, kAny, 1, 1, max_pool},
    {"AveragePool", 1, kAny, 1, 1, average_pool},
    {"GlobalAveragePool", 1, kAny, 1, 1, global_pool<ReduceFn::Mean>},
    {"GlobalMaxPool", 1, kAny, 1, 1, global_pool<ReduceFn::Max>},
};

}  // namespace

std::span<const Row> pooling_rows() {
  return kPoolingRows;
}

}  // namespace cambium::model::onnx_io
