// Remembers the outcome of steps. The candidates of a search share their first steps, and the same
// step on the same program always has the same outcome. A memory belongs to one context, because it
// identifies nodes by address, and must be discarded with it. Schedule uses one if it is given.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/fingerprint.h"
#include "schedule/trace/steps.h"

namespace cambium::schedule {

struct StepOutcome {
  Program program;
  Names made;
  std::vector<InterfaceChange> changes;
};

class StepMemory {
 public:
  // The outcome of the step on the program, remembered or by applying it.
  const Result<StepOutcome>& outcome(Context& cx, const Program& program, const Step& step);

 private:
  std::unordered_map<Fingerprint, Result<StepOutcome>> known_;
};

// The outcome by applying it.
Result<StepOutcome> outcome_of(Context& cx, const Program& program, const Step& step);

}  // namespace cambium::schedule
