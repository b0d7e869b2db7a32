#include "spaces/coordinate/lowering/entangled.h"

#include <algorithm>
#include <set>
#include <utility>

namespace cambium::spaces::coordinate {

namespace {

using LoopSet = std::set<CoordinateIndex>;

void add_loops(const Operator& op, CoordinateIndex c, const Loops& loops, LoopSet& out) {
  if (c == kNoCoordinate) return;
  if (loops.has(c)) {
    out.insert(c);
    return;
  }
  const Coordinate& it = op.coordinates[place_of(c)];
  const auto [first, second] =
      loops.cuts(c) ? loops.halves[place_of(c)] : std::array{it.first, it.second};
  add_loops(op, first, loops, out);
  add_loops(op, second, loops, out);
}

bool meet(const LoopSet& a, const LoopSet& b) {
  return std::any_of(a.begin(), a.end(), [&](CoordinateIndex c) { return b.contains(c); });
}

// What coordinates are worth where the loops have values.
class Values {
 public:
  Values(const Extents& extents, const Loops& loops)
      : extents_(extents), loops_(loops), values_(extents.inside.coordinates.size(), 0) {}

  void set(CoordinateIndex loop, std::int64_t value) { values_[place_of(loop)] = value; }

  // -1: outside.
  std::int64_t of(CoordinateIndex c) {
    std::int64_t& value = values_[place_of(c)];
    if (loops_.has(c)) return value;
    if (loops_.cuts(c)) {
      const auto [high, low] = loops_.halves[place_of(c)];
      return value = of(high) * extents_.parameter(high) + of(low);
    }
    const BoundCoordinate& it = extents_.inside.coordinates[place_of(c)];
    for (const CoordinateIndex operand : {it.first, it.second}) {
      if (operand != kNoCoordinate && of(operand) < 0) return value = -1;
    }
    return value = value_of(it, values_.data());
  }

 private:
  const Extents& extents_;
  const Loops& loops_;
  std::vector<std::int64_t> values_;
};

}  // namespace

bool is_made_of(const Operator& op, CoordinateIndex c, CoordinateIndex part) {
  if (c == part) return true;
  if (c < part) return false;  // operands come before what they make
  const Coordinate& it = op.coordinates[place_of(c)];
  return is_made_of(op, it.first, part) || is_made_of(op, it.second, part);
}

std::vector<Entangled> entangled_axes(const Operator& op, const std::vector<CoordinateIndex>& axes,
                                      const Loops& loops) {
  struct Group {
    std::vector<std::size_t> axes;
    LoopSet loops;
  };
  std::vector<Group> groups;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    Group own{{axis}, {}};
    add_loops(op, axes[axis], loops, own.loops);
    std::erase_if(groups, [&](Group& other) {
      if (!meet(own.loops, other.loops)) return false;
      own.axes.insert(own.axes.end(), other.axes.begin(), other.axes.end());
      own.loops.merge(other.loops);
      return true;
    });
    groups.push_back(std::move(own));
  }
  std::vector<Entangled> out;
  for (Group& group : groups) {
    std::sort(group.axes.begin(), group.axes.end());
    const bool is_entangled =
        std::any_of(group.axes.begin(), group.axes.end(), [&](std::size_t above) {
          return std::any_of(group.axes.begin(), group.axes.end(), [&](std::size_t below) {
            return above != below && is_made_of(op, axes[above], axes[below]);
          });
        });
    if (is_entangled) out.push_back({group.axes, {group.loops.begin(), group.loops.end()}});
  }
  return out;
}

std::vector<std::int64_t> places_at(const std::vector<CoordinateIndex>& coordinates,
                                    const std::vector<CoordinateIndex>& over,
                                    const Extents& extents, const Loops& loops) {
  Values values(extents, loops);
  std::int64_t elements = 1;
  for (const CoordinateIndex c : coordinates) elements *= extents.of(c);
  std::vector<std::int64_t> point(over.size(), 0);
  std::vector<std::int64_t> out;
  bool more = true;
  while (more) {
    for (std::size_t i = 0; i < over.size(); ++i) values.set(over[i], point[i]);
    std::int64_t place = 0;
    for (const CoordinateIndex c : coordinates) {
      const std::int64_t value = values.of(c);
      if (value < 0) {
        place = elements;
        break;
      }
      place = place * extents.of(c) + value;
    }
    out.push_back(place);
    more = false;
    for (std::size_t i = over.size(); i > 0 && !more; --i) {
      more = ++point[i - 1] < extents.of(over[i - 1]);
      if (!more) point[i - 1] = 0;
    }
  }
  return out;
}

}  // namespace cambium::spaces::coordinate
