// A memory for tests: a list. Stops recording after some trials when asked, as a process that is
// killed would, and can be handed to the next search. Watches that no program is recorded twice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "schedule/trace/schedule.h"
#include "tune/task.h"

namespace cambium::tune {

class FakeMemory : public Memory {
 public:
  struct Entry {
    Known known;
    std::string reason;  // of a refusal
  };

  std::int64_t dies_after = std::numeric_limits<std::int64_t>::max();  // records, all tasks
  bool keeps_traces = true;      // tests of memory consumption set it to false
  std::vector<std::string> log;  // one line per trial: task, number, strategy, program
  std::map<std::string, std::vector<Entry>> entries;  // by the name of the task
  // What is being built: by the name of the task and the program, what will be known.
  std::map<std::pair<std::string, std::string>, Known> begun;

  // From now on nothing is written any more, as when the process is killed now.
  void kill() { is_killed_ = true; }
  // What a process that was killed leaves: what it was building counts as begun. Gives how many.
  std::size_t revive() {
    const std::size_t died = begun.size();
    for (auto& [name, known] : begun) {
      std::vector<Entry>& all = entries[name.first];
      const auto there = find(all, known.candidate.scheduled);
      if (there != all.end()) continue;
      known.was_begun = true;
      known.reason = "CodegenFailed";
      all.push_back({known, known.reason});
    }
    begun.clear();
    is_killed_ = false;
    dies_after = std::numeric_limits<std::int64_t>::max();
    return died;
  }

  Result<std::vector<Known>> known(const Task& task) override {
    std::vector<Known> all;
    for (const Entry& entry : entries[task.name]) all.push_back(entry.known);
    return all;
  }

  Status begin_build(const Task& task, const Candidate& candidate, std::int64_t number) override {
    const std::scoped_lock lock(mutex_);
    if (is_killed_) return Rejection(Reason::DatabaseFailed, "fake", "killed");
    Known known;
    known.candidate = candidate;
    known.number = number;
    const bool is_new =
        begun.emplace(std::pair(task.name, candidate.scheduled.text()), known).second;
    CAMBIUM_CHECK(is_new, "a program is built twice at once");
    return Ok{};
  }

  Status end_build(const Task& task, Fingerprint scheduled) override {
    const std::scoped_lock lock(mutex_);
    if (is_killed_) return Rejection(Reason::DatabaseFailed, "fake", "killed");
    begun.erase({task.name, scheduled.text()});
    return Ok{};
  }

  Status record(const Task& task, const Outcome& outcome) override {
    const std::scoped_lock lock(mutex_);
    if (is_killed_ || dies_after == 0) return Rejection(Reason::DatabaseFailed, "fake", "killed");
    --dies_after;
    std::vector<Entry>& all = entries[task.name];
    const auto there = find(all, outcome.candidate.scheduled);
    if (there != all.end()) {
      CAMBIUM_CHECK(there->known.was_begun, "a program was tried twice");
      all.erase(there);
    }
    begun.erase({task.name, outcome.candidate.scheduled.text()});
    Entry entry;
    entry.known.candidate = outcome.candidate;
    if (!keeps_traces) entry.known.candidate.trace = schedule::Trace();
    entry.known.number = outcome.number;
    if (outcome.result.ok()) {
      entry.known.measurement = *outcome.result;
    } else {
      entry.reason = entry.known.reason = name_of(outcome.result.rejection().reason());
    }
    all.push_back(std::move(entry));
    log.push_back(task.name + " " + std::to_string(outcome.number) + " " +
                  outcome.candidate.strategy + " " + outcome.candidate.scheduled.text());
    return Ok{};
  }

  Status record_comparison(const Task& task, const Candidate& candidate,
                           const Measurement& measurement) override {
    for (Entry& entry : entries[task.name]) {
      if (entry.known.candidate.scheduled != candidate.scheduled) continue;
      entry.known.candidate.trace = candidate.trace;
      entry.known.measurement = measurement;
      entry.known.samples_by_comparison += measurement.samples;
      return Ok{};
    }
    return Rejection(Reason::DatabaseFailed, "fake", "compared what was never tried");
  }

  Status record_refusal(const Task& task, Fingerprint scheduled, const Rejection& why) override {
    for (Entry& entry : entries[task.name]) {
      if (entry.known.candidate.scheduled != scheduled) continue;
      entry.known.measurement.reset();
      entry.known.samples_by_comparison = 0;
      entry.reason = name_of(why.reason());
    }
    return Ok{};
  }

 private:
  static std::vector<Entry>::iterator find(std::vector<Entry>& all, Fingerprint scheduled) {
    return std::find_if(all.begin(), all.end(), [scheduled](const Entry& entry) {
      return entry.known.candidate.scheduled == scheduled;
    });
  }

  std::mutex mutex_;
  bool is_killed_ = false;
};

}  // namespace cambium::tune
