#include <algorithm>
#include <array>

#include "spaces/coordinate/synthesis/primitives/expand.h"
#include "spaces/coordinate/synthesis/rules/rules.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

using Kind = CoordinateKind;
using P = PrimitiveKind;
constexpr Exactness kExact = Exactness::Exact, kApproximate = Exactness::Approximate;

bool has_block(Space& space, SizeId n, SizeId block) {
  return block != kNoSize && space.sizes.find_block(n, block) != nullptr;
}

bool is_parameter(const Space& space, SizeId size) {
  return size != kNoSize && space.sizes[size].parameter;
}

bool at_least(const Space& space, SizeId a, SizeId b) {
  const auto x = space.sizes.values(a), y = space.sizes.values(b);
  return std::equal(x.begin(), x.end(), y.begin(), [](auto m, auto n) { return m >= n; });
}

const Coord& first(const Space& space, const Step& step) {
  return space.coordinates[step.first];
}

// A SHIFT by one matters across blocks only if they are short; the paper's program uses 2.
constexpr std::int64_t kShortBlock = 2;

// The other form must be in the space too, so each rule checks that its block exists.
bool merge_of_split(Space& space, const State&, const Step& step) {
  const Coord& c = first(space, step);
  if (c.kind != Kind::Split) return false;
  const SizeId high = space.coordinates.size(c.first), low = space.coordinates.size(c.second);
  if (step.size == low) return true;
  return has_block(space, high, space.sizes.quotient(step.size, low)) ||
         has_block(space, low, step.size);
}

bool merge_of_high(Space& space, const State&, const Step& step) {
  const Coord& c = first(space, step);
  if (c.kind != Kind::MergeHigh) return false;
  const SizeId whole = space.coordinates.size(c.first);
  return has_block(space, whole, space.sizes.product(step.size, c.parameter));
}

bool merge_of_reduce(Space& space, const State& state, const Step& step) {
  const Coord& c = first(space, step);
  return c.kind == Kind::Reduce && state.counts.reductions < space.limits.reductions &&
         is_parameter(space, space.sizes.quotient(c.size, step.size));
}

bool split_in_split(Space& space, const State&, const Step& step) {
  const Coord& c = first(space, step);
  if (c.kind != Kind::Split) return false;
  const SizeId b = space.coordinates.size(c.second), d = space.coordinates.size(step.second);
  return space.sizes.legal(space.sizes.product(b, d));
}

bool shift_of_reduce(Space& space, const State&, const Step& step) {
  return first(space, step).kind == Kind::Reduce;
}

bool shift_of_unordered(Space& space, const State&, const Step& step) {
  const Coord& c = first(space, step);
  const auto& unordered = space.problem.unordered_output;
  return c.kind == Kind::Output &&
         std::find(unordered.begin(), unordered.end(), c.label) != unordered.end();
}

bool expand_of_halves(Space& space, const State& state, const Step& step) {
  return is_last_half(space, state, step.first);
}

bool merge_of_unfold(Space& space, const State&, const Step& step) {
  const Coord& c = first(space, step);
  return c.kind == Kind::Unfold && at_least(space, step.size, space.coordinates.size(c.second));
}

bool merge_of_shift(Space& space, const State&, const Step& step) {
  return first(space, step).kind == Kind::Shift && space.sizes[step.size].greatest > kShortBlock;
}

bool shift_of_split(Space& space, const State&, const Step& step) {
  const Coord& c = first(space, step);
  return c.kind == Kind::Split &&
         space.sizes[space.coordinates.size(c.second)].greatest > kShortBlock;
}

bool shift_of_shift(Space& space, const State&, const Step& step) {
  return first(space, step).kind == Kind::Shift;
}

bool unfold_of_shift(Space& space, const State&, const Step& step) {
  return first(space, step).kind == Kind::Shift;
}

bool unfold_of_split(Space& space, const State&, const Step& step) {
  const Coord& c = first(space, step);
  return c.kind == Kind::Split &&
         at_least(space, space.coordinates.size(c.second), space.coordinates.size(step.second));
}

bool unfold_order(Space& space, const State&, const Step& step) {
  const Coord& c = first(space, step);
  if (c.kind != Kind::Unfold) return false;
  const SizeFacts& below = space.sizes[space.coordinates.size(c.second)];
  const SizeFacts& above = space.sizes[space.coordinates.size(step.second)];
  return below.least != above.least ? above.least < below.least : above.size < below.size;
}

bool unfold_of_reductions(Space& space, const State&, const Step& step) {
  return first(space, step).reduced == Coord::Reduced::All &&
         space.coordinates[step.second].reduced == Coord::Reduced::All;
}

// clang-format off
// Rules of one primitive stand side by side, exact rules first.
constexpr std::array kRules = {
  StepRule{{"merge-of-split", kExact, "MERGE(B) on SPLIT(i, j: C) if B divides C or C divides B",
            "(C*i + j) / (q*C) = i / q, (C*i + j) % (q*C) = C*(i % q) + j; likewise for C = q*B"},
           P::Merge, merge_of_split},
  StepRule{{"merge-of-high", kExact, "MERGE on the high half of a MERGE",
            "(i / B) / q = i / (q*B), (i / B) % q = (i % (q*B)) / B: MERGE the low half instead"},
           P::Merge, merge_of_high},
  StepRule{{"merge-of-reduce", kExact, "MERGE on a REDUCE", "sum over r of f(r / B, r % B) = sum over a, b of f(a, b)"},
           P::Merge, merge_of_reduce},
  StepRule{{"merge-of-unfold", kApproximate, "MERGE(B) on UNFOLD with a window of at most B",
            "(i + j - K/2) / B = i / B except near the ends of blocks (figure 3c)"},
           P::Merge, merge_of_unfold},
  StepRule{{"merge-of-shift", kApproximate, "MERGE(B) on SHIFT, B > 2", "(i + 1) / B = i / B except at the ends of blocks"},
           P::Merge, merge_of_shift},
  StepRule{{"split-in-split", kExact, "SPLIT whose high operand is a SPLIT", "C*(B*i + j) + l = B*C*i + (C*j + l)"},
           P::Split, split_in_split},
  StepRule{{"shift-of-reduce", kExact, "SHIFT on a REDUCE", "sum over r of f((r + 1) % N) = sum over r of f(r)"},
           P::Shift, shift_of_reduce},
  StepRule{{"shift-of-unordered", kExact, "SHIFT on an output axis whose order the following layers can undo",
            "Y[(i + 1) % N] is a renaming of the channels of Y"},
           P::Shift, shift_of_unordered},
  StepRule{{"shift-of-split", kApproximate, "SHIFT on SPLIT(i, j: B), B > 2", "B*i + j + 1 = B*i + (j + 1) % B except at the ends of blocks"},
           P::Shift, shift_of_split},
  StepRule{{"shift-of-shift", kApproximate, "SHIFT on SHIFT", "a shift by two differs little from a shift by one"},
           P::Shift, shift_of_shift},
  StepRule{{"unfold-of-shift", kApproximate, "UNFOLD whose base is a SHIFT", "(i + 1) % N + j = (i + j + 1) % N except at the border"},
           P::Unfold, unfold_of_shift},
  StepRule{{"unfold-of-split", kApproximate, "UNFOLD whose base is SPLIT(i, j: B) with a window of at most B",
            "B*i + j + l = B*i + (j + l) except at the ends of blocks"},
           P::Unfold, unfold_of_split},
  StepRule{{"unfold-order", kApproximate, "UNFOLD of an UNFOLD with a smaller window", "(i + a) + b = (i + b) + a except at the border"},
           P::Unfold, unfold_order},
  StepRule{{"unfold-of-reductions", kApproximate, "UNFOLD of two coordinates made of reductions alone",
            "sum over r, s of f(r + s) counts every f(r) equally often, except at the border"},
           P::Unfold, unfold_of_reductions},
  StepRule{{"expand-of-halves", kExact, "EXPAND of both halves of a MERGE", "it equals EXPAND of the merged coordinate"},
           P::Expand, expand_of_halves},
};
// clang-format on

struct Range {
  std::size_t begin = 0, end = 0;
};

constexpr auto kRanges = [] {
  std::array<Range, kPrimitiveKinds> ranges{};
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    Range& range = ranges[static_cast<std::size_t>(kRules[i].kind)];
    if (range.end == 0) range.begin = i;
    range.end = i + 1;
  }
  return ranges;
}();

}  // namespace

std::span<const StepRule> step_rules() {
  return kRules;
}

const RuleInfo* forbidding(Space& space, const State& state, const Step& step) {
  const Range range = kRanges[static_cast<std::size_t>(step.kind)];
  for (std::size_t row = range.begin; row < range.end; ++row) {
    if (space.rules.has(row) && kRules[row].forbids(space, state, step)) return &kRules[row].info;
  }
  return nullptr;
}

}  // namespace cambium::spaces::coordinate::synthesis
