// Unary, Activation and Cast: elements are loaded in chunks into the type they are computed in, the
// function is chosen once per chunk, and results are stored.
#include <algorithm>
#include <array>
#include <cmath>

#include "model/reference/kernels.h"

namespace cambium::model::reference {

namespace {

constexpr std::int64_t kUnaryChunk = 512;

template <class In, class Out, class Apply>
Computed map_chunks(const Task& task, const Apply& apply) {
  using C = Compute<In>;
  const In* x = task.inputs[0].as<In>().data();
  Fresh<Out> fresh(task.outputs[0]);
  Out* out = fresh.data();
  task.spread(task.outputs[0].elements(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    std::array<C, kUnaryChunk> chunk;
    for (std::int64_t at = begin; at < end; at += kUnaryChunk) {
      const std::int64_t count = std::min(kUnaryChunk, end - at);
      for (std::int64_t i = 0; i < count; ++i) {
        chunk[static_cast<std::size_t>(i)] = convert<C>(x[at + i]);
      }
      apply(std::span(chunk.data(), static_cast<std::size_t>(count)));
      for (std::int64_t i = 0; i < count; ++i) {
        out[at + i] = convert<Out>(chunk[static_cast<std::size_t>(i)]);
      }
    }
  });
  return std::move(fresh).only();
}

double sigmoid(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}

double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}

double gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
}

double sign(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : x;  // of NaN: NaN; of a zero: that zero
}

double apply_floating(UnaryFn fn, double x) {
  switch (fn) {
    case UnaryFn::Relu: return x < 0 ? 0 : x;
    case UnaryFn::Sigmoid: return sigmoid(x);
    case UnaryFn::Tanh: return std::tanh(x);
    case UnaryFn::Erf: return std::erf(x);
    case UnaryFn::Exp: return std::exp(x);
    case UnaryFn::Log: return std::log(x);
    case UnaryFn::Sqrt: return std::sqrt(x);
    case UnaryFn::Abs: return std::fabs(x);
    case UnaryFn::Neg: return -x;
    case UnaryFn::Reciprocal: return 1 / x;
    case UnaryFn::Sign: return sign(x);
    case UnaryFn::Floor: return std::floor(x);
    case UnaryFn::Ceil: return std::ceil(x);
    case UnaryFn::Round: return std::nearbyint(x);
    case UnaryFn::Sin: return std::sin(x);
    case UnaryFn::Cos: return std::cos(x);
    case UnaryFn::Tan: return std::tan(x);
    case UnaryFn::Asin: return std::asin(x);
    case UnaryFn::Acos: return std::acos(x);
    case UnaryFn::Atan: return std::atan(x);
    case UnaryFn::Sinh: return std::sinh(x);
    case UnaryFn::Cosh: return std::cosh(x);
    case UnaryFn::Asinh: return std::asinh(x);
    case UnaryFn::Acosh: return std::acosh(x);
    case UnaryFn::Atanh: return std::atanh(x);
    case UnaryFn::Softplus: return softplus(x);
    case UnaryFn::Softsign: return x / (1 + std::fabs(x));
    case UnaryFn::HardSwish: return x * std::max(0.0, std::min(1.0, x / 6 + 0.5));
    case UnaryFn::Mish: return x * std::tanh(softplus(x));
    case UnaryFn::Gelu: return 0.5 * x * (1 + std::erf(x * 0.70710678118654752440));
    case UnaryFn::GeluTanh: return gelu_tanh(x);
    case UnaryFn::Silu: return x * sigmoid(x);
    case UnaryFn::IsNan: return std::isnan(x) ? 1 : 0;
    case UnaryFn::Not: break;  // of bool only
  }
  CAMBIUM_CHECK(false, name_of(fn));
  return 0;
}

// The few functions that integers and bool have. The negative of the lowest number is itself.
template <class C>
C apply_whole(UnaryFn fn, C x) {
  const C negative = static_cast<C>(-static_cast<std::uint64_t>(x));
  const bool below = std::is_signed_v<C> && (static_cast<std::uint64_t>(x) >> 63) != 0;
  switch (fn) {
    case UnaryFn::Relu: return below ? 0 : x;
    case UnaryFn::Abs: return below ? negative : x;
    case UnaryFn::Neg: return negative;
    case UnaryFn::Sign: return below ? static_cast<C>(-1) : static_cast<C>(x != 0);
    case UnaryFn::Not: return x == 0;
    default: break;
  }
  CAMBIUM_CHECK(false, name_of(fn));
  return 0;
}

double activate(const Activation& op, double x) {
  switch (op.fn) {
    case ActivationFn::LeakyRelu: return x < 0 ? op.alpha * x : x;
    case ActivationFn::Elu: return x < 0 ? op.alpha * std::expm1(x) : x;
    case ActivationFn::Celu: return x < 0 ? op.alpha * std::expm1(x / op.alpha) : x;
    case ActivationFn::Selu: return op.beta * (x > 0 ? x : op.alpha * std::expm1(x));
    case ActivationFn::ThresholdedRelu: return x > op.alpha ? x : 0;
    case ActivationFn::HardSigmoid: return std::max(0.0, std::min(1.0, op.alpha * x + op.beta));
    case ActivationFn::Clip: break;  // of every number type: below
  }
  CAMBIUM_CHECK(false, name_of(op.fn));
  return 0;
}

template <class T>
Computed clip(const Activation& op, const Task& task) {
  // The limits are rounded to the element type first, as if they were elements.
  using C = Compute<T>;
  const C low = convert<C>(convert<T>(op.alpha)), high = convert<C>(convert<T>(op.beta));
  return map_chunks<T, T>(task, [&](std::span<C> chunk) {
    for (C& x : chunk) {
      if (x < low) x = low;
      if (x > high) x = high;
    }
  });
}

}  // namespace

Computed run(const Unary& op, const Task& task) {
  return visit_dtype(task.inputs[0].dtype(), [&](auto zero) -> Computed {
    using T = decltype(zero);
    using C = Compute<T>;
    const auto apply = [&](std::span<C> chunk) {
      for (C& x : chunk) {
        if constexpr (is_float_element<T>) {
          x = apply_floating(op.fn, x);
        } else {
          x = apply_whole(op.fn, x);
        }
      }
    };
    if (op.fn == UnaryFn::IsNan) return map_chunks<T, bool>(task, apply);
    return map_chunks<T, T>(task, apply);
  });
}

Computed run(const Activation& op, const Task& task) {
  return visit_dtype(task.inputs[0].dtype(), [&](auto zero) -> Computed {
    using T = decltype(zero);
    if (op.fn == ActivationFn::Clip) return clip<T>(op, task);
    return map_chunks<T, T>(task, [&](std::span<Compute<T>> chunk) {
      for (Compute<T>& x : chunk) x = convert<Compute<T>>(activate(op, convert<double>(x)));
    });
  });
}

Computed run(const Cast& op, const Task& task) {
  return visit_dtype(task.inputs[0].dtype(), [&](auto from) -> Computed {
    using From = decltype(from);
    const From* x = task.inputs[0].as<From>().data();
    return visit_dtype(op.to, [&](auto to) -> Computed {
      using To = decltype(to);
      Fresh<To> fresh(task.outputs[0]);
      To* out = fresh.data();
      task.spread(task.outputs[0].elements(), kGrain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) out[i] = convert<To>(x[i]);
      });
      return std::move(fresh).only();
    });
  });
}

}  // namespace cambium::model::reference
