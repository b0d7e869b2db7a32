// The sum of the times of a network's kernels, by which the strategy `compose` chooses, beside the
// measured time of the network.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/quantile.h"
#include "base/ranks.h"
#include "cli/common.h"
#include "engine/files.h"
#include "engine/native.h"
#include "engine/search/kernel_sum_evaluator.h"
#include "engine/search/latency.h"
#include "loopnest/nest_edits.h"
#include "loopnest/parts.h"
#include "model/cost.h"
#include "model/fingerprint.h"
#include "spaces/space.h"
#include "trial/kernel_sum.h"

namespace cambium::bench {
namespace {

constexpr std::int64_t kNetworks = 20, kQuickNetworks = 3;

class TableBench {
 public:
  TableBench(const LoopNestBenchOptions& options, std::string name) : name_(std::move(name)) {
    setting_.trials = std::max<std::int64_t>(options.trials, 0);
    setting_.jobs = options.jobs;
    // Times of default schedules are those of this run, so that the machine is as it is for both.
    if (setting_.trials > 0) setting_.db = options.db;
    setting_.machine_file = cli::cache_folder() + "/ceilings.json";
    latency_.trials = setting_.trials;
    latency_.jobs = options.jobs;
    latency_.db = options.db;
    latency_.machine_file = setting_.machine_file;
    // Kernels are timed by this clock, too.
    latency_.clock = measure::Clock::ThreadCpu;
  }

  Result<nlohmann::json> sampled(const model::Model& base, const engine::Spaces& spaces,
                                 std::uint64_t seed) {
    spaces::Candidate candidate{model::structure_of(base), {}, {}};
    CAMBIUM_TRY(candidate.edits, spaces[0]->samples()->sample(seed));
    CAMBIUM_TRY(const model::Model model, spaces::apply(base, candidate, engine::pointers(spaces)));
    return measure(model, seed, candidate.edits.size());
  }

  // Seed 0: the original.
  Result<nlohmann::json> measure(const model::Model& model, std::uint64_t seed, std::size_t edits) {
    CAMBIUM_TRY(const compile::LoweredModel lowered, engine::lower_model(model, {}));
    CAMBIUM_TRY(const trial::KernelSum sum, trial::kernel_sum(lowered, 1, times_, setting_));
    CAMBIUM_TRY(const engine::Latency whole, engine::measure_latency(model, latency_));
    const model::Cost cost = model::cost_of(model);
    return nlohmann::json{{"kind", "latency"},
                          {"case", name_},
                          {"seed", seed},
                          {"edits", edits},
                          {"macs", cost.macs},
                          {"parameters", cost.params},
                          {"trials", setting_.trials},
                          {"kernels", sum.kernels},
                          {"calls", sum.calls},
                          {"composed_seconds", sum.seconds},
                          {"seconds", whole.seconds},
                          {"spread", whole.spread}};
  }

 private:
  std::string name_;
  trial::KernelTimes times_ = engine::kernel_times();
  trial::KernelTimes::Setting setting_;
  engine::LatencyOptions latency_;
};

// Beside the original, both sums and both times: searches compare with it.
nlohmann::json summary_of(const std::vector<nlohmann::json>& rows, double composed_original,
                          double measured_original) {
  std::vector<double> composed, measured, errors, changes;
  for (const nlohmann::json& row : rows) {
    composed.push_back(row["composed_seconds"]);
    measured.push_back(row["seconds"]);
    errors.push_back(std::abs(composed.back() / measured.back() - 1));
    changes.push_back(std::abs(
        (composed.back() / composed_original) / (measured.back() / measured_original) - 1));
  }
  constexpr int kSamples = 1000;
  const Spread spread = bootstrapped(&spearman, composed, measured, kSamples, 1);
  return {{"networks", rows.size()},
          {"median_error", median(errors)},
          {"median_error_of_share", median(changes)},
          {"spearman", spearman(composed, measured)},
          {"spearman_low", spread.low},
          {"spearman_high", spread.high}};
}

}  // namespace

Status bench_tables(const LoopNestBenchOptions& options, nlohmann::json& out) {
  const std::string name = options.quick ? kQuickModel : options.model;
  const std::int64_t wanted = options.networks > 0 ? options.networks
                              : options.quick      ? kQuickNetworks
                                                   : kNetworks;
  CAMBIUM_TRY(const engine::Loaded loaded, engine::load_model(name));
  const model::Model& base = loaded.model;
  CAMBIUM_TRY(const engine::Spaces spaces, nest_space(base, options.targets));
  TableBench bench(options, name);
  CAMBIUM_TRY(nlohmann::json original, bench.measure(base, 0, 0));
  const double composed = original["composed_seconds"], measured = original["seconds"];
  out["rows"].push_back(std::move(original));
  std::vector<nlohmann::json> rows;
  // As a search does, leaves out what cannot be applied or compiled.
  std::int64_t refused = 0;
  for (std::uint64_t seed = options.seed; std::ssize(rows) < wanted; ++seed) {
    fmt::print(stderr, "network {} of {} ...\n", rows.size() + 1, wanted);
    auto row = bench.sampled(base, spaces, seed);
    if (row.ok()) {
      rows.push_back(std::move(row).value());
      continue;
    }
    if (++refused > wanted) return row.rejection();
    cli::note(fmt::format("seed {}: {}", seed, row.rejection().message()));
  }
  nlohmann::json& summary = out["summary"]["latency_tables"];
  summary = summary_of(rows, composed, measured);
  summary["refused"] = refused;
  for (nlohmann::json& row : rows) out["rows"].push_back(std::move(row));
  return Ok{};
}

std::string tables_text(const nlohmann::json& row) {
  const double composed = row["composed_seconds"], measured = row["seconds"];
  return fmt::format(
      "{:22} {:>10} {:>11} MACs {:3} kernels: composed {:8.3f} ms, measured {:8.3f} ms +-{:.1f}%,"
      " {:+.1f}%\n",
      row["case"].get<std::string>(),
      row["edits"] == 0 ? "(original)" : fmt::format("seed {}", row["seed"].get<int>()),
      row["macs"].get<std::int64_t>(), row["kernels"].get<int>(), 1e3 * composed, 1e3 * measured,
      100 * row["spread"].get<double>(), 100 * (composed / measured - 1));
}

}  // namespace cambium::bench
