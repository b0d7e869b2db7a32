// A task is one lowered program that needs a schedule. Bench and Memory are the ports through which
// the tuner compiles, times and records candidates. The tuner never runs code itself: `trial`
// implements the bench, and tests have fakes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fingerprint.h"
#include "base/machine.h"
#include "base/measurement.h"
#include "base/result.h"
#include "program/shared_program.h"
#include "schedule/rules/space.h"
#include "schedule/trace/schedule.h"
#include "tune/features.h"

namespace cambium::tune {

struct Task {
  std::string name;
  program::SharedProgram program;  // lowered, with canonical names
  Fingerprint fingerprint;         // of the program
  double weight = 1;               // how often the model calls it
  int threads = 1;
};

// A candidate: a trace and the program that it makes.
struct Candidate {
  schedule::Trace trace;
  Fingerprint scheduled;  // fingerprint of the scheduled program
  std::string strategy;   // the strategy that proposed it
};

// Native code of a candidate, in the form that the bench uses.
class Built {
 public:
  virtual ~Built() = default;
};

// Compiles and times candidates.
class Bench {
 public:
  virtual ~Bench() = default;
  // Compiles a candidate in a separate process, to find out whether that process survives. Refuses
  // CodegenFailed if it dies. For candidates in which a process died before.
  virtual Status rehearse(const Task&, const schedule::Trace&) { return Ok{}; }
  // Compiles a candidate. Called from several threads at once. A refusal is a normal result.
  virtual Result<std::unique_ptr<Built>> build(const Task& task, const schedule::Trace& trace) = 0;
  // Runs, checks and times one candidate alone. Called by one thread at a time. A candidate that
  // crashes, hangs, exhausts memory or computes a wrong result is refused and affects only this
  // call.
  virtual Result<Measurement> time(const Task& task, const Built& built) = 0;
  // Times several candidates against each other: the seconds of each come from a comparison with
  // the first that is not refused. A failure of one does not affect the others.
  virtual std::vector<Result<Measurement>> compare(const Task& task,
                                                   const std::vector<const Built*>& built) = 0;
  // Seconds since some moment, by the real clock or a test's clock. Called from several threads at
  // once.
  virtual double now() = 0;
};

// Whether no runner could run the code. That may be temporary: another runner may start.
constexpr bool is_fault_of_runner(Reason reason) {
  return reason == Reason::RunnerMissing || reason == Reason::RunnerFailed;
}

// Whether a bench refused for a reason that is not the candidate's fault: there is no runner, or no
// expected result to check against (NoSchedule). Such trials say nothing about their candidates.
constexpr bool is_fault_of_bench(Reason reason) {
  return is_fault_of_runner(reason) || reason == Reason::NoSchedule;
}

// The outcome of a trial.
struct Outcome {
  std::int64_t number = 0;  // number of the trial in its task
  Candidate candidate;
  Result<Measurement> result;
  Features features = {};  // the features for the cost models; recorded if present
};

// Keeps results: in the store, or in a test's list. A trial is recorded before the next one is
// proposed from it. Builds begin and end on several threads, also while another thread records.
class Memory {
 public:
  virtual ~Memory() = default;
  struct Known {
    Candidate candidate;
    std::optional<Measurement> measurement;  // nothing: the candidate was refused
    std::int64_t samples_by_comparison = 0;
    std::int64_t number = 0;  // number of the trial
    std::string reason;       // name of the reason of a refusal
    // A process died while compiling it. It is not known yet whether the candidate was the cause.
    bool was_begun = false;
  };
  virtual Result<std::vector<Known>> known(const Task& task) = 0;  // oldest first
  // Compiling happens in this process and may end it. So a build that began and never ended is
  // known as begun. A build that ended is forgotten until it is recorded.
  virtual Status begin_build(const Task& task, const Candidate& candidate, std::int64_t number) = 0;
  virtual Status end_build(const Task& task, Fingerprint scheduled) = 0;
  virtual Status record(const Task& task, const Outcome& outcome) = 0;
  // The candidate's trace replaces the recorded one.
  virtual Status record_comparison(const Task& task, const Candidate& candidate,
                                   const Measurement& measurement) = 0;
  // A measured candidate that is refused in a comparison counts as refused from now on.
  virtual Status record_refusal(const Task& task, Fingerprint scheduled, const Rejection& why) = 0;
};

}  // namespace cambium::tune
