// What a search takes for itself, on a real space, against evaluations as long as they really are.
#include <memory>

#include <gtest/gtest.h>

#include "engine/search/spaces.h"
#include "model/fingerprint.h"
#include "search/testing/fake_executor.h"
#include "search/testing/toy_search.h"

namespace cambium::engine {
namespace {

class Overhead : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(All, Overhead, ::testing::Values("random", "enumerate", "tree"));

TEST_P(Overhead, IsASmallShareOfTheEvaluations) {
  const auto base = load_base("zoo:tiny-resnet", {});
  ASSERT_TRUE(base.ok());
  const auto spaces = make_spaces(*base, {{"coordinate", "conv:k=3,groups=1", {}}});
  ASSERT_TRUE(spaces.ok()) << spaces.rejection().message();
  ScratchFolder folder;
  auto study = store::StudyStore::open(folder / "study");
  ASSERT_TRUE(study.ok());
  search::testing::FakeExecutor executor;
  // Nobody waits for them. On two cores the demo takes about 2 s for a latency and 5 s for a brief
  // training; ResNet-18 takes longer on any machine.
  executor.seconds = 3;
  search::SearchContext context;
  context.base = &*base;
  context.spaces = pointers(*spaces);
  context.study = &*study;
  context.executor = &executor;
  store::StudyHead head;
  head.base = model::structure_of(*base);
  ASSERT_TRUE(study->set_head(head).ok());
  const auto report = search::run(context, search::testing::toy_options(GetParam(), 100));
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_GT(report->last.proposed, 50);
  ASSERT_GT(executor.count(), 50);
  const double evaluations = 3 * static_cast<double>(executor.count());
  RecordProperty("own_milliseconds_each",
                 std::to_string(1e3 * report->own_seconds / static_cast<double>(executor.count())));
  RecordProperty("own_percent", std::to_string(100 * report->own_seconds / evaluations));
  EXPECT_LT(report->own_seconds, 0.02 * evaluations);
}

// Where nearly all is refused by the limit on activations, proposals are what the search takes its
// time for.
TEST(OverheadOfRefusals, IsASmallShareOfTheEvaluations) {
  const auto base = load_base("zoo:resnet18-cifar", {});
  ASSERT_TRUE(base.ok());
  const auto spaces = make_spaces(*base, {{"coordinate", "conv:k=3,groups=1", {}}});
  ASSERT_TRUE(spaces.ok()) << spaces.rejection().message();
  ScratchFolder folder;
  auto study = store::StudyStore::open(folder / "study");
  ASSERT_TRUE(study.ok());
  search::testing::FakeExecutor executor;
  executor.seconds =
      10;  // a latency of ResNet-18 with its compilation; brief trainings take longer
  search::SearchContext context;
  context.base = &*base;
  context.spaces = pointers(*spaces);
  context.study = &*study;
  context.executor = &executor;
  store::StudyHead head;
  head.base = model::structure_of(*base);
  ASSERT_TRUE(study->set_head(head).ok());
  search::SearchOptions options = search::testing::toy_options("random", 200);
  options.funnel.limits = {{search::Metric::Activations, "2x", false}};
  options.funnel.finals.clear();
  const auto report = search::run(context, options);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  const search::Passages::Count& cost = report->last.stages.at(0);
  EXPECT_GT(cost.refused, 9 * cost.entered / 10) << "most are refused before anything is trained";
  const double evaluations = 18 * static_cast<double>(executor.count());
  RecordProperty("own_milliseconds_each",
                 std::to_string(1e3 * report->own_seconds / static_cast<double>(cost.entered)));
  RecordProperty("refused", std::to_string(cost.refused) + " of " + std::to_string(cost.entered));
  RecordProperty("own_percent", std::to_string(100 * report->own_seconds / evaluations));
  EXPECT_LT(report->own_seconds, 0.02 * evaluations);
  // What was refused so is not described for people.
  std::int64_t described = 0;
  ASSERT_TRUE(study
                  ->each_candidate([&](const store::StudyCandidate& row) {
                    const bool has_text =
                        study->artifact(row.identity, "equation.txt")->has_value();
                    described += has_text ? 1 : 0;
                    EXPECT_EQ(row.title.find("primitive") != std::string::npos, has_text);
                    return true;
                  })
                  .ok());
  EXPECT_EQ(described, cost.entered - cost.refused);
}

}  // namespace
}  // namespace cambium::engine
