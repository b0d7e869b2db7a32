// Tree search against random on the whole coordinate space, where nothing is recorded.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "search/parts.h"

namespace cambium::bench {
namespace {

TEST(CoordinateSpace, IsSearchedNoWorseByTheTreeThanAtRandom) {
  nlohmann::json out = {{"rows", nlohmann::json::array()}};
  ASSERT_TRUE(bench_planted(SearchBenchOptions{}, out).ok());
  const nlohmann::json &tree = out["rows"][0], &random = out["rows"][1];
  EXPECT_GE(tree["best"]["mean"].get<double>(), random["best"]["mean"].get<double>())
      << out.dump(1);
  EXPECT_GT(tree["mean_of_tried"].get<double>(), 1.05 * random["mean_of_tried"].get<double>());
}

}  // namespace
}  // namespace cambium::bench
