// View: a value as an affine image of another value. Pads, slices, gathers with constant indices,
// reshapes, transposes, expansions and concatenated shifts only move elements. Traced back to the
// value they move, they are one map between coordinates, with a fill outside. Without such a map, a
// value is a view of itself; nothing is refused.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "model/builder.h"

namespace cambium::model::recognition {

// One axis of the base. Positions outside [low, high) read the fill.
struct Coordinate {
  std::int64_t extent = 1;
  std::int64_t constant = 0;
  std::int64_t low = 0, high = 1;
  std::size_t origin = 0;  // the axis of the base value that this axis is a factor of
};

// A loop of the view: each iteration adds steps[c] to coordinate c. Its extent is at least 2.
struct Atom {
  std::int64_t extent = 1;
  Ints steps;

  friend bool operator==(const Atom&, const Atom&) = default;
};

struct View {
  Value base;
  std::vector<Coordinate> coordinates;  // together a reshape of the base: axes may be split
  std::vector<std::vector<Atom>> dims;  // atoms of each axis of the value, slowest first
  std::optional<double> fill;           // unset without padding
};

class Views {
 public:
  explicit Views(const Builder& builder) : builder_(builder) {}

  // Traces the value back as far as only movement is involved.
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
