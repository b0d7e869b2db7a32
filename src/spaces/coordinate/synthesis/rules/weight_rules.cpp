#include <array>
#include <bit>

#include "spaces/coordinate/synthesis/rules/rules.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

constexpr Exactness kExact = Exactness::Exact, kApproximate = Exactness::Approximate;

bool includes(Reads all, Reads some) {
  return (some & ~all) == 0;
}

bool reads_shifted(const Anatomy& a, Reads weight) {
  return (weight & a.shifted) != 0;
}

bool reads_merged(const Anatomy& a, Reads weight) {
  return (weight & a.merged) != 0;
}

bool reads_strided(const Anatomy& a, Reads weight) {
  return (weight & a.strided) != 0;
}

bool reads_split_operands(const Anatomy& a, Reads weight) {
  for (const Reads pair : a.split_operands) {
    if (includes(weight, pair)) return true;
  }
  return false;
}

bool reads_unfold_and_operand(const Anatomy& a, Reads weight) {
  for (const Reads trio : a.unfolds) {
    // Results come after their operands.
    if (std::popcount(trio & weight) >= 2 && (weight & std::bit_floor(trio)) != 0) return true;
  }
  return false;
}

bool reads_determined(const Anatomy& a, Reads weight) {
  for (Reads rest = weight; rest != 0; rest &= rest - 1) {
    const Reads one = rest & -rest;
    if ((a.closure(weight & ~one) & one) != 0) return true;
  }
  return false;
}

bool weight_in_weight(const Anatomy& a, const Choice& choice) {
  for (std::size_t i = 0; i < choice.weights.size(); ++i) {
    const Reads known = a.closure(choice.weights[i]);
    for (std::size_t j = 0; j < choice.weights.size(); ++j) {
      if (i != j && includes(known, choice.weights[j])) return true;
    }
  }
  return false;
}

bool sum_in_one_weight(const Anatomy& a, const Choice& choice) {
  Reads once = 0, twice = 0;
  for (const Reads weight : choice.weights) {
    const Reads bases = a.bases_of(weight);
    twice |= once & bases;
    once |= bases;
  }
  return (a.reductions & ~a.bases_of(choice.data) & ~twice) != 0;
}

bool idle_split(const Anatomy& a, const Choice& choice) {
  Reads all = 0;
  for (const Reads weight : choice.weights) all |= weight;
  for (const Reads operands : a.idle_splits) {
    if ((all & operands) == 0) return true;
  }
  return false;
}

bool shift_to_unordered(const Anatomy& a, const Choice& choice) {
  for (std::size_t i = 0; i < choice.axes.size(); ++i) {
    if ((a.unordered >> i & 1) != 0 && (a.shifts >> choice.axes[i] & 1) != 0) return true;
  }
  return false;
}

bool outer_view(const Anatomy& a, const Choice& choice) {
  return (a.data & ~choice.data & a.views) != 0;
}

bool outer_halves(const Anatomy& a, const Choice& choice) {
  const Reads outer = a.data & ~choice.data;
  for (const Reads both : a.halves) {
    if (!includes(outer, both)) continue;
    bool is_apart = false;
    for (const Reads weight : choice.weights) is_apart |= std::popcount(weight & both) == 1;
    if (!is_apart) return true;
  }
  return false;
}

bool outer_unfold(const Anatomy& a, const Choice& choice) {
  return (a.data & ~choice.data & a.unfolded) != 0;
}

// clang-format off
constexpr std::array kRules = {
  WeightRule{{"read-after-shift", kExact, "a weight reads the operand of a SHIFT", "W[i] = V[(i + 1) % N]: the weight reads the result instead"},
             reads_shifted, nullptr},
  WeightRule{{"read-after-merge", kExact, "a weight reads the operand of a MERGE", "W[i] = V[i / B, i % B]: the weight reads both halves instead"},
             reads_merged, nullptr},
  WeightRule{{"read-after-split", kExact, "a weight reads both operands of a SPLIT", "W[i, j] = V[B*i + j]: the weight reads the result instead"},
             reads_split_operands, nullptr},
  WeightRule{{"read-before-stride", kExact, "a weight reads the result of a STRIDE", "V[S*i] = W[i]: the weight reads the operand instead"},
             reads_strided, nullptr},
  WeightRule{{"read-before-unfold", kExact, "a weight reads an UNFOLD and one of its operands", "V[i + j - c, j] = W[i, j] inside the border: the weight reads both operands instead"},
             reads_unfold_and_operand, nullptr},
  WeightRule{{"read-determined", kExact, "a weight reads a coordinate that its other coordinates determine", "W[B*i + j, j] = V[B*i + j]"},
             reads_determined, nullptr},
  WeightRule{{"weight-in-weight", kExact, "the coordinates of one weight determine all those of another", "W[i, j] * V[i] = U[i, j]"},
             nullptr, weight_in_weight},
  WeightRule{{"sum-in-one-weight", kExact, "a reduction on which only one weight depends", "sum over r of W[i, r] = V[i]"},
             nullptr, sum_in_one_weight},
  WeightRule{{"idle-split", kExact, "SPLIT of two reductions, or of the parts of a MERGE, if no weight reads a part",
              "B*(i / B) + i % B = i; a sum over r and s of f(B*r + s) is one over G*B"},
             nullptr, idle_split},
  WeightRule{{"shift-to-unordered", kExact, "SHIFT that indexes an input axis whose order the preceding layer can undo",
              "X[(i + 1) % N] is a renaming of the channels of X"},
             nullptr, shift_to_unordered},
  WeightRule{{"outer-view", kExact, "a SPLIT or SHIFT that the data does not read", "V[B*i + j] = W[i, j]: the weight reads the operands"},
             nullptr, outer_view},
  WeightRule{{"outer-halves", kExact, "two halves of a MERGE that the data does not read and every weight reads together", "V[i / B, i % B] = W[i]"},
             nullptr, outer_halves},
  WeightRule{{"outer-unfold", kApproximate, "an UNFOLD that the data does not read", "V[i + j - c] = W[i, j] for some W, except at the border"},
             nullptr, outer_unfold},
};
// clang-format on

// `which`: the function of a rule that looks at one weight, or at all of them.
template <class Looked, class Forbids>
const RuleInfo* first_that_forbids(const Space& space, const Anatomy& anatomy, const Looked& at,
                                   Forbids WeightRule::*which) {
  const std::size_t first = step_rules().size();
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    const Forbids forbids = kRules[i].*which;
    if (forbids != nullptr && space.rules.has(first + i) && forbids(anatomy, at)) {
      return &kRules[i].info;
    }
  }
  return nullptr;
}

}  // namespace

std::span<const WeightRule> weight_rules() {
  return kRules;
}

const RuleInfo* forbidding(const Space& space, const Anatomy& anatomy, Reads weight) {
  return first_that_forbids(space, anatomy, weight, &WeightRule::forbids_weight);
}

const RuleInfo* forbidding(const Space& space, const Anatomy& anatomy, const Choice& choice) {
  return first_that_forbids(space, anatomy, choice, &WeightRule::forbids_choice);
}

}  // namespace cambium::spaces::coordinate::synthesis
