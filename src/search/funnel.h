// Funnel: the stages that a candidate passes, cheap ones first, and the thresholds that stop it.
// Plain data: the user chooses order, thresholds and effort. Refuses nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "study/limit.h"

namespace cambium::search {

// A threshold on a value of an evaluation: a metric, or the score of a proxy.
struct Gate {
  std::string value;  // "fisher"
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool is_relative = true;  // to the value of the original at the same stage
};

struct Stage {
  std::string evaluator;       // "proxy", "latency", "accuracy"
  std::string options = "{}";  // canonical JSON, a part of the key
  double fidelity = 0;
  std::vector<std::uint64_t> seeds = {1};  // one evaluation for each; the values are averaged
  std::vector<Gate> gates;
};

struct Funnel {
  // Stages of every candidate. Legality and cost always come before them.
  std::vector<Stage> explore;
  // Stages of the best candidates, in the end.
  std::vector<Stage> finals;
  int finalists = 5;
  std::vector<study::LimitText> limits;
  std::vector<study::Metric> objectives = {study::Metric::Accuracy, study::Metric::Latency};
};

// Whether one of the stages trains, so that accuracies are known after them.
bool trains(const std::vector<Stage>& stages);

// The objectives by which exploring compares candidates. If it trains nothing, the change of Fisher
// Potential stands for the objectives that need a training, where a stage measures it; otherwise
// they are left out. If none is left, `cost` is the only one.
std::vector<study::Metric> explored_objectives(const Funnel& funnel, study::Metric cost);

}  // namespace cambium::search
