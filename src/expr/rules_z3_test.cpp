#include <cstdio>

#include <gtest/gtest.h>

#include "expr/rule_set.h"
#include "expr/z3_prover.h"

namespace cambium::expr {
namespace {

// The slowest row takes 8 s on an idle core; a busy machine gets more than the ten.
constexpr unsigned kPatience = 60'000;

TEST(RulesProof, EveryRowIsValid) {
  const RuleSet& rules = RuleSet::standard();
  int symbolic = 0;
  int bounded = 0;
  for (const Rule& rule : rules.rows()) {
    const bool for_all = rule.proof == Proof::Symbolic;
    const Verdict verdict =
        for_all ? prove_symbolic(rules, rule, kPatience) : prove_bounded(rules, rule, kPatience);
    EXPECT_NE(verdict, Verdict::Invalid) << rule.name << " is wrong";
    EXPECT_NE(verdict, Verdict::Undecided) << rule.name;
    (for_all ? symbolic : bounded) += 1;
  }
  std::printf("%d rules proved for all divisors, %d for divisors 1..16\n", symbolic, bounded);
}

TEST(RulesProof, TellsRowsThatAreWrong) {
  constexpr Rule kWrong[] = {
      {"drops-too-much", "(c*m + y)/c", "m", "c > 0"},
      {"off-by-one", "(c*m + y)/(b*c)", "m/b", "b > 0 && 0 <= y && y <= c"},
      {"truncates", "(x - c)/c", "x/c + 1", "c > 0"},
      {"forgets-the-divisor", "x/c*c + x % c", "x", ""},  // c may be zero
      {"wrong-end", "!(x < y)", "y < x", ""},
  };
  const RuleSet& rules = RuleSet::standard();
  for (const Rule& rule : kWrong) {
    EXPECT_EQ(prove_symbolic(rules, rule, kPatience), Verdict::Invalid) << rule.name;
  }
  for (const Rule& rule : {kWrong[0], kWrong[1], kWrong[2]}) {
    EXPECT_EQ(prove_bounded(rules, rule, kPatience), Verdict::Invalid) << rule.name;
  }
}

}  // namespace
}  // namespace cambium::expr
