#include "expr/size.h"

#include <algorithm>
#include <limits>

namespace cambium::expr {
namespace {

bool fits(int power) {
  return power >= std::numeric_limits<std::int8_t>::min() &&
         power <= std::numeric_limits<std::int8_t>::max();
}

}  // namespace

bool Powers::set(SizeVar v, int power) {
  if (!fits(power)) return false;
  powers_[v.index] = static_cast<std::int8_t>(power);
  return true;
}

bool Powers::any_negative_primary() const {
  return std::any_of(powers_.begin(), powers_.begin() + kMaxPrimary, [](int p) { return p < 0; });
}

bool Powers::any_positive() const {
  return std::any_of(powers_.begin(), powers_.end(), [](int p) { return p > 0; });
}

bool Powers::add(const Powers& other, int sign) {
  bool all_fit = true;
  for (std::size_t i = 0; i < powers_.size(); ++i) {
    const int power = powers_[i] + sign * other.powers_[i];
    all_fit &= fits(power);
    powers_[i] = static_cast<std::int8_t>(power);
  }
  return all_fit;
}

Size::Size(std::int64_t number) : factor_(number) {
  CAMBIUM_CHECK(number > 0, "a size is positive");
}

Size::Size(std::int64_t factor, const Powers& powers) : factor_(factor), powers_(powers) {
  CAMBIUM_CHECK(factor > 0, "a size is positive");
}

Result<Size> Size::constant(std::int64_t number) {
  if (number <= 0) return Rejection(Reason::SizeNotPositive, number);
  return Size(number);
}

Size Size::var(SizeVar v, int power) {
  Size size;
  CAMBIUM_CHECK(v.index < kMaxVars && size.powers_.set(v, power), "not a size variable");
  return size;
}

std::uint64_t Size::hash() const {
  const auto words = powers_.words();
  std::uint64_t h = static_cast<std::uint64_t>(factor_) * 0x9e3779b97f4a7c15ULL;
  h = (h ^ (h >> 32) ^ words[0]) * 0xd1b54a32d192ed03ULL;
  h = (h ^ (h >> 29) ^ words[1]) * 0x8cb92ba72f3d8dd7ULL;
  return h ^ (h >> 32);
}

Fingerprint Size::fingerprint() const {
  Hasher hasher;
  hasher.add(factor_);
  for (std::uint8_t i = 0; i < kMaxVars; ++i) hasher.add(powers_[SizeVar{i}]);
  return hasher.done();
}

Result<Size> product(const Size& a, const Size& b) {
  std::int64_t factor = 0;
  if (__builtin_mul_overflow(a.factor(), b.factor(), &factor)) {
    return Rejection(Reason::SizeOverflow);
  }
  Powers powers = a.powers();
  if (!powers.add(b.powers())) return Rejection(Reason::SizePowerRange);
  return Size(factor, powers);
}

Result<Size> quotient(const Size& a, const Size& b) {
  if (a.factor() % b.factor() != 0) {
    return Rejection(Reason::SizeNotDivisible, a.factor(), b.factor());
  }
  Powers powers = a.powers();
  if (!powers.add(b.powers(), -1)) return Rejection(Reason::SizePowerRange);
  return Size(a.factor() / b.factor(), powers);
}

Result<Size> power(const Size& base, int exponent) {
  Size result;
  for (int i = 0; i < (exponent < 0 ? -exponent : exponent); ++i) {
    CAMBIUM_TRY(result, exponent < 0 ? quotient(result, base) : product(result, base));
    if (result.is_one()) break;  // only one itself stays one
  }
  return result;
}

bool divides(const Size& d, const Size& n) {
  const Result<Size> q = quotient(n, d);
  return q.ok() && q->is_whole();
}

}  // namespace cambium::expr
