#include <cstdio>

#include <gtest/gtest.h>

#include "expr/rule_set.h"
#include "expr/z3_prover.h"

namespace cambium::expr {
namespace {

constexpr unsigned kTenSeconds = 10'000;

TEST(RulesProof, EveryRowIsValid) {
  const RuleSet& rules = RuleSet::standard();
  int symbolic = 0;
  int bounded = 0;
  for (std::size_t row = 0; row < rules.rows().size(); ++row) {
    const Rule& rule = rules.rows()[row];
    const bool for_all = rule.proof == Proof::Symbolic;
    const Verdict verdict =
        for_all ? prove_symbolic(rules, row, kTenSeconds) : prove_bounded(rules, row, kTenSeconds);
    EXPECT_NE(verdict, Verdict::Invalid) << rule.name << " is wrong";
    EXPECT_NE(verdict, Verdict::Undecided) << rule.name;
    (for_all ? symbolic : bounded) += 1;
  }
  std::printf("%d rules proved for all divisors, %d for divisors 1..16\n", symbolic, bounded);
}

}  // namespace
}  // namespace cambium::expr
