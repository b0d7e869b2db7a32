// What steps made of programs. Candidates of one search begin alike: a step on a program that it
// was applied to before makes the same again, or is refused again. Belongs to one context, whose
// nodes it names by their addresses, and is thrown away with it. Used by Schedule where given.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/fingerprint.h"
#include "schedule/steps.h"

namespace cambium::schedule {

struct StepOutcome {
  Program program;
  Names made;
  std::vector<InterfaceChange> changes;
};

class StepMemory {
 public:
  // What the step makes of the program, from memory or by applying it.
  const Result<StepOutcome>& outcome(Context& cx, const Program& program, const Step& step);

 private:
  std::unordered_map<Fingerprint, Result<StepOutcome>> known_;
};

// By applying it.
Result<StepOutcome> outcome_of(Context& cx, const Program& program, const Step& step);

}  // namespace cambium::schedule
