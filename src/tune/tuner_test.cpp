#include "tune/tuner.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>

#include <gtest/gtest.h>
#include <unistd.h>

#include "program/clone.h"
#include "tune/draft_model.h"
#include "tune/testing/fake_search.h"
#include "tune/testing/wrong_rule.h"

namespace cambium::tune {
namespace {

TEST(Tuner, TriesTheDefaultScheduleFirstAndSpendsTheBudget) {
  for (const std::string& strategy : strategy_names()) {
    Search search;
    search.options.strategy = strategy;
    const TuneResult result = search.done();
    EXPECT_EQ(result.tasks[0].trials, 24) << strategy;
    EXPECT_EQ(search.memory.log.size(), 24U);
    EXPECT_NE(search.memory.log[0].find("matmul 1 default"), std::string::npos);
    EXPECT_NE(search.memory.log[1].find("matmul 2 " + strategy), std::string::npos);
    EXPECT_FALSE(result.was_stopped);
    EXPECT_TRUE(result.tasks[0].was_compared);
    EXPECT_EQ(search.bench.compares, 1);
    // Of those recorded, the best is the result.
    for (const auto& entry : search.memory.entries["matmul"]) {
      EXPECT_GE(entry.known.measurement->value, result.tasks[0].best_time.value);
    }
    EXPECT_EQ(planted_seconds(result.tasks[0].best.trace), result.tasks[0].best_time.value);
  }
}

TEST(Tuner, NeverBuildsOnTheDefaultScheduleWhereItShallNot) {
  for (const std::string& strategy : strategy_names()) {
    Search search;
    search.options.strategy = strategy;
    search.options.begins_with_default = false;
    EXPECT_EQ(search.done().tasks[0].trials, 24) << strategy;
    for (const std::string& line : search.memory.log) {
      EXPECT_EQ(line.find("default"), std::string::npos) << strategy;
    }
  }
}

TEST(Tuner, GivesTheSameTrialsForAnyNumberOfThreads) {
  for (const char* strategy : {"evolution", "annealing"}) {
    std::vector<std::string> first;
    for (const int jobs : {1, 2, 4}) {
      Search search;
      search.options.strategy = strategy;
      search.options.jobs = jobs;
      search.options.machine.cores = 4;
      search.tasks.push_back(matmul_task("other", 3));
      search.options.trials = 12;
      search.options.seed = 5;
      search.done();
      EXPECT_EQ(search.memory.log.size(), 24U);
      if (jobs == 1) first = search.memory.log;
      EXPECT_EQ(search.memory.log, first) << strategy << ", jobs " << jobs;
    }
    Search other;
    other.tasks.push_back(matmul_task("other", 3));
    other.options.strategy = strategy;
    other.options.seed = 6;
    other.options.trials = 12;
    other.done();
    EXPECT_EQ(other.memory.log[1], first[1]) << "of the default schedule";
    EXPECT_NE(other.memory.log[2], first[2]) << "the seed decides nothing";
  }
}

TEST(Tuner, DoesNothingWhenEverythingIsKnown) {
  Search search;
  const TuneResult first = search.done();
  const int builds = search.bench.builds, times = search.bench.times;
  const TuneResult again = search.done();
  EXPECT_EQ(search.bench.builds, builds);
  EXPECT_EQ(search.bench.times, times);
  EXPECT_EQ(search.bench.compares, 1);
  EXPECT_EQ(again.tasks[0].reused, 24);
  EXPECT_TRUE(again.tasks[0].was_compared);
  EXPECT_EQ(again.tasks[0].best.scheduled, first.tasks[0].best.scheduled);
  // A larger budget goes on from there.
  search.options.trials = 32;
  EXPECT_EQ(search.done().tasks[0].trials, 32);
  EXPECT_EQ(search.memory.log.size(), 32U);
}

TEST(Tuner, CountsCandidatesThatCrashHangOrEatMemoryAsOneTrialEach) {
  Search search;
  search.options.trials = 64;
  FakeBench bench([](const Task&, const schedule::Trace& trace) -> Result<double> {
    const auto decisions = schedule::decisions_of(trace);
    const std::int64_t inner = decisions.at("tile/matmul/k").numbers[2];
    if (inner == 1) return Rejection(Reason::KernelCrashed, "signal 11");
    if (inner == 2) return Rejection(Reason::KernelTimeout, 1000);
    if (inner == 4) return Rejection(Reason::KernelMemory, 1 << 30, 1 << 20);
    return planted_seconds(trace);
  });
  bench.build_fault = [](const Task&, const schedule::Trace& trace) -> std::optional<Rejection> {
    const auto decisions = schedule::decisions_of(trace);
    if (decisions.at("tile/matmul/i").numbers[2] != 1) return std::nullopt;
    return Rejection(Reason::Unavailable, "code", "planted");
  };
  search.options.strategy = "random";
  const TuneResult result =
      tune(search.tasks, search.options, bench, search.memory, *search.model, search.hooks).value();
  EXPECT_EQ(result.tasks[0].trials, 64);
  std::int64_t refused = 0;
  for (const auto& [reason, times] : result.refusals) refused += times;
  EXPECT_EQ(refused, result.tasks[0].refused);
  for (const char* reason : {"KernelCrashed", "KernelTimeout", "KernelMemory", "Unavailable"}) {
    EXPECT_GT(result.refusals.at(reason), 0) << reason;
  }
  std::map<std::string, std::int64_t> recorded;
  for (const auto& entry : search.memory.entries["matmul"]) {
    EXPECT_EQ(entry.known.measurement.has_value(), entry.reason.empty());
    if (!entry.reason.empty()) ++recorded[entry.reason];
  }
  EXPECT_EQ(recorded, result.refusals);
  // Each was built once, and timed once if it was built; only the finalists once more.
  EXPECT_EQ(bench.builds, 64 + search.options.finalists);
  EXPECT_EQ(bench.times, 64 - result.refusals.at("Unavailable"));
}

TEST(Tuner, NeverRecordsATimeOfAWrongResult) {
  Search search;
  search.options.trials = 16;
  search.options.strategy = "random";
  search.options.space.rules.push_back(wrong_rule("i.0"));
  FakeBench bench([](const Task& task, const schedule::Trace& trace) -> Result<double> {
    CAMBIUM_REQUIRE(check_result(task, trace));
    return planted_seconds(trace);
  });
  const TuneResult result =
      tune(search.tasks, search.options, bench, search.memory, *search.model).value();
  EXPECT_GT(result.refusals.at("WrongResult"), 2);
  for (const auto& entry : search.memory.entries["matmul"]) {
    const std::string trace = schedule::to_text(entry.known.candidate.trace);
    EXPECT_EQ(entry.known.measurement.has_value(), !is_wrong(trace)) << trace;
  }
  EXPECT_FALSE(is_wrong(schedule::to_text(result.tasks[0].best.trace)));
}

TEST(Tuner, StopsWhenAskedWithWhatItHas) {
  Search search;
  std::atomic<bool> stop = false;
  search.hooks.stop = &stop;
  search.options.trials = std::numeric_limits<std::int64_t>::max();
  search.bench.during_time = [&] {
    if (search.bench.times == 13) stop = true;
  };
  const TuneResult result = search.done();
  EXPECT_TRUE(result.was_stopped);
  EXPECT_GE(result.tasks[0].trials, 13);
  EXPECT_LE(result.tasks[0].trials, 16);  // what was in work
  EXPECT_EQ(search.memory.log.size(), static_cast<std::size_t>(result.tasks[0].trials));
  EXPECT_EQ(search.bench.compares, 0);
  EXPECT_FALSE(result.tasks[0].was_compared);
  EXPECT_FALSE(result.tasks[0].best.trace.empty());
  EXPECT_EQ(planted_seconds(result.tasks[0].best.trace), result.tasks[0].best_time.value);
}

TEST(Tuner, StopsAtTheDeadlineWithTimeLeftToCompare) {
  Search search;
  search.options.trials = 1000;
  search.options.seconds = 1;
  search.bench.trial_seconds = 1.0 / 64;
  const TuneResult result = search.done();
  EXPECT_TRUE(result.was_stopped);
  // The trial after which less than a tenth is left. One more may have begun: the next is timed as
  // soon as the last was taken, and the search looks at the clock after that.
  EXPECT_GE(result.tasks[0].trials, 58);
  EXPECT_LE(result.tasks[0].trials, 59);
  EXPECT_TRUE(result.tasks[0].was_compared);
}

// Lets the clock of the bench move on by a quarter of a second, until the search has told so. In a
// minute the search comes to it on any machine.
class Teller {
 public:
  explicit Teller(Search& search) : search_(search) {}
  void tell() { ++told_; }
  void expect_told() {
    const int before = told_;
    search_.bench.advance(0.25);
    for (int i = 0; i < 60'000 && told_ == before; ++i) usleep(1000);
    EXPECT_GT(told_, before);
  }

 private:
  Search& search_;
  std::atomic<int> told_ = 0;
};

TEST(Tuner, TellsItsProgressFourTimesASecondWhileACandidateRuns) {
  Search search;
  search.options.trials = 4;
  search.options.batch = 4;
  search.bench.trial_seconds = 0;
  Teller teller(search);
  search.bench.during_time = [&] {
    for (int i = 0; i < 4; ++i) teller.expect_told();
  };
  std::vector<double> at;
  Progress last;
  search.hooks.progress = [&](const Progress& progress) {
    at.push_back(progress.seconds);
    last = progress;
    teller.tell();
  };
  search.done();
  // It tells when it begins, then of each quarter, and when it ends.
  ASSERT_EQ(at.size(), 1 + 4 * 4 + 1U);
  for (std::size_t i = 0; i < at.size() - 1; ++i) {
    EXPECT_EQ(at[i], 0.25 * static_cast<double>(i));
  }
  EXPECT_EQ(at.back(), 4);
  EXPECT_EQ(last.done, 4);
  EXPECT_EQ(last.planned, 4);
  EXPECT_GT(last.tasks[0].best_seconds, 0);
  EXPECT_GT(last.tasks[0].default_seconds, 0);
  EXPECT_GT(last.tasks[0].roofline_seconds, 0);
}

// A deadline that was not needed is nothing that is left.
TEST(Tuner, HasNoTimeLeftWhenItEnds) {
  Search search;
  search.options.seconds = 1e6;
  double left = -1;
  search.hooks.progress = [&](const Progress& progress) { left = progress.seconds_left; };
  EXPECT_FALSE(search.done().was_stopped);
  EXPECT_EQ(left, 0);
}

TEST(Tuner, RefusesUnknownStrategies) {
  Search search;
  search.options.strategy = "luck";
  EXPECT_EQ(search.run().rejection().reason(), Reason::UnknownStrategy);
}

TEST(Tuner, EndsWhenASpaceHasNoMoreCandidates) {
  Search search;
  search.options.space.rules = {
      {"two", "one choice", [](schedule::Draft& draft, const std::string&) -> Status {
         const schedule::Ints factors = draft.perfect_tile("i", 64, 2, 2);
         CAMBIUM_REQUIRE(draft.apply(schedule::Split{"i", factors, schedule::Tail::Exact}));
         return Ok{};
       }}};
  FakeBench bench([](const Task&, const schedule::Trace&) -> Result<double> { return 1e-3; });
  const TuneResult result =
      tune(search.tasks, search.options, bench, search.memory, *search.model).value();
  EXPECT_EQ(result.tasks[0].trials, 2);
  EXPECT_FALSE(result.was_stopped);
  EXPECT_GT(result.free_refusals.at("TriedBefore"), 0);
}

// The fastest so far fails when it is compared: it is refused, and the next is the best.
Result<double> flat(const Task&, const schedule::Trace&) {
  return 1e-3;
}

TuneResult tuned_with(Search& search, FakeBench& bench) {
  return tune(search.tasks, search.options, bench, search.memory, *search.model).value();
}

// As compiling does: what is written out too far gives way to small code.
TEST(Tuner, BeginsWithSmallCodeWhereThePreferredScheduleIsRefused) {
  Search search;
  search.options.trials = 1;
  search.options.space = {{{"greedy", "writes out two loops, unless code is to be small",
                            [](schedule::Draft& draft, const std::string&) -> Status {
                              if (draft.wants_small_code())
                                return Rejection(Reason::NothingToDo, "greedy", "asked to");
                              for (const char* loop : {"i", "j"}) {
                                CAMBIUM_REQUIRE(draft.apply(schedule::Unroll{loop}));
                              }
                              return Ok{};
                            }}}};
  const TuneResult result = search.done();
  EXPECT_EQ(result.tasks[0].trials, 1);
  EXPECT_EQ(result.tasks[0].best.strategy, "default");
}

TEST(Tuner, EndsATaskThatIsSettledAndSaysSo) {
  Search search;
  search.options.trials = 400;
  search.options.patience = 32;
  FakeBench bench(flat);
  const TuneResult result = tuned_with(search, bench);
  EXPECT_TRUE(result.tasks[0].is_settled);
  EXPECT_FALSE(result.was_stopped);
  EXPECT_TRUE(result.tasks[0].was_compared);
  // The patience, what was in work until then, and the batches of the finish.
  EXPECT_GT(result.tasks[0].trials, 32);
  EXPECT_LE(result.tasks[0].trials, 32 + 5 * search.options.batch);
  EXPECT_TRUE(std::any_of(search.memory.log.begin(), search.memory.log.end(), [](const auto& line) {
    return line.find("descent") != std::string::npos;
  })) << "a settled task has its finish too";
}

TEST(Tuner, SpendsTheWholeBudgetWithoutPatience) {
  Search search;
  search.options.trials = 400;
  search.options.patience = 0;
  FakeBench bench(flat);
  const TuneResult result = tuned_with(search, bench);
  EXPECT_EQ(result.tasks[0].trials, 400);
  EXPECT_FALSE(result.tasks[0].is_settled);
}

TEST(Tuner, GivesTheTrialsOfASettledTaskToTheOthers) {
  Search search;
  search.tasks.push_back(matmul_task("flat"));
  search.options.trials = 100;
  search.options.patience = 32;
  FakeBench bench([](const Task& task, const schedule::Trace& trace) {
    return task.name == "flat" ? flat(task, trace) : planted(task, trace);
  });
  const TuneResult result = tuned_with(search, bench);
  EXPECT_TRUE(result.tasks[1].is_settled);
  EXPECT_LT(result.tasks[1].trials, 100);
  EXPECT_GT(result.tasks[0].trials, 100);
}

TEST(Tuner, RefusesFinalistsThatFailAndNeverTakesThemAgain) {
  Search search;
  const double fastest = Search().done().tasks[0].best_time.value;
  search.bench.compare_fault = [fastest](const Task&, const schedule::Trace& trace) {
    const bool fails = planted_seconds(trace) <= fastest;
    return fails ? std::optional(Rejection(Reason::KernelCrashed, "planted")) : std::nullopt;
  };
  const TuneResult result = search.done();
  EXPECT_TRUE(result.tasks[0].was_compared);
  EXPECT_GE(result.refusals.at("KernelCrashed"), 1);
  EXPECT_GT(result.tasks[0].best_time.value, fastest);
  EXPECT_GT(planted_seconds(result.tasks[0].best.trace), fastest);
  const TuneResult again = search.done();
  EXPECT_EQ(again.tasks[0].best.scheduled, result.tasks[0].best.scheduled);
}

TEST(Tuner, ComparesANewBestWithTheLastWinnerEvenWhenItIsStopped) {
  Search search;
  search.options.trials = 8;
  const double before = search.done().tasks[0].best_time.value;
  const int compares = search.bench.compares;
  std::atomic<bool> stop = false;
  search.hooks.stop = &stop;
  search.options.trials = 200;
  search.bench.during_time = [&] { stop = search.bench.times > 60; };
  const TuneResult result = search.done();
  EXPECT_TRUE(result.was_stopped);
  EXPECT_LT(result.tasks[0].best_time.value, before) << "or there was nothing to compare";
  EXPECT_EQ(search.bench.compares, compares + 1);
  EXPECT_TRUE(result.tasks[0].was_compared);
}

TEST(Tuner, EndsATaskThatTheBenchCannotMeasureAndRecordsNothingOfIt) {
  Search search;
  search.tasks.push_back(matmul_task("other"));
  FakeBench bench([](const Task& task, const schedule::Trace& trace) -> Result<double> {
    if (task.name == "other") return Rejection(Reason::NoSchedule, "other", "planted");
    return planted_seconds(trace);
  });
  const TuneResult result =
      tune(search.tasks, search.options, bench, search.memory, *search.model).value();
  EXPECT_FALSE(result.tasks[0].fault.has_value());
  EXPECT_GT(result.tasks[0].trials, 0);
  ASSERT_TRUE(result.tasks[1].fault.has_value());
  EXPECT_EQ(result.tasks[1].fault->reason(), Reason::NoSchedule);
  EXPECT_TRUE(search.memory.entries["other"].empty());

  Search alone;
  FakeBench broken([](const Task&, const schedule::Trace&) -> Result<double> {
    return Rejection(Reason::RunnerMissing, "planted");
  });
  const auto refused = tune(alone.tasks, alone.options, broken, alone.memory, *alone.model);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.rejection().reason(), Reason::RunnerMissing);
  EXPECT_LE(broken.times, 32);
  EXPECT_TRUE(alone.memory.log.empty());
}

// A runner that does not start now and then.
TEST(Tuner, TriesAgainWhereTheRunnerFailsOnce) {
  Search search;
  search.bench.trial_fault = [&] {
    const bool fails = search.bench.times % 5 == 0;
    return fails ? std::optional(Rejection(Reason::RunnerFailed, "planted")) : std::nullopt;
  };
  search.bench.compare_fault = [&](const Task&, const schedule::Trace&) {
    const bool fails = search.bench.compares == 1;
    return fails ? std::optional(Rejection(Reason::RunnerFailed, "planted")) : std::nullopt;
  };
  const TuneResult result = search.done();
  EXPECT_EQ(result.tasks[0].trials, 24);
  EXPECT_EQ(result.tasks[0].refused, 0);
  EXPECT_FALSE(result.tasks[0].fault.has_value());
  EXPECT_TRUE(result.tasks[0].was_compared);
  EXPECT_EQ(search.bench.compares, 2);
}

TEST(Tuner, HasWhatItMeasuredBeforeTheRunnerWasGone) {
  Search search;
  search.bench.trial_fault = [&] {
    const bool fails = search.bench.times > 13;
    return fails ? std::optional(Rejection(Reason::RunnerFailed, "planted")) : std::nullopt;
  };
  const auto result = search.run();
  ASSERT_TRUE(result.ok()) << result.rejection().message();
  EXPECT_EQ(result->tasks[0].trials, 13);
  EXPECT_EQ(result->tasks[0].fault->reason(), Reason::RunnerFailed);
  EXPECT_GT(result->tasks[0].best_time.value, 0);
  EXPECT_TRUE(result->tasks[0].was_compared) << "it may be there again";
}

// Records that were made with a rule that is left out now, or whose trace makes another program.
TEST(Tuner, TakesNoRecordForAResultThatItCannotMakeItself) {
  Search search;
  const TuneResult first = search.done();
  for (auto& entry : search.memory.entries["matmul"]) {
    if (entry.known.candidate.scheduled != first.tasks[0].best.scheduled) continue;
    entry.known.candidate.scheduled.low ^= 1;  // as if steps meant something else then
  }
  search.options.trials = 23;  // so many are of use
  const TuneResult stale = search.done();
  EXPECT_EQ(stale.tasks[0].reused, 23);
  EXPECT_EQ(search.memory.log.size(), 24U);
  EXPECT_NE(stale.tasks[0].best.scheduled, first.tasks[0].best.scheduled);
  EXPECT_GT(stale.tasks[0].best_time.value, 0);
}

// Trials of other rules are not tried again (FakeMemory stops the process), and cost nothing.
TEST(Tuner, SpendsItsBudgetWhateverOtherSpacesHaveTried) {
  Search search;
  search.done();
  search.options.space.rules[0].name = "another";
  const TuneResult result = search.done();
  EXPECT_EQ(result.tasks[0].trials, 24);
  EXPECT_EQ(result.tasks[0].reused, 1) << "the default schedule is the same one";
  EXPECT_EQ(search.memory.log.size(), 24U + 23U);
  EXPECT_TRUE(result.tasks[0].was_compared);
  EXPECT_GT(result.tasks[0].best_time.value, 0);
  for (const schedule::Record& record : result.tasks[0].best.trace) {
    const std::string* key = schedule::key_of(record.step);
    if (key == nullptr) continue;
    EXPECT_EQ(key->rfind("another/", 0), 0U) << *key;
  }
  // It is settled then, as any search.
  const TuneResult again = search.done();
  EXPECT_EQ(again.tasks[0].reused, 24);
  EXPECT_EQ(search.memory.log.size(), 24U + 23U);
}

TEST(Tuner, FinishesEveryTaskWithDescentAlsoWhereLittleIsToBeGained) {
  Search search;
  for (const char* name : {"seldom", "often"}) {
    search.tasks.push_back(matmul_task(name, name[0] == 'o' ? 1000 : 1e-3));
  }
  search.options.trials = 64;
  search.done();
  std::map<std::string, int> descended;  // by task
  for (const std::string& line : search.memory.log) {
    if (line.find(" descent ") != std::string::npos) ++descended[line.substr(0, line.find(' '))];
  }
  for (const Task& task : search.tasks) EXPECT_GE(descended[task.name], 1) << task.name;
}

TEST(Tuner, TimesTheDefaultSchedulesOfAllTasksFirst) {
  Search search;
  for (const char* name : {"second", "third", "fourth"}) search.tasks.push_back(matmul_task(name));
  search.options.trials = 1000;
  search.options.seconds = 1;
  search.bench.trial_seconds = 0.1;
  const TuneResult result = search.done();
  EXPECT_TRUE(result.was_stopped);
  for (std::size_t i = 0; i < search.tasks.size(); ++i) {
    EXPECT_NE(search.memory.log.at(i).find(search.tasks[i].name + " 1 default"), std::string::npos);
    EXPECT_GT(result.tasks[i].best_time.value, 0) << search.tasks[i].name;
  }
  // Then one batch each, in order.
  Search whole;
  for (const char* name : {"second", "third"}) whole.tasks.push_back(matmul_task(name));
  whole.done();
  EXPECT_NE(whole.memory.log.at(3).find("matmul 2 "), std::string::npos);
  constexpr std::size_t kBatch = 4;  // the smallest, for so small a budget
  EXPECT_NE(whole.memory.log.at(3 + kBatch).find("second 2 "), std::string::npos);
}

TEST(Tuner, GivesATaskWhereMoreIsToBeGainedMoreTrials) {
  Search search;
  search.tasks.push_back(matmul_task("often", 50));
  search.options.trials = 64;
  const TuneResult result = search.done();
  EXPECT_EQ(result.tasks[0].trials + result.tasks[1].trials, 128);
  EXPECT_GE(result.tasks[0].trials, 32);
  EXPECT_GT(result.tasks[1].trials, result.tasks[0].trials + 16);
}

// A model that has learned everything: it is shown the planted time itself.
struct Oracle : CostModel {
  std::vector<double> score(std::span<const Features> candidates,
                            std::span<const double> drafts) const override {
    CAMBIUM_CHECK(candidates.size() == drafts.size(), "one estimate each");
    ++calls;
    return {drafts.begin(), drafts.end()};
  }
  Result<ModelQuality> train(std::span<const Example> examples, std::uint64_t) override {
    trained_on.push_back(examples.size());
    return ModelQuality{};
  }
  mutable int calls = 0;
  std::vector<std::size_t> trained_on;
};

TEST(Tuner, TrainsTheModelAsExamplesComeAndOnlyWhereItIsUsed) {
  Search search;
  search.options.trials = 44;
  Oracle model;
  tune(search.tasks, search.options, search.bench, search.memory, model).value();
  EXPECT_GT(model.calls, 5);
  ASSERT_GE(model.trained_on.size(), 2U);
  EXPECT_GE(model.trained_on[1], model.trained_on[0] + 16);

  Oracle unused;
  Search without;
  without.options.uses_model = false;
  tune(without.tasks, without.options, without.bench, without.memory, unused).value();
  Search random;
  random.options.strategy = "random";
  tune(random.tasks, random.options, random.bench, random.memory, unused).value();
  EXPECT_EQ(unused.calls, 0);
  EXPECT_TRUE(unused.trained_on.empty());

  // What is known from before is learned from at once.
  Oracle resumed;
  search.options.trials = 48;
  tune(search.tasks, search.options, search.bench, search.memory, resumed).value();
  ASSERT_FALSE(resumed.trained_on.empty());
  EXPECT_EQ(resumed.trained_on[0], 44U);
}

// Says when it learns, and when it is asked.
struct WatchedModel : Oracle {
  std::vector<double> score(std::span<const Features> candidates,
                            std::span<const double> drafts) const override {
    if (during_score) during_score();
    return Oracle::score(candidates, drafts);
  }
  Result<ModelQuality> train(std::span<const Example> examples, std::uint64_t) override {
    trained_on.push_back(examples.size());
    if (during_train) during_train();
    ModelQuality quality;
    quality.examples = static_cast<std::int64_t>(examples.size());
    return quality;
  }
  int trainings() const { return static_cast<int>(trained_on.size()); }
  std::function<void()> during_train, during_score;
};

struct Examined : Search {
  Examined() {
    for (const char* name : {"second", "third", "fourth"}) {
      Task task = matmul_task(name);
      task.fingerprint.low ^= tasks.size();  // names do not count
      tasks.push_back(task);
    }
    for (Task& task : tasks) task.threads = 2;
    options.machine.cores = 2;
    options.trials = 8;
  }
  Result<TuneResult> examined() { return tune(tasks, options, bench, memory, watched, hooks); }
  WatchedModel watched;
};

// The number of the first training of the examination, which has five.
int first_of_examination() {
  Examined whole;
  whole.examined().value();
  return whole.watched.trainings() - 4;
}

TEST(Tuner, ComparesBetweenTheTrainingsOfAnExamination) {
  Examined search;
  const int first = first_of_examination();
  std::atomic<int> comparisons = 0;
  search.bench.compare_fault = [&](const Task&, const schedule::Trace&) {
    ++comparisons;
    return std::optional<Rejection>();
  };
  // After its first training it goes on once something was compared, which it must not stand in the
  // way of. That takes a minute on no machine.
  search.watched.during_score = [&] {
    if (search.watched.trainings() != first) return;
    for (int i = 0; i < 60'000 && comparisons == 0; ++i) usleep(1000);
    EXPECT_GT(comparisons, 0) << "it waits for all of them";
  };
  const TuneResult result = search.examined().value();
  EXPECT_TRUE(result.quality.has_value());
  EXPECT_EQ(search.watched.trainings(), first + 4);
}

TEST(Tuner, ExaminesNoLongerThanItMay) {
  Examined search;
  const int first = first_of_examination();
  std::atomic<bool> stop = false;
  search.hooks.stop = &stop;
  Teller teller(search);
  search.hooks.progress = [&](const Progress&) { teller.tell(); };
  search.watched.during_train = [&] {
    if (search.watched.trainings() != first) return;
    stop = true;
    // Whoever tells twice has looked in between whether it is to stop.
    teller.expect_told();
    teller.expect_told();
  };
  const TuneResult result = search.examined().value();
  EXPECT_FALSE(result.quality.has_value());
  EXPECT_EQ(search.watched.trainings(), first);
}

double mean_best(const std::string& strategy, bool uses_model, double finish) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Search search;
    search.options.strategy = strategy;
    search.options.uses_model = uses_model;
    search.options.finish = finish;
    search.options.trials = 64;
    search.options.seed = seed;
    sum += std::log2(search.done().tasks[0].best_time.value / 1e-3);
  }
  return sum / 3;
}

TEST(Tuner, FindsMoreThanRandomSamplingDoes) {
  const double random = mean_best("random", false, 0);
  EXPECT_LT(mean_best("evolution", false, 0), random - 0.3);
  EXPECT_LT(mean_best("evolution", false, 0.2), random - 0.5) << "with coordinate descent";
}

// Times as the analytic model says: then that model knows everything.
Result<double> as_drafted(const Task& task, const schedule::Trace& trace) {
  program::Context cx;
  const program::Program lowered = program::clone_into(cx, *task.program);
  CAMBIUM_TRY(const schedule::Schedule made, schedule::replay(cx, lowered, trace));
  return draft_estimate(cx, made.program(), *machine_named("avx512"), 1).seconds;
}

TEST(Tuner, FindsMoreWithAModelThatKnows) {
  const auto best_of = [](const char* strategy, bool uses_model) {
    Search search;
    search.options.trials = 12;
    search.options.strategy = strategy;
    search.options.uses_model = uses_model;
    FakeBench bench(as_drafted);
    return tune(search.tasks, search.options, bench, search.memory, *search.model)
        ->tasks[0]
        .best_time.value;
  };
  const double random = best_of("random", false);
  EXPECT_LT(best_of("evolution", true), 0.98 * random);
  EXPECT_LT(best_of("annealing", true), 0.98 * random);
  EXPECT_LT(best_of("evolution", true), best_of("evolution", false));
}

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  double all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

TEST(Tuner, NeedsNoMoreMemoryTheLongerItRuns) {
  Search search;
  search.options.strategy = "random";
  search.options.trials = 10'000;
  search.options.patience = 0;
  search.options.batch = 64;
  search.options.finish = 0;
  search.memory.keeps_traces = false;
  double at_half = 0, at_end = 0;
  search.bench.during_time = [&] {
    if (search.bench.times == 6'000) at_half = resident_mib();
    if (search.bench.times == 10'000) at_end = resident_mib();
  };
  EXPECT_EQ(search.done().tasks[0].trials, 10'000);
  EXPECT_LT(at_end - at_half, 4) << at_half << " MiB, then " << at_end;
}

}  // namespace
}  // namespace cambium::tune
