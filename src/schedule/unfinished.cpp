#include "schedule/steps.h"

namespace cambium::schedule {

Result<Applied> Split::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> Fuse::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> Reorder::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> Tile::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> Unroll::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> Vectorize::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> Parallel::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> Partition::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> Annotate::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> Prefetch::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<Applied> DecomposeReduction::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
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
Result<Applied> MergeIterators::apply(Context&, const Program&) const {
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
Result<NeuralApplied> Bottleneck::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<NeuralApplied> Group::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<NeuralApplied> Depthwise::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<NeuralApplied> GroupSlabs::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}
Result<NeuralApplied> GroupChannels::apply(Context&, const Program&) const {
  return Rejection(Reason::Unavailable, kName);
}

}  // namespace cambium::schedule
