// Types of pooling and of the reductions.
#include <algorithm>

#include <fmt/core.h>

#include "model/infer_rules.h"

namespace cambium::model::infer_rules {

namespace {

Result<std::int64_t> pooled_size(const Pool& op, std::size_t i, std::size_t spatial,
                                 const TensorType& x) {
  const std::int64_t input = x.dims[i + 2];
  const Wide kernel = Wide{op.kernel[i] - 1} * op.dilations[i] + 1;
  const Wide padded = Wide{input} + op.pads[i] + op.pads[i + spatial];
  if (kernel > padded) {
    return bad_shape("input", fmt::format("axis {} of {} is smaller than the dilated kernel, "
                                          "padding included",
                                          i + 2, x.text()));
  }
  const Wide stride = op.strides[i];
  const Wide room = padded - kernel;
  if (!op.ceil_mode) return narrowed(room / stride + 1);
  Wide size = (room + stride - 1) / stride + 1;
  // A last window that would begin in the padding at the end has nothing to say; it is left off.
  if ((size - 1) * stride >= Wide{input} + op.pads[i]) --size;
  return narrowed(size);
}

}  // namespace

Inferred rule(const Pool& op, Types inputs) {
  const TensorType& x = inputs[0];
  if (op.fn == PoolFn::Average) {
    CAMBIUM_REQUIRE(require_floating("input", x));
  } else {
    CAMBIUM_REQUIRE(require_number("input", x));
  }
  if (op.with_indices && op.fn != PoolFn::Max) {
    return bad_attribute("with_indices", "only a max pool has them");
  }
  CAMBIUM_REQUIRE(require_rank("input", x, 3, kMaxRank));
  const std::int64_t spatial = x.rank() - 2;
  CAMBIUM_REQUIRE(require_each("kernel", op.kernel, spatial, 1));
  CAMBIUM_REQUIRE(require_each("strides", op.strides, spatial, 1));
  CAMBIUM_REQUIRE(require_each("pads", op.pads, 2 * spatial, 0));
  CAMBIUM_REQUIRE(require_each("dilations", op.dilations, spatial, 1));
  TensorType out{x.dtype, {x.dims[0], x.dims[1]}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(spatial); ++i) {
    CAMBIUM_TRY(const std::int64_t size, pooled_size(op, i, static_cast<std::size_t>(spatial), x));
    out.dims.push_back(size);
  }
  if (!op.with_indices) return std::vector<TensorType>{std::move(out)};
  TensorType indices{DType::I64, out.dims};
  return std::vector<TensorType>{std::move(out), std::move(indices)};
}

Inferred rule(const Reduce& op, Types inputs) {
  const TensorType& x = inputs[0];
  if (op.fn != ReduceFn::Max && op.fn != ReduceFn::Min) {
    CAMBIUM_REQUIRE(require_number("input", x));
  }
  for (std::size_t i = 0; i < op.axes.size(); ++i) {
    if (op.axes[i] < 0 || op.axes[i] >= x.rank()) {
      return bad_attribute("axes", fmt::format("{} is not an axis of {}", op.axes[i], x.text()));
    }
    if (i > 0 && op.axes[i] <= op.axes[i - 1]) {
      return bad_attribute("axes", fmt::format("{} is not sorted and distinct", text_of(op.axes)));
    }
  }
  TensorType out{x.dtype, {}};
  for (std::int64_t axis = 0; axis < x.rank(); ++axis) {
    if (!std::binary_search(op.axes.begin(), op.axes.end(), axis)) {
      out.dims.push_back(x.dims[static_cast<std::size_t>(axis)]);
    } else if (op.keep) {
      out.dims.push_back(1);
    }
  }
  return std::vector<TensorType>{std::move(out)};
}

Inferred rule(const ArgReduce& op, Types inputs) {
  const TensorType& x = inputs[0];
  CAMBIUM_REQUIRE(require_number("input", x));
  CAMBIUM_REQUIRE(require_axis(op.axis, x.rank()));
  TensorType out{DType::I64, x.dims};
  const auto axis = static_cast<std::size_t>(op.axis);
  if (out.dims[axis] == 0) {
    return bad_shape("input", fmt::format("axis {} of {} is empty", op.axis, x.text()));
  }
  if (op.keep) {
    out.dims[axis] = 1;
  } else {
    out.dims.erase(out.dims.begin() + op.axis);
  }
  return std::vector<TensorType>{std::move(out)};
}

}  // namespace cambium::model::infer_rules
