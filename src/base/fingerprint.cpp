#include "base/fingerprint.h"

#define XXH_INLINE_ALL
#include <bit>
#include <charconv>
#include <cmath>

#include <fmt/core.h>
#include <xxhash.h>

namespace cambium {

static_assert(std::endian::native == std::endian::little,
              "fingerprints are defined over little-endian words");

namespace {

Fingerprint from(XXH128_hash_t hash) {
  return {hash.high64, hash.low64};
}

}  // namespace

std::string Fingerprint::text() const {
  return fmt::format("{:016x}{:016x}", high, low);
}

Result<Fingerprint> Fingerprint::parse(std::string_view text) {
  Fingerprint f;
  const char* begin = text.data();
  if (text.size() == 32) {
    const auto a = std::from_chars(begin, begin + 16, f.high, 16);
    const auto b = std::from_chars(begin + 16, begin + 32, f.low, 16);
    if (a.ec == std::errc{} && b.ec == std::errc{} && a.ptr == begin + 16 && b.ptr == begin + 32) {
      return f;
    }
  }
  return Rejection(Reason::BadSyntax, "a fingerprint of 32 hexadecimal digits",
                   fmt::format("'{}'", text), 1, 1);
}

Fingerprint Fingerprint::of_bytes(std::span<const std::byte> bytes) {
  return from(XXH3_128bits(bytes.data(), bytes.size()));
}

Hasher& Hasher::add_word(std::uint64_t word) {
  const std::uint64_t words[3] = {state_.high, state_.low, word};
  state_ = from(XXH3_128bits(words, sizeof words));
  return *this;
}

Hasher& Hasher::add(double value) {
  return add_word(std::isnan(value) ? 0x7ff8000000000000ULL : std::bit_cast<std::uint64_t>(value));
}

Hasher& Hasher::add(std::string_view text) {
  return add(Fingerprint::of_bytes(std::as_bytes(std::span(text))));
}

}  // namespace cambium
