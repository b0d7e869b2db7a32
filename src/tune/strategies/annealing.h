// Annealed Metropolis-Hastings over traces, as the MetaSchedule paper describes its search. Several
// chains walk at once. A step draws one decision again by its law, so proposals follow the prior of
// the space. The model's score is the energy: a step is always accepted if it is lower, otherwise
// with probability exp(-rise / temperature). The temperature falls with the budget. The best
// schedules of the walks are proposed. Without a model all energies are equal, which makes a random
// walk.
#pragma once

#include "tune/strategy.h"

namespace cambium::tune {

struct AnnealingOptions {
  std::size_t chains = 32;
  int steps = 16;  // steps of every chain for one batch
  // In units of the score: logarithms of seconds.
  double first_temperature = 1.0;
  double last_temperature = 0.03;
};

class Annealing : public Strategy {
 public:
  explicit Annealing(const AnnealingOptions& options = {}) : options_(options) {}
  std::vector<Individual> propose(Ask& ask) override;

 private:
  void start(Ask& ask);

  AnnealingOptions options_;
  std::vector<Individual> chains_;  // their current states, where the next batch continues
};

}  // namespace cambium::tune
