// A search on a real space whose evaluations nobody waits for. For tests of what a search takes for
// itself.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "base/scratch_folder_testing.h"
#include "base/thread_seconds_testing.h"
#include "engine/search/fields.h"
#include "engine/search/spaces.h"
#include "model/fingerprint.h"
#include "search/testing/fake_executor.h"
#include "search/testing/toy_search.h"

namespace cambium::engine {

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

  // Own time as a share of that of the evaluations.
  void expect_share_below(double share) const {
    const double evaluations = executor.seconds * static_cast<double>(executor.count());
    ::testing::Test::RecordProperty("own_percent", std::to_string(100 * own_seconds / evaluations));
    EXPECT_LT(own_seconds, share * evaluations);
  }

  ScratchFolder folder;
  Result<model::Model> base;
  Result<Spaces> spaces;
  Result<store::StudyStore> study;
  search::testing::FakeExecutor executor;
  search::SearchContext context;
  double own_seconds = 0;
};

// Searches that are mostly evaluations, by strategy. On two cores the demo takes about 2 s for a
// latency and 5 s for a brief training; ResNet-18 takes longer on any machine.
inline void expect_share_of_accepted_below(double share, const std::string& strategy) {
  PlantedSearch planted("zoo:tiny-resnet", 3);
  const auto report = planted.run(search::testing::toy_options(strategy, 100));
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_GT(report->last.proposed, 50);
  ASSERT_GT(planted.executor.count(), 50);
  planted.expect_share_below(share);
}

// Where most is refused by the limit on activations, since the space does not know of it, proposals
// are what the search takes its time for. A latency of ResNet-18 takes some 2 s with its
// compilation, a brief training 34 s.
struct RefusedSearch : PlantedSearch {
  RefusedSearch() : PlantedSearch("zoo:resnet18-cifar", 18, {{"most-activations", "none"}}) {}
  Result<search::SearchReport> run_refused() {
    search::SearchOptions options = search::testing::toy_options("random", 200);
    options.funnel.limits = {{study::Metric::Activations, "2x", false}};
    options.funnel.finals.clear();
    return run(options);
  }
};

}  // namespace cambium::engine
