// SeenOperators: counts operators that compute something new. It decides by the semantic
// fingerprint at less cost: most new operators differ from all others at the first sizes, so the
// rest of a fingerprint is computed only if two operators agree there.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "spaces/coordinate/semantic.h"

namespace cambium::spaces::coordinate {

class SeenOperators {
 public:
  explicit SeenOperators(const Problem& problem) : hasher_(problem) {}

  // Whether its fingerprint differs from all earlier ones. Refuses an operator without one.
  Result<bool> add(const Operator& op);
  std::size_t count() const { return count_; }

 private:
  SemanticHasher hasher_;
  // By hash at the first sizes: the operator that has it, or none if several had it.
  std::unordered_map<std::uint64_t, std::optional<Operator>> first_;
  std::unordered_set<Fingerprint> told_;  // of operators that agree there
  std::size_t count_ = 0;
};

}  // namespace cambium::spaces::coordinate
