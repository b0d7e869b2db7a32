// View: a value as an affine picture of another one. Pads, slices, gathers with constant indices,
// reshapes, transposes, expansions and concatenated shifts only move elements; followed back to
// the value that they move, they are one map from coordinates to coordinates, with a fill outside.
// Where no such map is known, a value is a view of itself: nothing is refused.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "model/builder.h"

namespace cambium::model::recognition {

// One axis of the base. What stands outside [low, high) is the fill, not the base.
struct Coordinate {
  std::int64_t extent = 1;
  std::int64_t constant = 0;
  std::int64_t low = 0, high = 1;
  std::size_t origin = 0;  // the axis of the base value that this one is a factor of
};

// A loop of the view: adds steps[c] to coordinate c with each turn. Its extent is at least 2.
struct Atom {
  std::int64_t extent = 1;
  Ints steps;

  friend bool operator==(const Atom&, const Atom&) = default;
};

struct View {
  Value base;
  std::vector<Coordinate> coordinates;  // together a reshape of the base: axes may be split
  std::vector<std::vector<Atom>> dims;  // of the value itself: atoms of each axis, slowest first
  std::optional<double> fill;           // unset: nothing was padded
};

class Views {
 public:
  explicit Views(const Builder& builder) : builder_(builder) {}

  // As far back as movement goes.
  const View& of(Value value) { return of(value, 0); }
  // The value as a view of itself.
  View opaque(Value value) const;

 private:
  const View& of(Value value, int depth);
  std::optional<View> through(const Node& node, std::uint32_t slot, int depth);
  std::optional<View> concat(const Node& node, int depth);

  const Builder& builder_;
  std::map<Value, View> known_;
};

}  // namespace cambium::model::recognition
