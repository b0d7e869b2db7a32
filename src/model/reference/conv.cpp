// Conv and ConvTranspose: products of the weights with columns of the input that are read on the
// fly. A transposed convolution reads its input as if zeros stood between the elements.
#include <algorithm>
#include <span>

#include "model/reference/contraction.h"
#include "model/reference/kernels.h"

namespace cambium::model::reference {

namespace {

struct Axis {
  std::int64_t in, out, kernel, stride, dilation, pad;

  bool trivial() const { return kernel == 1 && stride == 1 && pad == 0 && in == out; }
};

struct Geometry {
  bool transposed = false;
  std::int64_t groups = 1, channels = 0, filters = 0;  // per group
  std::vector<Axis> axes;
  std::int64_t in_plane = 1, out_plane = 1, taps = 1;

  // The input coordinate that output `o` reads through kernel tap `k`, or -1.
  std::int64_t source(const Axis& axis, std::int64_t o, std::int64_t k) const {
    std::int64_t at = 0;
    if (transposed) {
      at = o + axis.pad - k * axis.dilation;
      if (at % axis.stride != 0) return -1;
      at /= axis.stride;
    } else {
      at = o * axis.stride + k * axis.dilation - axis.pad;
    }
    return at >= 0 && at < axis.in ? at : -1;
  }
};

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {  // b > 0
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

template <class Op>
Geometry geometry_of(const Op& op, const Task& task, bool transposed) {
  const Ints& x = task.inputs[0].dims();
  const Ints& w = task.inputs[1].dims();
  const Ints& out = task.outputs[0].dims;
  Geometry g;
  g.transposed = transposed;
  g.groups = op.groups;
  g.channels = x[1] / op.groups;
  g.filters = out[1] / op.groups;
  for (std::size_t i = 2; i < x.size(); ++i) {
    const Axis axis{x[i], out[i], w[i], op.strides[i - 2], op.dilations[i - 2], op.pads[i - 2]};
    g.in_plane *= axis.in;
    g.out_plane *= axis.out;
    g.taps *= axis.kernel;
    // Axes that the kernel does not look along are one long axis: it is read in longer runs.
    if (!g.axes.empty() && axis.trivial() && g.axes.back().trivial()) {
      g.axes.back().in *= axis.in;
      g.axes.back().out *= axis.out;
    } else {
      g.axes.push_back(axis);
    }
  }
  return g;
}

// Reads outputs [begin, end) of the last axis through tap `k`.
template <class T>
void read_run(const Geometry& g, const Axis& axis, const T* row, std::int64_t k, std::int64_t begin,
              std::int64_t end, Sum<T>* to) {
  std::fill(to, to + (end - begin), Sum<T>{});
  if (g.transposed) {
    const std::int64_t shift = axis.pad - k * axis.dilation;  // o + shift = source * stride
    const std::int64_t first = std::max<std::int64_t>(0, ceil_div(begin + shift, axis.stride));
    const std::int64_t last = std::min(axis.in, ceil_div(end + shift, axis.stride));
    for (std::int64_t i = first; i < last; ++i) {
      to[i * axis.stride - shift - begin] = convert<Sum<T>>(row[i]);
    }
    return;
  }
  const std::int64_t shift = k * axis.dilation - axis.pad;  // source = o * stride + shift
  const std::int64_t first = std::max(begin, ceil_div(-shift, axis.stride));
  const std::int64_t last = std::min(end, ceil_div(axis.in - shift, axis.stride));
  if (axis.stride == 1) {
    for (std::int64_t o = first; o < last; ++o) to[o - begin] = convert<Sum<T>>(row[o + shift]);
  } else {
    for (std::int64_t o = first; o < last; ++o) {
      to[o - begin] = convert<Sum<T>>(row[o * axis.stride + shift]);
    }
  }
}

// Reads what the output positions [begin, end) of a plane see through one tap of the kernel.
template <class T>
void read_columns(const Geometry& g, const T* plane, std::int64_t tap, std::int64_t begin,
                  std::int64_t end, Sum<T>* to) {
  const Axis& last = g.axes.back();
  for (std::int64_t at = begin; at < end;) {
    const std::int64_t row_begin = at / last.out * last.out;
    const std::int64_t row_end = std::min(end, row_begin + last.out);
    std::int64_t rest = at / last.out, taps = tap / last.kernel, stride = last.in, offset = 0;
    for (std::size_t i = g.axes.size() - 1; i-- > 0 && offset >= 0;) {
      const Axis& axis = g.axes[i];
      const std::int64_t source = g.source(axis, rest % axis.out, taps % axis.kernel);
      offset = source < 0 ? -1 : offset + source * stride;
      rest /= axis.out;
      taps /= axis.kernel;
      stride *= axis.in;
    }
    if (offset < 0) {
      std::fill(to + (at - begin), to + (row_end - begin), Sum<T>{});
    } else {
      read_run(g, last, plane + offset, tap % last.kernel, at - row_begin, row_end - row_begin,
               to + (at - begin));
    }
    at = row_end;
  }
}

// Reads depth [begin, end) of one filter of a group; the depth counts channels, then taps.
template <class T>
void read_filter(const Geometry& g, const T* w, std::int64_t group, std::int64_t filter,
                 std::int64_t begin, std::int64_t end, Sum<T>* to) {
  if (!g.transposed) {
    const T* row = w + (group * g.filters + filter) * g.channels * g.taps;
    for (std::int64_t p = begin; p < end; ++p) *to++ = convert<Sum<T>>(row[p]);
    return;
  }
  for (std::int64_t p = begin; p < end; ++p) {
    const std::int64_t channel = group * g.channels + p / g.taps;
    *to++ = convert<Sum<T>>(w[(channel * g.filters + filter) * g.taps + p % g.taps]);
  }
}

template <class T>
Computed convolve(const Geometry& g, const Task& task) {
  const T* x = task.inputs[0].as<T>().data();
  const T* w = task.inputs[1].as<T>().data();
  const T* bias = task.inputs.size() > 2 ? task.inputs[2].as<T>().data() : nullptr;
  Fresh<T> fresh(task.outputs[0]);
  T* out = fresh.data();
  Contraction<Sum<T>> c;
  c.batch = task.outputs[0].dims[0] * g.groups;  // images, then groups
  c.rows = g.filters;
  c.columns = g.out_plane;
  c.depth = g.channels * g.taps;
  c.left.read = [&](std::int64_t batch, std::int64_t filter, std::int64_t begin, std::int64_t end,
                    Sum<T>* to) { read_filter(g, w, batch % g.groups, filter, begin, end, to); };
  c.right.by_line = false;
  c.right.read = [&](std::int64_t batch, std::int64_t p, std::int64_t begin, std::int64_t end,
                     Sum<T>* to) {
    const std::int64_t channel = batch * g.channels + p / g.taps;
    read_columns(g, x + channel * g.in_plane, p % g.taps, begin, end, to);
  };
  c.write = [&](std::int64_t batch, std::int64_t filter, std::int64_t begin, std::int64_t end,
                const Sum<T>* sums) {
    T* row = out + (batch * g.filters + filter) * g.out_plane;
    const Sum<T> add =
        bias != nullptr ? convert<Sum<T>>(bias[batch % g.groups * g.filters + filter]) : Sum<T>{};
    for (std::int64_t j = begin; j < end; ++j) row[j] = convert<T>(sums[j - begin] + add);
  };
  contract(c, task.pool);
  return std::move(fresh).only();
}

Computed convolve_any(const Geometry& g, const Task& task) {
  return visit_dtype(task.outputs[0].dtype,
                     [&](auto zero) { return convolve<decltype(zero)>(g, task); });
}

}  // namespace

Computed run(const Conv& op, const Task& task) {
  return convolve_any(geometry_of(op, task, false), task);
}

Computed run(const ConvTranspose& op, const Task& task) {
  return convolve_any(geometry_of(op, task, true), task);
}

}  // namespace cambium::model::reference
