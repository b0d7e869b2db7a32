// SeenOperators: counts operators that compute something new. What is told by the semantic
// fingerprint, at less cost: most new ones differ from all others at the first of its sizes, so
// the rest of a fingerprint is computed only when two agree there.
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

  // Whether its fingerprint differs from those of all before. Refuses what has none.
  Result<bool> add(const Operator& op);
  std::size_t count() const { return count_; }

 private:
  SemanticHasher hasher_;
  // By hash at the first sizes: the only operator that has it, none if there were several.
  std::unordered_map<std::uint64_t, std::optional<Operator>> first_;
  std::unordered_set<Fingerprint> told_;  // of those that agree there
  std::size_t count_ = 0;
};

}  // namespace cambium::spaces::coordinate
