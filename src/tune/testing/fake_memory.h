// A memory for tests: a list. Stops recording after some trials when asked, as a process that is
// killed would, and can be handed to the next search. Watches that no program is recorded twice.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/check.h"
#include "schedule/schedule.h"
#include "tune/task.h"

namespace cambium::tune {

class FakeMemory : public Memory {
 public:
  struct Entry {
    Known known;
    std::string reason;  // of a refusal
  };

  std::int64_t dies_after = std::numeric_limits<std::int64_t>::max();  // records, all tasks
  bool keeps_traces = true;                                            // tests of memory do without
  std::vector<std::string> log;  // one line per trial: task, number, strategy, program
  std::map<std::string, std::vector<Entry>> entries;  // by the name of the task

  Result<std::vector<Known>> known(const Task& task) override {
    std::vector<Known> all;
    for (const Entry& entry : entries[task.name]) all.push_back(entry.known);
    return all;
  }

  Status record(const Task& task, const Outcome& outcome) override {
    if (dies_after == 0) return Rejection(Reason::DatabaseFailed, "fake", "killed");
    --dies_after;
    for (const Entry& entry : entries[task.name]) {
      CAMBIUM_CHECK(entry.known.candidate.scheduled != outcome.candidate.scheduled,
                    "a program was tried twice");
    }
    Entry entry;
    entry.known.candidate = outcome.candidate;
    if (!keeps_traces) entry.known.candidate.trace = schedule::Trace();
    entry.known.number = outcome.number;
    if (outcome.result.ok()) {
      entry.known.measurement = *outcome.result;
    } else {
      entry.reason = name_of(outcome.result.rejection().reason());
    }
    entries[task.name].push_back(std::move(entry));
    log.push_back(task.name + " " + std::to_string(outcome.number) + " " +
                  outcome.candidate.strategy + " " + outcome.candidate.scheduled.text());
    return Ok{};
  }

  Status record_comparison(const Task& task, Fingerprint scheduled,
                           const Measurement& measurement) override {
    for (Entry& entry : entries[task.name]) {
      if (entry.known.candidate.scheduled != scheduled) continue;
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
};

}  // namespace cambium::tune
