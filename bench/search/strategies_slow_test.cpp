// Tree search against random on the whole coordinate space, where nothing is recorded.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "search/parts.h"

namespace cambium::bench {
namespace {

// What it tries is better; the best of 100 is as good, give or take what luck does to 20 seeds.
TEST(CoordinateSpace, IsSearchedNoWorseByTheTreeThanAtRandom) {
  nlohmann::json out = {{"rows", nlohmann::json::array()}};
  ASSERT_TRUE(bench_planted(SearchBenchOptions{}, out).ok());
  const nlohmann::json &tree = out["rows"][0], &random = out["rows"][1];
  EXPECT_GT(tree["mean_of_tried"].get<double>(), 1.05 * random["mean_of_tried"].get<double>());
  EXPECT_GT(tree["best"]["mean"].get<double>(), random["best"]["mean"].get<double>() - 0.005);
}

}  // namespace
}  // namespace cambium::bench
