// Binary and Where: broadcast as numpy does. Rows of the last axis are computed in chunks.
// Integers: everything wraps; a division or remainder by zero is 0, and so is a power that does not
// exist (0 to a negative one).
#include <algorithm>
#include <array>
#include <cmath>

#include "model/reference/kernels.h"

namespace cambium::model::reference {

namespace {

constexpr std::int64_t kChunk = 512;

// Strides of a tensor along the axes of the result; 0 where it is stretched.
Ints stretched_strides(const Ints& dims, const Ints& result) {
  const Ints own = strides_of(dims);
  Ints out(result.size());
  const std::size_t shift = result.size() - dims.size();
  for (std::size_t i = 0; i < dims.size(); ++i) out[shift + i] = dims[i] == 1 ? 0 : own[i];
  return out;
}

// Calls body(first element of the result, count, offset and step in each input) for runs along the
// last axis.
template <std::size_t N, class Body>
void for_each_run(const Task& task, const Body& body) {
  const Ints& dims = task.outputs[0].dims;
  const std::int64_t width = dims.empty() ? 1 : dims.back();
  if (task.outputs[0].elements() == 0) return;
  std::array<Ints, N> strides;
  std::array<std::int64_t, N> steps{};
  for (std::size_t n = 0; n < N; ++n) {
    strides[n] = stretched_strides(task.inputs[n].dims(), dims);
    if (!dims.empty()) steps[n] = strides[n].back();
  }
  const std::int64_t rows = task.outputs[0].elements() / width;
  task.spread(rows, kGrain / width + 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      std::array<std::int64_t, N> offsets{};
      std::int64_t rest = row;
      for (std::size_t axis = dims.empty() ? 0 : dims.size() - 1; axis-- > 0;) {
        for (std::size_t n = 0; n < N; ++n) offsets[n] += rest % dims[axis] * strides[n][axis];
        rest /= dims[axis];
      }
      for (std::int64_t at = 0; at < width; at += kChunk) {
        const std::int64_t count = std::min(kChunk, width - at);
        std::array<std::int64_t, N> firsts;
        for (std::size_t n = 0; n < N; ++n) firsts[n] = offsets[n] + at * steps[n];
        body(row * width + at, count, firsts, steps);
      }
    }
  });
}

double floor_mod(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double apply_one(BinaryFn fn, double a, double b) {
  switch (fn) {
    case BinaryFn::Add: return a + b;
    case BinaryFn::Sub: return a - b;
    case BinaryFn::Mul: return a * b;
    case BinaryFn::Div: return a / b;
    case BinaryFn::Min: return std::isnan(a) || a < b ? a : b;  // a NaN of either side stays
    case BinaryFn::Max: return std::isnan(a) || a > b ? a : b;
    case BinaryFn::Pow: return std::pow(a, b);
    case BinaryFn::Mod: return floor_mod(a, b);
    case BinaryFn::Fmod: return std::fmod(a, b);
    case BinaryFn::Equal: return a == b;
    case BinaryFn::Less: return a < b;
    case BinaryFn::LessOrEqual: return a <= b;
    case BinaryFn::Greater: return a > b;
    case BinaryFn::GreaterOrEqual: return a >= b;
    default: break;
  }
  CAMBIUM_CHECK(false, name_of(fn));
  return 0;
}

template <class C>
C quotient(C a, C b) {
  if (b == 0) return 0;
  if (std::is_signed_v<C> && b == static_cast<C>(-1)) {
    return static_cast<C>(-static_cast<std::uint64_t>(a));  // the lowest number wraps
  }
  return a / b;
}

template <class C>
C remainder(C a, C b, bool floored) {
  if (b == 0 || (std::is_signed_v<C> && b == static_cast<C>(-1))) return 0;
  const C rest = a % b;
  return floored && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

template <class C>
C power(C base, std::int64_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    const bool minus_one = std::is_signed_v<C> && base == static_cast<C>(-1);
    return minus_one ? (exponent % 2 == 0 ? C{1} : static_cast<C>(-1)) : C{0};
  }
  std::uint64_t result = 1, square = static_cast<std::uint64_t>(base);
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) result *= square;
    square *= square;
  }
  return static_cast<C>(result);
}

template <class C>
C apply_one(BinaryFn fn, C a, C b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (fn) {
    case BinaryFn::Add: return static_cast<C>(x + y);
    case BinaryFn::Sub: return static_cast<C>(x - y);
    case BinaryFn::Mul: return static_cast<C>(x * y);
    case BinaryFn::Div: return quotient(a, b);
    case BinaryFn::Min: return std::min(a, b);
    case BinaryFn::Max: return std::max(a, b);
    case BinaryFn::Mod: return remainder(a, b, true);
    case BinaryFn::Fmod: return remainder(a, b, false);
    case BinaryFn::Equal: return a == b;
    case BinaryFn::Less: return a < b;
    case BinaryFn::LessOrEqual: return a <= b;
    case BinaryFn::Greater: return a > b;
    case BinaryFn::GreaterOrEqual: return a >= b;
    case BinaryFn::And: return a != 0 && b != 0;
    case BinaryFn::Or: return a != 0 || b != 0;
    case BinaryFn::Xor: return (a != 0) != (b != 0);
    case BinaryFn::Pow: break;  // its exponent has a type of its own
  }
  CAMBIUM_CHECK(false, name_of(fn));
  return 0;
}

template <class Out, class A, class B, class F>
Computed combine(const Task& task, const A* a, const B* b, const F& f) {
  Fresh<Out> fresh(task.outputs[0]);
  Out* out = fresh.data();
  for_each_run<2>(task, [&](std::int64_t first, std::int64_t count, const auto& offsets,
                            const auto& steps) {
    for (std::int64_t i = 0; i < count; ++i) {
      out[first + i] = convert<Out>(f(a[offsets[0] + i * steps[0]], b[offsets[1] + i * steps[1]]));
    }
  });
  return std::move(fresh).only();
}

// The exponent has a type of its own. It is converted first: code for every pair of types would be
// the largest part of this library.
template <class T>
Computed raise(const Task& task) {
  const T* bases = task.inputs[0].as<T>().data();
  const Tensor& exponents = task.inputs[1];
  if constexpr (!is_float_element<T>) {
    if (!is_floating(exponents.dtype())) {
      return combine<T>(task, bases, exponents.to_ints().data(), [](T base, std::int64_t exponent) {
        return power(convert<Compute<T>>(base), exponent);
      });
    }
  }
  return combine<T>(task, bases, exponents.to_doubles().data(), [](T base, double exponent) {
    return std::pow(convert<double>(base), exponent);
  });
}

template <class T>
Computed choose(const Task& task) {
  const bool* condition = task.inputs[0].as<bool>().data();
  const T* then = task.inputs[1].as<T>().data();
  const T* otherwise = task.inputs[2].as<T>().data();
  Fresh<T> fresh(task.outputs[0]);
  T* out = fresh.data();
  for_each_run<3>(task, [&](std::int64_t first, std::int64_t count, const auto& offsets,
                            const auto& steps) {
    for (std::int64_t i = 0; i < count; ++i) {
      out[first + i] = condition[offsets[0] + i * steps[0]] ? then[offsets[1] + i * steps[1]]
                                                            : otherwise[offsets[2] + i * steps[2]];
    }
  });
  return std::move(fresh).only();
}

}  // namespace

Computed run(const Binary& op, const Task& task) {
  return visit_dtype(task.inputs[0].dtype(), [&](auto zero) -> Computed {
    using T = decltype(zero);
    if (op.fn == BinaryFn::Pow) return raise<T>(task);
    const auto f = [&](T a, T b) {
      return apply_one(op.fn, convert<Compute<T>>(a), convert<Compute<T>>(b));
    };
    const T* a = task.inputs[0].as<T>().data();
    const T* b = task.inputs[1].as<T>().data();
    if (task.outputs[0].dtype == DType::Bool) return combine<bool>(task, a, b, f);
    return combine<T>(task, a, b, f);
  });
}

Computed run(const Where&, const Task& task) {
  return visit_dtype(task.outputs[0].dtype,
                     [&](auto zero) { return choose<decltype(zero)>(task); });
}

}  // namespace cambium::model::reference
