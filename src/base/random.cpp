#include "base/random.h"

#include <bit>
#include <cmath>

#include "base/check.h"
#include "base/exact_log.h"

namespace cambium {
namespace {

std::uint64_t split_mix(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(std::uint64_t seed) : Rng(fingerprint_of("rng", seed)) {}

Rng::Rng(Fingerprint name) : name_(name) {
  std::uint64_t high = name.high;
  std::uint64_t low = name.low;
  for (std::uint64_t& word : state_) word = split_mix(high) ^ split_mix(low);
}

Rng Rng::split(std::uint64_t key) const {
  return Rng(fingerprint_of(name_, key));
}
Rng Rng::split(std::string_view key) const {
  return Rng(fingerprint_of(name_, key));
}

std::uint64_t Rng::next_u64() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

// Lemire's multiplication: the few products that would favour some results are drawn again.
std::uint64_t Rng::below(std::uint64_t n) {
  CAMBIUM_CHECK(n > 0, "a number below nothing");
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{next_u64()} * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t surplus = (0 - n) % n;
    while (static_cast<std::uint64_t>(product) < surplus) product = Wide{next_u64()} * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

std::int64_t Rng::between(std::int64_t low, std::int64_t high) {
  CAMBIUM_CHECK(low <= high, "an empty range");
  const std::uint64_t count =
      static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const std::uint64_t offset = count == 0 ? next_u64() : below(count);  // 0: all 64-bit numbers
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

double Rng::uniform() {
  return static_cast<double>(next_u64() >> 11) * 0x1.0p-53;
}

double Rng::normal() {
  for (;;) {
    const double x = uniform() * 2 - 1;
    const double y = uniform() * 2 - 1;
    const double s = x * x + y * y;
    if (s < 1 && s > 0) return x * std::sqrt(-2 * exact_log(s) / s);
  }
}

}  // namespace cambium
