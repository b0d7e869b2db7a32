#include "spaces/coordinate/lowering/structure.h"

#include <algorithm>

namespace cambium::spaces::coordinate {

namespace {

constexpr std::int64_t kMostMasked = 63;
constexpr std::int64_t kMostOrdered = 16;

Mask bit(std::size_t place) {
  return Mask{1} << place;
}

std::size_t at(CoordinateIndex c) {
  return static_cast<std::size_t>(c);
}

// Leaves and consumers, bottom-up.
void look_up(const Operator& op, Structure& s) {
  const std::size_t count = op.coordinates.size();
  s.consumers.assign(count, {kNoCoordinate, kNoCoordinate});
  s.leaves.assign(count, 0);
  for (std::size_t c = 0; c < count; ++c) {
    const Coordinate& it = op.coordinates[c];
    if (it.kind == CoordinateKind::Output || it.kind == CoordinateKind::Reduce) {
      s.leaves[c] = bit(c);
      continue;
    }
    if (it.kind == CoordinateKind::Stride) s.strides.push_back(static_cast<CoordinateIndex>(c));
    for (const CoordinateIndex operand : {it.first, it.second}) {
      if (operand == kNoCoordinate) continue;
      s.leaves[c] |= s.leaves[at(operand)];
      auto& consumers = s.consumers[at(operand)];
      consumers[consumers[0] == kNoCoordinate ? 0 : 1] = static_cast<CoordinateIndex>(c);
    }
  }
}

// What grows, top-down. False when there is more than masks hold.
bool look_down(const Operator& op, Structure& s) {
  const std::size_t count = op.coordinates.size();
  std::vector<bool> indexes_data(count, false);
  for (const CoordinateIndex c : op.data) indexes_data[at(c)] = true;
  s.growers.assign(count, 0);
  const auto grow = [&](std::size_t c, bool is_expansion) -> Mask {
    s.growing.push_back({static_cast<CoordinateIndex>(c), is_expansion});
    return std::ssize(s.growing) > kMostMasked ? 0 : bit(s.growing.size() - 1);
  };
  for (std::size_t c = count; c-- > 0;) {
    if (s.consumers[c][0] == kNoCoordinate && !indexes_data[c]) s.growers[c] = grow(c, true);
    const Coordinate& it = op.coordinates[c];
    Mask below = s.growers[c];
    if (it.kind == CoordinateKind::Unfold) below |= grow(c, false);
    for (const CoordinateIndex operand : {it.first, it.second}) {
      if (operand != kNoCoordinate) s.growers[at(operand)] |= below;
    }
  }
  return std::ssize(s.growing) <= kMostMasked;
}

}  // namespace

bool Structure::is_expanded(const Operator& op, CoordinateIndex c) const {
  return consumers[at(c)][0] == kNoCoordinate &&
         std::find(op.data.begin(), op.data.end(), c) == op.data.end();
}

Result<Structure> structure_of(const Operator& op) {
  Structure s;
  for (const Coordinate& it : op.coordinates) {
    if (it.kind == CoordinateKind::Output) ++s.outputs;
    if (it.kind == CoordinateKind::Reduce) ++s.reductions;
  }
  const auto ordered = static_cast<std::int64_t>(s.reductions + op.weights.size());
  if (ordered > kMostOrdered) {
    return Rejection(Reason::SizeOutOfRange, "the number of reductions and weights", "", ordered, 0,
                     kMostOrdered);
  }
  const auto leaves = static_cast<std::int64_t>(s.outputs + s.reductions);
  if (leaves > kMostMasked) {
    return Rejection(Reason::SizeOutOfRange, "the number of outputs and reductions", "", leaves, 0,
                     kMostMasked);
  }
  look_up(op, s);
  if (!look_down(op, s)) {
    return Rejection(Reason::SizeOutOfRange, "the number of unfolds and expanded coordinates", "",
                     std::ssize(s.growing), 0, kMostMasked);
  }
  s.weights_of.assign(s.reductions, 0);
  for (std::size_t w = 0; w < op.weights.size(); ++w) {
    Mask leaves_of_weight = 0;
    for (const CoordinateIndex c : op.weights[w]) leaves_of_weight |= s.leaves[at(c)];
    for (std::size_t r = 0; r < s.reductions; ++r) {
      if ((leaves_of_weight >> (s.outputs + r) & 1) != 0) s.weights_of[r] |= bit(w);
    }
  }
  return s;
}

}  // namespace cambium::spaces::coordinate
