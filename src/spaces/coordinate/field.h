// FieldElement: integers modulo the prime 2^61 - 1, for evaluation without rounding. Two different
// operators give equal results on random elements with a chance of about 1 in 2^60.
#pragma once

#include <cstdint>

namespace cambium::spaces::coordinate {

class FieldElement {
 public:
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

  constexpr FieldElement() = default;
  constexpr explicit FieldElement(std::uint64_t any) : value_(reduce(any)) {}

  constexpr std::uint64_t value() const { return value_; }
  constexpr FieldElement inverse() const {  // a^(p-2); the element must not be zero
    FieldElement result(1);
    FieldElement base = *this;
    for (std::uint64_t e = kPrime - 2; e != 0; e >>= 1) {
      if ((e & 1U) != 0) result = result * base;
      base = base * base;
    }
    return result;
  }

  friend constexpr FieldElement operator+(FieldElement a, FieldElement b) {
    return FieldElement(a.value_ + b.value_);
  }
  friend constexpr FieldElement operator*(FieldElement a, FieldElement b) {
    const unsigned __int128 wide = static_cast<unsigned __int128>(a.value_) * b.value_;
    return FieldElement((static_cast<std::uint64_t>(wide) & kPrime) +
                        static_cast<std::uint64_t>(wide >> 61));
  }
  constexpr FieldElement& operator+=(FieldElement other) { return *this = *this + other; }
  friend constexpr bool operator==(FieldElement, FieldElement) = default;

 private:
  static constexpr std::uint64_t reduce(std::uint64_t any) {
    any = (any & kPrime) + (any >> 61);
    return any >= kPrime ? any - kPrime : any;
  }

  std::uint64_t value_ = 0;  // below kPrime
};

}  // namespace cambium::spaces::coordinate
