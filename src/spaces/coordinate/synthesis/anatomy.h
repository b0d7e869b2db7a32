// The anatomy of a state numbers all its coordinates, used up or not, so that the reads of a weight
// are a bit mask. It also lists how coordinates determine each other, because that decides whether
// one weight is another one reshaped. It is made once for a state before its weights are chosen.
#pragma once

#include <array>
#include <cstdint>

#include "spaces/coordinate/synthesis/space.h"

namespace cambium::spaces::coordinate::synthesis {

// A set of coordinates of an anatomy: what one weight reads.
using Reads = std::uint32_t;
inline constexpr std::size_t kMaxCoords = 32;

// The coordinates of `from` together determine those of `gives`.
struct Inference {
  Reads from = 0, gives = 0;
};

struct Anatomy {
  Few<CoordId, kMaxCoords> coords;  // operands before results; outputs, then reductions first
  Reads data = 0;                   // nothing has used them up
  Reads expanded = 0;
  Reads outputs = 0, reductions = 0;
  std::array<Reads, kMaxCoords> bases{};  // outputs and reductions that a coordinate is made of

  // For rules.
  Reads shifted = 0, merged = 0;           // used up by a SHIFT, by a MERGE
  Reads strided = 0;                       // results of STRIDEs
  Reads views = 0, unfolded = 0;           // results of SPLITs and SHIFTs, of UNFOLDs
  Reads shifts = 0;                        // results of SHIFTs
  std::uint32_t unordered = 0;             // axes of Space::input, a bit each
  Few<Reads, kMaxCoords> splits, unfolds;  // operands and result of each, three bits
  Few<Reads, kMaxCoords> split_operands;
  Few<Reads, kMaxCoords> halves;       // of each MERGE
  Few<Reads, kMaxCoords> idle_splits;  // operands of SPLITs that do nothing by themselves
  Few<Inference, 5 * kMaxCoords> inferences;

  std::size_t place(CoordId coord) const;  // of a coordinate that is there
  Reads bit(CoordId coord) const { return Reads{1} << place(coord); }
  // All coordinates that `reads` determine, including themselves.
  Reads closure(Reads reads) const;
  Reads bases_of(Reads reads) const;
};

// False if there are more coordinates than fit (kMaxCoords).
bool dissect(const Space& space, StateId id, Anatomy& anatomy);

// The last step of an operator: its weights, and which coordinates index the input.
inline constexpr std::size_t kMaxWeights = 3;
struct Choice {
  Few<Reads, kMaxWeights> weights;   // ascending
  Few<std::uint8_t, kMaxAxes> axes;  // for each axis of Space::input, a place in `coords`
  Reads data = 0;                    // the same as a mask

  friend bool operator==(const Choice& a, const Choice& b) {
    return a.weights == b.weights && a.axes == b.axes;
  }
};

}  // namespace cambium::spaces::coordinate::synthesis
