// The parts of `cambium bench loopnest`. Each adds rows and summary lines to a document
// (docs/schema/bench_loopnest.json) and prints a row as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace cambium::bench {

// The model of quick runs, instead of that of the options.
inline constexpr const char* kQuickModel = "zoo:resnet20";

struct LoopNestBenchOptions {
  std::vector<std::string> parts;  // all if empty
  std::uint64_t seed = 1;
  bool quick = false, json = false;
  int jobs = 1;                   // threads that compile and score
  std::string db;                 // tuned schedules, kept for the next run
  std::vector<std::string> only;  // layers whose name contains one of these
  // -1: as many as a part usually takes.
  std::int64_t trials = -1;  // of tuning each kernel
  std::int64_t networks = -1, minibatch = -1;
  // Options of `tables`, `fisher`, `blockswap`, `paper` and `beside`.
  std::string model = "zoo:resnet34-cifar", targets = "conv:*";
  std::string data;  // for Fisher Potential; empty: noise
  std::string device = "cpu";
  double budget = 0.5;  // parameters of BlockSwap's networks, as a share of the original's
  std::string out;      // file for the network that `blockswap` chooses; empty: not written
  std::vector<std::string> studies;  // METHOD=FILE, of `networks`
  std::vector<std::string> files;    // of networks, for `beside`
};

// Compares MACs and weights of layers and whole networks with those of the paper and its release.
// Also counts how many networks of the release's generator are legal.
Status bench_algebra(const LoopNestBenchOptions& options, nlohmann::json& out);
// Times each document at the layers of ResNet-34 for ImageNet against the original layer, both
// tuned.
Status bench_layers(const LoopNestBenchOptions& options, nlohmann::json& out);

// Compares composed with measured times of random networks.
Status bench_tables(const LoopNestBenchOptions& options, nlohmann::json& out);
// Measures documents sampled per second, functions per site, and the time of fronts.
Status bench_rates(const LoopNestBenchOptions& options, nlohmann::json& out);
// Checks whether the changes of Fisher Potential at single sites add up to those of random
// networks.
Status bench_fisher(const LoopNestBenchOptions& options, nlohmann::json& out);
// Finds the network that BlockSwap chooses.
Status bench_blockswap(const LoopNestBenchOptions& options, nlohmann::json& out);
// Times the search of the paper.
Status bench_paper(const LoopNestBenchOptions& options, nlohmann::json& out);
// Times networks from files against the original.
Status bench_beside(const LoopNestBenchOptions& options, nlohmann::json& out);
// Measures the networks that the searches of studies have found.
Status bench_networks(const LoopNestBenchOptions& options, nlohmann::json& out);

std::string algebra_text(const nlohmann::json& row);
std::string layers_text(const nlohmann::json& row);
std::string tables_text(const nlohmann::json& row);
std::string rates_text(const nlohmann::json& row);
std::string fisher_text(const nlohmann::json& row);
std::string blockswap_text(const nlohmann::json& row);
std::string paper_text(const nlohmann::json& row);
std::string beside_text(const nlohmann::json& row);
std::string networks_text(const nlohmann::json& row);

}  // namespace cambium::bench
