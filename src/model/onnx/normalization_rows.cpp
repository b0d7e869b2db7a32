// Normalizations. Training-mode outputs are decomposed into reductions.
#include <algorithm>
#include <numeric>

#include "model/onnx/rows.h"

namespace cambium::model::onnx_io {

namespace {

struct Moments {
  Operand mean, variance;
};

Result<Moments> moments(NodeContext& n, Operand x, const Ints& axes, bool keep) {
  CAMBIUM_TRY(const Operand kept, n.emit(Reduce{ReduceFn::Mean, axes, true}, {x}));
  CAMBIUM_TRY(const Operand centred, n.emit(Binary{BinaryFn::Sub}, {x, kept}));
  CAMBIUM_TRY(const Operand squared, n.emit(Binary{BinaryFn::Mul}, {centred, centred}));
  CAMBIUM_TRY(const Operand variance, n.emit(Reduce{ReduceFn::Mean, axes, keep}, {squared}));
  if (keep) return Moments{kept, variance};
  CAMBIUM_TRY(const Operand mean, n.emit(Reduce{ReduceFn::Mean, axes, false}, {x}));
  return Moments{mean, variance};
}

// momentum * old + (1 - momentum) * current
Result<Operand> running(NodeContext& n, double momentum, Operand old, Operand current) {
  const DType dtype = n.type(old).dtype;
  CAMBIUM_TRY(const Operand kept, n.emit(Binary{BinaryFn::Mul}, {old, n.scalar(dtype, momentum)}));
  CAMBIUM_TRY(const Operand fresh,
              n.emit(Binary{BinaryFn::Mul}, {current, n.scalar(dtype, 1 - momentum)}));
  return n.emit(Binary{BinaryFn::Add}, {kept, fresh});
}

Status batch_norm_in_training(NodeContext& n, double epsilon, double momentum) {
  const TensorType& x = n.type(0);
  if (x.rank() < 2) return bad_shape("input", x.text() + " has no channels");
  Ints axes;
  for (std::int64_t axis = 0; axis < x.rank(); ++axis) {
    if (axis != 1) axes.push_back(axis);
  }
  CAMBIUM_TRY(const Moments current, moments(n, n.in(0), axes, false));
  CAMBIUM_REQUIRE(
      n.give(BatchNorm{epsilon}, {n.in(0), n.in(1), n.in(2), current.mean, current.variance}));
  if (n.wants(1)) {
    CAMBIUM_TRY(const Operand mean, running(n, momentum, n.in(3), current.mean));
    n.set(1, mean);
  }
  if (n.wants(2)) {
    CAMBIUM_TRY(const Operand variance, running(n, momentum, n.in(4), current.variance));
    n.set(2, variance);
  }
  return Ok{};
}

Status batch_norm(NodeContext& n) {
  CAMBIUM_TRY(const double epsilon, n.number_or("epsilon", 1e-5));
  CAMBIUM_TRY(const double momentum, n.number_or("momentum", 0.9));
  bool training = false;
  if (n.opset() >= 14) {
    CAMBIUM_TRY(training, n.flag_or("training_mode", false));
  }
  if (n.opset() < 9) {
    CAMBIUM_TRY(const bool spatial, n.flag_or("spatial", true));
    if (!spatial) return bad_attribute("spatial", "0 is not supported");
  }
  if (n.opset() < 7) {
    CAMBIUM_TRY(const bool is_test, n.flag_or("is_test", false));
    if (!is_test) return bad_attribute("is_test", "0 is not supported");
    n.ignore("consumed_inputs");
  }
  if (training) return batch_norm_in_training(n, epsilon, momentum);
  return n.give(BatchNorm{epsilon}, {n.in(0), n.in(1), n.in(2), n.in(3), n.in(4)});
}

Status layer_norm(NodeContext& n) {
  const TensorType& x = n.type(0);
  CAMBIUM_TRY(const std::int64_t axis, n.axis_or("axis", -1, x.rank()));
  CAMBIUM_TRY(const double epsilon, n.number_or("epsilon", 1e-5));
  n.ignore("stash_type");  // how much an implementation may round in between
  std::vector<Operand> inputs = {n.in(0), n.in(1)};
  if (n.has(2)) inputs.push_back(n.in(2));
  CAMBIUM_REQUIRE(n.give(LayerNorm{axis, epsilon}, inputs));
  if (!n.wants(1) && !n.wants(2)) return Ok{};
  Ints axes(static_cast<std::size_t>(x.rank() - axis));
  std::iota(axes.begin(), axes.end(), axis);
  CAMBIUM_TRY(const Moments current, moments(n, n.in(0), axes, true));
  n.set(1, current.mean);
  CAMBIUM_TRY(const Operand shifted,
              n.emit(Binary{BinaryFn::Add}, {current.variance, n.scalar(x.dtype, epsilon)}));
  CAMBIUM_TRY(const Operand deviation, n.emit(Unary{UnaryFn::Sqrt}, {shifted}));
  CAMBIUM_TRY(const Operand inverse, n.emit(Unary{UnaryFn::Reciprocal}, {deviation}));
  n.set(2, inverse);
  return Ok{};
}

Status instance_norm(NodeContext& n) {
  const TensorType& x = n.type(0);
  if (x.rank() < 2) return bad_shape("input", x.text() + " has no channels");
  CAMBIUM_TRY(const double epsilon, n.number_or("epsilon", 1e-5));
  if (n.opset() < 6) n.ignore("consumed_inputs");
  return n.give(GroupNorm{x.dims[1], epsilon}, {n.in(0), n.in(1), n.in(2)});
}

// At opsets 18 to 20 scale and bias have an entry per group, later one per channel.
Result<Operand> per_channel(NodeContext& n, Operand values, std::int64_t groups,
                            std::int64_t channels) {
  if (n.type(values).dims != Ints{groups}) {
    return bad_shape("scale or bias", n.type(values).text() + " must have one entry per group");
  }
  if (groups == channels) return values;
  CAMBIUM_TRY(const Operand column, n.emit(Reshape{{groups, 1}}, {values}));
  CAMBIUM_TRY(const Operand repeated, n.emit(Expand{{groups, channels / groups}}, {column}));
  return n.emit(Reshape{{channels}}, {repeated});
}

Status group_norm(NodeContext& n) {
  const TensorType& x = n.type(0);
  if (x.rank() < 2) return bad_shape("input", x.text() + " has no channels");
  CAMBIUM_TRY(const double epsilon, n.number_or("epsilon", 1e-5));
  CAMBIUM_TRY(const std::int64_t groups, n.int_or("num_groups", 0));
  n.ignore("stash_type");
  if (groups < 1 || x.dims[1] % groups != 0) {
    return bad_attribute("num_groups", "does not divide the channels of " + x.text());
  }
  Operand scale = n.in(1), bias = n.in(2);
  if (n.opset() < 21) {
    CAMBIUM_TRY(scale, per_channel(n, scale, groups, x.dims[1]));
    CAMBIUM_TRY(bias, per_channel(n, bias, groups, x.dims[1]));
  }
  return n.give(GroupNorm{groups, epsilon}, {n.in(0), scale, bias});
}

// (x - mean) / (deviation + 1e-9)
Status mean_variance_norm(NodeContext& n) {
  const TensorType& x = n.type(0);
  CAMBIUM_TRY(const Ints raw, n.ints_or("axes", {0, 2, 3}));
  Ints axes;
  for (const std::int64_t axis : raw) {
    CAMBIUM_TRY(const std::int64_t counted, NodeContext::axis_in(axis, x.rank()));
    axes.push_back(counted);
  }
  std::sort(axes.begin(), axes.end());
  CAMBIUM_TRY(const Moments current, moments(n, n.in(0), axes, true));
  CAMBIUM_TRY(const Operand deviation, n.emit(Unary{UnaryFn::Sqrt}, {current.variance}));
  CAMBIUM_TRY(const Operand safe,
              n.emit(Binary{BinaryFn::Add}, {deviation, n.scalar(x.dtype, 1e-9)}));
  CAMBIUM_TRY(const Operand centred, n.emit(Binary{BinaryFn::Sub}, {n.in(0), current.mean}));
  return n.give(Binary{BinaryFn::Div}, {centred, safe});
}

// x / (bias + alpha / size * sum of squares over neighbouring channels) ^ beta. The sum is a pool
// along the channels of the squares, laid out as one image of channels by positions.
Status lrn(NodeContext& n) {
  const TensorType x = n.type(0);
  CAMBIUM_TRY(const double alpha, n.number_or("alpha", 1e-4));
  CAMBIUM_TRY(const double beta, n.number_or("beta", 0.75));
  CAMBIUM_TRY(const double bias, n.number_or("bias", 1));
  CAMBIUM_TRY(const std::int64_t size, n.int_or("size", 0));
  if (x.rank() < 3) return bad_shape("input", x.text() + " has no spatial axes");
  if (size < 1 || size > (1 << 20))
    return bad_attribute("size", "is not a valid number of channels");
  std::int64_t positions = 1;
  for (std::size_t i = 2; i < x.dims.size(); ++i) positions *= x.dims[i];
  CAMBIUM_TRY(const Operand squared, n.emit(Binary{BinaryFn::Mul}, {n.in(0), n.in(0)}));
  CAMBIUM_TRY(const Operand image,
              n.emit(Reshape{{x.dims[0], 1, x.dims[1], positions}}, {squared}));
  Pool pool;
  pool.fn = PoolFn::Average;
  pool.kernel = {size, 1};
  pool.strides = pool.dilations = {1, 1};
  pool.pads = {(size - 1) / 2, 0, size / 2, 0};
  pool.count_include_pad = true;
  CAMBIUM_TRY(const Operand pooled, n.emit(pool, {image}));
  CAMBIUM_TRY(const Operand mean, n.emit(Reshape{x.dims}, {pooled}));
  CAMBIUM_TRY(const Operand scaled,
              n.emit(Binary{BinaryFn::Mul}, {mean, n.scalar(x.dtype, alpha)}));
  CAMBIUM_TRY(const Operand base, n.emit(Binary{BinaryFn::Add}, {scaled, n.scalar(x.dtype, bias)}));
  CAMBIUM_TRY(const Operand divisor,
              n.emit(Binary{BinaryFn::Pow}, {base, n.scalar(x.dtype, beta)}));
  return n.give(Binary{BinaryFn::Div}, {n.in(0), divisor});
}

constexpr Row kNormalizationRows[] = {
    {"BatchNormalization", 6, kAny, 5, 5, batch_norm},
    {"LayerNormalization", 17, kAny, 2, 3, layer_norm},
    {"InstanceNormalization", 6, kAny, 3, 3, instance_norm},
    {"GroupNormalization", 18, kAny, 3, 3, group_norm},
    {"MeanVarianceNormalization", 9, kAny, 1, 1, mean_variance_norm},
    {"LRN", 1, kAny, 1, 1, lrn},
};

}  // namespace

std::span<const Row> normalization_rows() {
  return kNormalizationRows;
}

}  // namespace cambium::model::onnx_io
