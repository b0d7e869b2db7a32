// Pool: maximum and average over windows; taps outside of the input do not count, except for an
// average that includes the padding. A window that sees nothing has the lowest number as its
// maximum (index -1) and the average 0.
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/reference/kernels.h"

namespace cambium::model::reference {

namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {  // b > 0
  return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return std::max<std::int64_t>(0, end - begin); }
};

// The taps k of one axis for which low <= start + k * dilation < high.
Range taps_within(std::int64_t start, std::int64_t dilation, std::int64_t kernel, std::int64_t low,
                  std::int64_t high) {
  return {std::max<std::int64_t>(0, ceil_div(low - start, dilation)),
          std::min(kernel, ceil_div(high - start, dilation))};
}

// One window: the taps of each axis that meet the input, and how many the average divides by.
struct Window {
  std::vector<Range> taps;
  Ints starts;
  std::int64_t seen = 1, divisor = 1;
};

void place_window(const Pool& op, const Ints& in, std::span<const std::int64_t> out_index,
                  Window& window) {
  const std::size_t spatial = op.kernel.size();
  window.seen = window.divisor = 1;
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::int64_t start = out_index[i] * op.strides[i] - op.pads[i];
    const std::int64_t size = in[i + 2];
    window.starts[i] = start;
    window.taps[i] = taps_within(start, op.dilations[i], op.kernel[i], 0, size);
    window.seen *= window.taps[i].size();
    const Range padded =
        taps_within(start, op.dilations[i], op.kernel[i], -op.pads[i], size + op.pads[i + spatial]);
    window.divisor *= op.count_include_pad ? padded.size() : window.taps[i].size();
  }
}

// Calls f(offset in the plane) for each tap of the window, in row-major order.
template <class F>
void for_each_tap(const Pool& op, const Ints& strides, const Window& window, const F& f) {
  if (window.seen == 0) return;
  const std::size_t spatial = op.kernel.size();
  Ints tap(spatial);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < spatial; ++i) {
    tap[i] = window.taps[i].begin;
    offset += (window.starts[i] + tap[i] * op.dilations[i]) * strides[i + 2];
  }
  for (std::int64_t n = 0; n < window.seen; ++n) {
    f(offset);
    for (std::size_t i = spatial; i-- > 0;) {
      const std::int64_t step = op.dilations[i] * strides[i + 2];
      offset += step;
      if (++tap[i] < window.taps[i].end) break;
      offset -= step * window.taps[i].size();
      tap[i] = window.taps[i].begin;
    }
  }
}

// Calls f(position in the output plane, window) for each output position of a plane.
template <class F>
void for_each_window(const Pool& op, const Ints& in, const Ints& out, const F& f) {
  const std::size_t spatial = op.kernel.size();
  const std::int64_t count = product({out.begin() + 2, out.end()});
  Window window{std::vector<Range>(spatial), Ints(spatial)};
  Ints index(spatial);
  for (std::int64_t at = 0; at < count; ++at) {
    place_window(op, in, index, window);
    f(at, window);
    for (std::size_t i = spatial; i-- > 0;) {
      if (++index[i] < out[i + 2]) break;
      index[i] = 0;
    }
  }
}

std::int64_t column_major(std::int64_t offset, const Ints& in) {
  std::int64_t out = 0, total = product({in.begin() + 2, in.end()});
  for (std::size_t i = in.size(); i-- > 2;) {
    total /= in[i];
    out += offset % in[i] * total;
    offset /= in[i];
  }
  return out;
}

template <class T>
bool is_nan(T value) {
  if constexpr (is_float_element<T>) {
    return std::isnan(convert<double>(value));
  } else {
    return false;
  }
}

template <class T>
Computed max_pool(const Pool& op, const Task& task) {
  using C = Compute<T>;
  const Ints& in = task.inputs[0].dims();
  const Ints& out_dims = task.outputs[0].dims;
  const Ints strides = strides_of(in);
  const std::int64_t in_plane = product({in.begin() + 2, in.end()});
  const std::int64_t out_plane = product({out_dims.begin() + 2, out_dims.end()});
  const T* x = task.inputs[0].as<T>().data();
  Fresh<T> fresh(task.outputs[0]);
  T* out = fresh.data();
  Fresh<std::int64_t> indices(op.with_indices ? task.outputs[1] : TensorType{DType::I64, {}});
  std::int64_t* index = indices.data();
  const C lowest = is_float_element<T> ? convert<C>(-std::numeric_limits<double>::infinity())
                                       : convert<C>(std::numeric_limits<T>::lowest());
  task.spread(out_dims[0] * out_dims[1], 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
      for_each_window(op, in, out_dims, [&](std::int64_t at, const Window& window) {
        C best = lowest;
        std::int64_t where = -1;
        for_each_tap(op, strides, window, [&](std::int64_t offset) {
          const C value = convert<C>(x[plane * in_plane + offset]);
          if (where >= 0 && !(value > best) && !(is_nan(value) && !is_nan(best))) return;
          best = value;
          where = offset;
        });
        out[plane * out_plane + at] = convert<T>(best);
        if (!op.with_indices) return;
        if (op.column_major_indices && where >= 0) where = column_major(where, in);
        index[plane * out_plane + at] = where < 0 ? -1 : plane * in_plane + where;
      });
    }
  });
  std::vector<Tensor> results{std::move(fresh).done()};
  if (op.with_indices) results.push_back(std::move(indices).done());
  return results;
}

template <class T>
Computed average_pool(const Pool& op, const Task& task) {
  const Ints& in = task.inputs[0].dims();
  const Ints& out_dims = task.outputs[0].dims;
  const Ints strides = strides_of(in);
  const std::int64_t in_plane = product({in.begin() + 2, in.end()});
  const std::int64_t out_plane = product({out_dims.begin() + 2, out_dims.end()});
  const T* x = task.inputs[0].as<T>().data();
  Fresh<T> fresh(task.outputs[0]);
  T* out = fresh.data();
  task.spread(out_dims[0] * out_dims[1], 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
      for_each_window(op, in, out_dims, [&](std::int64_t at, const Window& window) {
        double sum = 0;
        for_each_tap(op, strides, window, [&](std::int64_t offset) {
          sum += convert<double>(x[plane * in_plane + offset]);
        });
        const auto divisor = static_cast<double>(std::max<std::int64_t>(1, window.divisor));
        out[plane * out_plane + at] = convert<T>(sum / divisor);
      });
    }
  });
  return std::move(fresh).only();
}

}  // namespace

Computed run(const Pool& op, const Task& task) {
  return visit_dtype(task.outputs[0].dtype, [&](auto zero) {
    using T = decltype(zero);
    return op.fn == PoolFn::Max ? max_pool<T>(op, task) : average_pool<T>(op, task);
  });
}

}  // namespace cambium::model::reference
