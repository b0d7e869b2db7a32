// Views: a tensor whose axes are coordinates, lowered view by view until its axes are loops of a
// stage. Decomposition calls it for what a stage reads, data and weights alike.
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
  // Windows up to this size are slices side by side, whose gradients are sums of slices; larger
  // ones one gather.
  static constexpr std::int64_t kMostSlices = 16;

  Views(model::Builder& builder, const Operator& op, const Extents& extents, model::Value value,
        std::vector<CoordinateIndex> axes)
      : builder_(&builder), op_(&op), extents_(&extents), value_(value), axes_(std::move(axes)) {}

  model::Value value() const { return value_; }
  const std::vector<CoordinateIndex>& axes() const { return axes_; }
  bool has(CoordinateIndex c) const;

  // Until every axis is one of the loops, and none occurs twice. Loops that the tensor does not
  // have stay out.
  void lower_to(const Loops& loops);
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
  model::Value gathered(std::size_t axis, model::Ints dims, const std::vector<std::int64_t>& at);

  model::Builder* builder_;
  const Operator* op_;
  const Extents* extents_;
  model::Value value_;
  std::vector<CoordinateIndex> axes_;
};

}  // namespace cambium::spaces::coordinate
