// Evolution over traces: a population of the best measured schedules, variants of them or of the
// default one, random ones, and what the last batch liked but left; over some generations, parents
// drawn by their score have children by mutation and crossover; of all that were seen, those that
// the model likes best are proposed, and a few random ones. Without a model parents are drawn by
// measured times only, and children are proposed in no order.
#pragma once

#include "tune/strategy.h"

namespace cambium::tune {

struct EvolutionOptions {
  std::size_t population = 256;  // of the first batch
  std::size_t newcomers = 128;   // to that of every later one
  std::size_t carried = 64;      // from one batch to the next
  int generations = 4;
  std::size_t children = 8;      // in a generation, per trial that is wanted
  double mutation = 0.85;        // share of children by mutation; the rest by crossover
  double measured_parent = 0.3;  // share of parents drawn from those measured
  double per_rank = 0.8;         // how much less likely a parent the next best is
  double random_share = 0.05;    // of what is proposed
  double looking_around = 0.3;   // without a model, the part of the budget of which half is random
};

class Evolution : public Strategy {
 public:
  explicit Evolution(const EvolutionOptions& options = {}) : options_(options) {}
  std::vector<Individual> propose(Ask& ask) override;

 private:
  class Run;
  EvolutionOptions options_;
  std::vector<Individual> carried_;
};

}  // namespace cambium::tune
