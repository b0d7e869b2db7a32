// Every operator of the catalogue is in the space: as it is written, or in the canonical form that
// exact rules prefer, which computes the same.
#include "spaces/coordinate/known.h"

#include <map>

#include "spaces/coordinate/document.h"
#include "spaces/coordinate/semantic.h"
#include "spaces/coordinate/synthesis/path.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

Limits widest() {
  Limits limits;
  limits.reductions = 6;
  limits.strides = 2;
  limits.merges = 3;
  limits.weights = 3;
  limits.expands = 2;
  limits.coefficient_power = 4;
  limits.size_powers = 12;
  limits.size_variables = 6;
  limits.window_ratio = 0.5;
  limits.odd_windows = false;
  limits.reduction_volume = 1e6;
  limits.weight_free = true;
  limits.occurrences = Limits::all_of(12);
  return limits;
}

struct Canonical {
  std::string_view rule;  // that forbids what the catalogue has
  std::string_view document;
};

const std::map<std::string_view, Canonical> kCanonical = {
    {"grouped_conv2d",
     {"read-after-split",
      "operator [N, Ci, H, W] -> [N, Co, H, W]\n"
      "out   n, o, h, w\n"
      "sum   i: Ci/g, a: k, b: k\n"
      "x     n, split(high(o, Co/g), i), unfold(h, a), unfold(w, b)\n"
      "w1    low(o, Co/g), split(high(o, Co/g), i), a, b\n"}},
    {"pixel_shuffle",
     {"split-in-split",
      "operator [N, s^2*C, H, W] -> [N, C, s*H, s*W]\n"
      "out   n, c, h, w\n"
      "x     n, split(c, split(low(h, s), low(w, s))), high(h, s), high(w, s)\n"}},
    {"qkv_per_head",
     {"merge-of-high",
      "operator [N, S, C] -> [N, S, t*C]\n"
      "out   n, p, j\n"
      "sum   r: C/g\n"
      "x     n, p, split(high(low(j, C), C/g), r)\n"
      "w1    high(j, C), low(low(j, C), C/g), split(high(low(j, C), C/g), r)\n"}},
};

TEST(KnownOperatorsTest, AllAreInTheSpace) {
  ASSERT_FALSE(known_operators().empty());
  for (const KnownOperator& known : known_operators()) {
    const auto space = Space::make(problem_of(known), widest());
    ASSERT_TRUE(space.ok()) << space.rejection().message();
    const Operator op = operator_of(known);
    const auto other = kCanonical.find(known.name);
    EXPECT_EQ(path_to(**space, op).forbidden_by,
              other == kCanonical.end() ? "" : other->second.rule)
        << known.name << "\n"
        << known.document;
    if (other == kCanonical.end()) continue;
    const Problem& problem = (*space)->problem;
    const auto same = parse(problem, other->second.document);
    ASSERT_TRUE(same.ok()) << same.rejection().message();
    EXPECT_EQ(path_to(**space, *same).forbidden_by, "") << known.name;
    SemanticHasher hasher(problem);
    EXPECT_EQ(hasher.fingerprint(*same).value(), hasher.fingerprint(op).value()) << known.name;
  }
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
