// Annealed Metropolis-Hastings over traces, as the MetaSchedule paper describes its search. Several
// chains walk at once. A step draws one decision again by its law, so proposals follow the prior of
// the space and what is accepted depends on the model's score alone, as its energy: always if
// lower, else with probability exp(-rise / temperature). The temperature falls with the budget. The
// best that the walks came by is proposed. Without a model all energies are the same: a random
// walk.
#pragma once

#include "tune/strategy.h"

namespace cambium::tune {

struct AnnealingOptions {
  std::size_t chains = 32;
  int steps = 16;  // of every chain, for one batch
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
  std::vector<Individual> chains_;  // where they stand; they go on from there next time
};

}  // namespace cambium::tune
