// Measures how often the semantic fingerprint errs and how long it takes. Samples operators in the
// setting of the paper and compares their fingerprints with all of their terms, at small sizes that
// divide like the sizes of ResNet-34.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace cambium::bench {

struct FingerprintErrors {
  std::uint64_t operators = 0;        // different equations
  std::uint64_t fingerprints = 0;     // different ones among them
  std::uint64_t compared = 0;         // operators that share theirs with another
  std::uint64_t merged = 0;           // functions that have the fingerprint of another function
  std::uint64_t unjudged = 0;         // of those compared, what has too many terms at all sizes
  std::uint64_t held = 0;             // operators of which all terms were listed to find splits
  std::uint64_t split = 0;            // those that have another fingerprint than an equal one
  std::vector<std::string> errors;    // each with the documents of its two operators
  double first_us = 0, whole_us = 0;  // medians: the first look, the whole fingerprint
};

// Checks all `operators` samples for wrong merges, and the first `held` for splits.
Result<FingerprintErrors> measure_fingerprints(std::size_t operators, std::size_t held,
                                               std::uint64_t seed);

}  // namespace cambium::bench
