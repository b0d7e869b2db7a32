// Normalizations and softmaxes: statistics in double over the exact inputs, rounded once.
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/reference/kernels.h"

namespace cambium::model::reference {

namespace {

struct Moments {
  double mean = 0, inverse_deviation = 0;
};

// Two passes: the variance of numbers far from zero survives.
template <class T>
Moments moments_of(const T* x, std::int64_t count, double epsilon) {
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += convert<double>(x[i]);
  const double mean = sum / static_cast<double>(count);
  for (std::int64_t i = 0; i < count; ++i) {
    const double off = convert<double>(x[i]) - mean;
    squares += off * off;
  }
  return {mean, 1 / std::sqrt(squares / static_cast<double>(count) + epsilon)};
}

// The elements of a tensor that is stretched to `dims`.
std::vector<double> stretched(const Tensor& tensor, const Ints& dims) {
  const std::vector<double> elements = tensor.to_doubles();
  const Ints own = strides_of(tensor.dims());
  const std::size_t shift = dims.size() - own.size();
  std::vector<double> out(static_cast<std::size_t>(product(dims)));
  for (std::size_t i = 0; i < out.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    std::int64_t offset = 0;
    for (std::size_t axis = dims.size(); axis-- > shift;) {
      if (tensor.dims()[axis - shift] != 1) offset += rest % dims[axis] * own[axis - shift];
      rest /= dims[axis];
    }
    out[i] = elements[static_cast<std::size_t>(offset)];
  }
  return out;
}

template <class T>
Computed batch_norm(const BatchNorm& op, const Task& task) {
  const Ints& dims = task.outputs[0].dims;
  const std::int64_t channels = dims[1];
  const std::int64_t plane = product({dims.begin() + 2, dims.end()});
  const auto scale = task.inputs[1].to_doubles(), bias = task.inputs[2].to_doubles();
  const auto mean = task.inputs[3].to_doubles(), variance = task.inputs[4].to_doubles();
  const T* x = task.inputs[0].as<T>().data();
  Fresh<T> fresh(task.outputs[0]);
  T* out = fresh.data();
  task.spread(dims[0] * channels, kGrain / (plane + 1) + 1, [&](auto begin, auto end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto c = static_cast<std::size_t>(i % channels);
      const double inverse = 1 / std::sqrt(variance[c] + op.epsilon);
      for (std::int64_t j = i * plane; j < (i + 1) * plane; ++j) {
        out[j] = convert<T>((convert<double>(x[j]) - mean[c]) * inverse * scale[c] + bias[c]);
      }
    }
  });
  return std::move(fresh).only();
}

template <class T>
Computed layer_norm(const LayerNorm& op, const Task& task) {
  const Ints& dims = task.outputs[0].dims;
  const Ints normalized(dims.begin() + op.axis, dims.end());
  const std::int64_t count = product(normalized);
  const std::int64_t outer = product({dims.begin(), dims.begin() + op.axis});
  const auto scale = stretched(task.inputs[1], normalized);
  const auto bias = task.inputs.size() > 2 ? stretched(task.inputs[2], normalized)
                                           : std::vector<double>(scale.size());
  const T* x = task.inputs[0].as<T>().data();
  Fresh<T> fresh(task.outputs[0]);
  T* out = fresh.data();
  task.spread(outer, kGrain / (count + 1) + 1, [&](auto begin, auto end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Moments moments = moments_of(x + i * count, count, op.epsilon);
      for (std::int64_t j = 0; j < count; ++j) {
        const double unit =
            (convert<double>(x[i * count + j]) - moments.mean) * moments.inverse_deviation;
        const auto at = static_cast<std::size_t>(j);
        out[i * count + j] = convert<T>(unit * scale[at] + bias[at]);
      }
    }
  });
  return std::move(fresh).only();
}

template <class T>
Computed group_norm(const GroupNorm& op, const Task& task) {
  const Ints& dims = task.outputs[0].dims;
  const std::int64_t plane = product({dims.begin() + 2, dims.end()});
  const std::int64_t channels = dims[1] / op.groups;  // of one group
  const std::int64_t count = channels * plane;
  const auto scale = task.inputs[1].to_doubles(), bias = task.inputs[2].to_doubles();
  const T* x = task.inputs[0].as<T>().data();
  Fresh<T> fresh(task.outputs[0]);
  T* out = fresh.data();
  task.spread(dims[0] * op.groups, kGrain / (count + 1) + 1, [&](auto begin, auto end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Moments moments = moments_of(x + i * count, count, op.epsilon);
      for (std::int64_t j = 0; j < count; ++j) {
        const auto c = static_cast<std::size_t>(i % op.groups * channels + j / plane);
        const double unit =
            (convert<double>(x[i * count + j]) - moments.mean) * moments.inverse_deviation;
        out[i * count + j] = convert<T>(unit * scale[c] + bias[c]);
      }
    }
  });
  return std::move(fresh).only();
}

template <class T>
Computed softmax(std::int64_t axis, bool logarithm, const Task& task) {
  const Ints& dims = task.outputs[0].dims;
  const std::int64_t count = dims[static_cast<std::size_t>(axis)];
  const std::int64_t inner = product({dims.begin() + axis + 1, dims.end()});
  const std::int64_t outer = product({dims.begin(), dims.begin() + axis});
  const T* x = task.inputs[0].as<T>().data();
  Fresh<T> fresh(task.outputs[0]);
  T* out = fresh.data();
  task.spread(outer * inner, kGrain / (count + 1) + 1, [&](auto begin, auto end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i / inner * count * inner + i % inner;
      double highest = -std::numeric_limits<double>::infinity(), sum = 0;
      for (std::int64_t j = 0; j < count; ++j) {
        highest = std::max(highest, convert<double>(x[first + j * inner]));
      }
      for (std::int64_t j = 0; j < count; ++j) {
        sum += std::exp(convert<double>(x[first + j * inner]) - highest);
      }
      const double log_sum = std::log(sum);
      for (std::int64_t j = 0; j < count; ++j) {
        const double off = convert<double>(x[first + j * inner]) - highest;
        out[first + j * inner] = convert<T>(logarithm ? off - log_sum : std::exp(off) / sum);
      }
    }
  });
  return std::move(fresh).only();
}

}  // namespace

Computed run(const BatchNorm& op, const Task& task) {
  return visit_dtype(task.outputs[0].dtype,
                     [&](auto zero) { return batch_norm<decltype(zero)>(op, task); });
}

Computed run(const LayerNorm& op, const Task& task) {
  return visit_dtype(task.outputs[0].dtype,
                     [&](auto zero) { return layer_norm<decltype(zero)>(op, task); });
}

Computed run(const GroupNorm& op, const Task& task) {
  return visit_dtype(task.outputs[0].dtype,
                     [&](auto zero) { return group_norm<decltype(zero)>(op, task); });
}

Computed run(const Softmax& op, const Task& task) {
  return visit_dtype(task.outputs[0].dtype,
                     [&](auto zero) { return softmax<decltype(zero)>(op.axis, false, task); });
}

Computed run(const LogSoftmax& op, const Task& task) {
  return visit_dtype(task.outputs[0].dtype,
                     [&](auto zero) { return softmax<decltype(zero)>(op.axis, true, task); });
}

}  // namespace cambium::model::reference
