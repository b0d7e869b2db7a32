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

// The values of coordinates for given values of the loops. Operands are evaluated before the
// coordinates made of them, and only if one of the loops below has moved.
class Values {
 public:
  Values(const Extents& extents, const Loops& loops, const std::vector<CoordinateIndex>& over)
      : extents_(extents), loops_(loops), over_(over) {
    values_.assign(extents.inside.coordinates.size(), 0);
    last_.assign(values_.size(), kUnknown);
    for (std::size_t i = 0; i < over.size(); ++i) last_[place_of(over[i])] = i;
  }

  // To be asked for, before the first values.
  void need(CoordinateIndex c) {
    if (last_[place_of(c)] != kUnknown) return;
    const auto [first, second] = operands_of(c);
    std::size_t last = 0;
    for (const CoordinateIndex operand : {first, second}) {
      if (operand == kNoCoordinate) continue;
      need(operand);
      last = std::max(last, last_[place_of(operand)]);
    }
    last_[place_of(c)] = last;
    order_.push_back(c);
  }

  // Loops before `moved` have the values that they had.
  void set(const std::vector<std::int64_t>& point, std::size_t moved) {
    for (std::size_t i = moved; i < over_.size(); ++i) values_[place_of(over_[i])] = point[i];
    for (const CoordinateIndex c : order_) {
      if (last_[place_of(c)] >= moved) values_[place_of(c)] = evaluated(c);
    }
  }

  std::int64_t of(CoordinateIndex c) const { return values_[place_of(c)]; }  // -1: outside

 private:
  static constexpr std::size_t kUnknown = ~std::size_t{0};

  std::array<CoordinateIndex, 2> operands_of(CoordinateIndex c) const {
    if (loops_.cuts(c)) return loops_.halves[place_of(c)];
    const BoundCoordinate& it = extents_.inside.coordinates[place_of(c)];
    return {it.first, it.second};
  }

  std::int64_t evaluated(CoordinateIndex c) const {
    const auto [first, second] = operands_of(c);
    if (loops_.cuts(c)) return of(first) * extents_.parameter(first) + of(second);
    if (of(first) < 0 || (second != kNoCoordinate && of(second) < 0)) return -1;
    return value_of(extents_.inside.coordinates[place_of(c)], values_.data());
  }

  const Extents& extents_;
  const Loops& loops_;
  const std::vector<CoordinateIndex>& over_;
  std::vector<std::int64_t> values_;
  std::vector<std::size_t> last_;  // by coordinate: the last loop that it depends on
  std::vector<CoordinateIndex> order_;
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
  Values values(extents, loops, over);
  for (const CoordinateIndex c : coordinates) values.need(c);
  std::int64_t elements = 1;
  for (const CoordinateIndex c : coordinates) elements *= extents.of(c);
  std::vector<std::int64_t> point(over.size(), 0);
  std::vector<std::int64_t> out;
  bool more = true;
  std::size_t moved = 0;
  while (more) {
    values.set(point, moved);
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
      moved = i - 1;
    }
  }
  return out;
}

}  // namespace cambium::spaces::coordinate
