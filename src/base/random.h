// Seeded, splittable random numbers. A seed gives the same numbers on every machine and in every
// build: only exact integer arithmetic and correctly rounded floating-point operations are used,
// never a std:: distribution or libm. Everything random in Cambium takes one of these or its seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "base/fingerprint.h"

namespace cambium {

// The law: an Rng is named by a Fingerprint, of its seed or of its parent's name and the key. Its
// stream is xoshiro256** whose four words are SplitMix64 from `high`, xored with SplitMix64 from
// `low`. The golden values in random_test.cpp are part of every recorded search.
class Rng {
 public:
  using result_type = std::uint64_t;

  explicit Rng(std::uint64_t seed);

  // An independent generator that depends only on the name of this one and the key. It does not
  // depend on numbers drawn before, so a new draw in one place does not shift all others.
  Rng split(std::uint64_t key) const;
  Rng split(std::string_view key) const;

  std::uint64_t next_u64();
  std::uint64_t below(std::uint64_t n);                       // in [0, n), unbiased; n > 0
  std::int64_t between(std::int64_t low, std::int64_t high);  // in [low, high], unbiased
  double uniform();                                           // in [0, 1), 53 random bits
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal();  // mean 0, deviation 1; Marsaglia's polar method
  bool chance(double probability) { return uniform() < probability; }

  template <class T>
  void shuffle(std::span<T> values) {  // Fisher-Yates, from the back
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[static_cast<std::size_t>(below(i))]);
    }
  }

 private:
  explicit Rng(Fingerprint name);

  Fingerprint name_;
  std::uint64_t state_[4];
};

}  // namespace cambium
