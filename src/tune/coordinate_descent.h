// The finish of a search: it moves every decision of the best few schedules to each of its
// neighbours, one at a time. It proposes the untried results, those with the best score first.
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
