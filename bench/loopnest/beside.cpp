// Networks of files beside the original: both tuned with the same trials, measured in turns in one
// process, as finals of a search do it. For networks that no search has made.
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/common.h"
#include "engine/files.h"
#include "engine/search/latency.h"
#include "loopnest/parts.h"
#include "model/cost.h"

namespace cambium::bench {
namespace {

constexpr std::int64_t kTrials = 64;

engine::LatencyOptions latency_options(const LoopNestBenchOptions& options) {
  engine::LatencyOptions latency;
  latency.trials = options.trials >= 0 ? options.trials : options.quick ? 0 : kTrials;
  latency.jobs = options.jobs;
  latency.db = options.db;
  latency.machine_file = cli::cache_folder() + "/ceilings.json";
  return latency;
}

}  // namespace

Status bench_beside(const LoopNestBenchOptions& options, nlohmann::json& out) {
  if (options.files.empty()) {
    if (options.parts.empty()) return Ok{};
    return Rejection(Reason::BadOption, "--file", "the part `beside` needs networks");
  }
  CAMBIUM_TRY(const engine::Loaded base, engine::load_model(options.model));
  engine::LatencyOptions latency = latency_options(options);
  // Tunes the original, too.
  CAMBIUM_TRY(const engine::Latency original, engine::measure_latency(base.model, latency));
  latency.beside = &base.model;
  for (const std::string& file : options.files) {
    CAMBIUM_TRY(const engine::Loaded loaded, engine::load_model(file));
    CAMBIUM_TRY(const engine::Latency found, engine::measure_latency(loaded.model, latency));
    const model::Cost cost = model::cost_of(loaded.model);
    out["rows"].push_back({{"case", options.model},
                           {"network", file},
                           {"trials", latency.trials},
                           {"macs", cost.macs},
                           {"parameters", cost.params},
                           {"original_seconds", original.seconds},
                           {"seconds", found.seconds},
                           {"spread", found.spread},
                           {"speedup", found.speedup},
                           {"speedup_spread", found.speedup_spread}});
  }
  return Ok{};
}

std::string beside_text(const nlohmann::json& row) {
  return fmt::format("{} beside {}: {:.3f} ms, {:.2f}x +-{:.1f}%, {} MACs, {} parameters\n",
                     row["network"].get<std::string>(), row["case"].get<std::string>(),
                     1e3 * row["seconds"].get<double>(), row["speedup"].get<double>(),
                     100 * row["speedup_spread"].get<double>(), row["macs"].get<std::int64_t>(),
                     row["parameters"].get<std::int64_t>());
}

}  // namespace cambium::bench
