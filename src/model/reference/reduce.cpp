// Reduce and ArgReduce. Over no axes at all a Reduce is the identity, whatever its function. Over
// an empty axis a sum is 0, a product 1, a maximum the lowest and a minimum the highest number, a
// mean NaN (of integers: 0). Integer sums wrap; a mean of integers is rounded toward zero.
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/reference/kernels.h"

namespace cambium::model::reference {

namespace {

// Walks the reduced elements of each element of the result.
struct Plan {
  Ints kept, kept_strides, reduced, reduced_strides;
  std::int64_t results = 1, count = 1;

  Plan(const Ints& dims, const Ints& axes) {
    const Ints strides = strides_of(dims);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const bool gone = std::binary_search(axes.begin(), axes.end(), static_cast<std::int64_t>(i));
      (gone ? reduced : kept).push_back(dims[i]);
      (gone ? reduced_strides : kept_strides).push_back(strides[i]);
    }
    results = product(kept);
    count = product(reduced);
  }

  std::int64_t first(std::int64_t result) const {
    std::int64_t offset = 0;
    for (std::size_t i = kept.size(); i-- > 0;) {
      offset += result % kept[i] * kept_strides[i];
      result /= kept[i];
    }
    return offset;
  }

  // Calls f(offset) for each of the `count` reduced elements, last axis fastest.
  template <class F>
  void walk(std::int64_t offset, const F& f) const {
    if (reduced.empty()) return f(offset);
    const std::int64_t width = reduced.back(), step = reduced_strides.back();
    Ints index(reduced.size());
    for (std::int64_t done = 0; done < count; done += width) {
      for (std::int64_t i = 0; i < width; ++i) f(offset + i * step);
      for (std::size_t i = reduced.size() - 1; i-- > 0;) {
        offset += reduced_strides[i];
        if (++index[i] < reduced[i]) break;
        offset -= reduced_strides[i] * reduced[i];
        index[i] = 0;
      }
    }
  }
};

double log_sum_exp(const Plan& plan, std::int64_t first, const auto& element) {
  double highest = -std::numeric_limits<double>::infinity(), sum = 0;
  plan.walk(first, [&](std::int64_t at) { highest = std::max(highest, element(at)); });
  if (std::isinf(highest)) return highest;
  plan.walk(first, [&](std::int64_t at) { sum += std::exp(element(at) - highest); });
  return highest + std::log(sum);
}

// What a function is in double: the whole story for floating elements, and the one for integers
// where no integer formula exists.
double reduce_floating(ReduceFn fn, const Plan& plan, std::int64_t first, const auto& element) {
  double sum = 0, squares = 0, magnitudes = 0, factor = 1;
  double highest = -std::numeric_limits<double>::infinity(), lowest = -highest;
  switch (fn) {
    case ReduceFn::Mean:
    case ReduceFn::Sum:
    case ReduceFn::LogSum:
      plan.walk(first, [&](std::int64_t at) { sum += element(at); });
      if (fn == ReduceFn::Mean) return sum / static_cast<double>(plan.count);
      return fn == ReduceFn::Sum ? sum : std::log(sum);
    case ReduceFn::L2:
    case ReduceFn::SumSquare:
      plan.walk(first, [&](std::int64_t at) { squares += element(at) * element(at); });
      return fn == ReduceFn::L2 ? std::sqrt(squares) : squares;
    case ReduceFn::L1:
      plan.walk(first, [&](std::int64_t at) { magnitudes += std::fabs(element(at)); });
      return magnitudes;
    case ReduceFn::Prod:
      plan.walk(first, [&](std::int64_t at) { factor *= element(at); });
      return factor;
    case ReduceFn::Max:  // a NaN gets in, and stays
      plan.walk(first, [&](std::int64_t at) {
        if (!std::isnan(highest) && !(element(at) <= highest)) highest = element(at);
      });
      return highest;
    case ReduceFn::Min:
      plan.walk(first, [&](std::int64_t at) {
        if (!std::isnan(lowest) && !(element(at) >= lowest)) lowest = element(at);
      });
      return lowest;
    case ReduceFn::LogSumExp: return log_sum_exp(plan, first, element);
  }
  return 0;
}

template <class T>
T reduce_whole(ReduceFn fn, const Plan& plan, std::int64_t first, const T* x) {
  using C = Compute<T>;
  std::uint64_t sum = 0;
  const auto wrapped = [&](std::int64_t at) {
    return static_cast<std::uint64_t>(convert<C>(x[at]));
  };
  switch (fn) {
    case ReduceFn::Mean:
    case ReduceFn::Sum:
      plan.walk(first, [&](std::int64_t at) { sum += wrapped(at); });
      if (fn == ReduceFn::Sum) return convert<T>(sum);
      return plan.count == 0 ? T{} : convert<T>(static_cast<C>(sum) / static_cast<C>(plan.count));
    case ReduceFn::SumSquare:
      plan.walk(first, [&](std::int64_t at) { sum += wrapped(at) * wrapped(at); });
      return convert<T>(sum);
    case ReduceFn::L1:
      plan.walk(first, [&](std::int64_t at) { sum += x[at] < T{} ? -wrapped(at) : wrapped(at); });
      return convert<T>(sum);
    case ReduceFn::Prod:
      sum = 1;
      plan.walk(first, [&](std::int64_t at) { sum *= wrapped(at); });
      return convert<T>(sum);
    case ReduceFn::Max: {
      T highest = std::numeric_limits<T>::lowest();
      plan.walk(first, [&](std::int64_t at) { highest = std::max(highest, x[at]); });
      return highest;
    }
    case ReduceFn::Min: {
      T lowest = std::numeric_limits<T>::max();
      plan.walk(first, [&](std::int64_t at) { lowest = std::min(lowest, x[at]); });
      return lowest;
    }
    default:
      return convert<T>(reduce_floating(fn, plan, first,
                                        [&](std::int64_t at) { return convert<double>(x[at]); }));
  }
}

template <class T>
Computed reduce(const Reduce& op, const Task& task) {
  const Plan plan(task.inputs[0].dims(), op.axes);
  const T* x = task.inputs[0].as<T>().data();
  Fresh<T> fresh(task.outputs[0]);
  T* out = fresh.data();
  task.spread(
      plan.results, kGrain / (plan.count + 1) + 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t first = plan.first(i);
          if constexpr (is_float_element<T>) {
            out[i] = convert<T>(reduce_floating(
                op.fn, plan, first, [&](std::int64_t at) { return convert<double>(x[at]); }));
          } else {
            out[i] = reduce_whole(op.fn, plan, first, x);
          }
        }
      });
  return std::move(fresh).only();
}

template <class T>
Computed arg_reduce(const ArgReduce& op, const Task& task) {
  using C = Compute<T>;
  const Plan plan(task.inputs[0].dims(), {op.axis});
  const T* x = task.inputs[0].as<T>().data();
  Fresh<std::int64_t> fresh(task.outputs[0]);
  std::int64_t* out = fresh.data();
  task.spread(plan.results, kGrain / (plan.count + 1) + 1,
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                  const std::int64_t first = plan.first(i), step = plan.reduced_strides[0];
                  C best = convert<C>(x[first]);
                  out[i] = 0;
                  for (std::int64_t j = 1; j < plan.count; ++j) {
                    const C value = convert<C>(x[first + j * step]);
                    const bool better = op.maximum ? value > best : value < best;
                    if (!better && !(op.last && value == best)) continue;
                    best = value;
                    out[i] = j;
                  }
                }
              });
  return std::move(fresh).only();
}

}  // namespace

Computed run(const Reduce& op, const Task& task) {
  if (op.axes.empty()) return std::vector<Tensor>{task.inputs[0]};
  return visit_dtype(task.outputs[0].dtype,
                     [&](auto zero) { return reduce<decltype(zero)>(op, task); });
}

Computed run(const ArgReduce& op, const Task& task) {
  return visit_dtype(task.inputs[0].dtype(),
                     [&](auto zero) { return arg_reduce<decltype(zero)>(op, task); });
}

}  // namespace cambium::model::reference
