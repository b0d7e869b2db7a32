#include "spaces/coordinate/terms.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace cambium::spaces::coordinate {

TermLoops::TermLoops(const BoundOperator& op)
    : tensors_(1 + op.weights.size()), values_(op.coordinates.size(), 0), axes_(op.data.size()) {
  CAMBIUM_CHECK(op.weights.size() <= kMaxWeights, "more weights than an operator has");
  // Loops that the data depends on come first, so that an unwanted element saves all other loops.
  // Short loops come next, because the innermost loop has the least to set up.
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
  for (std::size_t l = 1; l < levels_.size(); ++l) {
    levels_[l].kept.resize(static_cast<std::size_t>(levels_[l].extent));
    std::iota(levels_[l].kept.begin(), levels_[l].kept.end(), 0);
  }
  std::vector<std::size_t> level_of(op.coordinates.size(), 0);
  std::vector<char> is_own(op.coordinates.size(), 0);  // depends on the loop of its level alone
  for (std::size_t l = 1; l < levels_.size(); ++l) {
    level_of[levels_[l].leaf] = l;
    is_own[levels_[l].leaf] = 1;
  }
  for (std::size_t i = op.outputs + op.reductions; i < op.coordinates.size(); ++i) {
    const BoundCoordinate& c = op.coordinates[i];
    level_of[i] = level_of[place_of(c.first)];
    is_own[i] = is_own[place_of(c.first)];
    if (c.second != kNoCoordinate) {
      const std::size_t other = place_of(c.second);
      is_own[i] = is_own[i] != 0 && is_own[other] != 0 && level_of[i] == level_of[other] ? 1 : 0;
      level_of[i] = std::max(level_of[i], level_of[other]);
    }
    Level& level = levels_[level_of[i]];
    level.computed.push_back({c, static_cast<CoordinateIndex>(i)});
    if (is_own[i] != 0) level.own_computed.push_back(level.computed.back());
  }
  const auto add_moves = [&](const std::vector<CoordinateIndex>& axes, std::uint32_t tensor) {
    std::int64_t stride = 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      levels_[level_of[static_cast<std::size_t>(*axis)]].moves.push_back(
          {*axis, tensor, static_cast<std::uint64_t>(stride)});
      stride *= op.domain(*axis);
    }
  };
  add_moves(op.data, 0);
  for (std::size_t axis = 0; axis < op.data.size(); ++axis) {
    const CoordinateIndex c = op.data[axis];
    Level& level = levels_[level_of[place_of(c)]];
    level.checks.push_back({c, axis});
    if (is_own[place_of(c)] != 0) level.own_checks.push_back({c, axis});
  }
  for (std::size_t w = 0; w < op.weights.size(); ++w) {
    add_moves(op.weights[w], static_cast<std::uint32_t>(1 + w));
  }
}

void TermLoops::skip_passed_over() {
  for (Level& level : levels_) {
    if (level.own_checks.empty()) continue;
    level.kept.resize(static_cast<std::size_t>(level.extent));
    std::iota(level.kept.begin(), level.kept.end(), 0);
    std::erase_if(level.kept, [&](std::int64_t value) {
      values_[level.leaf] = value;
      for (const Compute& step : level.own_computed) {
        const std::int64_t made = value_of(step.c, values_.data());
        if (made < 0) return true;
        values_[place_of(step.self)] = made;
      }
      return std::any_of(level.own_checks.begin(), level.own_checks.end(),
                         [this](const Check& check) { return is_passed_over(check); });
    });
  }
}

}  // namespace cambium::spaces::coordinate
