// Hash-consed states of one synthesis, on the way from the output to the input. A state is the set
// of coordinates that the input or a weight must still read (data), and the set of expanded ones.
// Everything below follows from them, so two orders of steps that reach the same sets reach the
// same state. Reductions of equal size are interchangeable: a state stands for all their renamings.
// Weights come last (weights.h). They may read every coordinate, used up or not, so they commute
// with all other primitives, and no operator is lost.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "spaces/coordinate/synthesis/coordinates.h"
#include "spaces/coordinate/synthesis/few.h"

namespace cambium::spaces::coordinate::synthesis {

using StateId = std::uint32_t;
inline constexpr StateId kNoState = 0xffffffff;
inline constexpr std::size_t kMaxData = 16;
inline constexpr std::size_t kMaxExpanded = most_of(PrimitiveKind::Expand);

// How many primitives of each kind a state holds. It follows from the coordinates.
struct Counts {
#define CAMBIUM_X(name, text, counts, usual, most, what) std::uint8_t counts = 0;
  CAMBIUM_FOR_EACH_PRIMITIVE(CAMBIUM_X)
#undef CAMBIUM_X

  // Of any primitive but SHARE and CONTRACTION, which a state does not hold.
  std::uint8_t operator[](PrimitiveKind kind) const {
    return this->*member(kind);
  }
  std::uint8_t& operator[](PrimitiveKind kind) {
    return this->*member(kind);
  }
  int all() const {
#define CAMBIUM_X(name, text, counts, usual, most, what) +counts
    return 0 CAMBIUM_FOR_EACH_PRIMITIVE(CAMBIUM_X);
#undef CAMBIUM_X
  }
  friend bool operator==(const Counts&, const Counts&) = default;

 private:
  static std::uint8_t Counts::*member(PrimitiveKind kind);
};

// A state unpacked. Lists are sorted by key.
struct State {
  Few<CoordId, kMaxData> data;
  Few<CoordId, kMaxExpanded> expanded;
  StateId stage = kNoState;  // the state that holds its reductions and nothing else
  Counts counts;
  // Primary variables in reductions; coefficients in reductions, blocks and strides.
  Occurrences occurrences;
};

class States {
 public:
  explicit States(Coordinates& coordinates) : coordinates_(coordinates) {}

  // Sorts the lists and renames equal reductions, so that equivalent states become equal.
  void canonicalize(State& state);
  // Interns the canonical form. `counts`, `occurrences` and `stage` must match the coordinates; a
  // state without a stage (kNoState) is its own.
  StateId intern(State state);
  State unpack(StateId id) const;

  std::span<const CoordId> data(StateId id) const {
    return {pool_.data() + records_[id].offset, records_[id].data};
  }
  const Counts& counts(StateId id) const { return records_[id].counts; }
  StateId stage(StateId id) const { return records_[id].stage; }
  // The reductions of a state, with equal sizes side by side.
  std::span<const CoordId> reductions(StateId id) const;

  // Known bounds on the number of primitives, weights included, that a state still needs (reach.h).
  struct Need {
    std::uint8_t least = 0, most = 255;
  };
  Need& need(StateId id) { return records_[id].need; }

  std::size_t count() const { return records_.size(); }
  std::size_t bytes() const;  // of states only, without coordinates and sizes
  std::string text(StateId id, const expr::SizeTable& names) const;

 private:
  struct Record {
    std::uint32_t offset = 0;
    StateId stage = kNoState;
    std::uint8_t data = 0, expanded = 0;
    Need need;
    Counts counts;
    Occurrences occurrences;
  };

  void sort(State& state) const;
  bool is_before(const State& a, const State& b) const;
  std::uint64_t hash(const State& state) const;

  Coordinates& coordinates_;
  std::vector<Record> records_;
  std::vector<CoordId> pool_;
  Interned table_;
};

}  // namespace cambium::spaces::coordinate::synthesis
