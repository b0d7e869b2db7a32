#include "engine/tune.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/features.h"
#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "store/tuning_store.h"

namespace cambium::engine {
namespace {

namespace fs = std::filesystem;

class Tuning : public testing::Test {
 protected:
  Tuning() {
    options_.db = folder_ / "deep/t.db";
    options_.runner = CAMBIUM_RUNNER;
    options_.trials = 4;
    options_.strategy = "random";
    const auto parsed = parse_operator("matmul(16x16x16, constant)");
    tasks_.push_back(task_of(parsed->model, parsed->layouts, 1).value());
  }

  ScratchFolder folder_;
  TuningOptions options_;
  std::vector<TuningTask> tasks_;
};

#define NEEDS_LLVM() \
  if (!require_feature("llvm").ok()) GTEST_SKIP() << "needs LLVM"

TEST_F(Tuning, MeasuresKeepsAndReports) {
  NEEDS_LLVM();
  std::int64_t shown = 0;
  TuningHooks hooks;
  hooks.progress = [&](const TuningProgress& progress) {
    ++shown;
    EXPECT_EQ(progress.rows.size(), 1u);
    EXPECT_EQ(progress.rows[0].peer, "missing: cambium-peers was not found");
  };
  const auto report = tune_tasks(tasks_, host_machine(), options_, hooks);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_GT(shown, 0);
  const TuningRow& row = report->last.rows[0];
  EXPECT_EQ(row.trials, 4);
  EXPECT_GT(row.seconds, 0);
  EXPECT_GT(row.default_seconds, 0);
  EXPECT_GT(row.roofline_seconds, 0);
  EXPECT_GT(row.gflops(), 0);
  EXPECT_FALSE(row.trace.empty());
  EXPECT_EQ(to_json(*report, "it")["tasks"][0]["calls"], 1);

  const auto again = tune_tasks(tasks_, host_machine(), options_);
  ASSERT_TRUE(again.ok()) << again.rejection().message();
  EXPECT_EQ(again->last.rows[0].reused, 4) << "a trial is never spent twice";
}

TEST_F(Tuning, AsksVendorLibrariesWithinItsTime) {
  NEEDS_LLVM();
  const std::string slow = folder_ / "cambium-peers";
  ASSERT_TRUE(write_file(slow, "#!/bin/sh\nsleep 600\n").ok());
  fs::permissions(slow, fs::perms::owner_all);
  options_.peers = slow;
  options_.seconds = 60;  // so that there is time for a trial on a busy machine, too
  tasks_.push_back(tasks_[0]);
  tasks_.back().task.name = "again";
  tasks_.back().task.fingerprint.low ^= 1;
  const auto begin = std::chrono::steady_clock::now();
  const auto report = tune_tasks(tasks_, host_machine(), options_);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_LT(took.count(), 300);
  EXPECT_GE(report->last.seconds, 6) << "the time of asking counts";
  EXPECT_GE(report->last.rows[0].trials, 1);
  EXPECT_NE(report->last.rows[0].peer.find("missing"), std::string::npos);
  EXPECT_EQ(report->last.rows[1].peer, "missing: there was no time to ask it");
}

TEST_F(Tuning, TellsHowWellTheModelKnowsProgramsThatItHasNotSeen) {
  NEEDS_LLVM();
  options_.strategy = "evolution";
  options_.trials = 24;
  const auto alone = tune_tasks(tasks_, host_machine(), options_);
  ASSERT_TRUE(alone.ok()) << alone.rejection().message();
  EXPECT_TRUE(to_json(*alone, "it")["model_quality"].is_null()) << "there is one program";
  for (const char* text : {"matmul(32x16x24, constant)", "matmul(24x48x16, constant)"}) {
    const auto parsed = parse_operator(text);
    tasks_.push_back(task_of(parsed->model, parsed->layouts, 1).value());
  }
  const auto report = tune_tasks(tasks_, host_machine(), options_);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  const auto quality = to_json(*report, "it")["model_quality"];
  if (!report->model_note.empty()) GTEST_SKIP() << report->model_note;
  ASSERT_TRUE(quality.is_object());
  // How trials are shared out depends on times, so a busy machine changes the number.
  EXPECT_GT(quality["examples"], 24) << "more than one program has";
  EXPECT_LE(quality["asked"], quality["examples"]);
  EXPECT_LE(quality["rank_correlation"], 1);
  EXPECT_GT(quality["best_of_top_8"], 0);
}

TEST_F(Tuning, StopsWhenAsked) {
  NEEDS_LLVM();
  const std::atomic<bool> stop{true};
  TuningHooks hooks;
  hooks.stop = &stop;
  options_.trials = 1000;
  const auto report = tune_tasks(tasks_, host_machine(), options_, hooks);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_TRUE(report->was_stopped);
  EXPECT_LT(report->last.rows[0].trials, 100);
}

TEST_F(Tuning, RefusesUnknownRulesAndStrategies) {
  NEEDS_LLVM();
  TuningOptions wrong = options_;
  wrong.without = {"gravity"};
  EXPECT_EQ(tune_tasks(tasks_, host_machine(), wrong).rejection().reason(), Reason::UnknownRule);
  EXPECT_FALSE(fs::exists(options_.db)) << "refused before any work";
  wrong = options_;
  wrong.space = "outer";
  const auto elsewhere = tune_tasks(tasks_, host_machine(), wrong);
  ASSERT_FALSE(elsewhere.ok());
  EXPECT_EQ(elsewhere.rejection().reason(), Reason::BadOption);
  EXPECT_NE(elsewhere.rejection().message().find("whole, stock"), std::string::npos);
  EXPECT_FALSE(fs::exists(options_.db)) << "refused before any work";
  wrong = options_;
  wrong.strategy = "luck";
  EXPECT_EQ(tune_tasks(tasks_, host_machine(), wrong).rejection().reason(),
            Reason::UnknownStrategy);
}

TEST_F(Tuning, SearchesTheSpaceThatIsAskedFor) {
  NEEDS_LLVM();
  const auto whole = tune_tasks(tasks_, host_machine(), options_);
  ASSERT_TRUE(whole.ok()) << whole.rejection().message();
  options_.space = "stock";
  options_.trials = 8;
  const auto report = tune_tasks(tasks_, host_machine(), options_);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  const TuningRow& row = report->last.rows[0];
  EXPECT_EQ(row.trace.find("contraction-tile"), std::string::npos)
      << "what other spaces have is no result: " << row.trace;
  EXPECT_NE(row.trace.find("multi-level-tiling"), std::string::npos) << row.trace;
  EXPECT_EQ(to_json(*report, "it")["space"], "stock");
}

TEST_F(Tuning, SpendsItsTrialsWithoutARuleThatOthersHad) {
  NEEDS_LLVM();
  const auto whole = tune_tasks(tasks_, host_machine(), options_);
  ASSERT_TRUE(whole.ok()) << whole.rejection().message();
  options_.without = {"contraction-tile"};
  const auto report = tune_tasks(tasks_, host_machine(), options_);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  const TuningRow& row = report->last.rows[0];
  EXPECT_EQ(row.trials, options_.trials);
  EXPECT_EQ(row.reused, 0);
  EXPECT_GT(row.seconds, 0);
  EXPECT_EQ(row.trace.find("contraction-tile"), std::string::npos) << row.trace;
}

TEST_F(Tuning, SearchesWithARuleOfOnesOwn) {
  NEEDS_LLVM();
  options_.rules = {{"own", "says how often it was asked",
                     [](schedule::Draft& draft, const std::string&) -> Status {
                       draft.choose("anything", {"this", "that"});
                       return Ok{};
                     }}};
  const auto report = tune_tasks(tasks_, host_machine(), options_);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_EQ(to_json(*report, "it")["space"], "whole + own");
  EXPECT_EQ(report->last.rows[0].trials, options_.trials);
  auto store = store::TuningStore::open(options_.db);
  ASSERT_TRUE(store.ok());
  const std::vector<store::Trial> trials = *store->trials(store->keys()->front());
  EXPECT_EQ(trials.size(), 4u);
  EXPECT_TRUE(std::any_of(trials.begin(), trials.end(), [](const store::Trial& trial) {
    return trial.trace.find("\"own/") != std::string::npos;
  })) << trials[0].trace;
}

TEST_F(Tuning, AsksNoVendorLibraryAnyMoreWhenItIsStopped) {
  NEEDS_LLVM();
  const std::string slow = folder_ / "cambium-peers";
  ASSERT_TRUE(write_file(slow, "#!/bin/sh\nsleep 600\n").ok());
  fs::permissions(slow, fs::perms::owner_all);
  options_.peers = slow;
  tasks_.push_back(tasks_[0]);
  tasks_.back().task.name = "again";
  std::atomic<bool> stop{false};
  TuningHooks hooks;
  hooks.stop = &stop;
  std::vector<std::string> asked;
  std::thread later;
  hooks.progress = [&](const TuningProgress& progress) {
    if (!progress.asked.has_value()) return;
    asked.push_back(progress.now);
    later = std::thread([&stop] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      stop = true;
    });
  };
  const auto begin = std::chrono::steady_clock::now();
  const auto report = tune_tasks(tasks_, host_machine(), options_, hooks);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  later.join();
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_TRUE(report->was_stopped);
  EXPECT_LT(took.count(), 300);
  EXPECT_EQ(asked, std::vector{tasks_[0].task.name});
  for (const TuningRow& row : report->last.rows) {
    EXPECT_EQ(row.peer, "missing: there was no time to ask it");
  }
}

TEST_F(Tuning, EveryRuleSaysWhatItDoes) {
  EXPECT_EQ(tuning_rules("none").rejection().reason(), Reason::BadOption);
  for (const std::string& space : tuning_spaces()) {
    const auto rules = tuning_rules(space);
    ASSERT_TRUE(rules.ok()) << space;
    EXPECT_FALSE(rules->empty());
    for (const RuleRow& rule : *rules) EXPECT_FALSE(rule.summary.empty()) << rule.name;
  }
  EXPECT_FALSE(tuning_strategies().empty());
}

}  // namespace
}  // namespace cambium::engine
