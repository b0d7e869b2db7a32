#include "spaces/coordinate/synthesis/admission.h"

#include "spaces/coordinate/synthesis/path.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

Operator conv1d(const Problem& problem) {
  Writer w(problem);
  const int i = w.sum("Ci"), a = w.sum("k");
  return w.done({0, i, w.unfold(2, a)}, {{1, i, a}});
}

Problem small() {
  return problem_for("[N, Ci, L]", "[N, Co, L]", {"N=1, Ci=8, Co=8, L=32, k=3, g=2"});
}

TEST(Admission, ChangesTheOneLimitThatForbids) {
  const Problem problem = small();
  Limits limits;
  limits.unfolds = 0;
  const auto needed = admission_of(conv1d(problem), problem, limits, {});
  ASSERT_TRUE(needed.has_value());
  ASSERT_EQ(needed->limits.size(), 1u);
  EXPECT_EQ(std::string(needed->limits[0].first.name), "unfolds");
  EXPECT_EQ(needed->limits[0].second, 1);
  EXPECT_TRUE(needed->without.empty() && needed->occurrences.empty());
  EXPECT_FALSE(needed->even_windows || needed->window_ratio || needed->weight_free ||
               needed->coefficient_power);
}

TEST(Admission, NamesVariablesThatMustOccurMoreOften) {
  const Problem problem = small();
  Limits limits;
  limits.occurrences = Limits::all_of(0);
  const auto needed = admission_of(conv1d(problem), problem, limits, {});
  ASSERT_TRUE(needed.has_value());
  const std::vector<std::pair<std::string, int>> all = {{"Ci", 2}, {"Co", 1}, {"k", 1}};
  EXPECT_EQ(needed->occurrences, all);
  EXPECT_TRUE(needed->limits.empty());
}

TEST(Admission, SwitchesOffOnlyRulesThatForbid) {
  const Problem problem = small();
  Writer w(problem);
  const int i = w.sum("Ci/g"), g = w.sum("g");
  const int c = w.split(g, i);
  const Operator op = w.done({0, c, 2}, {{1, c}});
  const auto needed = admission_of(op, problem, {}, {});
  ASSERT_TRUE(needed.has_value());
  EXPECT_EQ(needed->without, std::vector<std::string>{"idle-split"});
  const RuleSet off = RuleSet().without("idle-split").value();
  EXPECT_TRUE(admission_of(op, problem, {}, off)->without.empty()) << "it is off already";
}

TEST(Admission, IsNothingWhereNoChangeHelps) {
  const Problem problem = problem_for("[L]", "[L, L]", {"L=8, s=2"});
  Writer w(problem);
  EXPECT_FALSE(admission_of(w.done({1}, {{w.stride(0, "s")}}), problem, {}, {}).has_value());
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
