#include "search/driver.h"

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/cost.h"
#include "model/fingerprint.h"
#include "search/owner.h"
#include "search/testing/fake_executor.h"
#include "search/testing/toy_search.h"

namespace cambium::search {
namespace {

using testing::FakeExecutor;
using testing::toy_options;
using testing::toy_stage;
using testing::ToySearch;

struct Case {
  const char* strategy;
  const char* space;
};

class Driver : public ::testing::TestWithParam<Case> {};

std::string name_of(const ::testing::TestParamInfo<Case>& each) {
  const std::string space = each.param.space;
  const std::string place = space == "toy-sites"  ? "Sites"
                            : space == "toy-tree" ? "Tree"
                                                  : "Blocks";
  return each.param.strategy + ("On" + place);
}

INSTANTIATE_TEST_SUITE_P(All, Driver,
                         ::testing::Values(Case{"tree", "toy-tree"}, Case{"random", "toy-tree"},
                                           Case{"enumerate", "toy-tree"},
                                           Case{"evolution", "toy-blocks"},
                                           Case{"random", "toy-blocks"},
                                           Case{"compose", "toy-sites"}),
                         name_of);

TEST_P(Driver, IsTheSameSearchForAnyOrderOfCompletion) {
  std::map<std::int64_t, std::string> first;
  std::string rows;
  for (const std::uint64_t order : {1u, 2u, 3u, 4u, 5u}) {
    ToySearch bench(GetParam().space);
    FakeExecutor executor(order);
    const auto report = bench.run(toy_options(GetParam().strategy), executor);
    ASSERT_TRUE(report.ok()) << report.rejection().message();
    EXPECT_GT(bench.proposals().size(), 10u);
    if (order == 1) first = bench.proposals();
    EXPECT_EQ(bench.proposals(), first);
    if (order == 1) rows = testing::rows_text(*report);
    EXPECT_EQ(testing::rows_text(*report), rows) << "to the last bit";
  }
}

TEST_P(Driver, EvaluatesNothingTwice) {
  ToySearch bench(GetParam().space);
  FakeExecutor executor;
  ASSERT_TRUE(bench.run(toy_options(GetParam().strategy), executor).ok());
  for (const auto& [key, times] : executor.evaluated()) {
    EXPECT_EQ(times, 1) << key.evaluator << " of " << key.candidate.text();
  }
  // And nothing at all when it is done.
  FakeExecutor again;
  ASSERT_TRUE(bench.run(toy_options(GetParam().strategy), again).ok());
  EXPECT_EQ(again.count(), 0);
}

TEST_P(Driver, GoesOnAsIfItHadNeverStopped) {
  const SearchOptions options = toy_options(GetParam().strategy);
  ToySearch whole(GetParam().space);
  FakeExecutor executor;
  ASSERT_TRUE(whole.run(options, executor).ok());
  ScratchFolder folder;
  const std::string file = folder / "study.db";
  std::int64_t evaluated = 0;
  for (int part = 0; part < 40; ++part) {
    ToySearch bench(GetParam().space, file);  // fresh spaces, as in a new process
    FakeExecutor worker(static_cast<std::uint64_t>(part) + 10);
    std::atomic<bool> stop = false;
    SearchHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](const SearchProgress&) { stop = worker.count() >= 7; };
    const auto report = bench.run(options, worker, hooks);
    ASSERT_TRUE(report.ok()) << report.rejection().message();
    evaluated += worker.count();
    if (!report->was_stopped) break;
  }
  ToySearch done(GetParam().space, file);
  EXPECT_EQ(done.proposals(), whole.proposals());
  EXPECT_LE(evaluated, executor.count() + 40) << "what was stopped may be lost, nothing else";
}

TEST_P(Driver, GoesOnWithMoreCandidatesAsIfItHadHadThemAtOnce) {
  ToySearch whole(GetParam().space), parts(GetParam().space);
  FakeExecutor executor, other(5);
  ASSERT_TRUE(whole.run(toy_options(GetParam().strategy, 40), executor).ok());
  ASSERT_TRUE(parts.run(toy_options(GetParam().strategy, 17), other).ok());
  ASSERT_TRUE(parts.run(toy_options(GetParam().strategy, 40), other).ok());
  EXPECT_EQ(parts.proposals(), whole.proposals());
}

TEST(DriverFunnel, TellsOfNoMoreCandidatesThanItPlans) {
  ToySearch bench("toy-blocks");
  FakeExecutor executor;
  ASSERT_TRUE(bench.run(toy_options("random", 40), executor).ok());
  SearchProgress told;
  SearchHooks hooks;
  hooks.progress = [&](const SearchProgress& now) { told = now; };
  ASSERT_TRUE(bench.run(toy_options("random", 10), executor, hooks).ok());
  EXPECT_EQ(told.folded, 40);
  EXPECT_EQ(told.planned, 40);
}

TEST(DriverFunnel, SharesTheBudgetAmongSpaces) {
  ToySearch bench("both");
  FakeExecutor executor;
  SearchOptions options = toy_options("random", 60);
  ASSERT_TRUE(bench.run(options, executor).ok());
  std::map<std::string, int> by_space;
  ASSERT_TRUE(bench.study
                  ->each_candidate([&](const store::StudyCandidate& candidate) {
                    ++by_space[candidate.space];
                    return true;
                  })
                  .ok());
  EXPECT_GT(by_space["toy-tree"], 3);
  EXPECT_GT(by_space["toy-blocks"], 3);
}

TEST(DriverFunnel, TrainsTheBestFullyWithAllSeedsAndTellsWhichHoldTheLimits) {
  ToySearch bench;
  FakeExecutor executor;
  SearchOptions options = toy_options("tree");
  options.funnel.limits = {{study::Metric::Accuracy, "5%", true},
                           {study::Metric::Latency, "0.9x", false}};
  const auto report = bench.run(options, executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  ASSERT_EQ(report->finalists.size(), 3u);
  ASSERT_TRUE(report->original_final.at(study::Metric::Accuracy).has_value());
  for (const SearchRow& row : report->finalists) {
    if (!row.refused.empty()) continue;
    ASSERT_TRUE(row.scores.at(study::Metric::Accuracy) && row.scores.at(study::Metric::Latency));
    ASSERT_TRUE(row.speedup.has_value());
    EXPECT_NEAR(*row.speedup, 1e-3 / row.scores.at(study::Metric::Latency)->value, 1e-9);
    const bool holds = row.scores.at(study::Metric::Accuracy)->value >=
                           report->original_final.at(study::Metric::Accuracy)->value - 0.05 &&
                       row.scores.at(study::Metric::Latency)->value <=
                           0.9 * report->original_final.at(study::Metric::Latency)->value;
    EXPECT_EQ(row.holds_limits, holds);
    int seeds = 0;
    for (const auto& [key, times] : executor.evaluated()) {
      seeds += key.candidate == row.identity && key.evaluator == "accuracy" && key.fidelity == 10;
    }
    EXPECT_EQ(seeds, 3);
  }
}

TEST(DriverFunnel, TellsHowFarTheFinalsAreAndKeepsTheFunnelOfExploring) {
  ToySearch bench;
  FakeExecutor executor;
  executor.milliseconds = 110;  // longer than it waits between two words
  SearchOptions options = toy_options("tree", 4);
  std::vector<SearchProgress> told;
  SearchHooks hooks;
  hooks.progress = [&](const SearchProgress& now) {
    if (now.phase == SearchProgress::Phase::Finals) told.push_back(now);
  };
  const auto report = bench.run(options, executor, hooks);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  ASSERT_GT(told.size(), 4u);
  for (std::size_t i = 1; i < told.size(); ++i) {
    EXPECT_GE(told[i].finals_done, told[i - 1].finals_done);
    EXPECT_LE(told[i].finals_done, told[i].finals_planned);
  }
  // The original's show how long they take: three trainings and a tuning.
  for (const SearchProgress& now : told) {
    const bool is_known = now.finals_done >= 4 && now.finals_done < now.finals_planned;
    EXPECT_EQ(now.seconds_left > 0, is_known) << now.finals_done;
  }
  EXPECT_LT(told.front().finals_done, told.front().finals_planned);
  EXPECT_EQ(told.back().finals_done, told.back().finals_planned);
  const SearchProgress& last = report->last;
  ASSERT_EQ(last.stages.size(), 3u);
  EXPECT_EQ(last.stages[1].evaluator, "latency") << "exploring begins with it, the finals end";
  EXPECT_EQ(last.stages[0].entered, 4);
  ASSERT_EQ(last.final_stages.size(), 3u);
  EXPECT_EQ(last.final_stages[0].entered, static_cast<std::int64_t>(report->finalists.size()));
}

// What it tells while it runs is of one candidate, and never the original's own.
TEST(DriverFunnel, TellsTheBestCandidateNotTheOriginal) {
  ToySearch bench;
  FakeExecutor executor;
  executor.milliseconds = 25;
  std::vector<SearchProgress> told;
  SearchHooks hooks;
  hooks.progress = [&](const SearchProgress& now) { told.push_back(now); };
  SearchOptions options = toy_options("tree", 12);
  const auto report = bench.run(options, executor, hooks);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  const Fingerprint original = spaces::identity_of({model::structure_of(bench.base), {}, {}});
  int best = 0;
  for (const SearchProgress& now : told) {
    EXPECT_EQ(now.objectives, options.funnel.objectives);
    if (!now.best) continue;
    ++best;
    EXPECT_NE(now.best->candidate, original);
    // Both numbers are what the study has of that one candidate.
    const auto evaluations = bench.study->evaluations(now.best->candidate).value();
    for (const study::Metric metric : now.objectives) {
      bool is_own = false;
      for (const store::Evaluation& each : evaluations) {
        const auto value = each.values.find(std::string(name_of(metric)));
        is_own = is_own || (value != each.values.end() &&
                            value->second.value == now.best->scores.at(metric)->value);
      }
      EXPECT_TRUE(is_own) << name_of(metric);
    }
  }
  EXPECT_GT(best, 0);
}

spaces::Candidate one_candidate(ToySearch& bench) {
  Rng rng(3);
  return {model::structure_of(bench.base), bench.tree.descend(bench.tree.root(), rng)->edits, {}};
}

TEST(DriverFunnel, EvaluatesGivenCandidatesAloneWhereNoneIsToBeProposed) {
  ToySearch bench;
  FakeExecutor executor;
  SearchOptions options = toy_options("tree", 0);
  const spaces::Candidate given = one_candidate(bench);
  options.given = {given};
  std::set<SearchProgress::Phase> phases;
  SearchHooks hooks;
  hooks.progress = [&](const SearchProgress& now) { phases.insert(now.phase); };
  executor.milliseconds = 110;
  const auto report = bench.run(options, executor, hooks);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_EQ(report->last.proposed, 0);
  EXPECT_EQ(bench.study->count_candidates().value(), 2) << "the original is one";
  ASSERT_EQ(report->finalists.size(), 1u);
  EXPECT_EQ(report->finalists[0].identity, spaces::identity_of(given));
  EXPECT_TRUE(phases.count(SearchProgress::Phase::Given)) << "and says what it is doing";
}

TEST(DriverFunnel, TellsWhyAGivenCandidateDidNotComeThrough) {
  ToySearch bench;
  FakeExecutor executor;
  SearchOptions options = toy_options("tree", 0);
  const spaces::Candidate given = one_candidate(bench);
  options.given = {given};
  executor.deadly = {spaces::identity_of(given)};
  const auto report = bench.run(options, executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  ASSERT_EQ(report->refused_given.size(), 1u);
  EXPECT_EQ(report->refused_given[0].identity, spaces::identity_of(given));
  EXPECT_FALSE(report->refused_given[0].evaluator.empty());
  EXPECT_FALSE(report->refused_given[0].detail.empty());
}

TEST(DriverFunnel, ALimitEndsTheWayBeforeWhatComesAfterIt) {
  ToySearch bench;
  FakeExecutor executor;
  SearchOptions options = toy_options("tree");
  options.funnel.limits = {{study::Metric::Latency, "0.8x", false}};
  const auto report = bench.run(options, executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_GT(report->last.refusals.at("OverBudget"), 0);
  // Twice 0.8 of the original's 1 ms is the line between those that were trained and those not.
  for (const auto& [key, times] : executor.evaluated()) {
    if (key.evaluator != "accuracy" || key.fidelity != 2) continue;
    const auto evaluations = bench.study->evaluations(key.candidate);
    ASSERT_TRUE(evaluations.ok());
    for (const store::Evaluation& each : *evaluations) {
      const bool is_original =
          key.candidate == spaces::identity_of({model::structure_of(bench.base), {}, {}});
      if (each.key.evaluator == "latency" && !is_original && each.key.fidelity == 0) {
        EXPECT_LE(each.values.at("latency").value, 0.8e-3);
      }
    }
  }
  const auto rejections = bench.study->rejections();
  ASSERT_TRUE(rejections.ok());
  EXPECT_TRUE(std::any_of(rejections->begin(), rejections->end(),
                          [](const auto& row) { return row.reason == "OverBudget"; }));
}

TEST(DriverFunnel, AGateIsRelativeToTheOriginal) {
  ToySearch bench;
  FakeExecutor executor;
  SearchOptions options = toy_options("tree");
  Stage proxy = toy_stage("fisher", 0);
  proxy.gates = {{"fisher", 0.8, 10, true}};  // the original has 0.5
  options.funnel.explore.insert(options.funnel.explore.begin(), proxy);
  const auto report = bench.run(options, executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_GT(report->last.refusals.at("NotPromising"), 5);
}

// As `jacobian`'s is: a logarithm.
TEST(DriverFunnel, AGateClosesOnNegativeScoresToo) {
  ToySearch bench;
  FakeExecutor executor;
  executor.is_negative = true;
  SearchOptions options = toy_options("tree");
  Stage proxy = toy_stage("jacobian", 0);
  proxy.gates = {{"jacobian", 0.9, Gate{}.most, true}};
  options.funnel.explore.insert(options.funnel.explore.begin(), proxy);
  const auto report = bench.run(options, executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_GT(report->last.refusals.at("NotPromising"), 5);
  // The original has -0.5, so that a tenth of its size below it is -0.55.
  int lower = 0;
  for (const auto& [ticket, identity] : bench.proposals()) {
    const auto known = bench.study->evaluations(Fingerprint::parse(identity).value());
    bool is_refused = false, has_time = false;
    double score = 0;
    for (const store::Evaluation& each : *known) {
      if (each.key.evaluator == "jacobian" && each.state == store::EvaluationState::Done) {
        score = each.values.at("jacobian").value;
      }
      is_refused |= each.key.evaluator == "funnel";
      has_time |= each.key.evaluator == "latency";
    }
    if (score == 0 || ticket < 0) continue;
    lower += score < -0.55 ? 1 : 0;
    EXPECT_EQ(is_refused, score < -0.55) << score;
    EXPECT_EQ(has_time, score >= -0.55) << score;
  }
  EXPECT_GT(lower, 3);
}

TEST(DriverFunnel, TheOriginalMustPassItsOwnEvaluations) {
  ToySearch bench;
  FakeExecutor executor;
  executor.refuses_original = true;
  const auto report = bench.run(toy_options("tree"), executor);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.rejection().reason(), Reason::ImpossibleBudget);
}

TEST(DriverFunnel, WhatIsAbsentHereWaitsAndIsCompletedElsewhere) {
  ToySearch bench;
  bench.context.estimate = [](const model::Model&, const std::string& evaluator) {
    return evaluator == "latency" ? Estimates{{"latency", {7e-4, 0, 1, true}}} : Estimates{};
  };
  FakeExecutor without;
  without.absent = {"latency"};
  SearchOptions options = toy_options("tree", 20);
  const auto report = bench.run(options, without);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  const auto waiting = bench.study->pending("latency");
  ASSERT_TRUE(waiting.ok());
  EXPECT_GT(waiting->size(), 10u);
  for (const SearchRow& row : report->finalists) {
    if (!row.refused.empty()) continue;
    ASSERT_TRUE(row.scores.at(study::Metric::Latency).has_value());
    EXPECT_TRUE(row.scores.at(study::Metric::Latency)->is_estimate);
  }
  FakeExecutor with;
  bench.context.executor = &with;
  SearchHooks hooks;
  std::vector<SearchProgress> told;
  hooks.progress = [&](const SearchProgress& now) { told.push_back(now); };
  const auto completed = complete_pending(bench.context, "latency", hooks);
  ASSERT_TRUE(completed.ok());
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back().phase, SearchProgress::Phase::Complete);
  EXPECT_EQ(told.back().finals_done, told.back().finals_planned);
  EXPECT_EQ(told.back().finals_planned, static_cast<std::int64_t>(waiting->size()));
  EXPECT_EQ(*completed, static_cast<std::int64_t>(waiting->size()));
  EXPECT_EQ(bench.study->pending("latency")->size(), 0u);
  for (const auto& [key, times] : with.evaluated()) EXPECT_EQ(key.evaluator, "latency");
}

TEST(DriverFunnel, TakesWhatWasMeasuredElsewhereWhereItIsAbsentHere) {
  ToySearch bench;
  bench.context.estimate = [](const model::Model&, const std::string&) {
    return Estimates{{"latency", {7e-4, 0, 1, true}}};
  };
  FakeExecutor with, without;
  without.absent = {"latency"};
  ASSERT_TRUE(bench.run(toy_options("tree", 20), with).ok());
  const auto report = bench.run(toy_options("tree", 20), without);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_TRUE(bench.study->pending("latency")->empty());
  EXPECT_TRUE(without.evaluated().empty());
  ASSERT_FALSE(report->finalists.empty());
  EXPECT_FALSE(report->original.at(study::Metric::Latency)->is_estimate);
  for (const SearchRow& row : report->finalists) {
    if (!row.refused.empty()) continue;
    EXPECT_FALSE(row.scores.at(study::Metric::Latency)->is_estimate);
  }
}

TEST(DriverFunnel, TakesOneMachineOfSeveralWhereItIsAbsentHere) {
  ToySearch bench;
  FakeExecutor with, without;
  without.absent = {"latency"};
  ASSERT_TRUE(bench.run(toy_options("tree", 20), with).ok());
  // Another machine has seen the original alone, later, and refused it to another version.
  store::Evaluation other;
  other.key = {spaces::identity_of({model::structure_of(bench.base), {}, {}}),
               "latency",
               "fake 1",
               "{}",
               0,
               1,
               fingerprint_of("another machine")};
  other.values["latency"] = {100, 0, 1, false};
  ASSERT_TRUE(bench.study->add(other).ok());
  other.key.version = "fake 0";
  other.state = store::EvaluationState::Refused;
  other.reason = "NotPromising";
  other.values.clear();
  ASSERT_TRUE(bench.study->add(other).ok());
  const auto report = bench.run(toy_options("tree", 20), without);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_NEAR(report->original.at(study::Metric::Latency)->value, 1e-3, 1e-9);
}

// ---- exploring without trainings

TEST(DriverFunnel, ComparesCostsAloneWhereNothingIsTrained) {
  ToySearch bench;
  FakeExecutor executor;
  SearchOptions options = toy_options("random", 40);
  options.funnel.explore = {toy_stage("latency", 0)};
  options.funnel.limits = {{study::Metric::Accuracy, "90%", true}};
  const auto report = bench.run(options, executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  for (const auto& [key, times] : executor.evaluated()) {
    EXPECT_TRUE(key.evaluator == "latency" || key.fidelity == 10) << "only the finals train";
  }
  // The fastest candidates are in the finals, and the best so far is the fastest of them.
  std::vector<std::pair<double, std::string>> by_latency;
  for (const auto& [ticket, identity] : bench.proposals()) {
    if (ticket < 0) continue;
    const auto known = bench.study->evaluations(Fingerprint::parse(identity).value());
    for (const store::Evaluation& each : *known) {
      const auto latency = each.values.find("latency");
      if (each.key.fidelity == 0 && latency != each.values.end()) {
        by_latency.emplace_back(latency->second.value, identity);
      }
    }
  }
  std::sort(by_latency.begin(), by_latency.end());
  std::set<std::string> expected, finalists;
  for (std::size_t i = 0; i < 3; ++i) expected.insert(by_latency[i].second);
  for (const SearchRow& row : report->finalists) finalists.insert(row.identity.text());
  EXPECT_EQ(finalists, expected);
  ASSERT_TRUE(report->last.best.has_value());
  EXPECT_EQ(report->last.best->candidate.text(), by_latency[0].second);
}

// What is known of probes goes to the finals only if nothing of the funnel is missing.
TEST(DriverFunnel, ProbesAreNoFinalists) {
  ToySearch bench("toy-sites");
  FakeExecutor executor;
  const auto report = bench.run(toy_options("compose"), executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  std::set<Fingerprint> trained;
  for (const auto& [key, times] : executor.evaluated()) {
    if (key.evaluator == "accuracy" && key.fidelity == 2) trained.insert(key.candidate);
  }
  EXPECT_GT(trained.size(), 3u);
  EXPECT_LT(trained.size(), 30u) << "compositions only";
  EXPECT_FALSE(report->finalists.empty());
  for (const SearchRow& row : report->finalists) EXPECT_EQ(trained.count(row.identity), 1u);
}

TEST(DriverFunnel, CountsAsPendingOnlyWhatWaitsForAnotherMachine) {
  for (const bool is_absent : {false, true}) {
    ToySearch bench;
    FakeExecutor executor;
    (is_absent ? executor.absent : executor.estimating) = {"latency"};
    const auto report = bench.run(toy_options("random", 20), executor);
    ASSERT_TRUE(report.ok()) << report.rejection().message();
    const Passages::Count& latency = report->last.stages.at(1);
    ASSERT_EQ(latency.evaluator, "latency");
    EXPECT_GT(latency.entered, 5);
    EXPECT_EQ(latency.pending, is_absent ? latency.entered : 0) << "an estimate is an answer";
  }
}

// What the user reads if there are no finals.
TEST(DriverFunnel, TellsTheFrontAndWhatTheStrategyRemarks) {
  ToySearch bench("toy-sites");
  FakeExecutor executor;
  SearchOptions options = toy_options("compose", 10);
  options.funnel.finalists = 0;
  const auto early = bench.run(options, executor);
  ASSERT_TRUE(early.ok()) << early.rejection().message();
  ASSERT_EQ(early->remarks.size(), 1u);
  EXPECT_NE(early->remarks[0].find(" of 18 options were proposed"), std::string::npos)
      << early->remarks[0];
  EXPECT_TRUE(early->front.empty()) << "probes are not trained";
  options.candidates = 60;
  const auto report = bench.run(options, executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  ASSERT_EQ(report->remarks.size(), 1u);
  EXPECT_NE(report->remarks[0].find("sums of options predicted latency of "), std::string::npos);
  EXPECT_EQ(report->last.phase, SearchProgress::Phase::Explore) << "there are no finals";
  EXPECT_TRUE(report->finalists.empty());
  EXPECT_EQ(report->last.objectives, options.funnel.objectives);
  ASSERT_GT(report->front.size(), 1u);
  EXPECT_LE(report->front.size(), report->last.front) << "the original is not listed";
  for (std::size_t i = 1; i < report->front.size(); ++i) {
    const auto &better = report->front[i - 1].scores, &other = report->front[i].scores;
    EXPECT_GT(better.at(study::Metric::Accuracy)->value, other.at(study::Metric::Accuracy)->value);
    EXPECT_GT(better.at(study::Metric::Latency)->value, other.at(study::Metric::Latency)->value);
  }
  EXPECT_FALSE(report->front[0].title.empty());
}

// ---- two searches at once

TEST(SharedStudy, EvaluatesNothingTwiceForTwoSearchesAtOnce) {
  const ScratchFolder folder;
  const std::string file = folder / "study";
  FakeExecutor executors[2];
  std::string rows[2];
  const auto live = [&](int number) {
    ToySearch bench("toy-tree", file);
    executors[number].milliseconds = 1;
    SearchOptions options = toy_options("tree", 20);  // the same candidates in both
    options.name = "search " + std::to_string(number);
    const auto report = bench.run(options, executors[number]);
    ASSERT_TRUE(report.ok()) << report.rejection().message();
    rows[number] = testing::rows_text(*report);
  };
  { const ToySearch made("toy-tree", file); }
  std::thread other([&] { live(1); });
  live(0);
  other.join();
  EXPECT_FALSE(rows[0].empty());
  EXPECT_EQ(rows[0], rows[1]);
  std::map<store::EvaluationKey, int> times;
  for (const FakeExecutor& executor : executors) {
    for (const auto& [key, count] : executor.evaluated()) times[key] += count;
  }
  for (const auto& [key, count] : times) EXPECT_EQ(count, 1) << testing::text_of(key);
}

TEST(SharedStudy, DoesNotWaitForADeadSearch) {
  ToySearch bench;
  FakeExecutor executor;
  const spaces::Candidate original{model::structure_of(bench.base), {}, {}};
  store::StudyCandidate row;
  row.identity = spaces::identity_of(original);
  row.document = spaces::to_json(original);
  ASSERT_TRUE(bench.study->add(row).ok());
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const std::string own = new_owner();
  const std::string dead = own.substr(0, own.find('/')) + "/" + std::to_string(child) + "/1";
  const store::EvaluationKey key{
      row.identity, "latency", "fake 1", "{}", 0, 1, fingerprint_of("fake machine")};
  ASSERT_EQ(bench.study->claim(key, dead, 0, 1e12)->owner, dead);
  const auto report = bench.run(toy_options("tree", 5), executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_EQ(executor.evaluated().at(key), 1);
}

// What each training was compared with, by candidate, and the order in which they came.
struct References {
  explicit References(FakeExecutor& executor) {
    executor.watch = [this](const Job& job) {
      if (job.key.evaluator == "accuracy") of.emplace_back(job.key.candidate, job.reference);
    };
  }
  std::vector<std::pair<Fingerprint, std::vector<double>>> of;
};

TEST(DriverFunnel, GivesTheOriginalsCurveToEveryTrainingButItsOwn) {
  ToySearch bench;
  FakeExecutor executor;
  const References references(executor);
  ASSERT_TRUE(bench.run(toy_options("tree"), executor).ok());
  const Fingerprint original = spaces::identity_of({model::structure_of(bench.base), {}, {}});
  ASSERT_GT(references.of.size(), 20u);
  for (const auto& [candidate, reference] : references.of) {
    EXPECT_EQ(reference, candidate == original ? std::vector<double>() : executor.curve(0.5));
  }
}

TEST(DriverFunnel, CompletesTheOriginalBeforeThoseThatAreComparedWithIt) {
  ToySearch bench;
  FakeExecutor without, with;
  without.absent = {"accuracy"};
  ASSERT_TRUE(bench.run(toy_options("tree", 20), without).ok());
  const References references(with);
  bench.context.executor = &with;
  ASSERT_TRUE(complete_pending(bench.context, "accuracy").ok());
  ASSERT_GT(references.of.size(), 10u);
  for (const auto& [candidate, reference] : references.of) {
    const bool is_original =
        candidate == spaces::identity_of({model::structure_of(bench.base), {}, {}});
    EXPECT_EQ(reference, is_original ? std::vector<double>() : with.curve(0.5));
  }
}

// ---- when the machine fails

class Broken : public ::testing::TestWithParam<Reason> {};

INSTANTIATE_TEST_SUITE_P(All, Broken, ::testing::Values(Reason::Unavailable, Reason::WorkerDied),
                         [](const auto& each) { return std::string(name_of(each.param)); });

TEST_P(Broken, MachineEndsTheSearchWhichGoesOnWhenItIsWellAgain) {
  ToySearch whole("toy-blocks"), bench("toy-blocks");
  FakeExecutor executor, broken, well(3);
  ASSERT_TRUE(whole.run(toy_options("evolution"), executor).ok());
  broken.sound = 40;
  broken.breaks_with = GetParam();
  const auto failed = bench.run(toy_options("evolution"), broken);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.rejection().reason(), GetParam());
  EXPECT_NE(failed.rejection().message().find("no device answers"), std::string::npos);
  EXPECT_LT(broken.count(), 50) << "it does not go on when all is lost";
  const auto rejections = bench.study->rejections();
  ASSERT_TRUE(rejections.ok());
  for (const auto& row : *rejections) EXPECT_NE(row.reason, "Unavailable");
  // As if nothing had been: no candidate is judged by what the machine did to it.
  const auto report = bench.run(toy_options("evolution"), well);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_EQ(bench.proposals(), whole.proposals());
  EXPECT_EQ(bench.study->rejections()->size(), whole.study->rejections()->size());
}

TEST(DriverFunnel, GoesOnWhenCandidatesDieButTheOriginalLives) {
  ToySearch first("toy-blocks"), bench("toy-blocks");
  FakeExecutor executor, deadly;
  ASSERT_TRUE(first.run(toy_options("random", 40), executor).ok());
  for (const auto& [ticket, identity] : first.proposals()) {
    if (ticket >= 5 && ticket < 20) deadly.deadly.insert(Fingerprint::parse(identity).value());
  }
  const auto report = bench.run(toy_options("random", 40), deadly);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_GT(deadly.deadly.size(), 10u);
  EXPECT_GE(report->last.refusals.at("WorkerDied"),
            static_cast<std::int64_t>(deadly.deadly.size()));
  EXPECT_EQ(bench.proposals(), first.proposals());
}

TEST(DriverFunnel, TriesTheDeadAgainButNotWhatTookTooLong) {
  ToySearch bench("toy-blocks");
  FakeExecutor first;
  first.job_seconds = 5;
  SearchOptions options = toy_options("random", 20);
  options.funnel.finals.clear();
  ASSERT_TRUE(bench.run(options, first).ok());
  const auto proposals = bench.proposals();
  const auto deaths_after = [&](double taken, double limit) {
    ToySearch other("toy-blocks");
    FakeExecutor deadly, later;
    deadly.job_seconds = 5;
    deadly.seconds = taken;
    deadly.deadly = {Fingerprint::parse(proposals.at(3)).value()};
    EXPECT_TRUE(other.run(options, deadly).ok());
    later.job_seconds = limit;
    SearchOptions again = options;
    again.name = "another search of the same candidates";
    EXPECT_TRUE(other.run(again, later).ok());
    return later.count();
  };
  EXPECT_EQ(deaths_after(5, 5), 0) << "it took too long";
  EXPECT_GT(deaths_after(5, 10), 0) << "it has more time now";
  EXPECT_GT(deaths_after(1, 5), 0) << "it died";
}

TEST(DriverFunnel, WhatTheOriginalIsRefusedForIsNotKept) {
  ToySearch bench;
  FakeExecutor failing, well;
  failing.refuses_original = true;
  EXPECT_FALSE(bench.run(toy_options("tree", 10), failing).ok());
  EXPECT_TRUE(bench.run(toy_options("tree", 10), well).ok()) << "what was wrong was put right";
}

TEST(DriverFunnel, RefusesLimitsThatCannotBeReadBeforeItMeasures) {
  ToySearch bench;
  FakeExecutor executor;
  SearchOptions options = toy_options("tree");
  options.funnel.limits = {{study::Metric::Latency, "3 parsecs", false}};
  const auto report = bench.run(options, executor);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.rejection().reason(), Reason::BadOption);
  EXPECT_EQ(executor.count(), 0);
}

TEST(DriverFunnel, NobodyHoldsALimitThatWaitsForAnEvaluator) {
  ToySearch bench;
  FakeExecutor executor;
  executor.absent = {"accuracy"};
  SearchOptions options = toy_options("tree", 20);
  options.funnel.limits = {{study::Metric::Accuracy, "1%", true}};
  const auto report = bench.run(options, executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  for (const SearchRow& row : report->finalists) EXPECT_FALSE(row.holds_limits);
}

// The toy tree bounds MACs and parameters from the word; whoever is refused so has no cost.
TEST(DriverFunnel, RefusesByTheDocumentBeforeAModelIsBuilt) {
  ToySearch bench;
  FakeExecutor executor;
  SearchOptions options = toy_options("enumerate", 100);
  constexpr std::int64_t kMost = 300;
  options.funnel.limits = {{study::Metric::Macs, std::to_string(kMost), false}};
  const auto report = bench.run(options, executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  int by_document = 0, by_count = 0, kept = 0;
  std::vector<spaces::Candidate> met;
  const Status listed = bench.study->each_candidate([&](const store::StudyCandidate& row) {
    met.push_back(spaces::parse_candidate(row.document).value());
    return true;
  });
  ASSERT_TRUE(listed.ok());
  for (const spaces::Candidate& candidate : met) {
    if (candidate.edits.empty()) continue;
    const auto model = spaces::apply(bench.base, candidate, {&bench.tree}).value();
    const bool is_above = model::cost_of(model).macs > kMost;
    bool is_refused = false, is_counted = false;
    const auto evaluations = bench.study->evaluations(spaces::identity_of(candidate)).value();
    for (const store::Evaluation& each : evaluations) {
      is_counted = is_counted || each.key.evaluator == study::kCostEvaluator;
      if (each.key.evaluator != "funnel" || each.reason != "OverBudget") continue;
      is_refused = true;
      const bool is_bound = each.detail.find("at least") != std::string::npos;
      by_document += is_bound;
      by_count += !is_bound;
      EXPECT_EQ(is_bound, !is_counted) << each.detail;
    }
    EXPECT_EQ(is_refused, is_above) << candidate.edits[0].document;
    kept += !is_refused;
  }
  EXPECT_GT(by_document, 0);
  EXPECT_GT(by_count, 0) << "where the rest of the model decides";
  EXPECT_GT(kept, 0);
}

TEST(DriverFunnel, EndsWhenTheSpaceHasNothingMore) {
  ToySearch bench;
  FakeExecutor executor;
  const auto report = bench.run(toy_options("enumerate", 100'000), executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_TRUE(report->is_exhausted);
  EXPECT_LT(report->last.proposed, 1000);
}

// What somebody names is tried before all else and gets to the finals, whatever the limits are.
TEST(DriverFunnel, CarriesGivenCandidatesToTheFinals) {
  ToySearch bench;
  FakeExecutor executor(1);
  SearchOptions options = toy_options("random", 10);
  options.funnel.finalists = 1;
  options.funnel.limits = {{study::Metric::Latency, "0.9x", false}};
  spaces::Candidate given;
  given.base = model::structure_of(bench.base);
  Rng rng(3);
  given.edits = bench.tree.descend(bench.tree.root(), rng)->edits;
  options.given = {given};
  const auto report = bench.run(options, executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  const auto is_given = [&](const SearchRow& row) {
    return row.identity == spaces::identity_of(given);
  };
  EXPECT_EQ(std::count_if(report->finalists.begin(), report->finalists.end(), is_given), 1);
  EXPECT_LE(report->finalists.size(), 2u);
  const auto row = bench.study->candidate(spaces::identity_of(given)).value();
  ASSERT_TRUE(row);
  EXPECT_EQ(row->strategy, "given");
}

}  // namespace
}  // namespace cambium::search
