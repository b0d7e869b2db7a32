// Proves rows of the rule tables with z3. Only for tests.
#pragma once

#include <cstdint>

#include "expr/rule_set.h"

namespace cambium::expr {

enum class Verdict : std::uint8_t { Valid, Invalid, Undecided };

// Proves the row for all values of all its variables, including divisors, within the time limit.
// Also Invalid if the guard allows a divisor to be zero or negative. The rule set parses the row.
Verdict prove_symbolic(const RuleSet& rules, const Rule& rule, unsigned milliseconds);
// Proves the row for all operands and every choice of its divisors in 1..16.
Verdict prove_bounded(const RuleSet& rules, const Rule& rule, unsigned milliseconds);

}  // namespace cambium::expr
