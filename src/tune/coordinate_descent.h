// The finish of a search: from the best few schedules, every decision moved to each of its
// neighbours, one at a time, and of what that makes the untried, those first that the model likes.
// Called by the tuner for the last part of a budget.
#pragma once

#include "tune/strategy.h"

namespace cambium::tune {

inline constexpr std::size_t kDescentStarts = 3;

class CoordinateDescent : public Strategy {
 public:
  std::vector<Individual> propose(Ask& ask) override;
};

}  // namespace cambium::tune
