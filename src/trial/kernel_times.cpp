#include "trial/kernel_times.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/temporary_folder.h"
#include "codegen/codegen.h"

namespace cambium::trial {
namespace {

double widest_spread(const store::Trial& trial) {
  double spread = 0;
  for (const store::TuningSample& sample : trial.best_samples()) {
    spread = std::max(spread, sample.spread);
  }
  return spread;
}

// The trial that a program is timed by: the default schedule, or the best of those that were
// compared with each other. Null: there is none, or it had fewer trials than that.
const store::Trial* counted(const std::vector<store::Trial>& trials, std::int64_t wanted,
                            bool is_tuned) {
  const store::Trial *best = nullptr, *best_alone = nullptr;
  std::int64_t count = 0;
  for (const store::Trial& each : trials) {
    if (each.is_begun) continue;
    ++count;
    if (each.is_refused() || (wanted == 0 && each.strategy != "default")) continue;
    const bool was_compared = std::any_of(
        each.samples.begin(), each.samples.end(),
        [](const store::TuningSample& one) { return one.protocol == store::Protocol::Compare; });
    const store::Trial*& place = was_compared ? best : best_alone;
    if (place == nullptr || each.seconds() < place->seconds()) place = &each;
  }
  if (is_tuned) return best != nullptr ? best : best_alone;
  return count >= wanted ? best : nullptr;
}

// Whether nothing that was tried may ever run, so that trying it again would end the same way.
// Refusals that may be temporary, as by a time limit, do not count.
bool is_hopeless(const std::vector<store::Trial>& trials, std::int64_t wanted) {
  std::int64_t count = 0;
  for (const store::Trial& each : trials) {
    if (each.is_begun || (wanted == 0 && each.strategy != "default")) continue;
    if (!each.is_refused() || !store::is_final(each.reason)) return false;
    ++count;
  }
  return count >= std::max<std::int64_t>(1, wanted);
}

Rejection not_timed(const TuningTask& task, const std::vector<store::Trial>& trials) {
  for (const store::Trial& each : trials) {
    if (!each.is_begun && each.is_refused()) {
      return Rejection(Reason::NoSchedule, task.task.name, each.reason + ": " + each.detail);
    }
  }
  return Rejection(Reason::NoSchedule, task.task.name, "it could not be timed");
}

}  // namespace

Result<std::vector<KernelTime>> KernelTimes::of(const std::vector<TuningTask>& tasks,
                                                const Setting& setting) {
  const auto key = [&](const TuningTask& task) {
    return Key(setting.db, task.task.fingerprint, task.task.threads, setting.trials);
  };
  std::vector<const TuningTask*> missing;
  for (const TuningTask& task : tasks) {
    if (table_.find(key(task)) == table_.end()) missing.push_back(&task);
  }
  if (!missing.empty()) CAMBIUM_REQUIRE(fill(missing, setting));
  std::vector<KernelTime> times;
  for (const TuningTask& task : tasks) {
    const Result<KernelTime>& known = table_.at(key(task));
    if (!known.ok()) return known.rejection();
    times.push_back(*known);
  }
  return times;
}

Result<const Machine*> KernelTimes::machine(const Setting& setting) {
  auto known = machines_.find(setting.machine_file);
  if (known == machines_.end()) {
    Machine machine = host_machine();
    if (!setting.machine_file.empty()) {
      CAMBIUM_TRY(machine, ports_.probe(setting.machine_file));
    }
    known = machines_.emplace(setting.machine_file, std::move(machine)).first;
  }
  return &known->second;
}

Result<std::vector<const TuningTask*>> KernelTimes::look_up(
    const std::vector<const TuningTask*>& tasks, const Setting& setting, const std::string& db,
    const Machine& machine, bool is_tuned) {
  std::vector<const TuningTask*> unknown;
  std::error_code error;
  if (!std::filesystem::exists(db, error)) return tasks;
  CAMBIUM_TRY(store::TuningStore store, store::TuningStore::open(db, store::Mode::Read));
  const std::string codegen = codegen::version(machine);
  for (const TuningTask* task : tasks) {
    const store::TuningKey key{task->task.fingerprint, fingerprint_of(machine), task->task.threads,
                               codegen};
    CAMBIUM_TRY(const std::vector<store::Trial> trials, store.trials(key));
    const store::Trial* const best = counted(trials, setting.trials, is_tuned);
    const Key own(setting.db, task->task.fingerprint, task->task.threads, setting.trials);
    if (best != nullptr) {
      table_.insert_or_assign(own, KernelTime{best->seconds(), widest_spread(*best)});
    } else if (is_tuned || is_hopeless(trials, setting.trials)) {
      table_.insert_or_assign(own, not_timed(*task, trials));
    } else {
      unknown.push_back(task);
    }
  }
  return unknown;
}

Status KernelTimes::fill(const std::vector<const TuningTask*>& missing, const Setting& setting) {
  // Only tuning asks for the ceilings.
  Machine machine = host_machine();
  if (setting.trials > 0) {
    CAMBIUM_TRY(machine, ports_.probe(setting.machine_file));
  }
  std::optional<TemporaryFolder> folder;
  Setting tuning = setting;
  if (tuning.db.empty()) {
    CAMBIUM_TRY(TemporaryFolder made, TemporaryFolder::make());
    tuning.db = folder.emplace(std::move(made)) / "tuning.db";
  }
  tuning.trials = std::max<std::int64_t>(1, setting.trials);
  CAMBIUM_TRY(const auto unknown, look_up(missing, setting, tuning.db, machine, false));
  timed_ += static_cast<std::int64_t>(unknown.size());
  // Default schedules all at once, because a tuner takes a moment to begin. With more trials each
  // program for itself, so that its trials do not depend on the candidate that needed it first.
  std::vector<TuningTask> together;
  for (const TuningTask* task : unknown) {
    together.push_back(*task);
    if (setting.trials == 0) continue;
    CAMBIUM_REQUIRE(ports_.tune(together, machine, tuning));
    together.clear();
  }
  if (!together.empty()) CAMBIUM_REQUIRE(ports_.tune(together, machine, tuning));
  CAMBIUM_REQUIRE(look_up(unknown, setting, tuning.db, machine, true));
  return Ok{};
}

}  // namespace cambium::trial
