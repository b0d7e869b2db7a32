#include "spaces/coordinate/synthesis/rules/rules.h"

#include <set>

#include "base/file.h"
#include "spaces/coordinate/synthesis/path.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

Limits loose() {
  Limits limits;
  limits.strides = 1;
  limits.expands = 2;
  limits.merges = 3;
  limits.weights = 3;
  limits.window_ratio = 1;
  limits.odd_windows = false;
  limits.weight_free = true;
  limits.occurrences = Limits::all_of(8);
  return limits;
}

// One axis in, one out, and an operator for each rule: the rule that forbids it.
struct Line {
  std::unique_ptr<Space> space;
  Writer w;

  explicit Line(const char* input = "[L]", const char* output = "[L]", RuleSet rules = {})
      : space(space_for(input, output, {"L=64, M=8, s=2, k=4"}, loose(), rules)),
        w(space->problem) {}
  std::string why(std::vector<CoordinateIndex> data,
                  std::vector<std::vector<CoordinateIndex>> weights) {
    return path_to(*space, w.done(std::move(data), std::move(weights))).forbidden_by;
  }
};

std::string fired(const std::string& name) {
  Line l(name == "merge-of-split" || name == "split-in-split" ? "[L*M]" : "[L]",
         name == "split-in-split"   ? "[L/s, s, M]"
         : name == "merge-of-split" ? "[L, M]"
                                    : "[L]");
  Writer& w = l.w;
  if (name == "merge-of-split") {
    const int x = w.split(0, 1), a = w.high(x, "s*M"), b = w.low(x, "s*M");
    return l.why({w.split(b, a)}, {});
  }
  if (name == "split-in-split") return l.why({w.split(w.split(0, 1), 2)}, {});
  if (name == "merge-of-high") {
    const int a = w.high(0, "s"), b = w.low(0, "s"), c = w.high(a, "s"), d = w.low(a, "s");
    return l.why({w.split(b, w.split(d, c))}, {});
  }
  const int r = w.sum("L");
  if (name == "merge-of-reduce") {
    const int a = w.high(r, "s"), b = w.low(r, "s");
    return l.why({w.split(b, a)}, {{0, a}});
  }
  if (name == "shift-of-reduce") return l.why({w.shift(r)}, {{0, r}});
  return "?";
}

TEST(Rules, EachStepRuleFires) {
  for (const char* name : {"merge-of-split", "split-in-split", "merge-of-high", "merge-of-reduce",
                           "shift-of-reduce"}) {
    EXPECT_EQ(fired(name), name);
  }
}

TEST(Rules, ExpandOfHalvesFires) {
  Line l("[M]", "[L, M]");
  l.w.high(0, "s");
  l.w.low(0, "s");
  EXPECT_EQ(l.why({1}, {}), "expand-of-halves");
}

TEST(Rules, ApproximateStepRulesFire) {
  {
    Line l;
    const int x = l.w.unfold(0, l.w.sum("s"));
    const int a = l.w.high(x, "k"), b = l.w.low(x, "k");
    EXPECT_EQ(l.why({l.w.split(b, a)}, {}), "merge-of-unfold");
  }
  {
    Line l;
    const int x = l.w.shift(0), a = l.w.high(x, "k"), b = l.w.low(x, "k");
    EXPECT_EQ(l.why({l.w.split(b, a)}, {}), "merge-of-shift");
  }
  {
    Line l("[L*M]", "[L, M]");
    EXPECT_EQ(l.why({l.w.shift(l.w.split(0, 1))}, {}), "shift-of-split");
  }
  {
    Line l;
    EXPECT_EQ(l.why({l.w.shift(l.w.shift(0))}, {}), "shift-of-shift");
  }
  {
    Line l;
    const int r = l.w.sum("s");
    EXPECT_EQ(l.why({l.w.unfold(l.w.shift(0), r)}, {}), "unfold-of-shift");
  }
  {
    Line l("[L*M]", "[L, M]");
    const int r = l.w.sum("s");
    EXPECT_EQ(l.why({l.w.unfold(l.w.split(0, 1), r)}, {}), "unfold-of-split");
  }
  {
    Line l;
    const int a = l.w.sum("k"), b = l.w.sum("s");
    EXPECT_EQ(l.why({l.w.unfold(l.w.unfold(0, a), b)}, {}), "unfold-order");
  }
  {
    Line l;
    const int r = l.w.sum("L"), a = l.w.sum("s");
    EXPECT_EQ(l.why({l.w.unfold(r, a)}, {{0, r}}), "unfold-of-reductions");
  }
}

TEST(Rules, WeightRulesFire) {
  {
    Line l;
    const int x = l.w.shift(0);
    EXPECT_EQ(l.why({x}, {{0}}), "read-after-shift");
    EXPECT_EQ(l.why({x}, {{x}}), "");
  }
  {
    Line l;
    const int a = l.w.high(0, "s"), b = l.w.low(0, "s"), x = l.w.split(b, a);
    EXPECT_EQ(l.why({x}, {{0}}), "read-after-merge");
    EXPECT_EQ(l.why({x}, {{a, b}}), "read-after-split");
    EXPECT_EQ(l.why({x}, {{x, a}}), "read-determined");
    EXPECT_EQ(l.why({x}, {{x}, {a}}), "weight-in-weight");
    EXPECT_EQ(l.why({x}, {{x}}), "");
  }
  {
    Line l;
    const int a = l.w.high(0, "s"), b = l.w.low(0, "s"), x = l.w.split(a, b);
    EXPECT_EQ(l.why({x}, {{x}}), "idle-split");
    EXPECT_EQ(l.why({x}, {{a}}), "");
  }
  {
    Line l;
    const int r = l.w.sum("s"), far = l.w.stride(r, "s"), x = l.w.unfold(0, far);
    EXPECT_EQ(l.why({x}, {{far}}), "read-before-stride");
    EXPECT_EQ(l.why({x}, {{r}}), "");
  }
  {
    Line l;
    const int r = l.w.sum("s"), x = l.w.unfold(0, r);
    EXPECT_EQ(l.why({x}, {{x, r}}), "read-before-unfold");
    EXPECT_EQ(l.why({x}, {{0, r}}), "");
  }
  {
    Line l;
    const int r = l.w.sum("s");
    EXPECT_EQ(l.why({0}, {{0, r}}), "sum-in-one-weight");
  }
}

TEST(Rules, RulesOfOuterCoordinatesFire) {
  {
    Line l("[M]", "[L, M]");
    const int x = l.w.shift(0);
    EXPECT_EQ(l.why({1}, {{x}}), "outer-view");
    EXPECT_EQ(l.why({1}, {{0, 1}}), "limits of EXPAND");  // the SHIFT is read by nothing
  }
  {
    Line l("[M]", "[L, M]");
    const int a = l.w.high(0, "s"), b = l.w.low(0, "s");
    EXPECT_EQ(l.why({1}, {{1, a, b}}), "outer-halves");
    EXPECT_EQ(l.why({1}, {{1, a}, {1, b}}), "");
  }
  {
    Line l("[M]", "[L, M]");
    const int r = l.w.sum("s"), x = l.w.unfold(0, r);
    EXPECT_EQ(l.why({1}, {{x, 1}, {r, 1}}), "outer-unfold");
  }
}

TEST(Rules, ExactOnesAloneLeaveTheRest) {
  Line l("[L]", "[L]", RuleSet::exact());
  EXPECT_EQ(l.why({l.w.shift(l.w.shift(0))}, {}), "");
}

TEST(Rules, CanBeSwitchedOff) {
  const auto set = RuleSet().without("shift-of-reduce");
  ASSERT_TRUE(set.ok());
  Line l("[L]", "[L]", *set);
  const int r = l.w.sum("L"), x = l.w.shift(r);
  EXPECT_EQ(l.why({x}, {{0, x}}), "");
  EXPECT_EQ(RuleSet().without("no-such").rejection().reason(), Reason::UnknownRule);
}

TEST(Rules, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const RuleInfo& info : rule_infos()) EXPECT_TRUE(names.insert(info.name).second);
}

TEST(Rules, TheirPageIsUpToDate) {
  if (std::getenv("CAMBIUM_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(write_file(CAMBIUM_COORDINATE_RULES_PAGE, rules_page()).ok());
  }
  EXPECT_EQ(read_file(CAMBIUM_COORDINATE_RULES_PAGE).value(), rules_page());
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
