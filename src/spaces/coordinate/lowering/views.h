// Views: a tensor whose axes are coordinates, lowered view by view until its axes are loops of a
// stage. Decomposition uses it for everything that a stage reads, data and weights alike.
#pragma once

#include <array>
#include <vector>

#include "model/builder.h"
#include "spaces/coordinate/lowering/entangled.h"
#include "spaces/coordinate/lowering/extents.h"
#include "spaces/coordinate/lowering/loops.h"

namespace cambium::spaces::coordinate {

class Views {
 public:
  // A window up to this size becomes slices side by side, whose gradients are sums of slices. A
  // larger window becomes one gather.
  static constexpr std::int64_t kMostSlices = 16;

  Views(model::Builder& builder, const Operator& op, const Extents& extents, model::Value value,
        std::vector<CoordinateIndex> axes)
      : builder_(&builder), op_(&op), extents_(&extents), value_(value), axes_(std::move(axes)) {}

  model::Value value() const { return value_; }
  const std::vector<CoordinateIndex>& axes() const { return axes_; }
  bool has(CoordinateIndex c) const;

  // Lowers until every axis is one of the loops and no loop occurs twice. Does not add loops that
  // the tensor lacks.
  void lower_to(const Loops& loops);
  // Adds an axis for a coordinate: size one, repeated as often as its domain says.
  void repeat(CoordinateIndex c);
  // Means or sums over those of the axes that the tensor has.
  void reduce(model::ReduceFn fn, const std::vector<CoordinateIndex>& over);
  void transpose_to(const std::vector<CoordinateIndex>& axes);
  // Reshapes to axes with the same order of loops.
  void reshape_to(std::vector<CoordinateIndex> axes);
  // Pads each axis with zeros at its end, or crops it there.
  void resize(const std::vector<std::int64_t>& extents);

 private:
  bool can_hold_table(double entries, const char* what);  // refuses if not
  void read_at(const Entangled& group, const Loops& loops);
  void lower(std::size_t axis, const Loops& loops);
  void split(std::size_t axis, CoordinateIndex first, CoordinateIndex second);
  std::array<CoordinateIndex, 2> halves_of(CoordinateIndex whole) const;
  bool waits(std::size_t axis) const;
  void merge(const Coordinate& half);
  void shift(std::size_t axis, const Coordinate& it);
  void unfold(std::size_t axis, const Coordinate& it, const Loops& loops);
  void pad(std::size_t axis, std::int64_t before, std::int64_t after);
  model::Value sliced(std::size_t axis, std::int64_t start, std::int64_t extent, std::int64_t step);
  model::Value gathered(std::size_t axis, model::Tensor places);

  model::Builder* builder_;
  const Operator* op_;
  const Extents* extents_;
  model::Value value_;
  std::vector<CoordinateIndex> axes_;
};

}  // namespace cambium::spaces::coordinate
