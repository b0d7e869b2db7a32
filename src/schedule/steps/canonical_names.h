// CanonicalNames: gives everything its canonical name (program/canonical.h). The tuner knows
// programs by these names, and the loop half of a trace refers to them. The neural half refers to
// the names that lowering gave, so this step stands between the two halves. Makes and refuses
// nothing.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct CanonicalNames {
  static constexpr const char* kName = "canonical_names";
  CAMBIUM_FIELDS()
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule
