// The parts of `cambium bench tune`: operators against vendor libraries, strategies against each
// other, speed and memory, whole models. Each stores its rows as they end and prints a table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/machine.h"
#include "base/result.h"
#include "tune/results.h"

namespace cambium::bench {

struct TuneBenchOptions {
  std::vector<std::string> parts;  // "operators", "search", "speed", "models"
  std::vector<std::string> only;
  std::vector<std::int64_t> trials = {64, 512};
  std::vector<int> threads = {1, 2};
  int seeds = 10;
  int jobs = 2;
  double seconds = 900;                  // per model
  std::string db;                        // tuning records of the operators and models
  std::string results;                   // rows
  std::string python = "python3";        // runs the peers that come from PyPI
  std::string torch_python = "python3";  // the one that has torch
  std::string peers;                     // the folder of the peers' scripts
  bool quick = false, json = false;
};

bool is_wanted(const std::string& name, const TuneBenchOptions& options);

// The 48 shapes tuned, then compared with the vendor libraries in one process.
Status bench_operators(const Machine& machine, const TuneBenchOptions& options, Results& results);
// Strategies at equal trials on eight shapes, over seeds.
Status bench_search(const Machine& machine, const TuneBenchOptions& options, Results& results);
// Candidates made and scored per second, candidates measured per second, memory over many trials.
Status bench_speed(const Machine& machine, const TuneBenchOptions& options, Results& results);
// Models tuned for a time, against the frameworks that there are.
Status bench_models(const Machine& machine, const TuneBenchOptions& options, Results& results);

// Tables of what the results hold.
std::string operators_text(const Results& results, const Machine& machine);
std::string search_text(const Results& results);
std::string speed_text(const Results& results);
std::string models_text(const Results& results);

}  // namespace cambium::bench
