#include "tune/strategies/random.h"

namespace cambium::tune {

std::vector<Individual> Random::propose(Ask& ask) {
  Taken seen;
  std::vector<Individual> proposed;
  draw_fresh(ask, ask.count, seen, proposed);
  for (Individual& individual : proposed) individual.strategy = "random";
  return proposed;
}

}  // namespace cambium::tune
