// A rewrite rule is a row: its name, what it replaces by what, and when. The matcher, the proof,
// the termination order, the fuzz test and docs/rules.md all use the same rows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "expr/node.h"

namespace cambium::expr {

// How much z3 can prove. The proof test checks that the claim of each row is true.
enum class Proof : std::uint8_t {
  Symbolic,  // for all divisors
  Bounded,   // for every divisor in 1..16 and all operands; with symbolic divisors, z3 is undecided
             // after 10 s
};

// In a row
//   x y z    are any index expressions,
//   p q r    are any predicates,
//   a b c d  are constants, of either sign unless the guard says otherwise; [a/c] is exact,
//   c*m + y  under /, % or beside 0 takes a sum apart: c*m are all the terms that c divides, y is
//            the rest, either of which may be nothing. Where the row does not fix c, the common
//            divisors of the terms are tried, and c != 1.
// Sums match in any order and constants multiply into them; a row whose root is + replaces some of
// the terms of a sum, also when all of them are multiplied by one constant. The operators min, max,
// ==, && and || match in either order.
struct Rule {
  std::string_view name;
  std::string_view pattern;
  std::string_view result;
  std::string_view guard;  // what must be proved from bounds and divisibility; empty: nothing
  Proof proof = Proof::Symbolic;
};

struct RuleGroup {
  Kind root;
  std::span<const Rule> rules;  // tried in this order
};

// One group per file of this folder.
RuleGroup add_rules();
RuleGroup div_rules();
RuleGroup mod_rules();
RuleGroup min_rules();
RuleGroup max_rules();
RuleGroup less_rules();
RuleGroup equal_rules();
RuleGroup and_rules();
RuleGroup or_rules();
RuleGroup not_rules();

}  // namespace cambium::expr
