#include "spaces/coordinate/synthesis/limits.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace cambium::spaces::coordinate::synthesis {

namespace {

constexpr std::uint8_t kDefaultOccurrences = 4;  // of the output's channels in OPERATOR 1
constexpr int kMostOfALimit = 24;                // as many primitives as an operator may have

}  // namespace

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

int most_useful(const LimitInfo& info) {
  return std::min(info.most, kMostOfALimit);
}

Limits with_default_occurrences(const Problem& problem, Limits limits) {
  limits.occurrences = Limits::all_of(kDefaultOccurrences);
  const auto is_axis = [](const std::vector<expr::Size>& shape, expr::SizeVar v) {
    return std::find(shape.begin(), shape.end(), expr::Size::var(v)) != shape.end();
  };
  std::vector<expr::SizeVar> shared;
  bool is_any_left = false;
  for (const expr::SizeVar v : problem.sizes.vars()) {
    if (!v.is_primary()) continue;
    const bool is_shared = is_axis(problem.input, v) && is_axis(problem.output, v);
    if (is_shared) shared.push_back(v);
    is_any_left = is_any_left || !is_shared;
  }
  for (const expr::SizeVar v : shared) {
    if (is_any_left) limits.occurrences[v.index] = 0;
  }
  return limits;
}

}  // namespace cambium::spaces::coordinate::synthesis
