// The parts of `cambium bench loopnest`. Each adds rows and summary lines to a document
// (docs/schema/bench_loopnest.json) and prints a row as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace cambium::bench {

// What quick runs measure in place of the model of the options.
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
  // Of `tables`, `fisher`, `blockswap`, `paper` and `beside`.
  std::string model = "zoo:resnet34-cifar", targets = "conv:*";
  std::string data;  // for Fisher Potential; empty: noise
  std::string device = "cpu";
  double budget = 0.5;  // parameters of BlockSwap's networks, as a share of the original's
  std::string out;      // for the network that it chooses; empty: not kept
  std::vector<std::string> studies;  // METHOD=FILE, of `networks`
  std::vector<std::string> files;    // of networks, for `beside`
};

// MACs and weights of single layers and of whole networks beside what the paper and its release
// give, and how much of the release's own generator is legal.
Status bench_algebra(const LoopNestBenchOptions& options, nlohmann::json& out);
// The layers of ResNet-34 for ImageNet, each document beside the original, both tuned.
Status bench_layers(const LoopNestBenchOptions& options, nlohmann::json& out);

// The composed time of random networks beside the measured one.
Status bench_tables(const LoopNestBenchOptions& options, nlohmann::json& out);
// Documents sampled a second, functions at a site, fronts.
Status bench_rates(const LoopNestBenchOptions& options, nlohmann::json& out);
// Whether the changes of single sites to the Fisher Potential add up to those of random networks.
Status bench_fisher(const LoopNestBenchOptions& options, nlohmann::json& out);
// The network that BlockSwap chooses.
Status bench_blockswap(const LoopNestBenchOptions& options, nlohmann::json& out);
// How long the paper's own search takes.
Status bench_paper(const LoopNestBenchOptions& options, nlohmann::json& out);
// Networks of files beside the original.
Status bench_beside(const LoopNestBenchOptions& options, nlohmann::json& out);
// What the searches of studies have found.
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
