// A task: one lowered program to find a schedule for, and the ports through which the tuner gets
// candidates compiled and timed. The tuner never runs code itself; engine does, tests fake it.
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
#include "program/context.h"
#include "schedule/rules/space.h"
#include "schedule/schedule.h"
#include "tune/features.h"

namespace cambium::tune {

struct Task {
  std::string name;
  std::string program;      // the text of the lowered program, with canonical names
  Fingerprint fingerprint;  // of it
  double weight = 1;        // how often the model calls it
  int threads = 1;
};

// A candidate: the trace and what it makes.
struct Candidate {
  schedule::Trace trace;
  Fingerprint scheduled;  // fingerprint of the scheduled program
  std::string strategy;   // what proposed it
};

// Native code of a candidate, whatever that is for the implementation.
class Built {
 public:
  virtual ~Built() = default;
};

// What the tuner asks for.
class Bench {
 public:
  virtual ~Bench() = default;
  // Whether whoever compiles it lives on: compiles it in a process of its own, and refuses
  // CodegenFailed where that process dies and this one does not. For what a process died in.
  virtual Status rehearse(const Task&, const schedule::Trace&) { return Ok{}; }
  // Compiles. Called from several threads at once. A refusal is an ordinary result.
  virtual Result<std::unique_ptr<Built>> build(const Task& task, const schedule::Trace& trace) = 0;
  // Runs, checks and times it alone. Never from two threads at a time. A candidate that crashes,
  // hangs, eats memory or computes something else is refused, and costs nothing but this call.
  virtual Result<Measurement> time(const Task& task, const Built& built) = 0;
  // Times several against each other: seconds of each by comparison with the first that is not
  // refused. One that fails now costs the others nothing.
  virtual std::vector<Result<Measurement>> compare(const Task& task,
                                                   const std::vector<const Built*>& built) = 0;
  // Seconds since some moment: the real clock, or a test's.
  virtual double now() = 0;
};

// Whether there was nothing that runs code. That may pass: another one may start.
constexpr bool is_fault_of_runner(Reason reason) {
  return reason == Reason::RunnerMissing || reason == Reason::RunnerFailed;
}

// Whether a bench refuses for reasons that no candidate can help: there is nothing that runs code,
// or nothing to check results against (NoSchedule). Such trials say nothing of their candidates.
constexpr bool is_fault_of_bench(Reason reason) {
  return is_fault_of_runner(reason) || reason == Reason::NoSchedule;
}

// What became of a trial.
struct Outcome {
  std::int64_t number = 0;  // of the trial in its task
  Candidate candidate;
  Result<Measurement> result;
  Features features = {};  // what the cost models saw of it; kept where they are given
};

// Where results are kept: the store, or a test's list. A trial is recorded before the next one of
// the task is proposed from it. Builds begin and end on several threads, also while one records.
class Memory {
 public:
  virtual ~Memory() = default;
  struct Known {
    Candidate candidate;
    std::optional<Measurement> measurement;  // nothing: it was refused
    std::int64_t samples_by_comparison = 0;
    std::int64_t number = 0;  // which trial it was
    std::string reason;       // of a refusal: its name
    // A process died while it was compiled: nobody knows yet whether because of it.
    bool was_begun = false;
  };
  virtual Result<std::vector<Known>> known(const Task& task) = 0;  // oldest first
  // Compiling happens in this process, and may take it along: what began and never ended is known
  // as begun. What ended is forgotten until it is recorded.
  virtual Status begin_build(const Task& task, const Candidate& candidate, std::int64_t number) = 0;
  virtual Status end_build(const Task& task, Fingerprint scheduled) = 0;
  virtual Status record(const Task& task, const Outcome& outcome) = 0;
  // The candidate's trace takes the place of the one that was recorded.
  virtual Status record_comparison(const Task& task, const Candidate& candidate,
                                   const Measurement& measurement) = 0;
  // One that was measured, and is refused in a comparison: from now on it counts as refused.
  virtual Status record_refusal(const Task& task, Fingerprint scheduled, const Rejection& why) = 0;
};

}  // namespace cambium::tune
