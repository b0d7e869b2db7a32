#include <cmath>
#include <cstdio>
#include <unordered_set>

#include <fmt/core.h>

#include "arguments.h"
#include "base/random.h"
#include "base/ranks.h"
#include "codegen/codegen.h"
#include "cost_model/commands.h"
#include "engine/files.h"
#include "engine/tune.h"
#include "kernels/workload.h"
#include "program/clone.h"
#include "program/fingerprint.h"
#include "schedule/rules/space.h"
#include "trial/kernel_bench.h"
#include "trial/tasks.h"
#include "tune/database.h"

namespace cambium::bench {
namespace {

// Three kinds of draws in turn, so that models see what is far from good, what the analytic model
// likes, and what stands near the default schedule.
class Draws {
 public:
  Draws(const tune::Task& task, const Machine& machine, std::uint64_t seed)
      : task_(task), machine_(machine), space_(schedule::whole_space()), rng_(seed) {}

  Result<tune::Candidate> next(std::int64_t number, program::Context& cx) {
    const program::Program lowered = program::clone_into(cx, *task_.program);
    schedule::DraftOptions wish;
    wish.threads = task_.threads;
    if (number == 0) {
      wish.otherwise = schedule::Otherwise::Preferred;
      CAMBIUM_TRY(const auto made, made_by(cx, lowered, wish, "default"));
      preferred_ = schedule::decisions_of(made.candidate.trace);
      return made.candidate;
    }
    const int kind = static_cast<int>(number % 3);
    std::optional<Made> best;
    for (int draw = 0; draw < (kind == 1 ? 12 : 1); ++draw) {
      wish.seed = rng_.next_u64();
      wish.wanted.clear();
      const double kept = rng_.uniform(0.5, 0.95);
      for (const auto& [key, decision] : preferred_) {
        if (kind == 2 && rng_.chance(kept)) wish.wanted.emplace(key, decision);
      }
      auto made = made_by(cx, lowered, wish, kind == 0 ? "random" : kind == 1 ? "drafted" : "near");
      if (!made.ok()) continue;
      if (!best || made->draft_seconds < best->draft_seconds) best = std::move(made).value();
    }
    if (!best) return Rejection(Reason::TriedBefore);
    seen_.insert(best->candidate.scheduled);
    return best->candidate;
  }

 private:
  struct Made {
    tune::Candidate candidate;
    double draft_seconds = 0;
  };
  Result<Made> made_by(program::Context& cx, const program::Program& lowered,
                       const schedule::DraftOptions& wish, const char* strategy) {
    CAMBIUM_TRY(const schedule::Schedule s, generate(cx, lowered, machine_, space_, wish));
    const Fingerprint name = program::fingerprint_of(s.program());
    if (seen_.count(name) != 0) return Rejection(Reason::TriedBefore);
    return Made{{s.trace(), name, strategy},
                tune::draft_estimate(cx, s.program(), machine_, task_.threads).seconds};
  }

  const tune::Task& task_;
  const Machine& machine_;
  schedule::Space space_;
  Rng rng_;
  schedule::Decisions preferred_;
  std::unordered_set<Fingerprint> seen_;
};

struct Tally {
  std::vector<double> drafts, seconds;
  std::int64_t refused = 0;
};

Status collect_task(const tune::Task& task, const Machine& machine, const CollectOptions& options,
                    tune::Bench& bench, tune::Database& database, Tally& tally) {
  Draws draws(task, machine, Rng(options.seed).split(task.name).next_u64());
  const double start = bench.now();
  for (std::int64_t n = 0; n < options.trials; ++n) {
    program::Context cx;
    auto candidate = draws.next(n, cx);
    if (!candidate.ok()) continue;
    const auto built = bench.build(task, candidate->trace);
    tune::Outcome outcome{
        n, *candidate,
        built.ok() ? bench.time(task, **built) : Result<Measurement>(built.rejection())};
    const program::Program lowered = program::clone_into(cx, *task.program);
    CAMBIUM_TRY(const schedule::Schedule s, schedule::replay(cx, lowered, candidate->trace));
    if (outcome.result.ok()) {
      tally.drafts.push_back(tune::draft_estimate(cx, s.program(), machine, task.threads).seconds);
      tally.seconds.push_back(outcome.result->value);
    } else {
      ++tally.refused;
    }
    CAMBIUM_REQUIRE(database.record(task, outcome));
  }
  double ratio = 0;
  for (std::size_t i = 0; i < tally.seconds.size(); ++i) {
    ratio +=
        std::log(tally.seconds[i] / tally.drafts[i]) / static_cast<double>(tally.seconds.size());
  }
  fmt::print(
      "{:8} {:3} timed, {:2} refused, {:5.1f} s; rank correlation {:.2f}, measured over "
      "expected {:.2f}, default {:.2f}\n",
      task.name, tally.seconds.size(), tally.refused, bench.now() - start,
      spearman(tally.drafts, tally.seconds), std::exp(ratio),
      tally.seconds.empty() ? 0 : tally.seconds[0] / tally.drafts[0]);
  std::fflush(stdout);
  return Ok{};
}

Result<std::vector<trial::TuningTask>> tasks_of_table(const CollectOptions& options) {
  std::vector<trial::TuningTask> tasks;
  for (const Workload& w : operator_table()) {
    CAMBIUM_TRY(trial::TuningTask task, trial::task_of(w.model, w.layouts, options.threads));
    task.task.name = w.name;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

Result<std::vector<trial::TuningTask>> tasks_to_time(const CollectOptions& options) {
  CAMBIUM_TRY(std::vector<trial::TuningTask> table, tasks_of_table(options));
  if (options.models.empty()) return table;
  std::unordered_set<Fingerprint> known;
  for (const trial::TuningTask& task : table) known.insert(task.task.fingerprint);
  std::vector<trial::TuningTask> tasks;
  for (const std::string& spec : options.models) {
    CAMBIUM_TRY(const engine::Loaded loaded, engine::load_model(spec));
    CAMBIUM_TRY(auto some, engine::tasks_of(loaded.model, {}, options.threads));
    for (trial::TuningTask& task : some) {
      if (!known.insert(task.task.fingerprint).second) continue;
      task.task.name = fmt::format("{}({})", loaded.model.name(), task.task.name);
      tasks.push_back(std::move(task));
    }
  }
  return tasks;
}

}  // namespace

Status collect(const Machine& machine, const CollectOptions& options) {
  CAMBIUM_TRY(store::TuningStore store, store::TuningStore::open(options.db));
  tune::Database database(store, machine, codegen::version(machine), options.seed);
  CAMBIUM_TRY(const auto bench, trial::make_kernel_bench(machine));
  CAMBIUM_TRY(const std::vector<trial::TuningTask> tasks, tasks_to_time(options));
  for (const trial::TuningTask& each : tasks) {
    const tune::Task& task = each.task;
    if (!is_wanted(task.name, options.only) || each.flops > options.most_flops) continue;
    CAMBIUM_REQUIRE(store.remember({task.fingerprint, task.name, program::to_text(task.program)}));
    Tally tally;
    CAMBIUM_REQUIRE(collect_task(task, machine, options, *bench, database, tally));
  }
  return Ok{};
}

}  // namespace cambium::bench
