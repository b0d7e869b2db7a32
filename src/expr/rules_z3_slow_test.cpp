#include <gtest/gtest.h>

#include "expr/rule_set.h"
#include "expr/z3_prover.h"

namespace cambium::expr {
namespace {

TEST(RulesProofSlow, RowsThatSayBoundedAreUndecidedForAllDivisors) {
  const RuleSet& rules = RuleSet::standard();
  for (const Rule& rule : rules.rows()) {
    if (rule.proof != Proof::Bounded) continue;
    EXPECT_EQ(prove_symbolic(rules, rule, 10'000), Verdict::Undecided)
        << rule.name << " can now say Proof::Symbolic";
  }
}

}  // namespace
}  // namespace cambium::expr
