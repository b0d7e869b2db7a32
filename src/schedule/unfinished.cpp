#include "schedule/steps.h"

namespace cambium::schedule {

Result<Applied> RFactor::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> PadToMultiple::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> DecomposePadding::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> Tensorize::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}

}  // namespace cambium::schedule
