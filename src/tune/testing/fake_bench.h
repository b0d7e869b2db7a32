// A bench for tests: compiles nothing, and the time of a candidate is whatever the test plants as a
// function of its decisions. Crashes, hangs and the like are planted as rejections. The clock moves
// only when something is timed. Watches that nothing is timed twice at once.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "schedule/trace/draft.h"
#include "tune/task.h"

namespace cambium::tune {

class FakeBench : public Bench {
 public:
  using Plan = std::function<Result<double>(const Task&, const schedule::Trace&)>;
  using Fault = std::function<std::optional<Rejection>(const Task&, const schedule::Trace&)>;

  explicit FakeBench(Plan plan) : plan_(std::move(plan)) {}

  Fault build_fault;                                      // what compiling refuses
  Fault rehearsal_fault;                                  // what compiling elsewhere refuses
  double trial_seconds = 0.01;                            // by which the clock moves
  std::function<void()> during_time;                      // called while something is timed
  std::function<void()> during_build;                     // called while something is compiled
  Fault compare_fault;                                    // what comparing refuses
  std::function<std::optional<Rejection>()> trial_fault;  // what timing refuses, of whatever it is
  std::atomic<int> builds = 0, rehearsals = 0, times = 0, compares = 0;
  std::atomic<int> looks = 0;  // at the clock

  Status rehearse(const Task& task, const schedule::Trace& trace) override {
    ++rehearsals;
    if (rehearsal_fault) {
      if (auto refused = rehearsal_fault(task, trace)) return *refused;
    }
    return Ok{};
  }

  Result<std::unique_ptr<Built>> build(const Task& task, const schedule::Trace& trace) override {
    ++builds;
    if (during_build) during_build();
    if (build_fault) {
      if (auto refused = build_fault(task, trace)) return *refused;
    }
    return std::unique_ptr<Built>(std::make_unique<Code>(trace));
  }

  Result<Measurement> time(const Task& task, const Built& built) override {
    const Alone alone(*this);
    ++times;
    if (during_time) during_time();
    advance(trial_seconds);
    if (trial_fault) {
      if (auto refused = trial_fault()) return *refused;
    }
    return measured(task, built, 3);
  }

  std::vector<Result<Measurement>> compare(const Task& task,
                                           const std::vector<const Built*>& built) override {
    const Alone alone(*this);
    ++compares;
    advance(trial_seconds * static_cast<double>(built.size()));
    std::vector<Result<Measurement>> all;
    for (const Built* one : built) {
      std::optional<Rejection> fault;
      if (compare_fault) fault = compare_fault(task, static_cast<const Code&>(*one).trace);
      all.push_back(fault ? Result<Measurement>(*fault) : measured(task, *one, 30));
    }
    return all;
  }

  double now() override {
    const double seconds = clock_;
    ++looks;  // afterwards: whoever counts two more knows that the second saw what he did before
    return seconds;
  }
  void advance(double seconds) {
    for (double old = clock_; !clock_.compare_exchange_weak(old, old + seconds);) {
    }
  }

 private:
  struct Code : Built {
    explicit Code(schedule::Trace made) : trace(std::move(made)) {}
    schedule::Trace trace;
  };
  struct Alone {
    explicit Alone(FakeBench& watched) : bench(watched) {
      CAMBIUM_CHECK(!bench.is_timing_.exchange(true), "two candidates are timed at once");
    }
    ~Alone() { bench.is_timing_ = false; }
    FakeBench& bench;
  };

  Result<Measurement> measured(const Task& task, const Built& built, int samples) const {
    CAMBIUM_TRY(const double seconds, plan_(task, static_cast<const Code&>(built).trace));
    return Measurement{seconds, 0.01, samples, {}, 0.5};
  }

  Plan plan_;
  std::atomic<double> clock_ = 0;
  std::atomic<bool> is_timing_ = false;
};

}  // namespace cambium::tune
