#include "spaces/coordinate/terms.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace cambium::spaces::coordinate {

TermLoops::TermLoops(const BoundOperator& op)
    : tensors_(1 + op.weights.size()), values_(op.coordinates.size(), 0), axes_(op.data.size()) {
  CAMBIUM_CHECK(op.weights.size() <= kMaxWeights, "more weights than an operator has");
  // What the data depends on comes first, so that unwanted elements save all other loops; then
  // short loops, since the innermost one has the least to set up.
  std::vector<char> reached(op.coordinates.size(), 0);
  for (const CoordinateIndex i : op.data) reached[static_cast<std::size_t>(i)] = 1;
  for (std::size_t i = op.coordinates.size(); i > 0; --i) {
    const BoundCoordinate& c = op.coordinates[i - 1];
    if (reached[i - 1] == 0) continue;
    if (c.first != kNoCoordinate) reached[static_cast<std::size_t>(c.first)] = 1;
    if (c.second != kNoCoordinate) reached[static_cast<std::size_t>(c.second)] = 1;
  }
  levels_.resize(1 + op.reductions);
  for (std::size_t r = 0; r < op.reductions; ++r) {
    levels_[1 + r].leaf = op.outputs + r;
    levels_[1 + r].extent = op.coordinates[op.outputs + r].domain;
  }
  std::stable_sort(levels_.begin() + 1, levels_.end(), [&](const Level& a, const Level& b) {
    return std::pair(-reached[a.leaf], a.extent) < std::pair(-reached[b.leaf], b.extent);
  });
  last_ = &levels_.back();
  data_known_ = levels_.data();
  for (std::size_t l = 1; l < levels_.size(); ++l) {
    if (reached[levels_[l].leaf] != 0) {
      data_known_ = &levels_[l];
    } else {
      terms_each_ *= static_cast<double>(levels_[l].extent);
    }
  }
  std::vector<std::size_t> level_of(op.coordinates.size(), 0);
  for (std::size_t l = 1; l < levels_.size(); ++l) level_of[levels_[l].leaf] = l;
  for (std::size_t i = op.outputs + op.reductions; i < op.coordinates.size(); ++i) {
    const BoundCoordinate& c = op.coordinates[i];
    level_of[i] = level_of[static_cast<std::size_t>(c.first)];
    if (c.second != kNoCoordinate) {
      level_of[i] = std::max(level_of[i], level_of[static_cast<std::size_t>(c.second)]);
    }
    levels_[level_of[i]].computed.push_back({c, static_cast<CoordinateIndex>(i)});
  }
  const auto add_moves = [&](const std::vector<CoordinateIndex>& axes, std::uint32_t tensor) {
    std::int64_t stride = 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      levels_[level_of[static_cast<std::size_t>(*axis)]].moves.push_back(
          {*axis, tensor, static_cast<std::uint32_t>(stride)});
      stride *= op.domain(*axis);
    }
  };
  add_moves(op.data, 0);
  for (std::size_t axis = 0; axis < op.data.size(); ++axis) {
    const CoordinateIndex c = op.data[axis];
    levels_[level_of[static_cast<std::size_t>(c)]].checks.push_back({c, axis});
  }
  for (std::size_t w = 0; w < op.weights.size(); ++w) {
    add_moves(op.weights[w], static_cast<std::uint32_t>(1 + w));
  }
}

}  // namespace cambium::spaces::coordinate
