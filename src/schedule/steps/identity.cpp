#include "schedule/steps/identity.h"

#include <limits>
#include <type_traits>

#include "base/check.h"

namespace cambium::schedule {
namespace {

using program::Combine;
using program::Context;
using program::Scalar;

Scalar number(Context& cx, DType type, std::int64_t value) {
  return is_floating(type) ? cx.constant(static_cast<double>(value), type) : cx.whole(value, type);
}

// The least or the greatest number of a type.
Scalar extreme(Context& cx, DType type, bool least) {
  return visit_dtype(type, [&](auto zero) -> Scalar {
    using T = decltype(zero);
    using Limits = std::numeric_limits<T>;
    if constexpr (Limits::has_infinity) {
      const double infinity = std::numeric_limits<double>::infinity();
      return cx.constant(least ? -infinity : infinity, type);
    } else if constexpr (!std::is_integral_v<T>) {
      CAMBIUM_CHECK(false, "values are not of a storage type");
      return nullptr;
    } else {
      return cx.whole(static_cast<std::int64_t>(least ? Limits::min() : Limits::max()), type);
    }
  });
}

}  // namespace

Scalar zero_of(Context& cx, DType type) {
  return number(cx, type, 0);
}

Scalar identity_of(Context& cx, Combine combine, DType type) {
  switch (combine) {
    case Combine::Product: return number(cx, type, 1);
    case Combine::Maximum: return extreme(cx, type, true);
    case Combine::Minimum: return extreme(cx, type, false);
    case Combine::Assign:
    case Combine::Sum: break;
  }
  return number(cx, type, 0);
}

}  // namespace cambium::schedule
