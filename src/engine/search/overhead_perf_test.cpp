// What a search takes for itself on a machine that has nothing else to do: at most a fiftieth of
// what its evaluations take.
#include <string>

#include <gtest/gtest.h>

#include "engine/search/planted_search_testing.h"

namespace cambium::engine {
namespace {

constexpr double kShare = 0.02;

class Overhead : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(All, Overhead, ::testing::Values("random", "enumerate", "tree"));

TEST_P(Overhead, IsAFiftiethOfTheEvaluations) {
  expect_share_of_accepted_below(kShare, GetParam());
}

TEST(OverheadOfRefusals, IsAFiftiethOfTheEvaluations) {
  RefusedSearch planted;
  const auto report = planted.run_refused();
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  planted.expect_share_below(kShare);
}

}  // namespace
}  // namespace cambium::engine
