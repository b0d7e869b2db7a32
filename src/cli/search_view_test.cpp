#include "cli/search_view.h"

#include <gtest/gtest.h>

namespace cambium::cli {
namespace {

using search::Metric;
using search::SearchProgress;

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
  EXPECT_EQ(summary_text(now), "completing what waits: 3 of 24 evaluations, 1 min 05 s left");
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
  EXPECT_EQ(best_text(now), "no candidate has come through yet");
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
  EXPECT_EQ(best_text(now), "best: " + fingerprint_of("one").text().substr(0, 8) + ", accuracy " +
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

TEST(SearchView, SaysInWordsThatNothingHoldsTheLimits) {
  engine::SearchSetup setup;
  search::SearchReport report;
  report.finalists.emplace_back();
  EXPECT_EQ(without_winner(report, setup), "") << "there is no limit";
  setup.limits = {{Metric::Accuracy, "1%", true}, {Metric::Latency, "0.5x", false}};
  const std::string words = without_winner(report, setup);
  for (const char* word : {"no candidate holds", "accuracy 1% below the original", "latency 0.5x",
                           "--candidates", "looser"}) {
    EXPECT_NE(words.find(word), std::string::npos) << word << " in " << words;
  }
  report.finalists.emplace_back().holds_limits = true;
  EXPECT_EQ(without_winner(report, setup), "");
  report.finalists.clear();
  EXPECT_NE(without_winner(report, setup).find("no candidate came through"), std::string::npos);
  report.was_stopped = true;
  EXPECT_EQ(without_winner(report, setup), "") << "it has not come to its end";
}

}  // namespace
}  // namespace cambium::cli
