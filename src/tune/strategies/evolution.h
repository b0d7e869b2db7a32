// Evolution over traces: a population of the best measured schedules, variants of the default one
// and random ones; over some generations, parents drawn by their score have children by mutation
// and crossover; of all that were seen, those that the model likes best are proposed, and a few
// random ones. Without a model parents are drawn by measured times only, and children are proposed
// in no order.
#pragma once

#include "tune/strategy.h"

namespace cambium::tune {

struct EvolutionOptions {
  std::size_t population = 256;
  int generations = 4;
  double mutation = 0.85;        // share of children by mutation; the rest by crossover
  double measured_parent = 0.3;  // share of parents drawn from those measured
  double measured_share = 0.2;   // of the first population, at most
  double random_share = 0.05;    // of what is proposed
};

class Evolution : public Strategy {
 public:
  explicit Evolution(const EvolutionOptions& options = {}) : options_(options) {}
  std::vector<Individual> propose(Ask& ask) override;

 private:
  class Run;
  EvolutionOptions options_;
};

}  // namespace cambium::tune
