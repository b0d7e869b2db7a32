#include "search/funnel.h"

#include <gtest/gtest.h>

namespace cambium::search {
namespace {

using study::Metric;
using Metrics = std::vector<Metric>;

Metrics explored(const std::vector<const char*>& evaluators, const Metrics& objectives) {
  Funnel funnel;
  funnel.objectives = objectives;
  for (const char* evaluator : evaluators) {
    Stage stage;
    stage.evaluator = evaluator;
    funnel.explore.push_back(stage);
  }
  return explored_objectives(funnel, Metric::Latency);
}

TEST(Funnel, ExploresByTheObjectivesOfTheSearchWhereItTrains) {
  const Metrics usual = {Metric::Accuracy, Metric::Latency};
  EXPECT_EQ(explored({"legality", "latency", "accuracy"}, usual), usual);
}

TEST(Funnel, ExploresByFisherPotentialWhereNothingIsTrained) {
  EXPECT_EQ(explored({"legality", "latency"}, {Metric::Accuracy, Metric::Latency}),
            (Metrics{Metric::FisherChange, Metric::Latency}));
  EXPECT_EQ(explored({"legality"}, {Metric::Perplexity, Metric::Accuracy, Metric::Macs}),
            (Metrics{Metric::FisherChange, Metric::Macs}))
      << "once";
}

TEST(Funnel, ExploresByCostsAloneWhereNothingTellsTheWorth) {
  EXPECT_EQ(explored({"latency"}, {Metric::Accuracy, Metric::Macs}), Metrics{Metric::Macs});
  EXPECT_EQ(explored({"latency"}, {Metric::Accuracy}), Metrics{Metric::Latency});
}

}  // namespace
}  // namespace cambium::search
