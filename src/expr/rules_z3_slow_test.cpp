#include <gtest/gtest.h>

#include "expr/rule_set.h"
#include "expr/z3_prover.h"

namespace cambium::expr {
namespace {

TEST(RulesProofSlow, RowsThatSayBoundedAreUndecidedForAllDivisors) {
  const RuleSet& rules = RuleSet::standard();
  for (std::size_t row = 0; row < rules.rows().size(); ++row) {
    if (rules.rows()[row].proof != Proof::Bounded) continue;
    EXPECT_EQ(prove_symbolic(rules, row, 10'000), Verdict::Undecided)
        << rules.rows()[row].name << " can now say Proof::Symbolic";
  }
}

}  // namespace
}  // namespace cambium::expr
