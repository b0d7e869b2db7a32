// What a search takes for itself, on a real space, against evaluations as long as they really are.
#include <string>

#include <gtest/gtest.h>

#include "base/thread_seconds_testing.h"
#include "engine/search/fields.h"
#include "engine/search/spaces.h"
#include "model/fingerprint.h"
#include "search/testing/fake_executor.h"
#include "search/testing/toy_search.h"

namespace cambium::engine {
namespace {

// A search of the coordinate space, wired to evaluations that nobody waits for.
struct PlantedSearch {
  PlantedSearch(const std::string& model, double seconds_each, const TextPairs& options = {})
      : base(load_base(model, {})),
        spaces(make_spaces(*base, {{"coordinate", "conv:k=3,groups=1", options}})),
        study(store::StudyStore::open(folder / "study")) {
    executor.seconds = seconds_each;
    context.base = &*base;
    context.spaces = pointers(*spaces);
    context.study = &*study;
    context.executor = &executor;
    store::StudyHead head;
    head.base = model::structure_of(*base);
    EXPECT_TRUE(study->set_head(head).ok());
  }

  // Own time is what this thread computes: on a busy machine it also waits for the processor.
  Result<search::SearchReport> run(const search::SearchOptions& options) {
    const double before = thread_seconds();
    auto report = search::run(context, options);
    own_seconds = thread_seconds() - before;
    return report;
  }

  void expect_small() const {
    const double evaluations = executor.seconds * static_cast<double>(executor.count());
    ::testing::Test::RecordProperty("own_percent", std::to_string(100 * own_seconds / evaluations));
    EXPECT_LT(own_seconds, 0.02 * evaluations);
  }

  ScratchFolder folder;
  Result<model::Model> base;
  Result<Spaces> spaces;
  Result<store::StudyStore> study;
  search::testing::FakeExecutor executor;
  search::SearchContext context;
  double own_seconds = 0;
};

class Overhead : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(All, Overhead, ::testing::Values("random", "enumerate", "tree"));

// On two cores the demo takes about 2 s for a latency and 5 s for a brief training; ResNet-18 takes
// longer on any machine.
TEST_P(Overhead, IsASmallShareOfTheEvaluations) {
  PlantedSearch planted("zoo:tiny-resnet", 3);
  const auto report = planted.run(search::testing::toy_options(GetParam(), 100));
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_GT(report->last.proposed, 50);
  ASSERT_GT(planted.executor.count(), 50);
  planted.expect_small();
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

// Where most is refused by the limit on activations, since the space does not know of it, proposals
// are what the search takes its time for. A latency of ResNet-18 takes some 2 s with its
// compilation, a brief training 34 s.
TEST(OverheadOfRefusals, IsASmallShareOfTheEvaluations) {
  PlantedSearch planted("zoo:resnet18-cifar", 18, {{"most-activations", "none"}});
  search::SearchOptions options = search::testing::toy_options("random", 200);
  options.funnel.limits = {{study::Metric::Activations, "2x", false}};
  options.funnel.finals.clear();
  const auto report = planted.run(options);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  const search::Passages::Count& cost = report->last.stages.at(0);
  EXPECT_GT(cost.refused, 2 * cost.entered / 3) << "most are refused before anything is trained";
  RecordProperty("own_milliseconds_each",
                 std::to_string(1e3 * planted.own_seconds / static_cast<double>(cost.entered)));
  RecordProperty("refused", std::to_string(cost.refused) + " of " + std::to_string(cost.entered));
  planted.expect_small();
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
