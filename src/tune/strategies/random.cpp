#include "tune/strategies/random.h"

namespace cambium::tune {

namespace {

std::vector<Individual> drawn(Ask& ask, schedule::Otherwise law, const char* name) {
  Taken seen;
  std::vector<Individual> proposed;
  draw_fresh(ask, ask.count, seen, proposed, law);
  for (Individual& individual : proposed) individual.strategy = name;
  return proposed;
}

}  // namespace

std::vector<Individual> Random::propose(Ask& ask) {
  return drawn(ask, schedule::Otherwise::Drawn, "random");
}

std::vector<Individual> Uniform::propose(Ask& ask) {
  return drawn(ask, schedule::Otherwise::Uniform, "uniform");
}

}  // namespace cambium::tune
