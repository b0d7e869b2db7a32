// The parts of `cambium bench tune`: operators against vendor libraries, strategies against each
// other, speed and memory, whole models. Each part stores a row as soon as it is complete, and
// prints a table at the end.
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

// Tunes the 48 shapes and compares them with vendor libraries and frameworks.
Status bench_operators(const Machine& machine, const TuneBenchOptions& options, Results& results);
// Compares strategies with equal trials on eight shapes, over several seeds.
Status bench_search(const Machine& machine, const TuneBenchOptions& options, Results& results);
// Measures candidates made and scored per second, candidates timed per second, and memory over many
// trials.
Status bench_speed(const Machine& machine, const TuneBenchOptions& options, Results& results);
// Tunes models for a given time and compares them with the available frameworks.
Status bench_models(const Machine& machine, const TuneBenchOptions& options, Results& results);

// The keys under which the rows of `speed` are stored. They contain the number of candidates,
// because rates depend on it.
std::vector<nlohmann::json> speed_keys(const TuneBenchOptions& options);

// Tables of the stored results.
std::string operators_text(const Results& results, const Machine& machine);
std::string search_text(const Results& results);
std::string speed_text(const Results& results);
std::string models_text(const Results& results);

}  // namespace cambium::bench
