#include "spaces/coordinate/synthesis/rules/rules.h"

#include <cstdlib>
#include <set>

#include "base/file.h"
#include "spaces/coordinate/evaluate.h"
#include "spaces/coordinate/synthesis/path.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

Limits loosest() {
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

// The only axis of which tensor is unordered.
enum class Unordered { None, Input, Output };

std::unique_ptr<Space> line_space(const char* input, const char* output, RuleSet rules,
                                  Unordered unordered) {
  Problem problem = problem_for(input, output, {"L=64, M=8, s=2, k=4"});
  if (unordered == Unordered::Input) problem.unordered_input = {0};
  if (unordered == Unordered::Output) problem.unordered_output = {0};
  return Space::make(std::move(problem), loosest(), rules).value();
}

// One axis in, one out, and an operator for each rule: the rule that forbids it.
struct Line {
  std::unique_ptr<Space> space;
  Writer w;

  explicit Line(const char* input = "[L]", const char* output = "[L]", RuleSet rules = {},
                Unordered unordered = Unordered::None)
      : space(line_space(input, output, rules, unordered)), w(space->problem) {}
  std::string why(std::vector<CoordinateIndex> data,
                  std::vector<std::vector<CoordinateIndex>> weights) {
    return path_to(*space, w.done(std::move(data), std::move(weights))).forbidden_by;
  }
};

// For every rule an operator that it is the first to forbid and, where there is one so near, one
// that it leaves.
struct Fires {
  const char* rule;
  const char* input;
  const char* output;
  // The data and the weights of the operator that is forbidden, or of its neighbour.
  struct Ends {
    std::vector<CoordinateIndex> data;
    std::vector<std::vector<CoordinateIndex>> weights;
  };
  Ends (*forbidden)(Writer&);
  Ends (*neighbour)(Writer&) = nullptr;
  Unordered unordered = Unordered::None;
};
using Ends = Fires::Ends;

// clang-format off
const Fires kFires[] = {
  {"merge-of-split", "[L*M]", "[L, M]",
   [](Writer& w) -> Ends { const int x = w.split(0, 1), a = w.high(x, "s*M"), b = w.low(x, "s*M"); return {{w.split(b, a)}, {}}; },
   [](Writer& w) -> Ends { const int a = w.high(0, "s"), b = w.low(0, "s"); return {{w.split(b, w.split(1, a))}, {}}; }},
  {"merge-of-high", "[L]", "[L]",
   [](Writer& w) -> Ends { const int a = w.high(0, "s"), b = w.low(0, "s"), c = w.high(a, "s"), d = w.low(a, "s"); return {{w.split(b, w.split(d, c))}, {}}; },
   [](Writer& w) -> Ends { const int a = w.high(0, "s^2"), b = w.low(0, "s^2"), c = w.high(b, "s"), d = w.low(b, "s"); return {{w.split(d, w.split(c, a))}, {}}; }},
  {"merge-of-reduce", "[L]", "[L]",
   [](Writer& w) -> Ends { const int r = w.sum("L"), a = w.high(r, "s"), b = w.low(r, "s"); return {{w.split(b, a)}, {{0, a}}}; },
   [](Writer& w) -> Ends { const int a = w.sum("s"), b = w.sum("L/s"); return {{w.split(a, b)}, {{0, b}}}; }},
  {"split-in-split", "[L*M]", "[L/s, s, M]",
   [](Writer& w) -> Ends { return {{w.split(w.split(0, 1), 2)}, {}}; },
   [](Writer& w) -> Ends { return {{w.split(0, w.split(1, 2))}, {}}; }},
  {"shift-of-reduce", "[L]", "[L]",
   [](Writer& w) -> Ends { const int r = w.sum("L"); return {{w.shift(r)}, {{0, r}}}; },
   [](Writer& w) -> Ends { const int r = w.sum("L"); return {{r}, {{0, r}}}; }},
  {"shift-of-unordered", "[L]", "[L]",
   [](Writer& w) -> Ends { const int x = w.shift(0); return {{x}, {{x}}}; },
   [](Writer& w) -> Ends { const int r = w.sum("s"), x = w.shift(w.unfold(0, r)); return {{x}, {}}; },
   Unordered::Output},
  {"shift-to-unordered", "[L]", "[L]",
   [](Writer& w) -> Ends { const int x = w.shift(0); return {{x}, {{x}}}; },
   [](Writer& w) -> Ends { const int a = w.high(0, "s"), b = w.low(0, "s"); return {{w.split(w.shift(b), a)}, {}}; },
   Unordered::Input},
  {"expand-of-halves", "[M]", "[L, M]",
   [](Writer& w) -> Ends { w.high(0, "s"), w.low(0, "s"); return {{1}, {}}; },
   [](Writer&) -> Ends { return {{1}, {}}; }},
  {"merge-of-unfold", "[L]", "[L]",
   [](Writer& w) -> Ends { const int r = w.sum("s"), x = w.unfold(0, r), a = w.high(x, "k"), b = w.low(x, "k"); return {{w.split(b, a)}, {}}; },
   [](Writer& w) -> Ends { const int r = w.sum("k"), x = w.unfold(0, r), a = w.high(x, "s"), b = w.low(x, "s"); return {{w.split(b, a)}, {}}; }},
  {"merge-of-shift", "[L]", "[L]",
   [](Writer& w) -> Ends { const int x = w.shift(0), a = w.high(x, "k"), b = w.low(x, "k"); return {{w.split(b, a)}, {}}; },
   [](Writer& w) -> Ends { const int x = w.shift(0), a = w.high(x, "s"), b = w.low(x, "s"); return {{w.split(b, a)}, {}}; }},
  {"shift-of-split", "[L*M]", "[L, M]",
   [](Writer& w) -> Ends { return {{w.shift(w.split(0, 1))}, {}}; },
   [](Writer& w) -> Ends { return {{w.split(0, w.shift(1))}, {}}; }},
  {"shift-of-shift", "[L]", "[L]",
   [](Writer& w) -> Ends { return {{w.shift(w.shift(0))}, {}}; },
   [](Writer& w) -> Ends { return {{w.shift(0)}, {}}; }},
  {"unfold-of-shift", "[L]", "[L]",
   [](Writer& w) -> Ends { const int r = w.sum("s"); return {{w.unfold(w.shift(0), r)}, {}}; },
   [](Writer& w) -> Ends { const int r = w.sum("s"); return {{w.shift(w.unfold(0, r))}, {}}; }},
  {"unfold-of-split", "[L*M]", "[L, M]",
   [](Writer& w) -> Ends { const int r = w.sum("s"); return {{w.unfold(w.split(0, 1), r)}, {}}; },
   [](Writer& w) -> Ends { const int r = w.sum("s"); return {{w.split(0, w.unfold(1, r))}, {}}; }},
  {"unfold-order", "[L]", "[L]",
   [](Writer& w) -> Ends { const int a = w.sum("k"), b = w.sum("s"); return {{w.unfold(w.unfold(0, a), b)}, {}}; },
   [](Writer& w) -> Ends { const int a = w.sum("k"), b = w.sum("s"); return {{w.unfold(w.unfold(0, b), a)}, {}}; }},
  {"unfold-of-reductions", "[L]", "[L]",
   [](Writer& w) -> Ends { const int r = w.sum("L"), a = w.sum("s"); return {{w.unfold(r, a)}, {{0, r}}}; },
   [](Writer& w) -> Ends { const int a = w.sum("s"); return {{w.unfold(0, a)}, {{a}}}; }},
  {"read-after-shift", "[L]", "[L]",
   [](Writer& w) -> Ends { return {{w.shift(0)}, {{0}}}; },
   [](Writer& w) -> Ends { const int x = w.shift(0); return {{x}, {{x}}}; }},
  {"read-after-merge", "[L]", "[L]",
   [](Writer& w) -> Ends { const int a = w.high(0, "s"), b = w.low(0, "s"); return {{w.split(b, a)}, {{0}}}; },
   [](Writer& w) -> Ends { const int a = w.high(0, "s"), b = w.low(0, "s"), x = w.split(b, a); return {{x}, {{x}}}; }},
  {"read-after-split", "[L]", "[L]",
   [](Writer& w) -> Ends { const int a = w.high(0, "s"), b = w.low(0, "s"); return {{w.split(b, a)}, {{a, b}}}; },
   [](Writer& w) -> Ends { const int a = w.high(0, "s"), b = w.low(0, "s"); return {{w.split(b, a)}, {{a}}}; }},
  {"read-before-stride", "[L]", "[L]",
   [](Writer& w) -> Ends { const int r = w.sum("s"), far = w.stride(r, "s"); return {{w.unfold(0, far)}, {{far}}}; },
   [](Writer& w) -> Ends { const int r = w.sum("s"), far = w.stride(r, "s"); return {{w.unfold(0, far)}, {{r}}}; }},
  {"read-before-unfold", "[L]", "[L]",
   [](Writer& w) -> Ends { const int r = w.sum("s"), x = w.unfold(0, r); return {{x}, {{x, r}}}; },
   [](Writer& w) -> Ends { const int r = w.sum("s"), x = w.unfold(0, r); return {{x}, {{0, r}}}; }},
  {"read-determined", "[L]", "[L]",
   [](Writer& w) -> Ends { const int a = w.high(0, "s"), b = w.low(0, "s"), x = w.split(b, a); return {{x}, {{x, a}}}; },
   [](Writer& w) -> Ends { const int a = w.high(0, "s"), b = w.low(0, "s"), x = w.split(b, a); return {{x}, {{x}}}; }},
  {"weight-in-weight", "[L]", "[L]",
   [](Writer& w) -> Ends { const int a = w.high(0, "s"), b = w.low(0, "s"), x = w.split(b, a); return {{x}, {{x}, {a}}}; },
   [](Writer& w) -> Ends { const int a = w.high(0, "s"), b = w.low(0, "s"), x = w.split(b, a); return {{x}, {{b}, {a}}}; }},
  {"sum-in-one-weight", "[L]", "[L]",
   [](Writer& w) -> Ends { const int r = w.sum("s"); return {{0}, {{0, r}}}; },
   [](Writer& w) -> Ends { const int r = w.sum("s"), a = w.high(0, "s"), b = w.low(0, "s"); return {{w.split(b, a)}, {{a, r}, {b, r}}}; }},
  {"idle-split", "[L]", "[L]",
   [](Writer& w) -> Ends { const int a = w.high(0, "s"), b = w.low(0, "s"), x = w.split(a, b); return {{x}, {{x}}}; },
   [](Writer& w) -> Ends { const int a = w.high(0, "s"), b = w.low(0, "s"); return {{w.split(a, b)}, {{a}}}; }},
  {"outer-view", "[M]", "[L, M]",
   [](Writer& w) -> Ends { return {{1}, {{w.shift(0)}}}; },
   [](Writer&) -> Ends { return {{1}, {{0}}}; }},
  {"outer-halves", "[M]", "[L, M]",
   [](Writer& w) -> Ends { const int a = w.high(0, "s"), b = w.low(0, "s"); return {{1}, {{1, a, b}}}; },
   [](Writer& w) -> Ends { const int a = w.high(0, "s"), b = w.low(0, "s"); return {{1}, {{1, a}, {1, b}}}; }},
  {"outer-unfold", "[M]", "[L, M]",
   [](Writer& w) -> Ends { const int r = w.sum("s"), x = w.unfold(0, r); return {{1}, {{x, 1}, {r, 1}}}; },
   [](Writer& w) -> Ends { const int r = w.sum("s"); return {{1}, {{0, r}, {r, 1}}}; }},
};
// clang-format on

TEST(Rules, EachForbidsWhatItSaysAndLeavesItsNeighbour) {
  for (const Fires& fires : kFires) {
    Line l(fires.input, fires.output, {}, fires.unordered);
    const Ends ends = fires.forbidden(l.w);
    EXPECT_EQ(l.why(ends.data, ends.weights), fires.rule);
    if (fires.neighbour == nullptr) continue;
    Line other(fires.input, fires.output, {}, fires.unordered);
    const Ends beside = fires.neighbour(other.w);
    EXPECT_EQ(other.why(beside.data, beside.weights), "") << "beside " << fires.rule;
  }
}

TEST(Rules, EachHasItsCase) {
  std::set<std::string_view> tried;
  for (const Fires& fires : kFires) tried.insert(fires.rule);
  for (const RuleInfo& info : rule_infos()) {
    EXPECT_EQ(tried.count(info.name), 1U) << info.name << " has no operator in kFires";
  }
  EXPECT_EQ(tried.size(), rule_infos().size());
}

// Switched off, a rule forbids nothing: what it was the first to forbid is free or another's.
TEST(Rules, EachCanBeSwitchedOff) {
  for (const Fires& fires : kFires) {
    Line l(fires.input, fires.output, RuleSet().without(fires.rule).value(), fires.unordered);
    const Ends ends = fires.forbidden(l.w);
    EXPECT_NE(l.why(ends.data, ends.weights), fires.rule);
  }
}

// Two rules rest on another number of elements, and one on zeros beyond a border, which
// fingerprints tell apart: their identities are computed.
using Tensor = std::vector<double>;

Tensor tensor(std::size_t elements, std::size_t seed) {
  Tensor t(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    t[i] = static_cast<double>((i * i + 7 * i + seed) % 97) - 31;  // integers: sums are exact
  }
  return t;
}

Tensor values_of(const Line& l, const Operator& op, const std::vector<Tensor>& weights) {
  const BoundOperator bound = bind(op, l.space->problem.bindings.front()).value();
  const Tensor input = tensor(static_cast<std::size_t>(elements_of(bound.input_shape())), 5);
  return evaluate<double>(bound, input, weights).value();
}

TEST(Rules, AWeightInAWeightIsOneWeight) {
  Line l;
  const int a = l.w.high(0, "s"), b = l.w.low(0, "s"), x = l.w.split(b, a);
  const Tensor w = tensor(64, 1), v = tensor(32, 2);
  Tensor product = w;
  for (std::size_t i = 0; i < 64; ++i) product[i] *= v[i % 32];
  EXPECT_EQ(values_of(l, l.w.done({x}, {{x}, {a}}), {w, v}),
            values_of(l, l.w.done({x}, {{x}}), {product}));
}

TEST(Rules, ASumInOneWeightIsAWeight) {
  Line l, without;
  const int r = l.w.sum("s");
  const Tensor w = tensor(128, 1);
  Tensor sum(64);
  for (std::size_t i = 0; i < 128; ++i) sum[i / 2] += w[i];
  EXPECT_EQ(values_of(l, l.w.done({0}, {{0, r}}), {w}),
            values_of(without, without.w.done({0}, {{0}}), {sum}));
}

TEST(Rules, AnOuterUnfoldIsAWeightWithZerosBeyondItsBorder) {
  Line l("[M]", "[L, M]"), plain("[M]", "[L, M]");
  const int r = l.w.sum("k"), x = l.w.unfold(0, r), q = plain.w.sum("k");
  const Tensor w = tensor(64 * 8, 1), v = tensor(4 * 8, 2);
  Tensor spread(64 * 4 * 8);
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      const std::size_t place = i + j;  // less the middle of the window, 2
      const bool is_inside = place >= 2 && place < 66;
      zeros += is_inside ? 0 : 1;
      for (std::size_t m = 0; m < 8; ++m) {
        spread[(i * 4 + j) * 8 + m] = is_inside ? w[(place - 2) * 8 + m] : 0;
      }
    }
  }
  EXPECT_EQ(values_of(l, l.w.done({1}, {{x, 1}, {r, 1}}), {w, v}),
            values_of(plain, plain.w.done({1}, {{0, q, 1}, {q, 1}}), {spread, v}));
  EXPECT_EQ(zeros, 4U) << "of 256: the rule is approximate";
}

// Where all axes have an order, the two rules about those that have none forbid nothing.
TEST(Rules, AShiftOfAnOrderedAxisStays) {
  Line l;
  const int x = l.w.shift(0);
  EXPECT_EQ(l.why({x}, {{x}}), "");
}

TEST(Rules, ExactOnesAloneLeaveTheRest) {
  Line l("[L]", "[L]", RuleSet::exact());
  EXPECT_EQ(l.why({l.w.shift(l.w.shift(0))}, {}), "");
}

TEST(Rules, UnknownOnesCannotBeSwitchedOff) {
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
