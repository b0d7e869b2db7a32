// What a search takes for itself, on a real space, against evaluations as long as they really are.
// The bounds are those of a change of order, as the processor may be shared: alone it takes about a
// hundredth. overhead_perf_test.cpp has what is promised.
#include <string>

#include <gtest/gtest.h>

#include "engine/search/planted_search_testing.h"

namespace cambium::engine {
namespace {

constexpr double kShare = 0.2;

class Overhead : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(All, Overhead, ::testing::Values("random", "enumerate", "tree"));

TEST_P(Overhead, IsASmallShareOfTheEvaluations) {
  expect_share_of_accepted_below(kShare, GetParam());
}

// With the limit that a search has by default; what it sees is what comes to the cost stage.
TEST_P(Overhead, FewProposalsAreRefusedByTheLimitOnActivations) {
  PlantedSearch planted("zoo:tiny-resnet", 3);
  search::SearchOptions options = search::testing::toy_options(GetParam(), 60);
  options.funnel.limits = {{study::Metric::Activations, "3x", false}};
  options.funnel.finals.clear();
  const auto report = planted.run(options);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  const search::Passages::Count& cost = report->last.stages.at(0);
  EXPECT_GT(cost.entered, 50);
  EXPECT_LE(3 * cost.refused, cost.entered);
  RecordProperty("refused", std::to_string(cost.refused) + " of " + std::to_string(cost.entered));
}

TEST(OverheadOfRefusals, IsASmallShareOfTheEvaluations) {
  RefusedSearch planted;
  const auto report = planted.run_refused();
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  const search::Passages::Count& cost = report->last.stages.at(0);
  EXPECT_GT(cost.refused, 2 * cost.entered / 3) << "most are refused before anything is trained";
  RecordProperty("own_milliseconds_each",
                 std::to_string(1e3 * planted.own_seconds / static_cast<double>(cost.entered)));
  RecordProperty("refused", std::to_string(cost.refused) + " of " + std::to_string(cost.entered));
  planted.expect_share_below(kShare);
  // What was refused so is not described for people.
  std::int64_t described = 0;
  const auto count = [&](const store::StudyCandidate& row) {
    const bool has_text = planted.study->artifact(row.identity, "equation.txt")->has_value();
    described += has_text ? 1 : 0;
    EXPECT_EQ(row.title.find("primitive") != std::string::npos, has_text);
    return true;
  };
  ASSERT_TRUE(planted.study->each_candidate(count).ok());
  EXPECT_EQ(described, cost.entered - cost.refused);
}

}  // namespace
}  // namespace cambium::engine
