// A search whose process is killed, with a database in a file: what is known is kept, nothing is
// tried twice, and what was being compiled is compiled again, elsewhere first.
#include <algorithm>
#include <csignal>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/process.h"
#include "base/scratch_folder_testing.h"
#include "base/text.h"
#include "store/tuning_store.h"
#include "tune/testing/small_space.h"

namespace cambium::tests {
namespace {

constexpr int kTrials = 12;

struct Searched {
  ProcessOutcome outcome;
  std::vector<std::string> built;  // names of traces, as they came
};

Searched run_search(const std::string& db, const std::string& phase, int kill_at) {
  ProcessRequest request;
  request.argv = {CAMBIUM_DYING_SEARCH, db, std::to_string(kTrials), phase,
                  std::to_string(kill_at)};
  const auto outcome = run_process(request);
  EXPECT_TRUE(outcome.ok()) << outcome.rejection().message();
  Searched run{*outcome, {}};
  for (const std::string_view line : split(run.outcome.output, '\n')) {
    if (!line.empty()) run.built.emplace_back(line);
  }
  return run;
}

std::vector<store::Trial> trials_in(const std::string& db) {
  auto store = store::TuningStore::open(db);
  EXPECT_TRUE(store.ok()) << store.rejection().message();
  const auto keys = store->keys();
  EXPECT_LE(keys->size(), 1U);
  return keys->empty() ? std::vector<store::Trial>() : *store->trials(keys->front());
}

std::int64_t count_died(const std::vector<store::Trial>& trials) {
  return std::count_if(trials.begin(), trials.end(),
                       [](const store::Trial& trial) { return trial.reason == "CodegenFailed"; });
}

std::string name_of_trace(const store::Trial& trial) {
  return fingerprint_of(trial.trace).text();
}

void expect_killed(const Searched& run) {
  // Which a parent cannot tell from the killer of processes without memory.
  EXPECT_NE(run.outcome.death, Death::Exited) << run.outcome.text() << run.outcome.errors;
  EXPECT_EQ(run.outcome.code, SIGKILL);
}

// What a search that goes on makes of what the killed one left.
void expect_resumed(const std::string& db, const std::vector<store::Trial>& left) {
  const Searched again = run_search(db, "none", 0);
  ASSERT_TRUE(again.outcome.succeeded()) << again.outcome.text();
  const std::vector<store::Trial> all = trials_in(db);
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kTrials));
  std::set<std::string> programs;
  std::set<std::int64_t> numbers;
  for (const store::Trial& trial : all) {
    programs.insert(trial.scheduled.text());
    numbers.insert(trial.number);
  }
  EXPECT_EQ(programs.size(), all.size()) << "a program was tried twice";
  EXPECT_EQ(numbers.size(), all.size()) << "two trials have one number";
  for (const store::Trial& before : left) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const store::Trial& trial) {
      return trial.scheduled == before.scheduled;
    });
    ASSERT_NE(found, all.end()) << "a record is gone";
    const auto& samples = found->samples;
    EXPECT_EQ(found->number, before.number);
    EXPECT_FALSE(found->is_begun);
    EXPECT_FALSE(samples.empty());
    ASSERT_GE(samples.size(), before.samples.size()) << "a sample is gone";
    if (!before.samples.empty()) {
      EXPECT_EQ(samples[0], before.samples[0]);
    }
    // Once if it was being built, and once to be compared.
    const auto times = std::count(again.built.begin(), again.built.end(), name_of_trace(before));
    const auto compared = std::count_if(samples.begin(), samples.end(), [](const auto& sample) {
      return sample.protocol == store::Protocol::Compare;
    });
    const auto begun = before.is_begun ? 1 : 0;
    EXPECT_LE(times, begun + compared) << "it was built again, and not to be compared";
    EXPECT_GE(times, begun);
  }
}

TEST(KilledSearch, LosesNothingWhereverItIsKilledInABuild) {
  for (int k = 1; k <= kTrials; ++k) {
    const ScratchFolder folder;
    const std::string db = folder / "t.db";
    const Searched killed = run_search(db, "build", k);
    expect_killed(killed);
    ASSERT_EQ(killed.built.size(), static_cast<std::size_t>(k));
    const std::vector<store::Trial> left = trials_in(db);
    EXPECT_LE(left.size(), static_cast<std::size_t>(k));
    ASSERT_EQ(count_died(left), 1) << "killed in build " << k;
    const auto died = std::find_if(left.begin(), left.end(), [](const store::Trial& trial) {
      return trial.reason == "CodegenFailed";
    });
    EXPECT_EQ(name_of_trace(*died), killed.built.back());
    EXPECT_EQ(died->number, k);
    EXPECT_TRUE(died->is_begun);
    EXPECT_TRUE(died->is_refused());
    expect_resumed(db, left);
  }
}

TEST(KilledSearch, LosesNoRecordWhereverItIsKilledInTiming) {
  for (int k = 1; k <= kTrials; ++k) {
    const ScratchFolder folder;
    const std::string db = folder / "t.db";
    expect_killed(run_search(db, "time", k));
    const std::vector<store::Trial> left = trials_in(db);
    // What was timed last may not be written yet; one more may have been in the compiler.
    EXPECT_GE(static_cast<int>(left.size()), k - 2);
    EXPECT_LE(count_died(left), 1);
    expect_resumed(db, left);
  }
}

// Killed from outside wherever it compiles that one: it is not to blame, however often that
// happens.
TEST(KilledSearch, RefusesNothingForKillsFromOutside) {
  const ScratchFolder folder;
  const std::string db = folder / "t.db";
  expect_killed(run_search(db, "build", 3));
  const std::vector<store::Trial> first = trials_in(db);
  for (int kill = 0; kill < 3; ++kill) {
    const Searched again = run_search(db, "begun", 0);
    expect_killed(again);
    const std::vector<store::Trial> left = trials_in(db);
    EXPECT_EQ(count_died(left), 1);
    const auto died = std::find_if(left.begin(), left.end(),
                                   [](const store::Trial& trial) { return trial.is_begun; });
    ASSERT_NE(died, left.end()) << "after " << kill + 2 << " kills it is refused";
    EXPECT_EQ(name_of_trace(*died), again.built.back());
  }
  expect_resumed(db, first);
}

// Candidates that kill whoever compiles them, met by one process after the other: each costs one
// trial and one process, since the next one compiles it elsewhere first.
TEST(KilledSearch, SpendsOneTrialOnEveryCandidateThatKillsIt) {
  constexpr int kOneOf = 3;
  const ScratchFolder folder;
  const std::string db = folder / "t.db";
  std::map<std::string, int> deaths;  // by the trace
  Searched last = run_search(db, "killers", kOneOf);
  while (!last.outcome.succeeded()) {
    expect_killed(last);
    ASSERT_FALSE(last.built.empty());
    ASSERT_LE(++deaths[last.built.back()], 1) << "it was met a second time";
    last = run_search(db, "killers", kOneOf);
  }
  ASSERT_GE(deaths.size(), 2U) << "no killer was met";
  const std::vector<store::Trial> all = trials_in(db);
  EXPECT_EQ(std::ssize(all), kTrials);
  EXPECT_EQ(count_died(all), std::ssize(deaths));
  for (const store::Trial& trial : all) {
    const auto died = deaths.find(name_of_trace(trial));
    EXPECT_EQ(trial.is_refused(), died != deaths.end());
    EXPECT_FALSE(trial.is_begun);
  }
}

}  // namespace
}  // namespace cambium::tests
