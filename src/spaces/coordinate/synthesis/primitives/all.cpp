#include "spaces/coordinate/synthesis/primitives/all.h"

#include <algorithm>
#include <array>

#include "spaces/coordinate/synthesis/primitives/contraction.h"
#include "spaces/coordinate/synthesis/primitives/expand.h"
#include "spaces/coordinate/synthesis/primitives/merge.h"
#include "spaces/coordinate/synthesis/primitives/reduce.h"
#include "spaces/coordinate/synthesis/primitives/share.h"
#include "spaces/coordinate/synthesis/primitives/shift.h"
#include "spaces/coordinate/synthesis/primitives/split.h"
#include "spaces/coordinate/synthesis/primitives/stride.h"
#include "spaces/coordinate/synthesis/primitives/unfold.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

constexpr std::array<const Primitive*, 9> kAll = {
    &kReduce, &kSplit, &kMerge, &kShift, &kUnfold, &kStride, &kExpand, &kShare, &kContraction};

bool is_full(const Space& space, const State& state, const Primitive& primitive) {
  return state.counts.*primitive.count >= space.limits.*primitive.limit ||
         state.counts.all() >= space.limits.primitives;
}

bool is_too_high(const Space& space, const Step& step) {
  if (step.kind == PrimitiveKind::Expand) return false;
  int height = space.coordinates[step.first].height;
  if (step.second != kNoCoord)
    height = std::max<int>(height, space.coordinates[step.second].height);
  return height >= space.limits.chain;
}

}  // namespace

std::span<const Primitive* const> primitives() {
  return kAll;
}

const Primitive& row(PrimitiveKind kind) {
  return *kAll[static_cast<std::size_t>(kind)];
}

bool is_view(const Space& space, const State& state, const Primitive& primitive) {
  return primitive.offer != nullptr && primitive.kind != PrimitiveKind::Reduce &&
         !is_full(space, state, primitive);
}

void offer(Space& space, const State& state, const Primitive& primitive, Steps& steps) {
  const auto begin = static_cast<std::ptrdiff_t>(steps.size());
  primitive.offer(space, state, steps);
  steps.erase(std::remove_if(steps.begin() + begin, steps.end(),
                             [&](const Step& step) { return is_too_high(space, step); }),
              steps.end());
}

void offer_views(Space& space, const State& state, Steps& steps) {
  for (const Primitive* primitive : kAll) {
    if (is_view(space, state, *primitive)) offer(space, state, *primitive, steps);
  }
}

void offer_reductions(Space& space, const State& state, Steps& steps) {
  if (!is_full(space, state, kReduce)) kReduce.offer(space, state, steps);
}

StateId apply(Space& space, const State& state, const Step& step) {
  const Primitive& primitive = row(step.kind);
  State next = state;
  primitive.apply(space, step, next);
  ++(next.counts.*primitive.count);
  return space.states.intern(next);
}

std::string text(const Space& space, const Step& step) {
  const auto& names = space.problem.sizes;
  std::string inside;
  if (step.first != kNoCoord) inside = space.coordinates.text(step.first, names);
  if (step.second != kNoCoord) inside += ", " + space.coordinates.text(step.second, names);
  if (step.size != kSizeOne) {
    inside += (inside.empty() ? "" : ", ") + names.print(space.sizes[step.size].size);
  }
  return std::string(row(step.kind).name) + "(" + inside + ")";
}

std::string primitives_page() {
  std::string page =
      "# Primitives of the coordinate space\n\n"
      "Written from the rows in `src/spaces/coordinate/synthesis/primitives/` by the test\n"
      "`spaces/coordinate/synthesis/Primitives.TheirPageIsUpToDate` (`CAMBIUM_UPDATE_GOLDEN=1`\n"
      "writes it). An operator grows from its output: a primitive takes the coordinates at its\n"
      "bottom and puts those at its top in their place.\n\n"
      "| primitive | parameter | bottom | top | top-down |\n|---|---|---|---|---|\n";
  const auto cell = [](const char* text) {
    return *text == '\0' ? std::string() : "`" + std::string(text) + "`";
  };
  for (const Primitive* p : kAll) {
    page += "| " + std::string(p->name) + " | " + p->parameter + " | " + cell(p->bottom) + " | " +
            cell(p->top) + " | " + p->top_down + " |\n";
  }
  return page;
}

}  // namespace cambium::spaces::coordinate::synthesis
