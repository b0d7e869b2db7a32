// Lists the terms of a bound operator fast, because the semantic fingerprint lists millions. It
// loops over the reductions, computes every coordinate in the outermost loop possible, and carries
// flat indices along.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "spaces/coordinate/bound.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {

class TermLoops {
 public:
  explicit TermLoops(const BoundOperator& op);

  // Skips elements of the input whose place on this axis has a level below `least`. The levels must
  // outlive the loops.
  void pass_over(std::size_t axis, const std::uint8_t* levels, std::uint8_t least) {
    axes_[axis] = {levels, least};
  }
  // Drops iterations that are skipped whatever the other loops are. Call it after pass_over was
  // called for all axes.
  void skip_passed_over();

  // Calls visit(const std::uint64_t* offsets) for every non-zero term of one output point: the flat
  // place in the input, then the places in the weights. Skips all terms of an input element for
  // which wanted(its place) is false.
  template <class Wanted, class Visit>
  void at(std::span<const std::int64_t> outputs, const Wanted& wanted, const Visit& visit) {
    for (std::size_t i = 0; i < outputs.size(); ++i) values_[i] = outputs[i];
    for (std::uint64_t& offset : levels_.front().offsets) offset = 0;
    if (enter(levels_.front())) descend(levels_.data(), wanted, visit);
  }

  // The number of terms for each visit to an input element: the product of the loops that only
  // weights depend on.
  double terms_each() const { return terms_each_; }

 private:
  struct Compute {
    BoundCoordinate c;
    CoordinateIndex self;
  };
  struct Move {  // one axis of the input or of a weight
    CoordinateIndex coordinate;
    std::uint32_t tensor;
    std::uint64_t stride;
  };
  struct Check {  // an axis of the input
    CoordinateIndex coordinate;
    std::size_t axis;
  };
  struct Axis {
    const std::uint8_t* levels = nullptr;
    std::uint8_t least = 0;
  };
  struct Level {
    std::size_t leaf = 0;  // the reduction of this loop; none for the first level, the outputs
    std::int64_t extent = 1;
    std::vector<std::int64_t> kept;  // values of the loop
    std::vector<Compute> computed;   // known once the loop has a value
    std::vector<Check> checks;
    std::vector<Compute> own_computed;  // of these, what depends on no other loop
    std::vector<Check> own_checks;
    std::vector<Move> moves;
    std::uint64_t offsets[1 + kMaxWeights] = {};
  };

  bool is_passed_over(const Check& check) const {
    const Axis& axis = axes_[check.axis];
    const auto place = static_cast<std::size_t>(values_[place_of(check.coordinate)]);
    return axis.least > 0 && axis.levels[place] < axis.least;
  }

  // Computes what is known at this level. False: all its terms are zero or skipped.
  bool enter(Level& level) {
    std::int64_t* values = values_.data();
    for (const Compute& step : level.computed) {
      const std::int64_t value = value_of(step.c, values);
      if (value < 0) return false;
      values[step.self] = value;
    }
    for (const Check& check : level.checks) {
      if (is_passed_over(check)) return false;
    }
    for (const Move& move : level.moves) {
      level.offsets[move.tensor] +=
          move.stride * static_cast<std::uint64_t>(values[move.coordinate]);
    }
    return true;
  }

  template <class Wanted, class Visit>
  void descend(Level* level, const Wanted& wanted, const Visit& visit) {
    if (level == data_known_ && !wanted(level->offsets[0])) return;
    if (level == last_) {
      visit(static_cast<const std::uint64_t*>(level->offsets));
      return;
    }
    Level& next = level[1];
    for (const std::int64_t value : next.kept) {
      values_[next.leaf] = value;
      for (std::size_t t = 0; t < tensors_; ++t) next.offsets[t] = level->offsets[t];
      if (enter(next)) descend(&next, wanted, visit);
    }
  }

  std::size_t tensors_;
  std::vector<std::int64_t> values_;  // of coordinates
  std::vector<Axis> axes_;            // of the input
  std::vector<Level> levels_;
  Level* data_known_;  // here the place in the input is known
  Level* last_;
  double terms_each_ = 1;
};

}  // namespace cambium::spaces::coordinate
