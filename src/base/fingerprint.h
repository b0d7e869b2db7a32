// Fingerprint: 128 bits that name a value by its content, equal on every machine and in every
// build. Values are hashed as 64-bit words or bytes in a stated order, so that memory layout does
// not matter.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/result.h"

namespace cambium {

struct Fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;

  std::string text() const;  // 32 hexadecimal digits
  static Result<Fingerprint> parse(std::string_view text);
  static Fingerprint of_bytes(std::span<const std::byte> bytes);
};

// Feeds words one after another; each changes the whole state.
class Hasher {
 public:
  template <class T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) Hasher& add(T value) {
    return add_word(static_cast<std::uint64_t>(value));
  }
  Hasher& add(double value);  // by bits; every NaN is one NaN, -0.0 differs from 0.0
  Hasher& add(std::string_view text);
  Hasher& add(const char* text) { return add(std::string_view(text)); }
  Hasher& add(const Fingerprint& f) { return add_word(f.high).add_word(f.low); }
  template <class T>
  Hasher& add_range(const T& values) {
    add_word(static_cast<std::uint64_t>(std::size(values)));
    for (const auto& value : values) add(value);
    return *this;
  }

  Fingerprint done() const { return state_; }

 private:
  Hasher& add_word(std::uint64_t word);

  Fingerprint state_{0x9e3779b97f4a7c15ULL, 0xd1b54a32d192ed03ULL};
};

template <class... Ts>
Fingerprint fingerprint_of(const Ts&... values) {
  Hasher hasher;
  (hasher.add(values), ...);
  return hasher.done();
}

}  // namespace cambium

template <>
struct std::hash<cambium::Fingerprint> {
  std::size_t operator()(const cambium::Fingerprint& f) const noexcept {
    return static_cast<std::size_t>(f.low);
  }
};
