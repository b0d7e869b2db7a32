#include "spaces/coordinate/terms.h"

#include <algorithm>

#include "base/check.h"

namespace cambium::spaces::coordinate {

TermLoops::TermLoops(const BoundOperator& op)
    : tensors_(1 + op.weights.size()), values_(op.coordinates.size(), 0) {
  CAMBIUM_CHECK(op.weights.size() <= kMaxWeights, "more weights than an operator has");
  levels_.resize(1 + op.reductions);
  last_ = &levels_.back();
  for (std::size_t r = 0; r < op.reductions; ++r) {
    levels_[1 + r].leaf = op.outputs + r;
    levels_[1 + r].extent = op.coordinates[op.outputs + r].domain;
  }
  // Short loops outside: the innermost one has the least to set up.
  std::stable_sort(levels_.begin() + 1, levels_.end(),
                   [](const Level& a, const Level& b) { return a.extent < b.extent; });
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
  for (std::size_t w = 0; w < op.weights.size(); ++w) {
    add_moves(op.weights[w], static_cast<std::uint32_t>(1 + w));
  }
}

}  // namespace cambium::spaces::coordinate
