#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include <fmt/core.h>

#include "engine/tune.h"
#include "kernels/measure_kernel.h"
#include "kernels/workload.h"
#include "measure/measure.h"
#include "tune/parts.h"

namespace cambium::bench {
namespace {

constexpr double kLong = 5e9;  // operations: shapes that get the smallest budget only

nlohmann::json key_of(const Workload& w, std::int64_t trials, int threads) {
  return {{"part", "operators"}, {"case", w.name}, {"trials", trials}, {"threads", threads}};
}

nlohmann::json json_of(const Row& row, const engine::TuningRow& tuned, double seconds) {
  nlohmann::json out = {{"gflops", row.gflops()},
                        {"seconds", row.seconds},
                        {"error", row.error},
                        {"tuning_seconds", seconds},
                        {"trials", tuned.trials},
                        {"refused_trials", tuned.refused},
                        {"default_seconds", tuned.default_seconds},
                        {"tuned_seconds", tuned.seconds},
                        {"trace", tuned.trace},
                        {"peers", nlohmann::json::array()}};
  if (!row.refused.empty()) out["refused"] = row.refused;
  for (const Row::Ratio& r : row.ratios) {
    out["peers"].push_back({{"peer", r.peer},
                            {"implementation", r.implementation},
                            {"ratio", r.comparison.ratio},
                            {"spread", r.comparison.spread}});
  }
  if (!row.ratios.empty()) out["ratio"] = row.ratio();
  return out;
}

Result<nlohmann::json> measure_one(const Workload& w, std::int64_t trials, int threads,
                                   const Machine& machine, const TuneBenchOptions& options,
                                   measure::Runner& runner) {
  CAMBIUM_TRY(const engine::TuningTask task, engine::task_of(w.model, w.layouts, threads));
  engine::TuningOptions tuning;
  tuning.trials = trials;
  tuning.jobs = options.jobs;
  tuning.db = options.db;
  CAMBIUM_TRY(const engine::TuningReport report, engine::tune_tasks({task}, machine, tuning));
  const engine::TuningRow& best = report.last.rows.at(0);
  CAMBIUM_TRY(const schedule::Trace trace, schedule::parse_trace(best.trace));
  Options how;
  how.quick = options.quick;
  how.threads = threads;
  const Row row = measure_kernel(w, machine, runner, how, &trace);
  return json_of(row, best, report.last.seconds);
}

}  // namespace

bool is_wanted(const std::string& name, const TuneBenchOptions& options) {
  return options.only.empty() ||
         std::any_of(options.only.begin(), options.only.end(),
                     [&](const std::string& part) { return name.find(part) != std::string::npos; });
}

Status bench_operators(const Machine& machine, const TuneBenchOptions& options, Results& results) {
  measure::Limits limits;
  limits.seconds = 120;  // the plain version of a large shape
  CAMBIUM_TRY(measure::Runner runner, measure::Runner::start({}, limits));
  const std::int64_t least = *std::min_element(options.trials.begin(), options.trials.end());
  // Small budgets for all shapes first: a larger one goes on from there.
  for (const int threads : options.threads) {
    for (const std::int64_t trials : options.trials) {
      for (const Workload& w : operator_table()) {
        const nlohmann::json key = key_of(w, trials, threads);
        if (!is_wanted(w.name, options) || results.find(key) != nullptr) continue;
        if (w.flops > kLong && trials != least) continue;
        if (options.quick && w.flops > kLong / 10) continue;
        const auto row = measure_one(w, trials, threads, machine, options, runner);
        const nlohmann::json found =
            row.ok() ? *row : nlohmann::json{{"refused", row.rejection().message()}};
        CAMBIUM_REQUIRE(results.add(key, found));
        fmt::print(stderr, "{} {} trials {} thread(s): {:.2f}\n", w.name, trials, threads,
                   found.value("ratio", 0.0));
      }
    }
  }
  return Ok{};
}

std::string operators_text(const Results& results, const Machine& machine) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<const nlohmann::json*>> groups;
  for (const nlohmann::json& row : results.rows()) {
    if (row["key"]["part"] != "operators") continue;
    groups[{row["key"]["threads"], row["key"]["trials"]}].push_back(&row);
  }
  std::string text;
  for (const auto& [group, rows] : groups) {
    const auto [threads, trials] = group;
    text += fmt::format("\n{} thread(s), {} trials\n", threads, trials);
    double mean = 0, raw = 0, worst = 0;
    std::string worst_case;
    std::int64_t compared = 0, refused = 0;
    for (const nlohmann::json* row : rows) {
      const std::string name = (*row)["key"]["case"];
      if (row->contains("refused")) {
        text += fmt::format("{:8} {}\n", name, (*row)["refused"].get<std::string>());
        ++refused;
        continue;
      }
      const double gflops = (*row)["gflops"];
      const double peak = machine.ceilings ? gflops / machine.ceilings->fma_gflops /
                                                 static_cast<double>(threads) * 100
                                           : 0;
      text += fmt::format("{:8} {:7.1f} GFLOP/s {:4.0f}% {:6.1f} s", name, gflops, peak,
                          (*row)["tuning_seconds"].get<double>());
      for (const nlohmann::json& peer : (*row)["peers"]) {
        text += fmt::format("  {} {:.2f} ±{:.0f}%", peer["peer"].get<std::string>(),
                            peer["ratio"].get<double>(), 100 * peer["spread"].get<double>());
      }
      text += '\n';
      if (!row->contains("ratio")) continue;
      const double ratio = (*row)["ratio"];
      mean += std::log(std::min(ratio, 2.0));
      raw += std::log(ratio);
      if (compared++ == 0 || ratio < worst) worst = ratio, worst_case = name;
    }
    const auto n = static_cast<double>(std::max<std::int64_t>(compared, 1));
    text += fmt::format(
        "{} compared, {} refused; geometric mean {:.3f} (above 2 counts as 2; raw {:.3f}), worst "
        "{:.2f} ({})\n",
        compared, refused, std::exp(mean / n), std::exp(raw / n), worst, worst_case);
  }
  return text;
}

}  // namespace cambium::bench
