// Distinct operators: draws operators of a space until enough of them compute different functions.
// Decides when the space counts as exhausted, and says why nothing was found.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>

#include "base/fingerprint.h"
#include "base/result.h"
#include "spaces/coordinate/operator.h"
#include "spaces/coordinate/problem.h"
#include "spaces/coordinate/semantic.h"
#include "spaces/coordinate/synthesis/sample.h"
#include "spaces/coordinate/synthesis/space.h"

namespace cambium::spaces::coordinate::synthesis {

// Which operators were seen, by what they compute; by their equations where computing that would
// take too long.
class DistinctOperators {
 public:
  // The problem must outlive it. At `divisible`, every operator can be evaluated.
  DistinctOperators(const Problem& problem, const Problem& divisible)
      : problem_(problem), hasher_(divisible) {}
  bool is_new(const Operator& op);
  std::uint64_t count() const { return seen_.size(); }

 private:
  const Problem& problem_;
  SemanticHasher hasher_;
  std::unordered_set<Fingerprint> seen_;
};

// SampleOptions::draws_per_path for so many operators.
int draws_per_path(std::uint64_t count);

struct DistinctOptions {
  std::string name;  // of the space, for refusals
  std::uint64_t count = 0;
  std::uint64_t trials = 0;  // at most; 0: as many as it takes, within reason
};
// Calls `use` with each new operator; false ends the search. Refuses what `use` refuses, a space
// with too many sizes or states, and NoSamples.
Status draw_distinct(const Space& space, Sampler& sampler, DistinctOperators& seen,
                     const DistinctOptions& options,
                     const std::function<Result<bool>(const Operator&)>& use);

}  // namespace cambium::spaces::coordinate::synthesis
