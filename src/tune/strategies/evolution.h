// Evolution over traces. The population has the best measured schedules, variants of them or of the
// default schedule, random schedules, and good candidates that the last batch did not propose. Over
// some generations, parents drawn by their score have children by mutation and crossover. Of
// everything seen, it proposes the candidates with the best score and a few random ones. Without a
// model, parents are drawn by measured times only, and children are proposed in no order.
#pragma once

#include "tune/strategy.h"

namespace cambium::tune {

struct EvolutionOptions {
  std::size_t population = 256;  // in the first batch
  std::size_t newcomers = 128;   // new members in every later batch
  std::size_t carried = 64;      // from one batch to the next
  int generations = 4;
  std::size_t children = 8;      // in a generation, per wanted trial
  double mutation = 0.85;        // share of children by mutation; the rest by crossover
  double measured_parent = 0.3;  // share of parents drawn from the measured schedules
  double per_rank = 0.8;         // factor of the probability from one rank to the next
  double random_share = 0.05;    // of the proposed candidates
  double looking_around = 0.3;   // without a model, half is random in this first part of the budget
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
