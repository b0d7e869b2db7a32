// What a primitive is to synthesis: a row of texts for the documentation, and how it is offered and
// applied. primitives/all.h lists the rows; adding one is docs/howto/add_primitive.md.
#pragma once

#include <cstdint>
#include <vector>

#include "spaces/coordinate/synthesis/space.h"

namespace cambium::spaces::coordinate::synthesis {

enum class PrimitiveKind : std::uint8_t {
  Reduce,
  Split,
  Merge,
  Shift,
  Unfold,
  Stride,
  Expand,
  Share,
  Contraction,
};

// One application: what is used up, and the size it takes as a parameter.
struct Step {
  PrimitiveKind kind = PrimitiveKind::Reduce;
  SizeId size = kSizeOne;
  CoordId first = kNoCoord, second = kNoCoord;

  friend bool operator==(const Step&, const Step&) = default;
};
using Steps = std::vector<Step>;

struct Primitive {
  PrimitiveKind kind;
  const char* name;
  const char* parameter;
  const char* bottom;           // coordinates below, nearer to the output
  const char* top;              // and what they become: bottom-up
  const char* top_down;         // the same as an operation on the input
  std::uint8_t Counts::*count;  // null for what weights.h does
  int Limits::*limit;
  // Appends all steps of this kind whose sizes and own limits fit; rules are asked later.
  void (*offer)(Space&, const State&, Steps&);
  // Replaces what the step uses up. The step must be one that was offered.
  void (*apply)(Space&, const Step&, State&);
};

// The steps of `kind` that take one coordinate, two different ones in order.
template <class Fits>
void offer_each(const State& state, PrimitiveKind kind, Steps& steps, Fits fits) {
  for (const CoordId a : state.data) {
    if (fits(a)) steps.push_back({kind, kSizeOne, a, kNoCoord});
  }
}
template <class Fits>
void offer_pairs(const State& state, PrimitiveKind kind, Steps& steps, Fits fits) {
  for (const CoordId a : state.data) {
    for (const CoordId b : state.data) {
      if (a != b && fits(a, b)) steps.push_back({kind, kSizeOne, a, b});
    }
  }
}

// Takes a coordinate out of the data; it must be there.
void use_up(State& state, CoordId coord);
// The result of a STRIDE reads only a part of the data: nothing but an UNFOLD makes it whole again.
inline bool is_strided(const Space& space, CoordId c) {
  return space.coordinates[c].kind == CoordinateKind::Stride;
}

}  // namespace cambium::spaces::coordinate::synthesis
