// Measures the rules of canonical form: table 2 of the paper, the duplicates that the rules leave,
// and whether the exact rules lose any function.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace cambium::bench {

// Operators of one size, drawn without any rule.
struct CanonicalRate {
  int primitives = 0;
  std::uint64_t operators = 0;         // different equations
  std::uint64_t exact = 0, all = 0;    // left by the exact rules, left by all rules
  std::uint64_t meanings = 0;          // different functions among them
  bool is_exhaustive = false;          // all operators of the size; else drawn at random
  std::map<std::string, int> refused;  // by the first rule that refuses
};
// A size with at most `most` operators is listed completely. For larger sizes, `most` operators are
// drawn, for at most `seconds`.
Result<std::vector<CanonicalRate>> measure_canonical_rates(int most_primitives, std::uint64_t most,
                                                           double seconds, std::uint64_t seed);

// Canonical operators of one size and the functions that they compute.
struct Duplicates {
  int primitives = 0;
  std::uint64_t operators = 0, meanings = 0;
  bool is_exhaustive = false;
};
Result<std::vector<Duplicates>> measure_duplicates(int most_primitives, std::uint64_t most,
                                                   double seconds, std::uint64_t seed);

struct Exactness {
  std::string space;
  std::uint64_t operators = 0, classes = 0;            // without exact rules
  std::uint64_t kept_operators = 0, kept_classes = 0;  // with them
  std::uint64_t lost = 0;
};
Result<std::vector<Exactness>> measure_exactness();

}  // namespace cambium::bench
