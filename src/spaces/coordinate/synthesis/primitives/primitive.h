// A primitive in synthesis: texts for the documentation, and how it is offered and applied. kinds.h
// lists the primitives; docs/howto/add_primitive.md says how to add one.
#pragma once

#include <cstdint>
#include <vector>

#include "spaces/coordinate/synthesis/space.h"

namespace cambium::spaces::coordinate::synthesis {

using coordinate::PrimitiveKind;

// One application of a primitive: its operands, and the size that is its parameter.
struct Step {
  PrimitiveKind kind = PrimitiveKind::Reduce;
  SizeId size = kSizeOne;
  CoordId first = kNoCoord, second = kNoCoord;

  friend bool operator==(const Step&, const Step&) = default;
};
using Steps = std::vector<Step>;

struct Primitive {
  PrimitiveKind kind;
  const char* parameter;
  const char* bottom;    // coordinates below, nearer to the output
  const char* top;       // and what they become: bottom-up
  const char* top_down;  // the same as an operation on the input
  // Appends all steps of this kind whose sizes fit. Rules and limits on counts are checked
  // elsewhere. Null for SHARE and CONTRACTION, which weights.h handles.
  void (*offer)(Space&, const State&, Steps&);
  // Replaces the operands of the step by its results. The step must have been offered.
  void (*apply)(Space&, const Step&, State&);
};

// The rows, each in the file that has its primitive's name.
#define CAMBIUM_X(name, text, counts, usual, most, what) extern const Primitive k##name;
CAMBIUM_FOR_EACH_PRIMITIVE(CAMBIUM_X)
#undef CAMBIUM_X
extern const Primitive kShare, kContraction;

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

// Removes a coordinate from the data, which must hold it.
void use_up(State& state, CoordId coord);
// The result of a STRIDE reads only a part of the data; only an UNFOLD reads the rest again.
inline bool is_strided(const Space& space, CoordId c) {
  return space.coordinates[c].kind == CoordinateKind::Stride;
}

}  // namespace cambium::spaces::coordinate::synthesis
