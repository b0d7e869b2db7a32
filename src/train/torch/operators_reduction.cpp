// Pooling and reductions.
#include <algorithm>
#include <limits>
#include <tuple>

#include "train/torch/operators.h"
#include "train/torch/tensors.h"

namespace cambium::train {

using model::Ints;
using model::PoolFn;
using model::ReduceFn;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// Windows over an input that is explicitly padded on both sides, so that they fit exactly. This
// covers asymmetric pads, pads wider than half a kernel, and windows that reach over the end.
struct Windows {
  Ints pads;   // as constant_pad_nd takes them
  Ints begin;  // of each spatial axis
};

Windows windows_of(const model::Pool& op, const Ints& in, const Ints& out) {
  const std::size_t spatial = op.kernel.size();
  Windows windows{Ints(2 * spatial),
                  Ints(op.pads.begin(), op.pads.begin() + static_cast<std::ptrdiff_t>(spatial))};
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::int64_t needed =
        (out[i + 2] - 1) * op.strides[i] + (op.kernel[i] - 1) * op.dilations[i] + 1;
    const std::size_t at = 2 * (spatial - 1 - i);
    windows.pads[at] = op.pads[i];
    windows.pads[at + 1] = std::max<std::int64_t>(0, needed - in[i + 2] - op.pads[i]);
  }
  return windows;
}

// Whether libtorch's own padding gives the same result.
bool pads_evenly(const model::Pool& op) {
  const std::size_t spatial = op.kernel.size();
  for (std::size_t i = 0; i < spatial; ++i) {
    if (op.pads[i] != op.pads[i + spatial] || 2 * op.pads[i] > op.kernel[i]) return false;
  }
  return !op.ceil_mode;
}

// Works in 2 or 3 spatial dimensions: 1 dimension gets another.
struct Lifted {
  torch::Tensor x;
  model::Pool op;
  bool lifted = false;
};

Lifted lifted(const torch::Tensor& x, const model::Pool& op) {
  Lifted out{x, op, op.kernel.size() == 1};
  if (!out.lifted) return out;
  out.x = x.unsqueeze(2);
  for (Ints* each : {&out.op.kernel, &out.op.strides, &out.op.dilations}) {
    each->insert(each->begin(), 1);
  }
  out.op.pads = {0, op.pads[0], 0, op.pads[1]};
  return out;
}

// Turns flat places in a padded plane into flat places in the whole input; -1 for padding.
torch::Tensor indices_in_input(const torch::Tensor& flat, const model::Pool& op, const Ints& padded,
                               const Ints& in, const Ints& begin) {
  torch::Tensor rest = flat, place = torch::zeros_like(flat),
                outside = torch::zeros_like(flat, torch::kBool);
  std::int64_t plane = 1;
  for (std::size_t i = 2; i < in.size(); ++i) plane *= in[i];
  std::int64_t row_stride = 1, column_stride = plane;
  for (std::size_t i = in.size(); i-- > 2;) {
    const torch::Tensor at = torch::remainder(rest, padded[i]) - begin[i - 2];
    rest = torch::div(rest, padded[i], "floor");
    outside = outside.logical_or(at < 0).logical_or(at >= in[i]);
    column_stride /= in[i];
    place = place + at * (op.column_major_indices ? column_stride : row_stride);
    row_stride *= in[i];
  }
  Ints dims(in.size(), 1);
  dims[0] = in[0];
  dims[1] = in[1];
  const auto planes = torch::arange(in[0] * in[1], flat.options()).reshape(dims);
  return (place + planes * plane).masked_fill(outside, -1);
}

Tensors max_pool(const model::Pool& given, const Call& call) {
  const torch::ScalarType type = call.input(0).scalar_type();
  const bool whole = !torch::isFloatingType(type);
  const Lifted lift = lifted(whole ? call.input(0).to(torch::kDouble) : call.input(0), given);
  const model::Pool& op = lift.op;
  const std::size_t spatial = op.kernel.size();
  torch::Tensor x = lift.x;
  const Ints in = x.sizes().vec();
  Ints out = call.node.outputs[0].dims,
       pads(op.pads.begin(), op.pads.begin() + static_cast<std::ptrdiff_t>(spatial));
  if (lift.lifted) out.insert(out.begin() + 2, 1);
  Ints begin(spatial, 0);
  if (!pads_evenly(op)) {
    const Windows windows = windows_of(op, in, out);
    x = torch::constant_pad_nd(x, windows.pads, -kInf);
    begin = windows.begin;
    std::fill(pads.begin(), pads.end(), 0);
  }
  torch::Tensor y, indices;
  if (!op.with_indices && spatial == 2) {
    y = torch::max_pool2d(x, op.kernel, op.strides, pads, op.dilations);
  } else if (spatial == 2) {
    std::tie(y, indices) =
        torch::max_pool2d_with_indices(x, op.kernel, op.strides, pads, op.dilations);
  } else {
    std::tie(y, indices) =
        torch::max_pool3d_with_indices(x, op.kernel, op.strides, pads, op.dilations);
  }
  Tensors results{lift.lifted ? y.squeeze(2) : y};
  if (whole) results[0] = results[0].to(type);
  if (op.with_indices) {
    indices = indices_in_input(indices, op, x.sizes().vec(), in, begin);
    results.push_back(lift.lifted ? indices.squeeze(2) : indices);
  }
  return results;
}

// How many taps of each window of one axis count.
torch::Tensor taps_of(const model::Pool& op, std::size_t i, std::int64_t in, std::int64_t out) {
  const std::int64_t low = op.count_include_pad ? -op.pads[i] : 0;
  const std::int64_t high = op.count_include_pad ? in + op.pads[i + op.kernel.size()] : in;
  std::vector<double> counts(static_cast<std::size_t>(out));
  for (std::int64_t o = 0; o < out; ++o) {
    for (std::int64_t k = 0; k < op.kernel[i]; ++k) {
      const std::int64_t at = o * op.strides[i] - op.pads[i] + k * op.dilations[i];
      if (at >= low && at < high) counts[static_cast<std::size_t>(o)] += 1;
    }
  }
  return torch::tensor(counts, torch::kDouble);
}

// A sum over windows is a convolution with ones; its divisor depends on the place only.
torch::Tensor general_average(const model::Pool& op, const torch::Tensor& given, const Ints& out) {
  const std::size_t spatial = op.kernel.size();
  const Ints in = given.sizes().vec();
  torch::Tensor x = torch::constant_pad_nd(given, windows_of(op, in, out).pads, 0);
  Ints planes{in[0] * in[1], 1}, ones{1, 1};
  planes.insert(planes.end(), x.sizes().begin() + 2, x.sizes().end());
  ones.insert(ones.end(), op.kernel.begin(), op.kernel.end());
  const Ints none(spatial, 0);
  torch::Tensor y =
      torch::convolution(x.reshape(planes), torch::ones(ones, x.options()), torch::Tensor(),
                         op.strides, none, op.dilations, false, none, 1);
  torch::Tensor divisor = torch::ones({1}, torch::kDouble);
  Ints dims{in[0], in[1]};
  for (std::size_t i = 0; i < spatial; ++i) {
    Ints shape(spatial, 1);
    shape[i] = out[i + 2];
    divisor = divisor * taps_of(op, i, in[i + 2], out[i + 2]).reshape(shape);
    y = y.narrow(static_cast<std::int64_t>(i) + 2, 0, out[i + 2]);
    dims.push_back(out[i + 2]);
  }
  return y.reshape(dims) / divisor.clamp_min(1).to(x.options());
}

// Whether every place has a window in which all taps count.
bool is_plain_mean(const model::Pool& op) {
  const auto is = [](const Ints& all, std::int64_t value) {
    return std::all_of(all.begin(), all.end(), [&](std::int64_t each) { return each == value; });
  };
  return is(op.strides, 1) && is(op.dilations, 1) && !op.ceil_mode &&
         (op.count_include_pad || is(op.pads, 0));
}

// On a GPU, libtorch's pooling of overlapping windows takes several times as long as a convolution
// (docs/results/training.md). This one convolves each channel with ones, which every type can
// represent.
Tensors average_by_convolution(const model::Pool& op, const Call& call) {
  const torch::Tensor& x = call.input(0);
  Ints dims{x.size(1), 1};
  dims.insert(dims.end(), op.kernel.begin(), op.kernel.end());
  const torch::Tensor ones = torch::ones(dims, x.options());
  const std::int64_t taps = ones[0].numel();
  const Tensors inputs{x, ones};
  Call convolution = call;
  convolution.inputs = inputs;
  return {run(model::Conv{op.strides, op.pads, op.dilations, x.size(1)}, convolution)[0] / taps};
}

Tensors average_pool(const model::Pool& op, const Call& call) {
  const bool is_for_gpu = call.input(0).is_cuda() || call.dense_groups;
  if (is_for_gpu && op.kernel.size() == 2 && is_plain_mean(op))
    return average_by_convolution(op, call);
  const bool dilated = std::any_of(op.dilations.begin(), op.dilations.end(),
                                   [](std::int64_t dilation) { return dilation != 1; });
  const std::size_t spatial = op.kernel.size();
  if (dilated || !pads_evenly(op)) {
    return {general_average(op, call.input(0), call.node.outputs[0].dims)};
  }
  const Ints pads(op.pads.begin(), op.pads.begin() + static_cast<std::ptrdiff_t>(spatial));
  if (spatial == 1) {
    return {
        torch::avg_pool1d(call.input(0), op.kernel, op.strides, pads, false, op.count_include_pad)};
  }
  if (spatial == 2) {
    return {
        torch::avg_pool2d(call.input(0), op.kernel, op.strides, pads, false, op.count_include_pad)};
  }
  return {
      torch::avg_pool3d(call.input(0), op.kernel, op.strides, pads, false, op.count_include_pad)};
}

torch::Tensor extremum(const torch::Tensor& x, const model::Reduce& op, bool maximum) {
  for (const std::int64_t axis : op.axes) {
    if (x.size(axis) != 0) continue;
    // Over an empty axis the result is the neutral element, which libtorch does not give.
    const torch::Tensor sum = x.sum(op.axes, op.keep).to(x.scalar_type());
    if (torch::isFloatingType(x.scalar_type()))
      return torch::full_like(sum, maximum ? -kInf : kInf);
    return AT_DISPATCH_INTEGRAL_TYPES_AND(torch::kBool, x.scalar_type(), "extremum", [&] {
      using Limits = std::numeric_limits<scalar_t>;
      return torch::full_like(
          sum, static_cast<std::int64_t>(maximum ? Limits::lowest() : Limits::max()));
    });
  }
  return maximum ? x.amax(op.axes, op.keep) : x.amin(op.axes, op.keep);
}

torch::Tensor reduced(const model::Reduce& op, const torch::Tensor& x) {
  const bool whole = !torch::isFloatingType(x.scalar_type());
  switch (op.fn) {
    case ReduceFn::Mean: {
      if (!whole) return x.mean(op.axes, op.keep);
      std::int64_t count = 1;
      for (const std::int64_t axis : op.axes) count *= x.size(axis);
      const torch::Tensor sum = x.sum(op.axes, op.keep);
      return count == 0 ? torch::zeros_like(sum) : torch::div(sum, count, "trunc");
    }
    case ReduceFn::Sum: return x.sum(op.axes, op.keep);
    case ReduceFn::Max: return extremum(x, op, true);
    case ReduceFn::Min: return extremum(x, op, false);
    case ReduceFn::Prod: {
      torch::Tensor y = x;
      for (auto axis = op.axes.rbegin(); axis != op.axes.rend(); ++axis) y = y.prod(*axis, op.keep);
      return y;
    }
    case ReduceFn::L1: return x.abs().sum(op.axes, op.keep);
    case ReduceFn::SumSquare: return (x * x).sum(op.axes, op.keep);
    case ReduceFn::L2:
      return torch::linalg_vector_norm(whole ? x.to(torch::kDouble) : x, 2, op.axes, op.keep);
    case ReduceFn::LogSum: {
      const torch::Tensor sum = x.sum(op.axes, op.keep);
      return (whole ? sum.to(torch::kDouble) : sum).log();
    }
    case ReduceFn::LogSumExp:
      return torch::logsumexp(whole ? x.to(torch::kDouble) : x, op.axes, op.keep);
  }
  return {};
}

}  // namespace

Tensors run(const model::Pool& op, const Call& call) {
  return op.fn == PoolFn::Max ? max_pool(op, call) : average_pool(op, call);
}

Tensors run(const model::Reduce& op, const Call& call) {
  const torch::Tensor& x = call.input(0);
  if (op.axes.empty()) return {x};
  // libtorch widens sums of whole numbers; they wrap when they are narrowed again.
  return {torch::isFloatingType(x.scalar_type()) ? reduced(op, x)
                                                 : converted(reduced(op, x), x.scalar_type())};
}

Tensors run(const model::ArgReduce& op, const Call& call) {
  torch::Tensor x = call.input(0);
  if (x.scalar_type() == torch::kBool) x = x.to(torch::kByte);
  if (op.last) x = x.flip({op.axis});
  torch::Tensor at = op.maximum ? x.argmax(op.axis, op.keep) : x.argmin(op.axis, op.keep);
  if (op.last) at = x.size(op.axis) - 1 - at;
  return {at};
}

}  // namespace cambium::train
