#include "spaces/coordinate/synthesis/primitives/all.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

// clang-format off
#define CAMBIUM_X(name, text, counts, usual, most, what) &k##name,
constexpr std::array<const Primitive*, kPrimitiveKinds> kAll = {
    CAMBIUM_FOR_EACH_PRIMITIVE(CAMBIUM_X) &kShare, &kContraction};
#undef CAMBIUM_X
// clang-format on

bool is_full(const Space& space, const State& state, const Primitive& primitive) {
  return state.counts[primitive.kind] >= space.limits.of(primitive.kind) ||
         state.counts.all() >= space.limits.primitives;
}

bool is_too_high(const Space& space, const Step& step) {
  if (step.kind == PrimitiveKind::Expand) return false;
  int height = space.coordinates[step.first].height;
  if (step.second != kNoCoord)
    height = std::max<int>(height, space.coordinates[step.second].height);
  return height >= space.limits.chain;
}

// `split(i, j)`: what documents call the coordinates that a primitive makes.
std::vector<std::string> documents_of(const Primitive& primitive) {
  std::vector<std::string> texts;
  for (const CoordinateInfo& info : kCoordinateInfos) {
    if (info.primitive != primitive.kind || info.operands == 0) continue;
    texts.push_back("`" + std::string(info.word) + "(i" + (info.operands == 2 ? ", j" : "") +
                    (info.has_parameter ? std::string(", ") + primitive.parameter : "") + ")`");
  }
  return texts;
}

// `splits: 3`; nothing for a SHARE.
std::string limit_text(PrimitiveKind kind) {
  const Limits defaults;
  for (const LimitInfo& info : limit_infos()) {
    if (info.primitive != kind) continue;
    return std::string(info.name) + ": " + std::to_string(defaults.*info.limit);
  }
  return "";
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

void take(Space& space, const Step& step, State& state) {
  row(step.kind).apply(space, step, state);
  ++state.counts[step.kind];
}

StateId apply(Space& space, const State& state, const Step& step) {
  State next = state;
  take(space, step, next);
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
  return std::string(name_of(step.kind)) + "(" + inside + ")";
}

std::string primitives_page() {
  std::string page =
      "# Primitives of the coordinate space\n\n"
      "Written from the list in `src/spaces/coordinate/kinds.h` and the rows in\n"
      "`src/spaces/coordinate/synthesis/primitives/` by the test\n"
      "`spaces/coordinate/synthesis/Primitives.TheirPageIsUpToDate` (`CAMBIUM_UPDATE_GOLDEN=1`\n"
      "writes it). An operator grows from its output: a primitive replaces the coordinates at its\n"
      "bottom by those at its top. The last column names the limit on how many of them an\n"
      "operator may hold, and its default.\n\n"
      "| primitive | in documents | parameter | bottom | top | top-down | limit |\n"
      "|---|---|---|---|---|---|---|\n";
  const auto code = [](const std::string& text) { return text.empty() ? "" : "`" + text + "`"; };
  for (const Primitive* p : kAll) {
    page += "| " + std::string(name_of(p->kind)) + " | " + join(documents_of(*p), ", ") + " | " +
            p->parameter + " | " + code(p->bottom) + " | " + code(p->top) + " | " + p->top_down +
            " | " + limit_text(p->kind) + " |\n";
  }
  return page;
}

}  // namespace cambium::spaces::coordinate::synthesis
