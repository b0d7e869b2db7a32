// CanonicalNames: gives everything the name that program/canonical.h finds for it. The tuner knows
// programs by these names, so the loop half of a trace refers to them: this step stands between it
// and the neural half, which refers to the names that lowering gave. Makes and refuses nothing.
#pragma once

#include "schedule/steps/applied.h"

namespace cambium::schedule {

struct CanonicalNames {
  static constexpr const char* kName = "canonical_names";
  CAMBIUM_FIELDS()
  Result<Applied> apply(Context& cx, const Program& program) const;
};

}  // namespace cambium::schedule
