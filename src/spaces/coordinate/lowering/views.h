// Views: a tensor whose axes are coordinates, lowered view by view until its axes are loops of a
// stage. Decomposition calls it for what a stage reads, data and weights alike.
#pragma once

#include <array>
#include <vector>

#include "model/builder.h"
#include "spaces/coordinate/lowering/extents.h"

namespace cambium::spaces::coordinate {

// The halves that a loop is computed as: an output whose MERGE is lowered in this stage is written
// as both halves and reshaped when the stage is done, so that no data is repeated along a half that
// it does not have. By coordinate; none where it is not cut.
using Halves = std::vector<std::array<CoordinateIndex, 2>>;

class Views {
 public:
  Views(model::Builder& builder, const Operator& op, const Extents& extents, model::Value value,
        std::vector<CoordinateIndex> axes)
      : builder_(&builder), op_(&op), extents_(&extents), value_(value), axes_(std::move(axes)) {}

  model::Value value() const { return value_; }
  const std::vector<CoordinateIndex>& axes() const { return axes_; }
  bool has(CoordinateIndex c) const;

  // Until every axis is one of the loops (by coordinate). Loops that the tensor does not have stay
  // out.
  void lower_to(const std::vector<bool>& loops, const Halves& halves);
  // An axis of size one for a coordinate, repeated as often as its domain says.
  void repeat(CoordinateIndex c);
  // Means or sums over axes that it has; others are left out.
  void reduce(model::ReduceFn fn, const std::vector<CoordinateIndex>& over);
  void transpose_to(const std::vector<CoordinateIndex>& axes);
  // The same elements under axes with the same order of loops.
  void reshape_to(std::vector<CoordinateIndex> axes);
  // Zeros after, or less of, each axis.
  void resize(const std::vector<std::int64_t>& extents);

 private:
  void lower(std::size_t axis, const std::vector<bool>& loops);
  void split(std::size_t axis, CoordinateIndex first, CoordinateIndex second);
  std::array<CoordinateIndex, 2> halves_of(CoordinateIndex whole) const;
  bool is_made_of(CoordinateIndex c, CoordinateIndex part) const;
  bool waits(std::size_t axis) const;
  void merge(const Coordinate& half);
  void shift(std::size_t axis, const Coordinate& it);
  void unfold(std::size_t axis, const Coordinate& it, const std::vector<bool>& loops);
  void pad(std::size_t axis, std::int64_t before, std::int64_t after);
  model::Value sliced(std::size_t axis, std::int64_t start, std::int64_t extent, std::int64_t step);
  model::Value gathered(std::size_t axis, model::Ints dims, const std::vector<std::int64_t>& at);

  model::Builder* builder_;
  const Operator* op_;
  const Extents* extents_;
  model::Value value_;
  std::vector<CoordinateIndex> axes_;
};

}  // namespace cambium::spaces::coordinate
