// The parts of `cambium bench search`: each adds its rows to a document
// (docs/schema/bench_search.json), and prints a row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace cambium::bench {

struct SearchBenchOptions {
  std::vector<std::string> parts;  // all if empty
  std::string table;               // table to replay; empty: one with synthetic accuracies
  double least =
      0;  // share of the original's accuracy that a candidate must keep; 0: as in the table
  std::string model = "zoo:tiny-resnet", targets = "conv:k=3,groups=1";
  std::int64_t tickets = 100;
  int seeds = 20, in_flight = 4;
  std::int64_t samples = 2000;   // of each set of rules
  int planted = 400;             // number of candidates of the synthetic table
  std::vector<std::string> set;  // settings of tree search, NAME=VALUE
  std::uint64_t seed = 1;
  bool quick = false, json = false;
};

// Compares strategies on a recorded table: tree with random, and a reward for few MACs with one for
// low latency.
Status bench_replay(const SearchBenchOptions& options, nlohmann::json& out);
// Compares tree with random on the whole coordinate space, with synthetic accuracies.
Status bench_planted(const SearchBenchOptions& options, nlohmann::json& out);
// Compares samples with all rules of canonical form, with the exact rules only, and without rules.
Status bench_canonical(const SearchBenchOptions& options, nlohmann::json& out);
// Measures the time of the driver itself, with evaluations that take no time.
Status bench_overhead(const SearchBenchOptions& options, nlohmann::json& out);

std::string strategies_text(const nlohmann::json& row);
std::string replay_text(const nlohmann::json& row);
std::string canonical_text(const nlohmann::json& row);
std::string overhead_text(const nlohmann::json& row);

}  // namespace cambium::bench
