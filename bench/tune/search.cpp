// Ways to search at equal trials. None begins with the default schedule, which is at the machine's
// peak for most shapes and would hide what they find by themselves. The models know nothing of
// these shapes beforehand: the shipped one, which has seen others, takes no part. What the ways
// found, at the end and on the way, is compared at the end of a shape, all of it side by side:
// times that were taken apart from each other do not tell which is faster.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include <fmt/core.h>

#include "arguments.h"
#include "engine/tune.h"
#include "kernels/workload.h"
#include "schedule/rules/space.h"
#include "trial/kernel_bench.h"
#include "tune/cores.h"
#include "tune/cost_model/xgboost_model.h"
#include "tune/forgetful.h"
#include "tune/generator.h"
#include "tune/known_times.h"
#include "tune/parts.h"
#include "tune/tuner.h"

namespace cambium::bench {
namespace {

constexpr std::int64_t kQuickTrials = 16;
constexpr std::int64_t kShown = 16;  // the trials after which the best is noted first
constexpr const char* kShapes[] = {"C1D-2", "C2D-2", "DEP-0", "DIL-1",
                                   "GMM-0", "GRP-1", "T2D-0", "TBG-0"};

// `knows`: the model begins with the random trials of the other shapes.
struct Way {
  const char* name;
  const char* strategy;
  bool uses_model = false, learns = false, knows = false;
};
constexpr Way kRandom = {"random", "random"};
constexpr Way kWays[] = {{"uniform", "uniform"},
                         {"evolution", "evolution"},
                         {"evolution+analytic", "evolution", true},
                         {"annealing+learned", "annealing", true, true},
                         {"evolution+learned", "evolution", true, true},
                         {"evolution+transferred", "evolution", true, true, true}};
constexpr std::size_t kMostTransferred = 256;  // random trials of each other shape

struct Subject {
  std::string name;
  trial::TuningTask task;
};

// What was tried, in order; forgotten at the end of a search.
class Tried : public Forgetful {
 public:
  Status record(const tune::Task&, const tune::Outcome& outcome) override {
    if (outcome.result.ok()) {
      const double seconds = outcome.result->value;
      times_[outcome.number] = {schedule::to_text(outcome.candidate.trace), seconds};
    }
    return Ok{};
  }
  // The best after so many trials; nothing: all were refused.
  std::optional<std::string> best_after(std::int64_t trials) const {
    const std::pair<std::string, double>* best = nullptr;
    for (const auto& [number, tried] : times_) {
      const bool is_better = best == nullptr || tried.second < best->second;
      if (number <= trials && is_better) best = &tried;
    }
    return best == nullptr ? std::nullopt : std::optional(best->first);
  }
  nlohmann::json all() const {
    nlohmann::json out = nlohmann::json::array();
    for (const auto& [number, tried] : times_) out.push_back({tried.first, tried.second});
    return out;
  }

 private:
  std::map<std::int64_t, std::pair<std::string, double>> times_;  // by number: trace and seconds
};

nlohmann::json key_of(const std::string& name, std::int64_t trials) {
  return {{"part", "search"}, {"case", name}, {"trials", trials}};
}
nlohmann::json key_of(const std::string& name, std::int64_t trials, const Way& way, int seed) {
  nlohmann::json key = key_of(name, trials);
  key.update({{"way", way.name}, {"seed", seed}});
  return key;
}

// The comparison, over all shapes, ways and seeds.
class Searches {
 public:
  Searches(const Machine& machine, const TuneBenchOptions& options, Results& results)
      : machine_(machine),
        options_(options),
        results_(results),
        trials_(options.quick ? kQuickTrials : options.search_trials),
        seeds_(options.quick ? 2 : options.seeds) {}

  Status run();

 private:
  Status run(const Subject& subject, const Way& way, int seed, tune::Bench& bench);
  Status run_all(const Subject& subject, std::span<const Way> ways, tune::Bench& bench);
  Result<nlohmann::json> search(const Subject& subject, const Way& way, int seed,
                                tune::Bench& bench);
  Result<std::unique_ptr<tune::CostModel>> model_for(const Subject& subject, const Way& way);
  std::vector<tune::Example> examples_of(const Subject& subject);
  Result<std::string> taught_by_others(const Subject& subject);
  Status compare_winners(const Subject& subject, tune::Bench& bench);

  const Machine& machine_;
  const TuneBenchOptions& options_;
  Results& results_;
  const std::int64_t trials_;
  const int seeds_;
  const schedule::Space space_ = schedule::whole_space();
  std::vector<Subject> subjects_;
  std::set<std::string> taught_;  // by name: models that are in their files
};

// The random trials of a shape, as models see them.
std::vector<tune::Example> Searches::examples_of(const Subject& subject) {
  std::vector<schedule::Trace> traces;
  std::vector<double> seconds;
  for (int seed = 1; seed <= seeds_; ++seed) {
    const nlohmann::json* row = results_.find(key_of(subject.name, trials_, kRandom, seed));
    if (row == nullptr) continue;
    for (const nlohmann::json& tried : (*row)["tried"]) {
      auto trace = schedule::parse_trace(tried[0].get<std::string>());
      if (!trace.ok() || traces.size() == kMostTransferred) continue;
      traces.push_back(std::move(*trace));
      seconds.push_back(tried[1]);
    }
  }
  ThreadPool pool(options_.jobs);
  tune::Cores cores(options_.jobs);
  tune::Generator generator(subject.task.task, space_, machine_, pool, cores);
  std::vector<tune::Example> examples;
  const auto made = generator.remake(traces);
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!made[i]) continue;
    examples.push_back(
        {subject.task.task.fingerprint, made[i]->features, seconds[i], made[i]->draft_seconds});
  }
  return examples;
}

// By way of a file: a model goes on from what it was loaded with, not from what it was last taught.
Result<std::string> Searches::taught_by_others(const Subject& subject) {
  const std::string path = options_.results + ".model-" + subject.name;
  if (!taught_.insert(subject.name).second) return path;
  std::vector<tune::Example> examples;
  for (const Subject& other : subjects_) {
    if (other.name == subject.name) continue;
    for (tune::Example& example : examples_of(other)) examples.push_back(std::move(example));
  }
  CAMBIUM_TRY(const auto model, tune::new_xgboost_model());
  const auto trained = model->train(examples, 1);
  if (!trained.ok()) return trained.rejection();
  CAMBIUM_REQUIRE(tune::save_model(*model, path));
  return path;
}

Result<std::unique_ptr<tune::CostModel>> Searches::model_for(const Subject& subject,
                                                             const Way& way) {
  if (!way.learns) return tune::draft_only_model();
  if (!way.knows) return tune::new_xgboost_model();
  CAMBIUM_TRY(const std::string path, taught_by_others(subject));
  return tune::load_model(path);
}

Result<nlohmann::json> Searches::search(const Subject& subject, const Way& way, int seed,
                                        tune::Bench& bench) {
  tune::TuneOptions how;
  how.trials = trials_;
  how.patience = 0;  // ways are compared at equal numbers of trials
  how.jobs = options_.jobs;
  how.strategy = way.strategy;
  how.uses_model = way.uses_model;
  how.begins_with_default = false;
  how.seed = static_cast<std::uint64_t>(seed);
  how.finalists = 0;
  how.machine = machine_;
  how.space = space_;
  Tried tried;
  CAMBIUM_TRY(const auto model, model_for(subject, way));
  CAMBIUM_TRY(const tune::TuneResult found,
              tune::tune({subject.task.task}, how, bench, tried, *model));
  const tune::TaskResult& best = found.tasks.at(0);
  if (best.best_time.value == 0) {
    return nlohmann::json{{"refused", "all trials were refused"}};
  }
  nlohmann::json row = {{"seconds", best.best_time.value},
                        {"spread", best.best_time.spread},
                        {"refused_trials", best.refused},
                        {"trace", schedule::to_text(best.best.trace)},
                        {"on_the_way", nlohmann::json::array()}};
  for (std::int64_t after = kShown; after < trials_; after *= 2) {
    if (const auto trace = tried.best_after(after)) row["on_the_way"].push_back({after, *trace});
  }
  if (way.strategy == std::string(kRandom.strategy)) row["tried"] = tried.all();
  return row;
}

Status Searches::run(const Subject& subject, const Way& way, int seed, tune::Bench& bench) {
  const nlohmann::json key = key_of(subject.name, trials_, way, seed);
  if (results_.find(key) != nullptr) return Ok{};
  const double begin = bench.now();
  CAMBIUM_TRY(const nlohmann::json row, search(subject, way, seed, bench));
  CAMBIUM_REQUIRE(results_.add(key, row));
  fmt::print(stderr, "{} seed {} {}: {:.1f} us, in {:.1f} s\n", subject.name, seed, way.name,
             row.value("seconds", 0.0) * 1e6, bench.now() - begin);
  return Ok{};
}

Status Searches::run_all(const Subject& subject, std::span<const Way> ways, tune::Bench& bench) {
  for (int seed = 1; seed <= seeds_; ++seed) {
    for (const Way& way : ways) {
      if (is_wanted(way.name, options_.ways)) CAMBIUM_REQUIRE(run(subject, way, seed, bench));
    }
  }
  return Ok{};
}

// What the ways found, each with each: times taken on the way flatter.
Status Searches::compare_winners(const Subject& subject, tune::Bench& bench) {
  nlohmann::json key = key_of(subject.name, trials_);
  key["seeds"] = seeds_;
  if (results_.find(key) != nullptr) return Ok{};
  const tune::Task& task = subject.task.task;
  std::map<std::string, std::unique_ptr<tune::Built>> winners;  // by trace
  for (const nlohmann::json& row : results_.rows()) {
    const nlohmann::json& of = row["key"];
    if (of["part"] != "search" || of["case"] != key["case"] || of["trials"] != key["trials"] ||
        !row.contains("on_the_way")) {
      continue;
    }
    winners[row["trace"]];
    for (const nlohmann::json& early : row["on_the_way"]) winners[early[1]];
  }
  for (auto& [text, built] : winners) {
    CAMBIUM_TRY(const schedule::Trace trace, schedule::parse_trace(text));
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
  return results_.add(key, {{"winners", seconds}});
}

Status Searches::run() {
  for (const Workload& w : operator_table()) {
    const bool is_named =
        std::find(std::begin(kShapes), std::end(kShapes), w.name) != std::end(kShapes);
    if (options_.only.empty() ? !is_named : !is_wanted(w.name, options_.only)) continue;
    CAMBIUM_TRY(trial::TuningTask task, trial::task_of(w.model, w.layouts, 1));
    subjects_.push_back({w.name, std::move(task)});
  }
  // Random sampling of all shapes first: others learn from it.
  for (const bool is_random : {true, false}) {
    for (const Subject& subject : subjects_) {
      CAMBIUM_TRY(const auto real, trial::make_kernel_bench(machine_));
      KnownTimes bench(*real, options_.results + ".times");
      if (is_random) {
        CAMBIUM_REQUIRE(run_all(subject, std::span(&kRandom, 1), bench));
        continue;
      }
      CAMBIUM_REQUIRE(run_all(subject, kWays, bench));
      CAMBIUM_REQUIRE(compare_winners(subject, *real));
    }
  }
  return Ok{};
}

}  // namespace

Status bench_search(const Machine& machine, const TuneBenchOptions& options, Results& results) {
  return Searches(machine, options, results).run();
}

}  // namespace cambium::bench
