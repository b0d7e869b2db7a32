// Size: an extent before its numbers are known, a monomial such as 4*k^2*H or Ci/g over at most 8
// primary and 8 coefficient variables. Arithmetic refuses 64-bit overflow, powers outside int8 and
// constants that do not divide. SizeTable holds the names of variables, Binding their values.
// Targets, spaces, lowering and schedules all use sizes.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "base/fingerprint.h"
#include "base/result.h"

namespace cambium::expr {

inline constexpr int kMaxPrimary = 8;
inline constexpr int kMaxCoefficient = 8;
inline constexpr int kMaxVars = kMaxPrimary + kMaxCoefficient;

// A size variable: its place in the table that named it. Primary ones (channels, height) come from
// shapes and are large; coefficients (kernel, groups) are small and may stand in denominators.
struct SizeVar {
  std::uint8_t index = 0;

  bool is_primary() const { return index < kMaxPrimary; }
  friend auto operator<=>(SizeVar, SizeVar) = default;
};

// The powers of all variables; the part of a monomial without its number. Powers{} are all zero.
class Powers {
 public:
  int operator[](SizeVar v) const { return powers_[v.index]; }
  bool all_zero() const { return words()[0] == 0 && words()[1] == 0; }
  bool any_negative() const {
    constexpr std::uint64_t kSigns = 0x8080808080808080ULL;
    return ((words()[0] | words()[1]) & kSigns) != 0;
  }
  bool any_negative_primary() const;
  bool any_positive() const;
  // Sets one power; false when it does not fit.
  [[nodiscard]] bool set(SizeVar v, int power);
  // this + sign * other, false (and this unspecified) when a power does not fit.
  [[nodiscard]] bool add(const Powers& other, int sign = 1);
  // The two 64-bit halves; equal powers have equal words.
  std::array<std::uint64_t, 2> words() const {
    return std::bit_cast<std::array<std::uint64_t, 2>>(powers_);
  }

  friend bool operator==(const Powers& a, const Powers& b) { return a.words() == b.words(); }
  friend auto operator<=>(const Powers& a, const Powers& b) { return a.powers_ <=> b.powers_; }

 private:
  std::array<std::int8_t, kMaxVars> powers_;  // primary variables first
};

class Size {
 public:
  constexpr Size() = default;  // one
  // For a number that is known to be positive; any other is a bug. Numbers from input go through
  // `constant`.
  explicit Size(std::int64_t number);
  // As `Size(number)` with the powers of variables.
  Size(std::int64_t factor, const Powers& powers);
  static Result<Size> constant(std::int64_t number);  // refuses SizeNotPositive
  static Size var(SizeVar v, int power = 1);

  std::int64_t factor() const { return factor_; }
  const Powers& powers() const { return powers_; }
  bool is_one() const { return factor_ == 1 && is_constant(); }
  bool is_constant() const { return powers_.all_zero(); }
  // An integer for all values of the variables, which are positive integers.
  bool is_whole() const { return !powers_.any_negative(); }

  friend bool operator==(const Size&, const Size&) = default;
  // Total order for sorting (powers first, primary before coefficient), not by value.
  friend std::strong_ordering operator<=>(const Size& a, const Size& b) {
    if (const auto by_powers = a.powers_ <=> b.powers_; by_powers != 0) return by_powers;
    return a.factor_ <=> b.factor_;
  }
  std::uint64_t hash() const;
  Fingerprint fingerprint() const;  // by position of the variables, not by their names

 private:
  std::int64_t factor_ = 1;  // > 0
  Powers powers_{};
};

static_assert(sizeof(Size) == 24 && std::is_trivially_copyable_v<Size>);

Result<Size> product(const Size& a, const Size& b);
// Exact; a power may become negative, a factor that does not divide is refused (SizeNotDivisible).
Result<Size> quotient(const Size& a, const Size& b);
Result<Size> power(const Size& base, int exponent);
// Whether n/d is an integer for all values of the variables.
bool divides(const Size& d, const Size& n);

}  // namespace cambium::expr

template <>
struct std::hash<cambium::expr::Size> {
  std::size_t operator()(const cambium::expr::Size& s) const noexcept {
    return static_cast<std::size_t>(s.hash());
  }
};
