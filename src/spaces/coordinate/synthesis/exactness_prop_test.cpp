// Exact rules lose no class of operators: whatever they forbid computes the same as something that
// they leave, as the semantic fingerprint sees it, in all of a small space.
#include <map>

#include "spaces/coordinate/document.h"
#include "spaces/coordinate/semantic.h"
#include "spaces/coordinate/synthesis/enumerate.h"
#include "spaces/coordinate/synthesis/finish.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

struct Case {
  const char* input;
  const char* output;
  const char* binding;
  int primitives, reductions, merges, weights;
};

Limits limits_of(const Case& c) {
  Limits limits;
  limits.primitives = c.primitives;
  limits.reductions = c.reductions;
  limits.merges = c.merges;
  limits.weights = c.weights;
  limits.coefficient_power = 1;
  limits.expands = 1;
  limits.strides = 1;
  limits.window_ratio = 1;
  limits.odd_windows = false;
  limits.weight_free = true;
  limits.reduction_volume = 1000;
  limits.pooling = 1000;
  limits.occurrences = Limits::all_of(9);
  return limits;
}

// The fingerprints of all operators of a space, each with one of them.
std::map<Fingerprint, std::string> classes_of(const Case& c, const RuleSet& rules) {
  const auto space = space_for(c.input, c.output, {c.binding}, limits_of(c), rules);
  Reach reach(*space);
  SemanticOptions large;  // sizes that all operators of a case fit
  large.first_rung = 2;
  SemanticHasher hasher(space->problem, large);
  std::map<Fingerprint, std::string> classes;
  enumerate(*space, reach, [&](StateId, const Finishing& finishing, const Choice& choice) {
    const Operator op = finish(*space, finishing.anatomy(), choice);
    const auto fingerprint = hasher.fingerprint(op);
    EXPECT_TRUE(fingerprint.ok());
    if (classes.count(*fingerprint) == 0) {
      classes.emplace(*fingerprint, to_text(space->problem, op));
    }
    return true;
  });
  return classes;
}

// These are on in both spaces. Two remove weights, or sums inside of one: what remains computes the
// same of fewer numbers, which the fingerprint tells apart. The third is approximate: what lies
// outside of an UNFOLD is zero, also where only a weight reads it.
bool is_in_both(std::string_view name) {
  return name == "weight-in-weight" || name == "sum-in-one-weight" || name == "outer-unfold";
}

RuleSet rules_with(bool exact) {
  RuleSet rules;
  for (const RuleInfo& info : rule_infos()) {
    const bool is_on = exact && info.exactness == Exactness::Exact;
    if (!is_on && !is_in_both(info.name)) rules = rules.without(info.name).value();
  }
  return rules;
}

// Either MERGEs or reductions: a reduction that a weight reads in part is a sum, one of which
// another part is not read is a sum and an average, which differ by a factor.
TEST(ExactnessProperty, ExactRulesLoseNoClass) {
  const Case cases[] = {
      {"[L]", "[L]", "L=16, s=2", 4, 2, 0, 1},
      {"[A]", "[B]", "A=6, B=4, s=2", 4, 2, 0, 2},
      {"[L]", "[L]", "L=16, s=2", 5, 0, 2, 1},
      {"[A, B]", "[B, A]", "A=4, B=6, s=2", 5, 0, 1, 1},
  };
  for (const Case& c : cases) {
    const auto all = classes_of(c, rules_with(false));
    const auto exact = classes_of(c, rules_with(true));
    std::size_t lost = 0;
    for (const auto& [fingerprint, text] : all) {
      if (exact.count(fingerprint) != 0) continue;
      ++lost;
      if (lost <= 3) ADD_FAILURE() << c.input << " -> " << c.output << " lost\n" << text;
    }
    EXPECT_EQ(lost, 0U) << "of " << all.size();
    EXPECT_LT(exact.size(), all.size() + 1);
    EXPECT_GT(exact.size(), 5U);
  }
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
