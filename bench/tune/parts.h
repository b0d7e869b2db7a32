// The parts of `cambium bench tune`: operators against vendor libraries, strategies against each
// other, speed and memory, whole models. Each stores its rows as they end and prints a table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/machine.h"
#include "base/result.h"
#include "peers/frameworks.h"
#include "tune/results.h"

namespace cambium::bench {

struct TuneBenchOptions {
  std::vector<std::string> parts;  // "operators", "search", "speed", "models"
  std::vector<std::string> only;
  std::vector<std::int64_t> trials = {64, 512};
  std::vector<int> threads = {1, 2};
  std::int64_t search_trials = 64;  // of each strategy that is compared
  std::vector<std::string> ways;    // to search, by name; all if empty
  int seeds = 10;
  int jobs = 2;
  double seconds = 900;         // per model
  std::string db;               // tuning records of the operators and models
  std::string results;          // rows
  FrameworkOptions frameworks;  // where they are
  std::int64_t tvm_trials = 0;  // TVM's own tuning of an operator, at most
  bool quick = false, json = false;
};

// The 48 shapes tuned, then compared with vendor libraries and frameworks.
Status bench_operators(const Machine& machine, const TuneBenchOptions& options, Results& results);
// Strategies at equal trials on eight shapes, over seeds.
Status bench_search(const Machine& machine, const TuneBenchOptions& options, Results& results);
// Candidates made and scored per second, candidates measured per second, memory over many trials.
Status bench_speed(const Machine& machine, const TuneBenchOptions& options, Results& results);
// Models tuned for a time, against the frameworks that there are.
Status bench_models(const Machine& machine, const TuneBenchOptions& options, Results& results);

// Under which its rows are stored: figures of few candidates are not those of many.
std::vector<nlohmann::json> speed_keys(const TuneBenchOptions& options);

// Tables of what the results hold.
std::string operators_text(const Results& results, const Machine& machine);
std::string search_text(const Results& results);
std::string speed_text(const Results& results);
std::string models_text(const Results& results);

}  // namespace cambium::bench
