#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include <fmt/core.h>

#include "arguments.h"
#include "engine/tune.h"
#include "kernels/measure_kernel.h"
#include "kernels/report.h"
#include "kernels/workload.h"
#include "measure/measure.h"
#include "peers/frameworks.h"
#include "tune/parts.h"

namespace cambium::bench {
namespace {

constexpr double kLong = 5e9;  // operations: shapes that get the smallest budget only

// A quick run compares for a shorter time: its rows are none of a full one.
nlohmann::json key_of(const Workload& w, std::int64_t trials, int threads, bool is_quick) {
  nlohmann::json key = {
      {"part", "operators"}, {"case", w.name}, {"trials", trials}, {"threads", threads}};
  if (is_quick) key["quick"] = true;
  return key;
}

nlohmann::json json_of(const Row& row, const engine::TuningReport& report) {
  const engine::TuningRow& tuned = report.last.rows.at(0);
  nlohmann::json out = {{"gflops", row.gflops()},
                        {"seconds", row.seconds},
                        {"error", row.error},
                        {"seed", report.options.seed},
                        {"tuning_seconds", report.last.seconds},
                        {"trials", tuned.trials},
                        {"refused_trials", tuned.refused},
                        {"default_seconds", tuned.default_seconds},
                        {"tuned_seconds", tuned.seconds},
                        {"trace", tuned.trace},
                        {"peers", nlohmann::json::array()}};
  if (!row.refused.empty()) out["refused"] = row.refused;
  for (const Row::Ratio& r : row.ratios) out["peers"].push_back(json_of(r));
  if (row.ratio() > 0) out["ratio"] = row.ratio();
  return out;
}

std::vector<Row::Ratio> frameworks(const Workload& w, std::int64_t trials, int threads,
                                   const TuneBenchOptions& options, const measure::Call& ours) {
  FrameworkOptions how = options.frameworks;
  how.threads = threads;
  how.rounds = options.quick ? 5 : 15;
  how.most_seconds = 15;  // loops as they are written take seconds for a call
  how.tune_trials = std::min(options.tvm_trials, trials);
  how.work = fmt::format("{}.tvm/{}-{}-{}", options.results, w.name, threads, how.tune_trials);
  std::vector<Row::Ratio> ratios;
  for (const Framework framework : {Framework::OnnxRuntime, Framework::Tvm}) {
    const FrameworkComparison found = compare_framework(framework, w.model, ours, how);
    ratios.push_back(
        {found.peer, found.version + " " + found.note, found.comparison, found.missing});
  }
  return ratios;
}

Result<nlohmann::json> measure_one(const Workload& w, std::int64_t trials, int threads,
                                   const Machine& machine, const TuneBenchOptions& options,
                                   measure::Runner& runner) {
  CAMBIUM_TRY(const trial::TuningTask task, trial::task_of(w.model, w.layouts, threads));
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
  const Row row = measure_kernel(w, machine, runner, how, &trace, [&](const measure::Call& ours) {
    return frameworks(w, trials, threads, options, ours);
  });
  return json_of(row, report);
}

std::string peer_text(const nlohmann::json& peer) {
  const std::string name = peer["peer"];
  if (!peer.contains("ratio")) return fmt::format("  {} missing", name);
  return fmt::format("  {} {:.2f} ±{:.0f}%", name, peer["ratio"].get<double>(),
                     100 * peer["spread"].get<double>());
}

// Which peers were missing, of how many cases and why, for the first of these.
std::string missing_text(const std::vector<const nlohmann::json*>& rows) {
  std::map<std::string, std::pair<std::int64_t, std::string>> missing;
  for (const nlohmann::json* row : rows) {
    if (row->contains("refused")) continue;
    for (const nlohmann::json& peer : (*row)["peers"]) {
      if (!peer.contains("missing")) continue;
      auto& [count, why] = missing[peer["peer"]];
      if (count++ == 0) why = peer["missing"];
    }
  }
  std::string text;
  for (const auto& [name, what] : missing) {
    text += fmt::format("{} is missing for {}: {}\n", name, what.first, what.second);
  }
  return text;
}

std::string group_text(const std::vector<const nlohmann::json*>& rows, std::int64_t threads,
                       const Machine& machine) {
  std::string text, worst_case;
  double mean = 0, raw = 0, worst = 0;
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
    for (const nlohmann::json& peer : (*row)["peers"]) text += peer_text(peer);
    text += '\n';
    if (!row->contains("ratio")) continue;
    const double ratio = (*row)["ratio"];
    mean += std::log(std::min(ratio, 2.0));
    raw += std::log(ratio);
    if (compared++ == 0 || ratio < worst) worst = ratio, worst_case = name;
  }
  const auto n = static_cast<double>(std::max<std::int64_t>(compared, 1));
  text += missing_text(rows);
  return text + fmt::format(
                    "{} compared, {} refused; geometric mean over the best peer {:.3f} (above 2 "
                    "counts as 2; raw {:.3f}), worst {:.2f} ({})\n",
                    compared, refused, std::exp(mean / n), std::exp(raw / n), worst, worst_case);
}

}  // namespace

Status bench_operators(const Machine& machine, const TuneBenchOptions& options, Results& results) {
  measure::Limits limits;
  limits.seconds = 120;  // the plain version of a large shape
  CAMBIUM_TRY(measure::Runner runner, measure::Runner::start({}, limits));
  const std::int64_t least = *std::min_element(options.trials.begin(), options.trials.end());
  // Small budgets for all shapes first: a larger one goes on from there.
  for (const int threads : options.threads) {
    for (const std::int64_t trials : options.trials) {
      for (const Workload& w : operator_table()) {
        const nlohmann::json key = key_of(w, trials, threads, options.quick);
        if (!is_wanted(w.name, options.only) || results.find(key) != nullptr) continue;
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
    text += group_text(rows, threads, machine);
  }
  return text;
}

}  // namespace cambium::bench
