#include "engine/tune.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "codegen/codegen.h"
#include "engine/documents.h"
#include "engine/machines.h"
#include "engine/rehearsal.h"
#include "schedule/rules/space.h"
#include "store/tuning_store.h"
#include "trial/kernel_bench.h"
#include "tune/cost_model/xgboost_model.h"
#include "tune/database.h"

namespace cambium::engine {

namespace {

Result<store::TuningStore> open_store(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) return Rejection(Reason::Unwritable, folder.string(), error.message());
  return store::TuningStore::open(path);
}

// The learned model where this build has one; otherwise the analytic one, and why.
std::unique_ptr<tune::CostModel> cost_model(std::string& note) {
  auto learned = tune::pretrained_model();
  if (learned.ok()) return std::move(learned).value();
  note = learned.rejection().message();
  return tune::draft_only_model();
}

// Of a deadline, what vendor libraries may be asked for: the rest is for the search.
constexpr double kPeersShare = 0.1;

void ask_peers_of(const TuningTask& task, const std::string& executable, double seconds,
                  const std::atomic<bool>* stop, TuningRow& row) {
  const auto peers = ask_peers(executable, task.model, task.task.threads, seconds, stop);
  if (const PeerTime* best = peers.ok() ? best_peer(*peers) : nullptr) {
    row.peer = best->peer;
    row.peer_seconds = best->seconds;
  } else if (stop != nullptr && *stop) {
    row.peer = "missing: there was no time to ask it";
  } else if (!peers.ok()) {
    row.peer = "missing: " + peers.rejection().message();
  } else if (peers->empty()) {
    row.peer = "missing: cambium-peers was not found";
  } else {
    row.peer = "missing: " + peers->front().missing;
  }
}

// One row per task, with what does not change while it is tuned.
std::vector<TuningRow> rows_of(const std::vector<TuningTask>& tasks) {
  std::vector<TuningRow> rows;
  for (const TuningTask& task : tasks) {
    TuningRow& row = rows.emplace_back();
    row.name = task.task.name;
    row.calls = static_cast<std::int64_t>(task.task.weight);
    row.flops = task.flops;
  }
  return rows;
}

// What vendor libraries take, task by task.
void ask_peers_of_all(const std::vector<TuningTask>& tasks, const TuningOptions& options,
                      tune::Bench& clock, const TuningHooks& hooks, TuningProgress& progress) {
  const double begin = clock.now();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    TuningRow& row = progress.rows[i];
    progress.asked = static_cast<std::int64_t>(i);
    progress.now = row.name;
    progress.seconds = clock.now() - begin;
    double left = kPeersSeconds;
    if (options.seconds > 0) {
      left = std::min(left, kPeersShare * options.seconds - progress.seconds);
    }
    const bool is_stopped = hooks.stop != nullptr && *hooks.stop;
    if (!options.peers.empty() && (left <= 0 || is_stopped)) {
      row.peer = "missing: there was no time to ask it";
      continue;
    }
    if (!options.peers.empty() && hooks.progress) hooks.progress(progress);
    ask_peers_of(tasks[i], options.peers, left, hooks.stop, row);
  }
  progress.asked.reset();
}

void follow(const tune::Progress& from, TuningProgress& to) {
  to.done = from.done;
  to.planned = from.planned;
  to.seconds = from.seconds;
  to.seconds_left = from.seconds_left;
  to.refusals = from.refusals;
  to.now = from.now;
  for (std::size_t i = 0; i < from.tasks.size() && i < to.rows.size(); ++i) {
    const tune::TaskProgress& task = from.tasks[i];
    TuningRow& row = to.rows[i];
    row.trials = task.trials;
    row.refused = task.refused;
    row.seconds = task.best_seconds;
    row.default_seconds = task.default_seconds;
    row.roofline_seconds = task.roofline_seconds;
    row.is_settled = task.is_settled;
  }
}

void finish(const tune::TuneResult& result, TuningReport& report) {
  for (std::size_t i = 0; i < result.tasks.size(); ++i) {
    const tune::TaskResult& task = result.tasks[i];
    TuningRow& row = report.last.rows[i];
    row.trials = task.trials;
    row.refused = task.refused;
    row.reused = task.reused;
    row.seconds = task.best_time.value;
    row.spread = task.best_time.spread;
    row.was_compared = task.was_compared;
    row.is_settled = task.is_settled;
    row.trace = schedule::to_text(task.best.trace);
    if (row.seconds > 0) row.scheduled = task.best.scheduled.text();
    if (task.fault) {
      log_warning(task.name + (row.seconds > 0 ? " stopped being tuned: " : " was not tuned: ") +
                  task.fault->message());
    }
  }
  report.last.refusals = result.refusals;
  report.untried = result.free_refusals;
  report.quality = result.quality;
  report.was_stopped = result.was_stopped;
}

// The finalists were timed beside the default schedule, so that its time then is what the best is
// to be compared with; what was measured on the way is older.
Status take_compared_default(const tune::Task& task, const schedule::Space& space,
                             tune::Database& memory, TuningRow& row) {
  if (!row.was_compared) return Ok{};
  CAMBIUM_TRY(const auto known, memory.known(task));
  for (const tune::Memory::Known& each : known) {
    const bool is_it = each.candidate.strategy == "default" && each.samples_by_comparison > 0;
    if (!is_it || !schedule::is_of(space, each.candidate.trace)) continue;
    if (each.measurement) row.default_seconds = each.measurement->value;
  }
  return Ok{};
}

Result<std::unique_ptr<tune::Bench>> bench_for(const Machine& machine, const TuningOptions& options,
                                               const TuningHooks& hooks) {
  trial::KernelBenchOptions how;
  how.runner = options.runner;
  how.rehearse = [machine, compiler = find_rehearsal(), stop = hooks.stop](
                     const tune::Task& task, const schedule::Trace& trace) {
    return rehearse_build(compiler, machine, program::to_text(task.program), trace, stop);
  };
  how.seed = options.seed;
  return trial::make_kernel_bench(machine, how);
}

std::string space_text(const TuningOptions& options) {
  std::string text = options.space;
  for (const schedule::Rule& rule : options.rules) text += " + " + rule.name;
  return text;
}

nlohmann::json json_of(const TuningRow& row) {
  const auto number = [](double value) {
    return value > 0 ? nlohmann::json(value) : nlohmann::json(nullptr);
  };
  return {{"name", row.name},
          {"calls", row.calls},
          {"flops", row.flops},
          {"trials", row.trials},
          {"refused", row.refused},
          {"reused", row.reused},
          {"seconds", number(row.seconds)},
          {"spread", row.spread},
          {"compared", row.was_compared},
          {"settled", row.is_settled},
          {"default_seconds", number(row.default_seconds)},
          {"roofline_seconds", number(row.roofline_seconds)},
          {"peer", row.peer},
          {"peer_seconds", number(row.peer_seconds)},
          {"scheduled", row.scheduled},
          {"trace", row.trace}};
}

}  // namespace

Result<std::vector<TuningTask>> tasks_of(const model::Model& model,
                                         const std::vector<std::string>& off, int threads) {
  CAMBIUM_TRY(const compile::LoweredModel lowered, compile::lower_model(model, off));
  return trial::tasks_of(lowered, threads);
}

Result<TuningReport> tune_tasks(const std::vector<TuningTask>& tasks, const Machine& machine,
                                const TuningOptions& options, const TuningHooks& hooks) {
  TuningReport report;
  report.options = options;
  report.machine = machine;
  tune::TuneOptions tuning;
  CAMBIUM_TRY(schedule::Space space, schedule::space_named(options.space));
  CAMBIUM_TRY(tuning.space, schedule::without(std::move(space), options.without));
  tuning.space.rules.insert(tuning.space.rules.end(), options.rules.begin(), options.rules.end());
  CAMBIUM_TRY(store::TuningStore store, open_store(options.db));
  CAMBIUM_TRY(std::unique_ptr<tune::Bench> bench, bench_for(machine, options, hooks));
  const double begin = bench->now();

  std::vector<tune::Task> plain;
  for (const TuningTask& task : tasks) {
    plain.push_back(task.task);
    report.threads = task.task.threads;
    CAMBIUM_REQUIRE(store.remember(
        {task.task.fingerprint, task.task.name, program::to_text(task.task.program)}));
  }
  CAMBIUM_REQUIRE(
      store.remember(store::TunedMachine{fingerprint_of(machine), json_text(json_of(machine))}));
  tuning.trials = options.trials;
  tuning.patience = options.patience;
  tuning.jobs = options.jobs;
  tuning.strategy = options.strategy;
  tuning.uses_model = options.uses_model;
  tuning.seed = options.seed;
  tuning.machine = machine;
  const std::unique_ptr<tune::CostModel> model = cost_model(report.model_note);
  tune::Database memory(store, machine, codegen::version(machine), options.seed);
  report.last.rows = rows_of(tasks);
  ask_peers_of_all(tasks, options, *bench, hooks, report.last);
  // All of this is within the time that was given.
  const double before = bench->now() - begin;
  constexpr double kAtLeast = 1e-3;
  if (options.seconds > 0) tuning.seconds = std::max(kAtLeast, options.seconds - before);
  tune::TuneHooks inner;
  inner.stop = hooks.stop;
  inner.progress = [&](const tune::Progress& progress) {
    follow(progress, report.last);
    report.last.seconds += before;
    if (hooks.progress) hooks.progress(report.last);
  };
  bool is_left_alone = false;
  inner.abandoned = [&] {
    is_left_alone = true;
    if (hooks.abandoned) hooks.abandoned();
  };
  auto tuned = tune::tune(plain, tuning, *bench, memory, *model, inner);
  // A thread is in its compiler, and never comes back from there.
  if (is_left_alone) static_cast<void>(bench.release());
  CAMBIUM_TRY(const tune::TuneResult result, std::move(tuned));
  finish(result, report);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CAMBIUM_REQUIRE(take_compared_default(plain[i], tuning.space, memory, report.last.rows[i]));
  }
  return report;
}

nlohmann::json to_json(const TuningReport& report, const std::string& subject) {
  nlohmann::json quality = nullptr;
  if (report.quality.has_value()) {
    quality = {{"examples", report.quality->examples},
               {"asked", report.quality->held_out},
               {"rank_correlation", report.quality->rank_correlation},
               {"analytic_correlation", report.quality->draft_correlation},
               {"best_of_top_8", report.quality->best_of_top_8}};
  }
  nlohmann::json tasks = nlohmann::json::array();
  for (const TuningRow& row : report.last.rows) tasks.push_back(json_of(row));
  nlohmann::json out = document("tune", 1);
  out["subject"] = subject;
  out["db"] = report.options.db;
  out["machine"] = json_of(report.machine);
  out["codegen"] = codegen::version(report.machine);
  out["threads"] = report.threads;
  out["seed"] = report.options.seed;
  out["strategy"] = report.options.strategy;
  out["space"] = space_text(report.options);
  out["without"] = report.options.without;
  out["uses_model"] = report.options.uses_model && report.model_note.empty();
  out["model_quality"] = std::move(quality);
  out["patience"] = report.options.patience;
  out["trials"] = report.last.done;
  out["seconds"] = report.last.seconds;
  out["stopped"] = report.was_stopped;
  out["refusals"] = report.last.refusals;
  out["untried"] = report.untried;
  out["tasks"] = std::move(tasks);
  return out;
}

Result<std::vector<RuleRow>> tuning_rules(const std::string& name) {
  CAMBIUM_TRY(const schedule::Space space, schedule::space_named(name));
  std::vector<RuleRow> rows;
  for (const schedule::Rule& rule : space.rules) rows.push_back({rule.name, rule.summary});
  return rows;
}

std::vector<std::string> tuning_spaces() {
  return schedule::space_names();
}

std::vector<std::string> tuning_strategies() {
  return tune::strategy_names();
}

Status check_database(const std::string& db) {
  CAMBIUM_REQUIRE(open_store(db));
  return Ok{};
}

Status export_records(const std::string& db, const std::string& path) {
  CAMBIUM_TRY(store::TuningStore store, store::TuningStore::open(db, store::Mode::Read));
  std::string text;
  CAMBIUM_REQUIRE(store.export_lines([&text](const std::string& line) -> Status {
    text += line + "\n";
    return Ok{};
  }));
  return write_file(path, text);
}

Result<std::int64_t> import_records(const std::string& db, const std::string& path) {
  CAMBIUM_TRY(const std::string text, read_file(path));
  CAMBIUM_TRY(store::TuningStore store, open_store(db));
  std::vector<std::string_view> lines = split(text, '\n');
  while (!lines.empty() && trim(lines.back()).empty()) lines.pop_back();
  std::size_t next = 0;
  return store
      .import_lines([&]() -> std::optional<std::string> {
        if (next == lines.size()) return std::nullopt;
        return std::string(lines[next++]);
      })
      .at(path);
}

}  // namespace cambium::engine
