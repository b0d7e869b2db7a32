#include "search/driver.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "base/scratch_folder_testing.h"
#include "model/fingerprint.h"
#include "search/testing/fake_executor.h"
#include "spaces/testing/toy_blocks.h"
#include "spaces/testing/toy_net.h"
#include "spaces/testing/toy_tree.h"

namespace cambium::search {
namespace {

using spaces::testing::ToyBlocks;
using spaces::testing::ToyTree;
using testing::FakeExecutor;

Stage stage(const std::string& evaluator, double fidelity) {
  Stage stage;
  stage.evaluator = evaluator;
  stage.fidelity = fidelity;
  return stage;
}

SearchOptions options_of(const std::string& strategy, std::int64_t candidates = 60) {
  SearchOptions options;
  options.strategy.name = strategy;
  options.strategy.seed = 7;
  options.strategy.in_flight = 4;
  options.strategy.objectives = {Metric::Accuracy, Metric::Latency};
  options.candidates = candidates;
  options.folds_per_snapshot = 5;
  options.funnel.explore = {stage("latency", 0), stage("accuracy", 2)};
  options.funnel.finals = {stage("accuracy", 10), stage("latency", 64)};
  options.funnel.finals[0].seeds = {1, 2, 3};
  options.funnel.finalists = 3;
  return options;
}

// One search over fresh spaces in a study of its own.
struct Bench {
  explicit Bench(const std::string& space = "toy-tree", const std::string& path = {})
      : base(spaces::testing::toy_net()), tree(), blocks(base) {
    file = path.empty() ? folder / "study.db" : path;
    auto opened = store::StudyStore::open(file);
    EXPECT_TRUE(opened.ok());
    study.emplace(std::move(opened).value());
    store::StudyHead head;
    head.base = model::structure_of(base);
    EXPECT_TRUE(study->set_head(head).ok());
    context.base = &base;
    if (space != "toy-blocks") context.spaces.push_back(&tree);
    if (space != "toy-tree") context.spaces.push_back(&blocks);
    context.study = &*study;
  }

  Result<SearchReport> run(const SearchOptions& options, Executor& executor,
                           const SearchHooks& hooks = {}) {
    context.executor = &executor;
    return search::run(context, options, hooks);
  }

  // Identities by ticket.
  std::map<std::int64_t, std::string> proposals() {
    std::map<std::int64_t, std::string> all;
    EXPECT_TRUE(study
                    ->each_candidate([&](const store::StudyCandidate& candidate) {
                      all[candidate.ticket] = candidate.identity.text();
                      return true;
                    })
                    .ok());
    return all;
  }

  ScratchFolder folder;
  std::string file;
  model::Model base;
  ToyTree tree;
  ToyBlocks blocks;
  std::optional<store::StudyStore> study;
  SearchContext context;
};

struct Case {
  const char* strategy;
  const char* space;
};

class Driver : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(All, Driver,
                         ::testing::Values(Case{"tree", "toy-tree"}, Case{"random", "toy-tree"},
                                           Case{"enumerate", "toy-tree"},
                                           Case{"evolution", "toy-blocks"},
                                           Case{"random", "toy-blocks"}),
                         [](const auto& each) {
                           std::string name = each.param.strategy;
                           return name + (each.param.space == std::string("toy-tree") ? "OnTree"
                                                                                      : "OnBlocks");
                         });

TEST_P(Driver, IsTheSameSearchForAnyOrderOfCompletion) {
  std::map<std::int64_t, std::string> first;
  for (const std::uint64_t order : {1u, 2u, 3u}) {
    Bench bench(GetParam().space);
    FakeExecutor executor(order);
    const auto report = bench.run(options_of(GetParam().strategy), executor);
    ASSERT_TRUE(report.ok()) << report.rejection().message();
    EXPECT_GT(bench.proposals().size(), 10u);
    if (order == 1) first = bench.proposals();
    EXPECT_EQ(bench.proposals(), first);
  }
}

TEST_P(Driver, EvaluatesNothingTwice) {
  Bench bench(GetParam().space);
  FakeExecutor executor;
  ASSERT_TRUE(bench.run(options_of(GetParam().strategy), executor).ok());
  for (const auto& [key, times] : executor.evaluated()) {
    EXPECT_EQ(times, 1) << key.evaluator << " of " << key.candidate.text();
  }
  // And nothing at all when it is done.
  FakeExecutor again;
  ASSERT_TRUE(bench.run(options_of(GetParam().strategy), again).ok());
  EXPECT_EQ(again.count(), 0);
}

TEST_P(Driver, GoesOnAsIfItHadNeverStopped) {
  const SearchOptions options = options_of(GetParam().strategy);
  Bench whole(GetParam().space);
  FakeExecutor executor;
  ASSERT_TRUE(whole.run(options, executor).ok());
  ScratchFolder folder;
  const std::string file = folder / "study.db";
  std::int64_t evaluated = 0;
  for (int part = 0; part < 40; ++part) {
    Bench bench(GetParam().space, file);  // fresh spaces, as in a new process
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
  Bench done(GetParam().space, file);
  EXPECT_EQ(done.proposals(), whole.proposals());
  EXPECT_LE(evaluated, executor.count() + 40) << "what was stopped may be lost, nothing else";
}

TEST_P(Driver, GoesOnWithMoreCandidatesAsIfItHadHadThemAtOnce) {
  Bench whole(GetParam().space), parts(GetParam().space);
  FakeExecutor executor, other(5);
  ASSERT_TRUE(whole.run(options_of(GetParam().strategy, 40), executor).ok());
  ASSERT_TRUE(parts.run(options_of(GetParam().strategy, 17), other).ok());
  ASSERT_TRUE(parts.run(options_of(GetParam().strategy, 40), other).ok());
  EXPECT_EQ(parts.proposals(), whole.proposals());
}

TEST(DriverFunnel, SharesTheBudgetAmongSpaces) {
  Bench bench("both");
  FakeExecutor executor;
  SearchOptions options = options_of("random", 60);
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
  Bench bench;
  FakeExecutor executor;
  SearchOptions options = options_of("tree");
  options.funnel.limits = {{Metric::Accuracy, "5%", true}, {Metric::Latency, "0.9x", false}};
  const auto report = bench.run(options, executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  ASSERT_EQ(report->finalists.size(), 3u);
  ASSERT_TRUE(report->original_final.at(Metric::Accuracy).has_value());
  for (const SearchRow& row : report->finalists) {
    if (!row.refused.empty()) continue;
    ASSERT_TRUE(row.scores.at(Metric::Accuracy) && row.scores.at(Metric::Latency));
    const bool holds = row.scores.at(Metric::Accuracy)->value >=
                           report->original_final.at(Metric::Accuracy)->value - 0.05 &&
                       row.scores.at(Metric::Latency)->value <=
                           0.9 * report->original_final.at(Metric::Latency)->value;
    EXPECT_EQ(row.holds_limits, holds);
    int seeds = 0;
    for (const auto& [key, times] : executor.evaluated()) {
      seeds += key.candidate == row.identity && key.evaluator == "accuracy" && key.fidelity == 10;
    }
    EXPECT_EQ(seeds, 3);
  }
}

TEST(DriverFunnel, ALimitEndsTheWayBeforeWhatComesAfterIt) {
  Bench bench;
  FakeExecutor executor;
  SearchOptions options = options_of("tree");
  options.funnel.limits = {{Metric::Latency, "0.8x", false}};
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
  Bench bench;
  FakeExecutor executor;
  SearchOptions options = options_of("tree");
  Stage proxy = stage("fisher", 0);
  proxy.gates = {{"fisher", 0.8, 10, true}};  // the original has 0.5
  options.funnel.explore.insert(options.funnel.explore.begin(), proxy);
  const auto report = bench.run(options, executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_GT(report->last.refusals.at("NotPromising"), 5);
}

TEST(DriverFunnel, TheOriginalMustPassItsOwnEvaluations) {
  Bench bench;
  FakeExecutor executor;
  executor.refuses_original = true;
  const auto report = bench.run(options_of("tree"), executor);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.rejection().reason(), Reason::ImpossibleBudget);
}

TEST(DriverFunnel, WhatIsAbsentHereWaitsAndIsCompletedElsewhere) {
  Bench bench;
  bench.context.estimate = [](const model::Model&, const std::string& evaluator) {
    return evaluator == "latency" ? Estimates{{"latency", {7e-4, 0, 1, true}}} : Estimates{};
  };
  FakeExecutor without;
  without.absent = {"latency"};
  SearchOptions options = options_of("tree", 20);
  const auto report = bench.run(options, without);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  const auto waiting = bench.study->pending("latency");
  ASSERT_TRUE(waiting.ok());
  EXPECT_GT(waiting->size(), 10u);
  for (const SearchRow& row : report->finalists) {
    if (!row.refused.empty()) continue;
    ASSERT_TRUE(row.scores.at(Metric::Latency).has_value());
    EXPECT_TRUE(row.scores.at(Metric::Latency)->is_estimate);
  }
  FakeExecutor with;
  bench.context.executor = &with;
  const auto completed = complete_pending(bench.context, "latency");
  ASSERT_TRUE(completed.ok());
  EXPECT_EQ(*completed, static_cast<std::int64_t>(waiting->size()));
  EXPECT_EQ(bench.study->pending("latency")->size(), 0u);
  for (const auto& [key, times] : with.evaluated()) EXPECT_EQ(key.evaluator, "latency");
}

TEST(DriverFunnel, EndsWhenTheSpaceHasNothingMore) {
  Bench bench;
  FakeExecutor executor;
  const auto report = bench.run(options_of("enumerate", 100'000), executor);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_TRUE(report->is_exhausted);
  EXPECT_LT(report->last.proposed, 1000);
}

}  // namespace
}  // namespace cambium::search
