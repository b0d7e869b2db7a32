// Ways to search at equal trials. None begins with the default schedule, which is at the machine's
// peak for most shapes and would hide what they find by themselves. The models know nothing of
// these shapes beforehand: the shipped one was trained on them, so it takes no part. What the ways
// found is compared at the end of a shape, all of it side by side.
#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "arguments.h"
#include "engine/kernel_bench.h"
#include "engine/tune.h"
#include "kernels/workload.h"
#include "schedule/rules/space.h"
#include "tune/cost_model/xgboost_model.h"
#include "tune/forgetful.h"
#include "tune/known_times.h"
#include "tune/parts.h"
#include "tune/tuner.h"

namespace cambium::bench {
namespace {

constexpr std::int64_t kTrials = 64, kQuickTrials = 16;
constexpr const char* kShapes[] = {"C1D-2", "C2D-1", "DEP-1", "DIL-1",
                                   "GMM-0", "GRP-1", "T2D-1", "SFM-0"};

struct Way {
  const char* name;
  const char* strategy;
  bool uses_model = false, learns = false;
};
constexpr Way kWays[] = {{"random", "random"},
                         {"evolution", "evolution"},
                         {"evolution+analytic", "evolution", true},
                         {"annealing+learned", "annealing", true, true},
                         {"evolution+learned", "evolution", true, true}};

Result<tune::TaskResult> search(const tune::Task& task, const Way& way, int seed,
                                std::int64_t trials, int jobs, const Machine& machine,
                                tune::Bench& bench) {
  tune::TuneOptions options;
  options.trials = trials;
  options.jobs = jobs;
  options.strategy = way.strategy;
  options.uses_model = way.uses_model;
  options.begins_with_default = false;
  options.seed = static_cast<std::uint64_t>(seed);
  options.finalists = 0;
  options.machine = machine;
  options.space = schedule::whole_space();
  Forgetful memory;
  std::unique_ptr<tune::CostModel> model = tune::draft_only_model();
  if (way.learns) {
    CAMBIUM_TRY(model, tune::new_xgboost_model());
  }
  CAMBIUM_TRY(tune::TuneResult result, tune::tune({task}, options, bench, memory, *model));
  if (result.tasks.at(0).best_time.value == 0) {
    return Rejection(Reason::NoSchedule, task.name, "all trials were refused");
  }
  return std::move(result.tasks[0]);
}

// What the ways found, each with each: times taken on the way flatter.
Status compare_winners(const tune::Task& task, const nlohmann::json& key, tune::Bench& bench,
                       Results& results) {
  std::map<std::string, std::unique_ptr<tune::Built>> winners;  // by trace
  for (const nlohmann::json& row : results.rows()) {
    const nlohmann::json& of = row["key"];
    if (of["part"] != "search" || of["case"] != key["case"] || of["trials"] != key["trials"] ||
        !row.contains("trace")) {
      continue;
    }
    std::unique_ptr<tune::Built>& built = winners[row["trace"]];
    if (built != nullptr) continue;
    CAMBIUM_TRY(const schedule::Trace trace,
                schedule::parse_trace(row["trace"].get<std::string>()));
    CAMBIUM_TRY(built, bench.build(task, trace));
  }
  std::vector<const tune::Built*> all;
  for (const auto& [trace, built] : winners) all.push_back(built.get());
  const auto times = bench.compare(task, all);
  nlohmann::json seconds = nlohmann::json::object();
  for (std::size_t i = 0; const auto& [trace, built] : winners) {
    const auto& time = times[i++];
    if (time.ok()) seconds[fingerprint_of(trace).text()] = time->value;
  }
  return results.add(key, {{"winners", seconds}});
}

}  // namespace

Status bench_search(const Machine& machine, const TuneBenchOptions& options, Results& results) {
  const int seeds = options.quick ? 2 : options.seeds;
  const std::int64_t trials = options.quick ? kQuickTrials : kTrials;
  for (const Workload& w : operator_table()) {
    const bool is_named =
        std::find(std::begin(kShapes), std::end(kShapes), w.name) != std::end(kShapes);
    if (!is_named || !is_wanted(w.name, options.only)) continue;
    CAMBIUM_TRY(const engine::TuningTask task, engine::task_of(w.model, w.layouts, 1));
    CAMBIUM_TRY(const auto real, engine::make_kernel_bench(machine));
    KnownTimes bench(*real, options.results + ".times");
    const nlohmann::json base = {{"part", "search"}, {"case", w.name}, {"trials", trials}};
    for (int seed = 1; seed <= seeds; ++seed) {
      for (const Way& way : kWays) {
        nlohmann::json key = base;
        key.update({{"way", way.name}, {"seed", seed}});
        if (results.find(key) != nullptr) continue;
        const double begin = bench.now();
        CAMBIUM_TRY(const tune::TaskResult found,
                    search(task.task, way, seed, trials, options.jobs, machine, bench));
        const double seconds = found.best_time.value;
        CAMBIUM_REQUIRE(results.add(key, {{"seconds", seconds},
                                          {"spread", found.best_time.spread},
                                          {"refused_trials", found.refused},
                                          {"trace", schedule::to_text(found.best.trace)}}));
        fmt::print(stderr, "{} seed {} {}: {:.1f} us, in {:.1f} s\n", w.name, seed, way.name,
                   seconds * 1e6, bench.now() - begin);
      }
    }
    nlohmann::json key = base;
    key["seeds"] = seeds;
    if (results.find(key) != nullptr) continue;
    CAMBIUM_REQUIRE(compare_winners(task.task, key, *real, results));
  }
  return Ok{};
}

}  // namespace cambium::bench
