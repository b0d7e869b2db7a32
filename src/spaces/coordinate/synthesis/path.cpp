#include "spaces/coordinate/synthesis/path.h"

#include <algorithm>

#include "spaces/coordinate/synthesis/primitives/all.h"
#include "spaces/coordinate/synthesis/renaming.h"
#include "spaces/coordinate/synthesis/rules/rules.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

using Kind = CoordinateKind;

// A walk that takes the steps of an operator.
struct Walk {
  Space& space;
  const Operator& op;
  State state;
  std::vector<CoordId> ids;  // of op.coordinates
  Path path;

  CoordId id(CoordinateIndex index) const { return ids[static_cast<std::size_t>(index)]; }

  // Takes the step if it is offered and no rule forbids it.
  bool take(const Step& step) {
    Steps offered;
    if (step.kind == PrimitiveKind::Reduce) {
      offer_reductions(space, state, offered);
    } else {
      offer_views(space, state, offered);
    }
    path.steps.push_back(text(space, step));
    if (std::find(offered.begin(), offered.end(), step) == offered.end()) {
      path.forbidden_by = "limits of " + std::string(name_of(step.kind));
      return false;
    }
    if (const RuleInfo* rule = forbidding(space, state, step)) {
      path.forbidden_by = rule->name;
      return false;
    }
    synthesis::take(space, step, state);
    return true;
  }
};

bool take_reductions(Walk& walk) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < walk.op.coordinates.size(); ++i) {
    if (walk.op.coordinates[i].kind == Kind::Reduce) places.push_back(i);
  }
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return walk.op.coordinates[a].domain < walk.op.coordinates[b].domain;
  });
  for (const std::size_t place : places) {
    const SizeId size = walk.space.sizes.intern(walk.op.coordinates[place].domain);
    if (!walk.take({PrimitiveKind::Reduce, size, kNoCoord, kNoCoord})) return false;
    walk.ids[place] = walk.state.data.back();
  }
  walk.state.stage = walk.space.states.intern(walk.state);
  return true;
}

bool take_view(Walk& walk, std::size_t place) {
  const Coordinate& c = walk.op.coordinates[place];
  Coordinates& coordinates = walk.space.coordinates;
  const CoordId first = walk.id(c.first);
  const CoordId second = c.second == kNoCoordinate ? kNoCoord : walk.id(c.second);
  const SizeId size = walk.space.sizes.intern(c.parameter);
  CoordId& made = walk.ids[place];
  const PrimitiveKind primitive = info_of(c.kind).primitive.value();
  const Step step{primitive, info_of(c.kind).has_parameter ? size : kSizeOne, first, second};
  const auto& data = walk.state.data;
  if (primitive == PrimitiveKind::Merge) {
    // The other half may have come before.
    const bool is_made = std::find(data.begin(), data.end(), first) == data.end();
    if (!is_made && !walk.take(step)) return false;
    const bool is_high = c.kind == Kind::MergeHigh;
    made = is_high ? coordinates.merge_high(first, size) : coordinates.merge_low(first, size);
    return true;
  }
  if (!walk.take(step)) return false;
  made = data.back();
  CAMBIUM_CHECK(coordinates[made].kind == c.kind, "a primitive that makes another coordinate");
  return true;
}

// Coordinates that neither the data nor a weight read.
bool take_expands(Walk& walk) {
  std::vector<CoordId> read;
  for (const CoordinateIndex index : walk.op.data) read.push_back(walk.id(index));
  for (const auto& weight : walk.op.weights) {
    for (const CoordinateIndex index : weight) read.push_back(walk.id(index));
  }
  const auto data = walk.state.data;
  for (const CoordId c : data) {
    if (std::find(read.begin(), read.end(), c) != read.end()) continue;
    if (!walk.take({PrimitiveKind::Expand, kSizeOne, c, kNoCoord})) return false;
  }
  return true;
}

// Tries this renaming of reductions. It fails unless it leads to the interned state.
bool choose_weights(Walk& walk, const Finishing& finishing, const Renaming* renaming) {
  Coordinates& coordinates = walk.space.coordinates;
  const Anatomy& anatomy = finishing.anatomy();
  const auto find = [&](CoordinateIndex index) -> int {
    CoordId c = walk.id(index);
    if (renaming != nullptr) c = renamed(coordinates, c, *renaming);
    for (std::size_t i = 0; i < anatomy.coords.size(); ++i) {
      if (anatomy.coords[i] == c) return static_cast<int>(i);
    }
    return -1;
  };
  Choice choice;
  for (const std::uint8_t axis : walk.space.input_axes) {
    const int place = find(walk.op.data[axis]);
    if (place < 0) return false;
    choice.axes.push_back(static_cast<std::uint8_t>(place));
    choice.data |= Reads{1} << place;
  }
  for (const auto& weight : walk.op.weights) {
    Reads reads = 0;
    for (const CoordinateIndex index : weight) {
      const int place = find(index);
      if (place < 0) return false;
      reads |= Reads{1} << place;
    }
    if (choice.weights.size() == kMaxWeights) return false;
    choice.weights.push_back(reads);
  }
  sort_few(choice.weights);
  const char* broken = finishing.check(choice);
  walk.path.forbidden_by = broken == nullptr ? "" : broken;
  walk.path.choice = choice;
  return broken == nullptr;
}

}  // namespace

Path path_to(Space& space, const Operator& op) {
  Walk walk{space, op, space.states.unpack(space.root), {}, {}};
  walk.ids.assign(op.coordinates.size(), kNoCoord);
  for (std::size_t axis = 0; axis < space.problem.output.size(); ++axis) {
    const SizeId size = space.sizes.intern(space.problem.output[axis]);
    walk.ids[axis] = space.coordinates.output(static_cast<int>(axis), size);
  }
  if (!take_reductions(walk)) return walk.path;
  for (std::size_t i = 0; i < op.coordinates.size(); ++i) {
    if (op.coordinates[i].first != kNoCoordinate && !take_view(walk, i)) return walk.path;
  }
  if (!take_expands(walk)) return walk.path;
  const int primitives = walk.state.counts.all() + static_cast<int>(op.weights.size());
  walk.path.steps.push_back(std::to_string(op.weights.size()) + " CONTRACTIONs");
  if (primitives > space.limits.primitives) {
    walk.path.forbidden_by = "limit of primitives";
    return walk.path;
  }
  walk.path.state = space.states.intern(walk.state);
  const Finishing finishing(space, walk.path.state);
  walk.path.forbidden_by = "the input does not match";
  if (choose_weights(walk, finishing, nullptr)) return walk.path;
  bool is_done = false;
  for_each_renaming(space.coordinates, space.states.reductions(walk.path.state),
                    [&](const Renaming& renaming) {
                      if (!is_done) is_done = choose_weights(walk, finishing, &renaming);
                    });
  return walk.path;
}

}  // namespace cambium::spaces::coordinate::synthesis
