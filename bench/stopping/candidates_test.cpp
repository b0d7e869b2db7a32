#include "stopping/candidates.h"

#include <set>

#include <gtest/gtest.h>

#include "model/cost.h"
#include "model/fingerprint.h"

namespace cambium::bench {
namespace {

TEST(Candidates, AreNetworksOfManySizesFixedByTheSeed) {
  std::set<std::int64_t> parameters;
  for (std::int64_t i = 0; i < 20; ++i) {
    const auto made = candidate(1, i, 3, 32, 10);
    ASSERT_TRUE(made.ok()) << made.rejection().message();
    EXPECT_EQ(made->type(made->outputs()[0].value).dims, (model::Ints{1, 10}));
    EXPECT_EQ(model::content_of(*made), model::content_of(*candidate(1, i, 3, 32, 10)));
    parameters.insert(model::cost_of(*made).params);
  }
  EXPECT_GT(parameters.size(), 15u);
}

TEST(Candidates, AreRefusedForImagesThatCannotBeHalvedTwice) {
  EXPECT_EQ(candidate(1, 0, 1, 2, 10).rejection().reason(), Reason::BadOption);
}

}  // namespace
}  // namespace cambium::bench
