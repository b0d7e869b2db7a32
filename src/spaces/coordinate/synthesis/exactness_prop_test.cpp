// Exact rules lose no class of operators: whatever they forbid computes the same as something that
// they leave, as fingerprints see it (classes.h), in all of some small spaces.
#include "spaces/coordinate/document.h"
#include "spaces/coordinate/synthesis/classes.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

TEST(ExactnessProperty, ExactRulesLoseNoClass) {
  for (const SmallSpace& space : small_spaces()) {
    const auto done = audit(space);
    ASSERT_TRUE(done.ok()) << space.name() << ": " << done.rejection().message();
    const Problem problem = problem_for(space.input, space.output, {space.binding});
    for (const Operator* op : done->lost) {
      ADD_FAILURE() << space.name() << " lost " << done->lost.size() << " of "
                    << done->all.first.size() << ", such as\n"
                    << to_text(problem, *op);
      break;
    }
    EXPECT_EQ(done->all.unknown, 0U);
    EXPECT_LT(done->kept.operators, done->all.operators);
    EXPECT_GT(done->kept.first.size(), 5U);
  }
}

// The claim above can fail: with an approximate rule among the exact ones, classes are lost.
TEST(ExactnessProperty, AnApproximateRuleIsFoundOut) {
  struct Wrong {
    std::string_view rule;
    std::size_t space;
  };
  const Wrong cases[] = {
      {"shift-of-shift", 0}, {"unfold-of-shift", 0}, {"shift-of-split", 3}, {"unfold-of-shift", 7}};
  for (const Wrong& c : cases) {
    const auto done = audit(small_spaces()[c.space], {&c.rule, 1});
    ASSERT_TRUE(done.ok());
    EXPECT_GT(done->lost.size(), 0U) << c.rule;
  }
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
