// Tuning, wired up: tasks of a model or an operator, the database, the cost model, the bench over
// native code and the vendor libraries, given to the tuner. Refuses what these refuse before any
// trial; a candidate is never a reason to stop. Called by `cambium tune` and benchmarks.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/machine.h"
#include "base/result.h"
#include "engine/peers.h"
#include "engine/tuning_tasks.h"
#include "schedule/rules/rule.h"
#include "tune/tuner.h"

namespace cambium::engine {

struct TuningOptions {
  std::int64_t trials = 64;  // per task, mean
  // Trials without a gain of a hundredth after which a task is settled; 0: never.
  std::int64_t patience = tune::TuneOptions{}.patience;
  double seconds = 0;  // for all of it, vendor libraries included; 0: no deadline
  int jobs = 1;        // threads that search and compile
  std::string db;      // the file; made where there is none
  std::string strategy = "evolution";
  std::string space = "whole";        // one of tuning_spaces()
  std::vector<std::string> without;   // rules
  std::vector<schedule::Rule> rules;  // of one's own, applied after those of the space
  bool uses_model = true;             // false: the strategy's own order only
  std::uint64_t seed = 1;
  std::string peers;   // the executable; empty: no vendor library is asked
  std::string runner;  // empty: beside this program
};

// How far one task is, or what came of it.
struct TuningRow {
  std::string name;
  std::int64_t calls = 1;  // of the model
  double flops = 0;
  std::int64_t trials = 0, refused = 0, reused = 0;
  double seconds = 0;           // of the best; 0: none yet
  double spread = 0;            // of that
  bool was_compared = false;    // by comparison with other finalists
  bool is_settled = false;      // it got no more trials because the last ones gained nothing
  double default_seconds = 0;   // of the default schedule; 0: not measured yet
  double roofline_seconds = 0;  // the least that the machine allows
  double peer_seconds = 0;      // of the fastest vendor library; 0: `peer` says why none
  std::string peer;
  std::string trace;      // of the best
  std::string scheduled;  // fingerprint of the best, as `cambium why` takes it

  double gflops() const { return seconds > 0 ? flops / seconds * 1e-9 : 0; }
};

struct TuningProgress {
  std::vector<TuningRow> rows;
  std::int64_t done = 0, planned = 0;  // trials
  double seconds = 0, seconds_left = 0;
  std::map<std::string, std::int64_t> refusals;  // by the name of the reason
  std::string now;                               // the task in work
  // Vendor libraries are asked, before any trial: of so many tasks they were.
  std::optional<std::int64_t> asked;
};

struct TuningReport {
  TuningProgress last;  // as it stands at the end
  // Of candidates that the rules, the verifier or an earlier trial refused: they cost no trial.
  std::map<std::string, std::int64_t> untried;
  bool was_stopped = false;
  TuningOptions options;
  int threads = 1;
  Machine machine;
  std::string model_note;  // why the cost model does not learn; empty: it does
  // Of that model, on programs of this run that it had not learned from; where there are several.
  std::optional<tune::ModelQuality> quality;
};

struct TuningHooks {
  std::function<void(const TuningProgress&)> progress;
  const std::atomic<bool>* stop = nullptr;
  // Compiling something hangs and was left to itself: this process should end without cleaning up.
  std::function<void()> abandoned;
};

// The machine should have its ceilings.
Result<TuningReport> tune_tasks(const std::vector<TuningTask>& tasks, const Machine& machine,
                                const TuningOptions& options, const TuningHooks& hooks = {});

nlohmann::json to_json(const TuningReport& report, const std::string& subject);

struct RuleRow {
  std::string name, summary;
};
// Of a space. Refuses BadOption where there is none of that name.
Result<std::vector<RuleRow>> tuning_rules(const std::string& space);
std::vector<std::string> tuning_spaces();
std::vector<std::string> tuning_strategies();

// Records as JSON lines. Importing gives how many there were that were not there before.
// Makes the database, or finds out that what is there is none. Before longer work.
Status check_database(const std::string& db);
Status export_records(const std::string& db, const std::string& path);
Result<std::int64_t> import_records(const std::string& db, const std::string& path);

}  // namespace cambium::engine
