// The canonicalization rules as functions. A step rule looks at a step and what is directly below
// it. So every part of a canonical operator is canonical, and the order of steps does not matter. A
// weight rule looks at what one weight reads, or at all weights and the data together.
#pragma once

#include "spaces/coordinate/synthesis/anatomy.h"
#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

struct StepRule {
  RuleInfo info;
  PrimitiveKind kind;
  bool (*forbids)(Space&, const State&, const Step&);
};

struct WeightRule {
  RuleInfo info;
  bool (*forbids_weight)(const Anatomy&, Reads);          // or null
  bool (*forbids_choice)(const Anatomy&, const Choice&);  // or null
};

std::span<const StepRule> step_rules();
std::span<const WeightRule> weight_rules();

// The first rule that forbids it, or null. Rules that are off forbid nothing.
const RuleInfo* forbidding(Space& space, const State& state, const Step& step);
const RuleInfo* forbidding(const Space& space, const Anatomy& anatomy, Reads weight);
const RuleInfo* forbidding(const Space& space, const Anatomy& anatomy, const Choice& choice);

}  // namespace cambium::spaces::coordinate::synthesis
