#include "cli/search_view.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "engine/search/studies.h"

namespace cambium::cli {
namespace {

using search::SearchProgress;
using study::Metric;

SearchProgress progress(SearchProgress::Phase phase) {
  SearchProgress now;
  now.phase = phase;
  now.folded = now.planned = 100;
  now.stages = {{"cost", 100, 80, 0}, {"latency", 20, 0, 3}};
  now.seconds_left = 65;
  return now;
}

TEST(SearchView, TellsHowFarTheFinalsAre) {
  SearchProgress now = progress(SearchProgress::Phase::Finals);
  now.finals_done = 3;
  now.finals_planned = 24;
  EXPECT_EQ(summary_text(now),
            "training and tuning the best: 3 of 24 evaluations, 1 min 05 s left");
  now.phase = SearchProgress::Phase::Complete;
  EXPECT_EQ(summary_text(now),
            "completing pending evaluations: 3 of 24 evaluations, 1 min 05 s left");
  now.phase = SearchProgress::Phase::Explore;
  EXPECT_EQ(summary_text(now), "exploring: 100 of 100 candidates, 1 min 05 s left");
}

TEST(SearchView, ShowsTheFunnelOfExploringAndBehindItThatOfTheFinals) {
  SearchProgress now = progress(SearchProgress::Phase::Finals);
  EXPECT_EQ(funnel_text(now), "cost 100 (80 refused), latency 20 (3 pending)");
  now.final_stages = {{"cost", 4, 0, 0}, {"accuracy", 4, 1, 0}};
  EXPECT_EQ(funnel_text(now),
            "cost 100 (80 refused), latency 20 (3 pending), final cost 4, final accuracy 4 "
            "(1 refused)");
  EXPECT_EQ(funnel_lines(now).size(), 5u) << "a head and four stages";
}

TEST(SearchView, TellsOneCandidateAndWhatTheOriginalHas) {
  SearchProgress now = progress(SearchProgress::Phase::Explore);
  EXPECT_EQ(best_text(now), "no candidate has passed all stages yet");
  now.known = 3;
  EXPECT_EQ(best_text(now), "no candidate beats the original yet");
  now.objectives = {Metric::Accuracy, Metric::Latency};
  now.original.set(Metric::Accuracy, {0.92, 0, false});
  now.original.set(Metric::Latency, {0.004, 0, false});
  now.best.emplace();
  now.best->candidate = fingerprint_of("one");
  now.best->scores.set(Metric::Accuracy, {0.91, 0, false});
  now.best->scores.set(Metric::Latency, {0.002, 0, true});
  now.best->scores.set(Metric::Macs, {1e6, 0, false});
  EXPECT_EQ(best_text(now), "best: " + study::short_id(fingerprint_of("one")) + ", accuracy " +
                                text_of(Metric::Accuracy, 0.91) + " (original " +
                                text_of(Metric::Accuracy, 0.92) + "), latency ~" +
                                text_of(Metric::Latency, 0.002) + " (original " +
                                text_of(Metric::Latency, 0.004) + ")");
}

TEST(SearchView, SaysHowToGoOn) {
  EXPECT_EQ(resume_text("a.study", ""), "cambium search --resume --study a.study");
  EXPECT_EQ(resume_text("a.study", "tree 1"),
            "cambium search --resume --study a.study --name 'tree 1'");
}

TEST(SearchView, ShowsTheFrontOfExploringWhereThereWereNoFinals) {
  engine::SearchSetup setup;
  setup.model = "zoo:net";
  search::SearchReport report;
  report.last.objectives = {Metric::FisherChange, Metric::Latency};
  report.original.set(Metric::Latency, {0.004, 0, true});
  for (int i = 0; i < 30; ++i) {
    search::SearchRow& row = report.front.emplace_back();
    row.identity = fingerprint_of(std::to_string(i));
    row.title = "candidate " + std::to_string(i);
    row.scores.set(Metric::FisherChange, {0.3 - 0.01 * i, 0.5, false});
    row.scores.set(Metric::Latency, {0.002, 0, true});
  }
  const std::string table = report_text(report, setup, 0);
  for (const char* part : {"Fisher change", "30.00 % ±15.00 points", "1.00 %", "~2.00 ms", "2.00x",
                           "candidate 0", "candidate 29"}) {
    EXPECT_NE(table.find(part), std::string::npos) << part << " in\n" << table;
  }
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 1 + 1 + 12) << table;
  const std::string words = front_text(report);
  EXPECT_NE(words.find("fisher_change and latency"), std::string::npos) << words;
  EXPECT_NE(words.find("12 of its 30"), std::string::npos) << words;
  report.front.resize(1);
  report.last.objectives = {Metric::Latency};
  EXPECT_NE(front_text(report).find("--legality"), std::string::npos);
  report.finalists.emplace_back();
  EXPECT_EQ(front_text(report), "");
  EXPECT_EQ(report_text(report, setup, 0).find("candidate 0"), std::string::npos);
}

TEST(SearchView, SaysInWordsThatNothingHoldsTheLimits) {
  engine::SearchSetup setup;
  search::SearchReport report;
  report.finalists.emplace_back();
  EXPECT_EQ(without_winner(report, setup), "") << "there is no limit";
  setup.limits = {{Metric::Accuracy, "1%", true}, {Metric::Latency, "0.5x", false}};
  const std::string words = without_winner(report, setup);
  for (const char* word : {"no finalist is within all limits", "accuracy 1% below the original",
                           "latency 0.5x", "--candidates", "loosen"}) {
    EXPECT_NE(words.find(word), std::string::npos) << word << " in " << words;
  }
  report.finalists.emplace_back().holds_limits = true;
  EXPECT_EQ(without_winner(report, setup), "");
  report.finalists.clear();
  EXPECT_NE(without_winner(report, setup).find("no candidate reached the finals"),
            std::string::npos);
  report.was_stopped = true;
  EXPECT_EQ(without_winner(report, setup), "") << "it has not come to its end";
}

}  // namespace
}  // namespace cambium::cli
