#include "search/ancestors.h"

#include <algorithm>

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::bench {

using namespace spaces::coordinate::synthesis;
using Kind = spaces::coordinate::CoordinateKind;

Ancestors::Key Ancestors::key_of(const State& state) {
  return {{state.data.begin(), state.data.end()}, {state.expanded.begin(), state.expanded.end()}};
}

bool Ancestors::contains(StateId id) const {
  return known_.contains(key_of(space_.states.unpack(id)));
}

void Ancestors::add(StateId id) {
  std::vector<State> open = {space_.states.unpack(id)};
  while (!open.empty()) {
    const State state = open.back();
    open.pop_back();
    if (!known_.insert(key_of(state)).second) continue;
    for (State& before : undone(state)) open.push_back(std::move(before));
  }
}

// Without one of its steps that nothing stands on; REDUCEs go last, since they come first.
std::vector<State> Ancestors::undone(const State& state) const {
  std::vector<State> all;
  for (const CoordId expanded : state.expanded) {
    State before = state;
    const auto* place = std::find(before.expanded.begin(), before.expanded.end(), expanded);
    before.expanded.erase(static_cast<std::size_t>(place - before.expanded.begin()));
    before.data.push_back(expanded);
    all.push_back(before);
  }
  for (const CoordId id : state.data) {
    const Coord& made = space_.coordinates[id];
    if (made.first == kNoCoord || made.kind == Kind::MergeLow) continue;
    State before = state;
    use_up(before, id);
    if (made.kind == Kind::MergeHigh) {
      const CoordId low = space_.coordinates.merge_low(made.first, made.parameter);
      if (std::find(state.data.begin(), state.data.end(), low) == state.data.end()) continue;
      use_up(before, low);
    }
    before.data.push_back(made.first);
    if (made.second != kNoCoord) before.data.push_back(made.second);
    all.push_back(before);
  }
  const bool is_stage =
      state.expanded.empty() && std::all_of(state.data.begin(), state.data.end(), [&](CoordId id) {
        return space_.coordinates[id].first == kNoCoord;
      });
  if (is_stage) return without_a_reduction(state);
  for (State& before : all) space_.states.canonicalize(before);
  return all;
}

// Of equal ones the last goes: those of a stage are numbered from 0 on.
std::vector<State> Ancestors::without_a_reduction(const State& stage) const {
  std::vector<State> all;
  for (const CoordId id : stage.data) {
    const Coord& reduced = space_.coordinates[id];
    if (reduced.kind != Kind::Reduce) continue;
    const bool is_last = std::none_of(stage.data.begin(), stage.data.end(), [&](CoordId other) {
      const Coord& another = space_.coordinates[other];
      return another.kind == Kind::Reduce && another.size == reduced.size &&
             another.label > reduced.label;
    });
    if (!is_last) continue;
    State before = stage;
    use_up(before, id);
    before.stage = kNoState;
    space_.states.canonicalize(before);
    all.push_back(before);
  }
  return all;
}

}  // namespace cambium::bench
