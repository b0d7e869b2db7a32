#include "spaces/coordinate/lowering/descent.h"

#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {

namespace {

constexpr std::int64_t kMostGrowing = 63;
constexpr std::int64_t kMostOrdered = 16;

void find_consumers(const Operator& op, Descent& d) {
  const std::size_t count = op.coordinates.size();
  d.consumers.assign(count, {kNoCoordinate, kNoCoordinate});
  for (std::size_t c = 0; c < count; ++c) {
    const Coordinate& it = op.coordinates[c];
    if (it.kind == CoordinateKind::Stride) d.strides.push_back(static_cast<CoordinateIndex>(c));
    for (const CoordinateIndex operand : {it.first, it.second}) {
      if (operand == kNoCoordinate) continue;
      auto& consumers = d.consumers[place_of(operand)];
      consumers[consumers[0] == kNoCoordinate ? 0 : 1] = static_cast<CoordinateIndex>(c);
    }
  }
  d.is_expanded.assign(count, false);
  for (std::size_t c = 0; c < count; ++c) d.is_expanded[c] = d.consumers[c][0] == kNoCoordinate;
  for (const CoordinateIndex c : op.data) d.is_expanded[place_of(c)] = false;
}

// From the top down: everything above a coordinate is also above its operands.
void find_growth(const Operator& op, Descent& d) {
  d.growth.assign(op.coordinates.size(), 0);
  const auto grow = [&](std::size_t c, bool is_expansion) {
    d.growing.push_back({static_cast<CoordinateIndex>(c), is_expansion});
    return Mask{1} << ((d.growing.size() - 1) % 64);
  };
  for (std::size_t c = op.coordinates.size(); c-- > 0;) {
    if (d.is_expanded[c]) d.growth[c] = grow(c, true);
    const Coordinate& it = op.coordinates[c];
    Mask below = d.growth[c];
    if (it.kind == CoordinateKind::Unfold) below |= grow(c, false);
    for (const CoordinateIndex operand : {it.first, it.second}) {
      if (operand != kNoCoordinate) d.growth[place_of(operand)] |= below;
    }
  }
}

}  // namespace

Result<Descent> descent_of(const Operator& op) {
  Descent d;
  d.outputs = output_count(op);
  d.reductions = reduction_count(op);
  const auto ordered = static_cast<std::int64_t>(d.reductions + op.weights.size());
  if (ordered > kMostOrdered) {
    return Rejection(Reason::SizeOutOfRange, "the number of reductions and weights", "", ordered, 0,
                     kMostOrdered);
  }
  find_consumers(op, d);
  find_growth(op, d);
  if (std::ssize(d.growing) > kMostGrowing) {
    return Rejection(Reason::SizeOutOfRange, "the number of unfolds and expanded coordinates", "",
                     std::ssize(d.growing), 0, kMostGrowing);
  }
  const std::vector<std::uint64_t> leaves = leaves_of(op);
  d.weights_of.assign(d.reductions, 0);
  for (std::size_t w = 0; w < op.weights.size(); ++w) {
    std::uint64_t read = 0;
    for (const CoordinateIndex c : op.weights[w]) read |= leaves[place_of(c)];
    for (std::size_t r = 0; r < d.reductions; ++r) {
      if ((read >> (d.outputs + r) & 1) != 0) d.weights_of[r] |= Mask{1} << w;
    }
  }
  return d;
}

}  // namespace cambium::spaces::coordinate
