// Schedules drawn from the space without model and memory: the reference for other strategies.
// `random` draws by the laws of the space, which know the machine (register tiles that reach its
// peak are likelier). `uniform` makes all options of a decision equally likely.
#pragma once

#include "tune/strategy.h"

namespace cambium::tune {

class Random : public Strategy {
 public:
  std::vector<Individual> propose(Ask& ask) override;
};

class Uniform : public Strategy {
 public:
  std::vector<Individual> propose(Ask& ask) override;
};

}  // namespace cambium::tune
