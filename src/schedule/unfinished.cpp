#include "schedule/steps.h"

namespace cambium::schedule {

Result<Applied> ComputeAt::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> ReverseComputeAt::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> Inline::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> ReverseInline::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> CacheRead::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> CacheWrite::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> RFactor::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> SetLayout::apply(Context&, const Program&) const {
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
