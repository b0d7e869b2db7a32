// Connects the parts of tuning: the tasks of a model or an operator, the database, the cost model,
// the bench over native code, the vendor libraries and the tuner. Refuses what these parts refuse
// before any trial. A bad candidate never stops the tuning. Called by `cambium tune` and
// benchmarks.
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
#include "schedule/rules/rule.h"
#include "trial/operators.h"
#include "trial/tasks.h"
#include "tune/tuner.h"

namespace cambium::engine {

using trial::looks_like_operator;
using trial::Operator;
using trial::operator_forms;
using trial::OperatorForm;
using trial::parse_operator;
using trial::task_of;
using trial::TuningTask;

// The tasks of a model; `off` names passes to leave out.
Result<std::vector<TuningTask>> tasks_of(const model::Model& model,
                                         const std::vector<std::string>& off, int threads);

struct TuningOptions {
  std::int64_t trials = 64;  // per task, on average
  // A task is settled after this many trials without a gain of 1 %; 0: never.
  std::int64_t patience = tune::TuneOptions{}.patience;
  double seconds = 0;  // for everything, including vendor libraries; 0: no deadline
  int jobs = 1;        // threads that search and compile
  std::string db;      // path of the database, created if missing
  std::string strategy = "evolution";
  std::string space = "whole";        // one of tuning_spaces()
  std::vector<std::string> without;   // names of rules to leave out
  std::vector<schedule::Rule> rules;  // additional rules, applied after those of the space
  bool uses_model = true;             // false: the strategy's own order only
  std::uint64_t seed = 1;
  std::string peers;   // executable of cambium-peers; empty: no vendor library is asked
  std::string runner;  // empty: the one in the folder of this program
};

// Progress or result of one task.
struct TuningRow {
  std::string name;
  std::int64_t calls = 1;  // per run of the model
  double flops = 0;
  std::int64_t trials = 0, refused = 0, reused = 0;
  double seconds = 0;           // time of the best schedule; 0: none yet
  double spread = 0;            // of that time
  bool was_compared = false;    // `seconds` is from a comparison with other finalists
  bool is_settled = false;      // it gets no more trials, because the last ones gained nothing
  double default_seconds = 0;   // of the default schedule; 0: not measured yet
  double roofline_seconds = 0;  // the least that the machine allows
  double peer_seconds = 0;  // time of the fastest vendor library; 0: `peer` says why there is none
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
  std::string now;                               // name of the current task
  // While vendor libraries are being asked, before any trial: for how many tasks they answered.
  std::optional<std::int64_t> asked;
};

struct TuningReport {
  TuningProgress last;  // the state at the end
  // Reasons of candidates that cost no trial: the rules, the verifier or an earlier trial refused
  // them.
  std::map<std::string, std::int64_t> untried;
  bool was_stopped = false;
  TuningOptions options;
  int threads = 1;
  Machine machine;
  std::string model_note;  // why the cost model does not learn; empty: it learns
  // Quality of the cost model on programs of this run that it had not learned from; only with
  // several programs.
  std::optional<tune::ModelQuality> quality;
};

struct TuningHooks {
  std::function<void(const TuningProgress&)> progress;
  const std::atomic<bool>* stop = nullptr;
  // A hanging compilation was abandoned. The process should end without cleaning up.
  std::function<void()> abandoned;
};

// `machine` should have its ceilings.
Result<TuningReport> tune_tasks(const std::vector<TuningTask>& tasks, const Machine& machine,
                                const TuningOptions& options, const TuningHooks& hooks = {});

nlohmann::json to_json(const TuningReport& report, const std::string& subject);

struct RuleRow {
  std::string name, summary;
};
// The rules of a space. Refuses BadOption for an unknown space.
Result<std::vector<RuleRow>> tuning_rules(const std::string& space);
std::vector<std::string> tuning_spaces();
std::vector<std::string> tuning_strategies();

// Creates the database, or refuses a file that is none. Called before longer work.
Status check_database(const std::string& db);
// Records as JSON lines. Importing returns the number of new records.
Status export_records(const std::string& db, const std::string& path);
Result<std::int64_t> import_records(const std::string& db, const std::string& path);

}  // namespace cambium::engine
