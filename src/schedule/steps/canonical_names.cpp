#include "schedule/steps/canonical_names.h"

#include "program/canonical.h"

namespace cambium::schedule {

Result<Applied> CanonicalNames::apply(Context& cx, const Program& program) const {
  return Applied{program::canonical(cx, program), {}};
}

}  // namespace cambium::schedule
