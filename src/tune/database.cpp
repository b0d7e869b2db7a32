#include "tune/database.h"

#include <algorithm>

namespace cambium::tune {
namespace {

store::TuningSample sample_of(store::Protocol protocol, const Measurement& measurement) {
  return {protocol, measurement.value, measurement.spread, measurement.samples,
          measurement.max_error};
}

// One number for all samples that count: their median, the widest spread, the largest error.
Measurement measurement_of(const store::Trial& trial, Fingerprint machine) {
  Measurement measurement;
  measurement.value = trial.seconds();
  measurement.machine = machine;
  for (const store::TuningSample& sample : trial.best_samples()) {
    measurement.spread = std::max(measurement.spread, sample.spread);
    measurement.max_error = std::max(measurement.max_error, sample.error);
    measurement.samples += sample.samples;
  }
  return measurement;
}

std::int64_t samples_by_comparison(const store::Trial& trial) {
  std::int64_t count = 0;
  for (const store::TuningSample& sample : trial.samples) {
    if (sample.protocol == store::Protocol::Compare) count += sample.samples;
  }
  return count;
}

}  // namespace

Database::Database(store::TuningStore& store, const Machine& machine, std::string codegen,
                   std::uint64_t seed)
    : store_(store), machine_(fingerprint_of(machine)), codegen_(std::move(codegen)), seed_(seed) {}

store::TuningKey Database::key_of(const Task& task) const {
  return {task.fingerprint, machine_, task.threads, codegen_};
}

store::Trial Database::trial_of(const Candidate& candidate, std::int64_t number) const {
  store::Trial trial;
  trial.scheduled = candidate.scheduled;
  trial.trace = schedule::to_text(candidate.trace);
  trial.strategy = candidate.strategy;
  trial.seed = seed_;
  trial.number = number;
  return trial;
}

Result<std::vector<Memory::Known>> Database::known(const Task& task) {
  const std::scoped_lock lock(mutex_);
  CAMBIUM_TRY(const std::vector<store::Trial> trials, store_.trials(key_of(task)));
  std::vector<Known> all;
  for (const store::Trial& trial : trials) {
    auto trace = schedule::parse_trace(trial.trace);
    if (!trace.ok()) continue;
    Known& known = all.emplace_back();
    known.candidate = {std::move(trace).value(), trial.scheduled, trial.strategy};
    known.number = trial.number;
    known.samples_by_comparison = samples_by_comparison(trial);
    known.reason = trial.reason;
    known.was_begun = trial.is_begun;
    if (!trial.is_refused()) known.measurement = measurement_of(trial, machine_);
  }
  return all;
}

Status Database::begin_build(const Task& task, const Candidate& candidate, std::int64_t number) {
  const Rejection why(Reason::CodegenFailed, "the process ended while this was compiled");
  store::Trial trial = trial_of(candidate, number);
  trial.reason = name_of(why.reason());
  trial.detail = why.message();
  const std::scoped_lock lock(mutex_);
  return store_.begin(key_of(task), trial);
}

Status Database::end_build(const Task& task, Fingerprint scheduled) {
  const std::scoped_lock lock(mutex_);
  return store_.end(key_of(task), scheduled);
}

Status Database::record(const Task& task, const Outcome& outcome) {
  store::Trial trial = trial_of(outcome.candidate, outcome.number);
  if (outcome.result.ok()) {
    trial.samples = {sample_of(store::Protocol::Rank, *outcome.result)};
  } else {
    trial.reason = name_of(outcome.result.rejection().reason());
    trial.detail = outcome.result.rejection().message();
  }
  trial.features = outcome.features.values;
  trial.rows = static_cast<std::int64_t>(outcome.features.rows);
  const std::scoped_lock lock(mutex_);
  CAMBIUM_REQUIRE(store_.add(key_of(task), trial));
  return Ok{};
}

Result<std::int64_t> Database::id_of(const Task& task, Fingerprint scheduled) {
  CAMBIUM_TRY(const std::optional<std::int64_t> id, store_.id_of(key_of(task), scheduled));
  if (id.has_value()) return *id;
  return Rejection(Reason::DatabaseFailed, "trial " + scheduled.text(),
                   "it was compared, but never recorded");
}

Status Database::record_comparison(const Task& task, const Candidate& candidate,
                                   const Measurement& measurement) {
  const std::scoped_lock lock(mutex_);
  CAMBIUM_TRY(const std::int64_t id, id_of(task, candidate.scheduled));
  CAMBIUM_REQUIRE(store_.set_trace(id, schedule::to_text(candidate.trace)));
  return store_.add_samples(id, {sample_of(store::Protocol::Compare, measurement)});
}

Status Database::record_refusal(const Task& task, Fingerprint scheduled, const Rejection& why) {
  const std::scoped_lock lock(mutex_);
  CAMBIUM_TRY(const std::int64_t id, id_of(task, scheduled));
  return store_.refuse(id, std::string(name_of(why.reason())), why.message());
}

Result<std::vector<KnownSchedule>> best_schedules(store::TuningStore& store,
                                                  const store::TuningKey& key) {
  constexpr std::int64_t kLookedAt = 16;
  CAMBIUM_TRY(const std::vector<store::Trial> best, store.best(key, kLookedAt));
  std::vector<KnownSchedule> known;
  for (const store::Trial& trial : best) {
    auto trace = schedule::parse_trace(trial.trace);
    if (trace.ok()) known.push_back({std::move(trace).value(), trial.scheduled});
  }
  return known;
}

}  // namespace cambium::tune
