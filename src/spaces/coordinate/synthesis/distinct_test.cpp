#include "spaces/coordinate/synthesis/distinct.h"

#include <set>

#include "spaces/coordinate/document.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

Limits few(int primitives) {
  Limits limits;
  limits.primitives = primitives;
  return limits;
}

struct Drawn {
  Status status = Ok{};
  std::set<Fingerprint> operators;
};

Drawn drawn(int primitives, std::uint64_t count, const SampleOptions& how = {},
            std::uint64_t most_used = 1000) {
  const auto space =
      space_for("[N, Ci, L]", "[N, Co, L]", {"N=1, Ci=8, Co=8, L=16, k=3"}, few(primitives));
  Sampler sampler(*space, how);
  DistinctOperators seen(space->problem, space->problem);
  Drawn all;
  all.status = draw_distinct(*space, sampler, seen, {"the space", count, 0},
                             [&](const Operator& op) -> Result<bool> {
                               all.operators.insert(identity(space->problem, op));
                               return all.operators.size() < most_used;
                             });
  return all;
}

TEST(DistinctOperators, AreAsManyAsAskedFor) {
  const Drawn five = drawn(6, 5);
  EXPECT_TRUE(five.status.ok());
  EXPECT_EQ(five.operators.size(), 5u);
}

TEST(DistinctOperators, EndWithTheSpaceOrWithTheirUse) {
  const Drawn all = drawn(3, 1000000);
  EXPECT_TRUE(all.status.ok());
  EXPECT_GT(all.operators.size(), 2u);
  EXPECT_EQ(drawn(3, 1000000, {}, 2).operators.size(), 2u);
}

TEST(DistinctOperators, SayWhetherLimitsOrBudgetsLeaveNothing) {
  const Drawn none = drawn(1, 5);
  ASSERT_FALSE(none.status.ok());
  EXPECT_EQ(none.status.rejection().reason(), Reason::NoSamples);
  EXPECT_NE(none.status.rejection().message().find("within the limits"), std::string::npos);
  SampleOptions poor;
  poor.most_parameters = 1;
  const Drawn dear = drawn(3, 5, poor);
  ASSERT_FALSE(dear.status.ok());
  EXPECT_NE(dear.status.rejection().message().find("within the budgets"), std::string::npos);
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
