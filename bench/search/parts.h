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
  std::string table;               // that is replayed; empty: one that is planted
  double least = 0;                // of the original's accuracy that counts as kept; 0: the table's
  std::string model = "zoo:tiny-resnet", targets = "conv:k=3,groups=1";
  std::int64_t tickets = 100;
  int seeds = 20, in_flight = 4;
  std::int64_t samples = 2000;   // of each set of rules
  int planted = 400;             // candidates of the planted table
  std::vector<std::string> set;  // settings of tree search, NAME=VALUE
  std::uint64_t seed = 1;
  bool quick = false, json = false;
};

// Strategies on a recorded table: tree against random, and a reward of MACs against one of latency.
Status bench_replay(const SearchBenchOptions& options, nlohmann::json& out);
// Tree against random on the whole coordinate space, with planted accuracies.
Status bench_planted(const SearchBenchOptions& options, nlohmann::json& out);
// Samples with all rules of canonical form, with exact ones alone and without.
Status bench_canonical(const SearchBenchOptions& options, nlohmann::json& out);
// What the driver itself takes, with evaluations that take none.
Status bench_overhead(const SearchBenchOptions& options, nlohmann::json& out);

std::string strategies_text(const nlohmann::json& row);
std::string replay_text(const nlohmann::json& row);
std::string canonical_text(const nlohmann::json& row);
std::string overhead_text(const nlohmann::json& row);

}  // namespace cambium::bench
