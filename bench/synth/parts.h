// The parts of `cambium bench synth`: each adds its rows and its lines of the summary to a document
// (docs/schema/bench_synth.json), and prints a row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace cambium::bench {

struct SynthBenchOptions {
  std::vector<std::string> parts;  // all if empty
  std::uint64_t seed = 1;
  bool quick = false, json = false;
};

// Distinct operators against trials, guided by the shape distance.
Status bench_sampling(const SynthBenchOptions& options, nlohmann::json& out);
// Primitives applied and distances computed.
Status bench_speeds(const SynthBenchOptions& options, nlohmann::json& out);
// The same as the first part, without a guide and with the exact one.
Status bench_guides(const SynthBenchOptions& options, nlohmann::json& out);
// Time against the maximum size, 4 to 12 primitives.
Status bench_growth(const SynthBenchOptions& options, nlohmann::json& out);
// Canonical rates by size; duplicates that the rules leave; classes that exact rules lose.
Status bench_table2(const SynthBenchOptions& options, nlohmann::json& out);
Status bench_duplicates(const SynthBenchOptions& options, nlohmann::json& out);
Status bench_exactness(const SynthBenchOptions& options, nlohmann::json& out);
// How often the semantic fingerprint errs, and how long it takes.
Status bench_fingerprints(const SynthBenchOptions& options, nlohmann::json& out);

std::string sampling_text(const nlohmann::json& row);
std::string speeds_text(const nlohmann::json& row);
std::string growth_text(const nlohmann::json& row);
std::string table2_text(const nlohmann::json& row);
std::string duplicates_text(const nlohmann::json& row);
std::string exactness_text(const nlohmann::json& row);
std::string fingerprints_text(const nlohmann::json& row);

}  // namespace cambium::bench
