#include "spaces/coordinate/synthesis/anatomy.h"

#include <algorithm>
#include <bit>

namespace cambium::spaces::coordinate::synthesis {
namespace {

using Kind = CoordinateKind;

bool has(const Anatomy& anatomy, CoordId coord) {
  for (const CoordId c : anatomy.coords) {
    if (c == coord) return true;
  }
  return false;
}

bool collect(const Space& space, CoordId id, Anatomy& anatomy) {
  if (has(anatomy, id)) return true;
  const Coord& c = space.coordinates[id];
  if (c.first != kNoCoord && !collect(space, c.first, anatomy)) return false;
  if (c.second != kNoCoord && !collect(space, c.second, anatomy)) return false;
  if (anatomy.coords.size() == kMaxCoords) return false;
  anatomy.coords.push_back(id);
  return true;
}

// SPLITs that rejoin the parts of a MERGE, or join two reductions into one. They have no effect
// unless a weight reads one of the parts.
bool is_idle_split(const Space& space, const Coord& split) {
  const Coord& high = space.coordinates[split.first];
  const Coord& low = space.coordinates[split.second];
  if (high.kind == Kind::Reduce && low.kind == Kind::Reduce) {
    return space.sizes[split.size].parameter;  // or there is no such REDUCE
  }
  if (high.kind != Kind::MergeHigh) return false;
  if (low.kind == Kind::MergeLow) {
    return low.first == high.first && low.parameter == high.parameter;
  }
  if (low.kind != Kind::MergeHigh) return false;
  const Coord& between = space.coordinates[low.first];
  return between.kind == Kind::MergeLow && between.first == high.first &&
         between.parameter == high.parameter;
}

void note(const Space& space, std::size_t place, Anatomy& a) {
  const Coord& c = space.coordinates[a.coords[place]];
  const Reads self = Reads{1} << place;
  const Reads first = c.first == kNoCoord ? 0 : a.bit(c.first);
  const Reads second = c.second == kNoCoord ? 0 : a.bit(c.second);
  switch (c.kind) {
    case Kind::Output: a.outputs |= self; break;
    case Kind::Reduce: a.reductions |= self; break;
    case Kind::Split:
      a.views |= self;
      a.splits.push_back(self | first | second);
      a.split_operands.push_back(first | second);
      if (is_idle_split(space, c)) a.idle_splits.push_back(first | second);
      a.inferences.push_back({first | second, self});
      a.inferences.push_back({self, first | second});
      break;
    case Kind::MergeHigh: {
      a.merged |= first;
      // Both halves are there, but the other one may come later.
      for (std::size_t i = 0; i < a.coords.size(); ++i) {
        const Coord& other = space.coordinates[a.coords[i]];
        if (other.kind == Kind::MergeLow && other.first == c.first &&
            other.parameter == c.parameter) {
          const Reads both = self | Reads{1} << i;
          a.halves.push_back(both);
          a.inferences.push_back({both, first});
          a.inferences.push_back({first, both});
        }
      }
      break;
    }
    case Kind::MergeLow: break;
    case Kind::Shift:
      a.views |= self;
      a.shifts |= self;
      a.shifted |= first;
      a.inferences.push_back({first, self});
      a.inferences.push_back({self, first});
      break;
    case Kind::Unfold:
      a.unfolded |= self;
      a.unfolds.push_back(self | first | second);
      a.inferences.push_back({first | second, self});
      a.inferences.push_back({self | first, second});
      a.inferences.push_back({self | second, first});
      break;
    case Kind::Stride:
      a.strided |= self;
      a.inferences.push_back({first, self});
      a.inferences.push_back({self, first});
      break;
  }
}

}  // namespace

std::size_t Anatomy::place(CoordId coord) const {
  for (std::size_t i = 0; i < coords.size(); ++i) {
    if (coords[i] == coord) return i;
  }
  CAMBIUM_CHECK(false, "not a coordinate of this state");
  return 0;
}

Reads Anatomy::closure(Reads reads) const {
  for (Reads before = 0; before != reads;) {
    before = reads;
    for (const Inference& i : inferences) {
      if ((i.from & ~reads) == 0) reads |= i.gives;
    }
  }
  return reads;
}

Reads Anatomy::bases_of(Reads reads) const {
  Reads all = 0;
  for (Reads rest = reads; rest != 0; rest &= rest - 1) {
    all |= bases[static_cast<std::size_t>(std::countr_zero(rest))];
  }
  return all;
}

bool dissect(const Space& space, StateId id, Anatomy& a) {
  a = Anatomy();
  const State state = space.states.unpack(id);
  for (const CoordId c : space.outputs) a.coords.push_back(c);
  for (const CoordId c : space.states.reductions(id)) a.coords.push_back(c);
  for (const CoordId c : state.data) {
    if (!collect(space, c, a)) return false;
  }
  for (const CoordId c : state.expanded) {
    if (!collect(space, c, a)) return false;
  }
  for (std::size_t i = 0; i < a.coords.size(); ++i) {
    const Coord& c = space.coordinates[a.coords[i]];
    if (c.first == kNoCoord) {
      a.bases[i] = Reads{1} << i;
    } else {
      a.bases[i] = a.bases[a.place(c.first)];
      if (c.second != kNoCoord) a.bases[i] |= a.bases[a.place(c.second)];
    }
    note(space, i, a);
  }
  for (const CoordId c : state.data) a.data |= a.bit(c);
  for (const CoordId c : state.expanded) a.expanded |= a.bit(c);
  for (std::size_t i = 0; i < space.input_axes.size(); ++i) {
    const auto& unordered = space.problem.unordered_input;
    const bool is_unordered =
        std::find(unordered.begin(), unordered.end(), space.input_axes[i]) != unordered.end();
    if (is_unordered) a.unordered |= std::uint32_t{1} << i;
  }
  return true;
}

}  // namespace cambium::spaces::coordinate::synthesis
