#include "spaces/coordinate/synthesis/limits.h"

#include "base/check.h"

namespace cambium::spaces::coordinate::synthesis {

std::span<const LimitInfo> limit_infos() {
  // clang-format off
#define CAMBIUM_X(name, text, counts, usual, most, what) \
  {#counts, what, 0, most, &Limits::counts, PrimitiveKind::name},
  static constexpr LimitInfo kInfos[] = {
    {"primitives", "most primitives of an operator; a weight counts as one", 1, 24,
     &Limits::primitives, {}},
    CAMBIUM_FOR_EACH_PRIMITIVE(CAMBIUM_X)
    {"weights", "most weights: each is a CONTRACTION", 0, 3, &Limits::weights,
     PrimitiveKind::Contraction},
    {"chain", "most primitives from a coordinate to the output", 0, 100, &Limits::chain, {}}};
#undef CAMBIUM_X
  // clang-format on
  return kInfos;
}

int Limits::of(PrimitiveKind kind) const {
  for (const LimitInfo& info : limit_infos()) {
    if (info.primitive == kind) return this->*info.limit;
  }
  CAMBIUM_CHECK(false, "a SHARE is part of a CONTRACTION and has no limit of its own");
}

}  // namespace cambium::spaces::coordinate::synthesis
