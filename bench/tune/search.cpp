// Strategies at equal trials. Every distinct schedule is timed once for all seeds and strategies,
// so that they differ in what they choose, not in the noise of the machine. The models know nothing
// of these shapes beforehand: the shipped one was trained on them, so it takes no part.
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include <fmt/core.h>

#include "engine/kernel_bench.h"
#include "engine/tune.h"
#include "kernels/workload.h"
#include "schedule/rules/space.h"
#include "tune/cost_model/xgboost_model.h"
#include "tune/parts.h"
#include "tune/tuner.h"

namespace cambium::bench {
namespace {

constexpr std::int64_t kTrials = 64;
constexpr const char* kShapes[] = {"C1D-2", "C2D-2", "DEP-1", "DIL-2",
                                   "GMM-2", "GRP-2", "T2D-1", "SFM-1"};

// All begin with the default schedule, "random" too.
struct Way {
  const char* name;
  const char* strategy;
  bool uses_model = false, learns = false;
};
constexpr Way kWays[] = {{"random", "random"},
                         {"evolution, no model", "evolution"},
                         {"evolution, analytic", "evolution", true},
                         {"annealing, learned", "annealing", true, true},
                         {"evolution, learned", "evolution", true, true}};

// Times every schedule once.
class Once : public tune::Bench {
 public:
  explicit Once(tune::Bench& real) : real_(real) {}

  struct Known : tune::Built {
    std::string trace;
    std::unique_ptr<tune::Built> code;  // nothing: its time is known
  };

  Result<std::unique_ptr<tune::Built>> build(const tune::Task& task,
                                             const schedule::Trace& trace) override {
    auto known = std::make_unique<Known>();
    known->trace = schedule::to_text(trace);
    {
      const std::lock_guard lock(mutex_);
      const auto found = times_.find(known->trace);
      if (found != times_.end()) {
        if (!found->second.ok()) return found->second.rejection();
        return std::unique_ptr<tune::Built>(std::move(known));
      }
    }
    auto code = real_.build(task, trace);
    if (!code.ok()) {
      const std::lock_guard lock(mutex_);
      times_.emplace(known->trace, Result<Measurement>(code.rejection()));
      return code.rejection();
    }
    known->code = std::move(*code);
    return std::unique_ptr<tune::Built>(std::move(known));
  }
  Result<Measurement> time(const tune::Task& task, const tune::Built& built) override {
    const auto& known = static_cast<const Known&>(built);
    {
      const std::lock_guard lock(mutex_);
      const auto found = times_.find(known.trace);
      if (found != times_.end()) return found->second;
    }
    const Result<Measurement> time = real_.time(task, *known.code);
    const std::lock_guard lock(mutex_);
    times_.emplace(known.trace, time);
    return time;
  }
  std::vector<Result<Measurement>> compare(const tune::Task& task,
                                           const std::vector<const tune::Built*>& built) override {
    std::vector<Result<Measurement>> times;
    for (const tune::Built* each : built) times.push_back(time(task, *each));
    return times;
  }
  double now() override { return real_.now(); }

 private:
  tune::Bench& real_;
  std::mutex mutex_;
  std::map<std::string, Result<Measurement>> times_;
};

// Forgets everything at the end of a search.
class Forgetful : public tune::Memory {
 public:
  Result<std::vector<Known>> known(const tune::Task&) override { return std::vector<Known>{}; }
  Status record(const tune::Task&, const tune::Outcome&) override { return Ok{}; }
  Status record_comparison(const tune::Task&, Fingerprint, const Measurement&) override {
    return Ok{};
  }
  Status record_refusal(const tune::Task&, Fingerprint, const Rejection&) override { return Ok{}; }
};

Result<double> best_of(const tune::Task& task, const Way& way, std::uint64_t seed, int jobs,
                       const Machine& machine, tune::Bench& bench) {
  tune::TuneOptions options;
  options.trials = kTrials;
  options.jobs = jobs;
  options.strategy = way.strategy;
  options.uses_model = way.uses_model;
  options.seed = seed;
  options.finalists = 0;
  options.machine = machine;
  options.space = schedule::whole_space();
  Forgetful memory;
  std::unique_ptr<tune::CostModel> model = tune::draft_only_model();
  if (way.learns) {
    CAMBIUM_TRY(model, tune::new_xgboost_model());
  }
  CAMBIUM_TRY(const tune::TuneResult result, tune::tune({task}, options, bench, memory, *model));
  return result.tasks.at(0).best_time.value;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

}  // namespace

Status bench_search(const Machine& machine, const TuneBenchOptions& options, Results& results) {
  const int seeds = options.quick ? 2 : options.seeds;
  for (const Workload& w : operator_table()) {
    const bool named =
        std::find(std::begin(kShapes), std::end(kShapes), w.name) != std::end(kShapes);
    if (!named || !is_wanted(w.name, options)) continue;
    CAMBIUM_TRY(const engine::TuningTask task, engine::task_of(w.model, w.layouts, 1));
    CAMBIUM_TRY(const auto real, engine::make_kernel_bench(machine));
    Once bench(*real);
    for (int seed = 1; seed <= seeds; ++seed) {
      for (const Way& way : kWays) {
        const nlohmann::json key = {{"part", "search"},
                                    {"case", w.name},
                                    {"way", way.name},
                                    {"seed", seed},
                                    {"trials", kTrials}};
        if (results.find(key) != nullptr) continue;
        CAMBIUM_TRY(const double seconds, best_of(task.task, way, static_cast<std::uint64_t>(seed),
                                                  options.jobs, machine, bench));
        CAMBIUM_REQUIRE(results.add(key, {{"seconds", seconds}}));
        fmt::print(stderr, "{} seed {} {}: {:.1f} us\n", w.name, seed, way.name, seconds * 1e6);
      }
    }
  }
  return Ok{};
}

std::string search_text(const Results& results) {
  // By case and way: times by seed.
  std::map<std::string, std::map<std::string, std::map<std::int64_t, double>>> cases;
  for (const nlohmann::json& row : results.rows()) {
    const nlohmann::json& key = row["key"];
    if (key["part"] == "search") cases[key["case"]][key["way"]][key["seed"]] = row["seconds"];
  }
  if (cases.empty()) return {};
  std::string text = fmt::format(
      "\nBest of {} trials: time by random sampling over time by each way, paired by seed; median "
      "(least to most)\n{:8}",
      kTrials, "");
  for (const Way& way : kWays) text += fmt::format(" {:>26}", way.name);
  text += '\n';
  std::map<std::string, std::pair<double, int>> means;
  for (auto& [name, ways] : cases) {
    text += fmt::format("{:8}", name);
    for (const Way& way : kWays) {
      std::vector<double> ratios;
      for (const auto& [seed, seconds] : ways[way.name]) {
        const auto base = ways["random"].find(seed);
        if (base != ways["random"].end()) ratios.push_back(base->second / seconds);
      }
      if (ratios.empty()) continue;
      const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
      text += fmt::format(" {:10.3f} ({:.3f} to {:.3f})", median(ratios), *least, *most);
      means[way.name].first += std::log(median(ratios));
      ++means[way.name].second;
    }
    text += '\n';
  }
  text += fmt::format("{:8}", "mean");
  for (const Way& way : kWays) {
    const auto& [sum, count] = means[way.name];
    text += fmt::format(" {:>26.3f}", count > 0 ? std::exp(sum / count) : 0);
  }
  return text + "\n";
}

}  // namespace cambium::bench
