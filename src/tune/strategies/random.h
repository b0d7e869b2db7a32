// Schedules drawn from the space by its own laws: no model, no memory. What others are measured by.
#pragma once

#include "tune/strategy.h"

namespace cambium::tune {

class Random : public Strategy {
 public:
  std::vector<Individual> propose(Ask& ask) override;
};

}  // namespace cambium::tune
