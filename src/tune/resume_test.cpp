// What a search leaves behind, and what the next one makes of it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "program/clone.h"
#include "program/fingerprint.h"
#include "tune/testing/fake_search.h"

namespace cambium::tune {
namespace {

// 12 schedules, so that a budget of many more finds them all, whatever happens on the way.
schedule::Space tiny_space() {
  return {{{"two", "splits two loops", [](schedule::Draft& draft, const std::string&) -> Status {
              for (const char* loop : {"i", "j"}) {
                const schedule::Ints factors =
                    draft.perfect_tile(loop, 64, 2, loop[0] == 'i' ? 4 : 8);
                CAMBIUM_REQUIRE(draft.apply(schedule::Split{loop, factors, schedule::Tail::Exact}));
              }
              return Ok{};
            }}}};
}

Result<double> off_by_powers(const Task&, const schedule::Trace& trace) {
  double off = 1e-3;
  for (const auto& [key, decision] : schedule::decisions_of(trace)) {
    off *= 1 + std::abs(std::log2(static_cast<double>(decision.numbers[1])) - 2.4);
  }
  return off;
}

struct TinySearch : Search {
  TinySearch() {
    options.space = tiny_space();
    options.trials = 128;
    options.batch = 16;
    options.strategy = "random";
  }
  FakeBench tiny{off_by_powers};
  Result<TuneResult> search() { return tune(tasks, options, tiny, memory, *model, hooks); }
};

TEST(Tuner, ResumesAfterBeingKilledAtAnyTrial) {
  TinySearch whole;
  const TuneResult wanted = whole.search().value();
  const std::int64_t all = wanted.tasks[0].trials;
  ASSERT_EQ(all, 12);
  for (std::int64_t killed_at = 0; killed_at < all; ++killed_at) {
    TinySearch search;
    search.memory.dies_after = killed_at;
    const auto died = search.search();
    ASSERT_FALSE(died.ok());
    EXPECT_EQ(died.rejection().reason(), Reason::DatabaseFailed);
    EXPECT_EQ(search.memory.log.size(), static_cast<std::size_t>(killed_at));
    search.memory.revive();
    const TuneResult result = search.search().value();
    // FakeMemory stops the process if a program is tried twice.
    EXPECT_EQ(search.memory.log.size(), static_cast<std::size_t>(all)) << killed_at;
    EXPECT_EQ(result.tasks[0].reused, killed_at);
    EXPECT_EQ(result.tasks[0].best.scheduled, wanted.tasks[0].best.scheduled) << killed_at;
    EXPECT_EQ(result.tasks[0].best_time.value, wanted.tasks[0].best_time.value) << killed_at;
    std::set<std::int64_t> numbers;
    for (const auto& entry : search.memory.entries["matmul"]) numbers.insert(entry.known.number);
    EXPECT_EQ(*numbers.begin(), 1);
    EXPECT_EQ(*numbers.rbegin(), all);
    EXPECT_EQ(numbers.size(), static_cast<std::size_t>(all));
  }
}

// One death says nothing of what was being compiled: it is compiled again, alone.
TEST(Tuner, LosesNothingWhereverItIsKilledInABuild) {
  constexpr int kAll = 12;
  for (const int jobs : {1, 3}) {
    for (int killed_in = 1; killed_in <= kAll; ++killed_in) {
      TinySearch search;
      search.options.jobs = jobs;
      search.options.machine.cores = 4;
      search.tiny.build_fault = [&](const Task&, const auto&) -> std::optional<Rejection> {
        if (search.tiny.builds >= killed_in) search.memory.kill();
        return std::nullopt;
      };
      ASSERT_FALSE(search.search().ok());
      search.tiny.build_fault = nullptr;
      const std::size_t died = search.memory.revive();
      EXPECT_GE(died, 1U);
      EXPECT_LE(died, static_cast<std::size_t>(jobs));
      const TuneResult result = search.search().value();
      EXPECT_EQ(result.tasks[0].trials, kAll) << killed_in;
      EXPECT_EQ(result.tasks[0].refused, 0) << killed_in;
      EXPECT_EQ(search.memory.log.size(), static_cast<std::size_t>(kAll));
      std::set<std::int64_t> numbers;
      for (const auto& entry : search.memory.entries["matmul"]) {
        EXPECT_TRUE(entry.known.measurement.has_value());
        numbers.insert(entry.known.number);
      }
      EXPECT_EQ(numbers.size(), static_cast<std::size_t>(kAll));
    }
  }
}

// Whoever is killed from outside says nothing of what it compiled then, however often.
TEST(Tuner, BlamesNothingForKillsFromOutside) {
  constexpr int kAll = 12;
  TinySearch search;
  std::string unlucky;
  for (int death = 0; death < 3; ++death) {
    search.tiny.build_fault = [&](const Task&,
                                  const schedule::Trace& trace) -> std::optional<Rejection> {
      if (unlucky.empty() && search.tiny.builds == 5) unlucky = schedule::to_text(trace);
      if (schedule::to_text(trace) == unlucky) search.memory.kill();
      return std::nullopt;
    };
    ASSERT_FALSE(search.search().ok());
    EXPECT_EQ(search.memory.revive(), 1U);
  }
  search.tiny.build_fault = nullptr;
  const TuneResult result = search.search().value();
  EXPECT_EQ(result.tasks[0].trials, kAll);
  EXPECT_EQ(result.tasks[0].refused, 0);
  EXPECT_EQ(search.tiny.rehearsals, 3) << "whenever it is met again";
}

TEST(Tuner, SpendsOneTrialOnWhatKillsWhoeverCompilesIt) {
  constexpr int kAll = 12;
  for (int killed_in = 1; killed_in <= kAll; ++killed_in) {
    TinySearch search;
    std::string killer;
    search.tiny.build_fault = [&](const Task&,
                                  const schedule::Trace& trace) -> std::optional<Rejection> {
      if (killer.empty() && search.tiny.builds == killed_in) killer = schedule::to_text(trace);
      if (schedule::to_text(trace) == killer) search.memory.kill();
      return std::nullopt;
    };
    search.tiny.rehearsal_fault = [&](const Task&,
                                      const schedule::Trace& trace) -> std::optional<Rejection> {
      if (schedule::to_text(trace) != killer) return std::nullopt;
      return Rejection(Reason::CodegenFailed, "the process died");
    };
    ASSERT_FALSE(search.search().ok());
    EXPECT_EQ(search.memory.revive(), 1U);
    std::int64_t told = 0;  // by the progress, of what is refused
    search.hooks.progress = [&](const Progress& progress) {
      told = 0;
      for (const auto& [reason, count] : progress.refusals) told += count;
      EXPECT_EQ(told, progress.tasks[0].refused);
    };
    const TuneResult result = search.search().value();
    EXPECT_EQ(told, 1);
    EXPECT_EQ(result.tasks[0].trials, kAll) << killed_in;
    EXPECT_EQ(result.tasks[0].refused, 1) << killed_in;
    EXPECT_EQ(search.memory.log.size(), static_cast<std::size_t>(kAll));
    // What is known from before is counted by both again.
    told = 0;
    search.options.trials = kAll + 1;
    EXPECT_EQ(search.search().value().refusals.at("CodegenFailed"), 1);
    EXPECT_EQ(told, 1);
    double best = std::numeric_limits<double>::infinity();
    for (const auto& entry : search.memory.entries["matmul"]) {
      if (entry.reason.empty()) best = std::min(best, entry.known.measurement->value);
    }
    EXPECT_EQ(result.tasks[0].best_time.value, best);
  }
}

// The default schedule is the same program in another space: its refusal is told of once there too.
TEST(Tuner, TellsOfADefaultThatWasRefusedInAnotherSpace) {
  TinySearch search;
  search.options.trials = 4;
  search.tiny.build_fault = [&](const Task&, const auto&) -> std::optional<Rejection> {
    if (search.tiny.builds > 1) return std::nullopt;
    return Rejection(Reason::CodegenFailed, "it was the first");
  };
  ASSERT_EQ(search.search().value().tasks[0].refused, 1);
  ASSERT_EQ(search.memory.entries["matmul"][0].known.candidate.strategy, "default");
  search.options.space.rules[0].name = "renamed";
  std::int64_t told = 0;
  search.hooks.progress = [&](const Progress& progress) {
    told = 0;
    for (const auto& [reason, count] : progress.refusals) told += count;
    EXPECT_EQ(told, progress.tasks[0].refused);
  };
  const TuneResult result = search.search().value();
  EXPECT_EQ(result.tasks[0].refused, 1);
  EXPECT_EQ(result.refusals.at("CodegenFailed"), 1);
  EXPECT_EQ(told, 1);
}

// Otherwise a second death would be that of others again.
TEST(Tuner, CompilesAloneWhatAProcessDiedIn) {
  TinySearch search;
  search.options.jobs = 4;
  search.options.machine.cores = 8;
  search.options.trials = 9;
  search.search().value();
  auto& entries = search.memory.entries["matmul"];
  std::set<std::string> begun;
  for (std::size_t i = 3; i < 6; ++i) {
    entries[i].known.was_begun = true;
    entries[i].known.measurement.reset();
    begun.insert(schedule::to_text(entries[i].known.candidate.trace));
  }
  std::atomic<int> in_build = 0, alone = 0;
  search.tiny.build_fault = [&](const Task&, const schedule::Trace& trace) {
    const int before = in_build++;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (begun.contains(schedule::to_text(trace))) {
      EXPECT_EQ(before, 0);
      EXPECT_EQ(in_build, 1) << "somebody came";
      ++alone;
    }
    --in_build;
    return std::optional<Rejection>();
  };
  search.options.trials = 12;
  search.options.finalists = 0;
  EXPECT_EQ(search.search().value().tasks[0].refused, 0);
  EXPECT_EQ(alone, 3);
}

// The finish of a settled task is done once, not in every run.
TEST(Tuner, TriesNothingMoreOfASettledTask) {
  Search search;
  search.options.trials = 400;
  search.options.patience = 16;
  FakeBench same([](const Task&, const schedule::Trace&) -> Result<double> { return 1e-3; });
  const auto run = [&] {
    return tune(search.tasks, search.options, same, search.memory, *search.model).value();
  };
  const std::int64_t trials = run().tasks[0].trials;
  ASSERT_LT(trials, 400);
  for (int again = 0; again < 2; ++again) {
    const TuneResult result = run();
    EXPECT_EQ(result.tasks[0].trials, trials);
    EXPECT_TRUE(result.tasks[0].is_settled);
  }
}

TEST(Tuner, ComparesWithTheDefaultScheduleHoweverManyTrialsCameAfterIt) {
  Search search;
  search.options.strategy = "random";
  search.options.batch = 64;
  search.options.trials = 1600;
  search.options.patience = 0;
  search.options.finalists = 0;
  search.done();
  auto& entries = search.memory.entries["matmul"];
  const Memory::Known first = entries[0].known;
  ASSERT_EQ(first.candidate.strategy, "default");
  entries[0].known.measurement->value = 1;  // slower than all others
  search.options.trials = 1601;
  search.options.finalists = 8;
  bool is_compared = false;
  search.bench.compare_fault = [&](const Task&, const schedule::Trace& trace) {
    is_compared |= schedule::to_text(trace) == schedule::to_text(first.candidate.trace);
    return std::optional<Rejection>();
  };
  const TuneResult result = search.done();
  EXPECT_EQ(result.tasks[0].reused, 1600) << "all of them count";
  EXPECT_EQ(result.tasks[0].trials, 1601);
  EXPECT_TRUE(is_compared);
}

TEST(Tuner, StoresFinalistsWithoutStepsThatHaveNoEffect) {
  Search search;
  search.options.space.rules.push_back({"idle", "says something and something else instead",
                                        [](schedule::Draft& draft, const std::string&) -> Status {
                                          for (const std::int64_t times : {2, 4}) {
                                            CAMBIUM_REQUIRE(draft.apply(schedule::Annotate{
                                                schedule::Part::Loop, "k.2", "unroll", "", times}));
                                          }
                                          return Ok{};
                                        }});
  const TuneResult result = search.done();
  int tidied = 0;
  for (const auto& entry : search.memory.entries["matmul"]) {
    const Candidate& candidate = entry.known.candidate;
    const std::string trace = schedule::to_text(candidate.trace);
    const bool is_idle = trace.find("annotate") != trace.rfind("annotate");
    EXPECT_NE(trace.find("annotate"), std::string::npos) << trace;
    EXPECT_EQ(is_idle, entry.known.samples_by_comparison == 0) << trace;
    tidied += is_idle ? 0 : 1;
    program::Context cx;
    const program::Program lowered = program::clone_into(cx, *search.tasks[0].program);
    const auto made = schedule::replay(cx, lowered, candidate.trace);
    ASSERT_TRUE(made.ok()) << made.rejection().message();
    EXPECT_EQ(program::fingerprint_of(made->program()), candidate.scheduled);
    if (candidate.scheduled == result.tasks[0].best.scheduled) {
      EXPECT_EQ(trace, schedule::to_text(result.tasks[0].best.trace));
    }
  }
  EXPECT_EQ(tidied, search.options.finalists);
  // The decisions are still there: a search goes on from what was tidied.
  search.options.trials = 32;
  EXPECT_EQ(search.done().tasks[0].trials, 32);
}

}  // namespace
}  // namespace cambium::tune
