// States of one synthesis, hash-consed: what is on the way from the output to the input. A state is
// the set of coordinates that the input or a weight must still read (data), and those that were
// expanded; everything below follows from them, so the same interface reached in two orders is one
// state. Reductions of equal size are interchangeable: a state stands for all their renamings.
// Weights come last (weights.h): since they may read every coordinate, used up or not, they commute
// with all other primitives and no operator is lost by it.
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
inline constexpr std::size_t kMaxExpanded = 8;

// How many primitives of each kind a state holds: a function of its coordinates.
struct Counts {
  std::uint8_t reductions = 0, splits = 0, merges = 0, shifts = 0, unfolds = 0, strides = 0,
               expands = 0;

  int all() const { return reductions + splits + merges + shifts + unfolds + strides + expands; }
  friend bool operator==(const Counts&, const Counts&) = default;
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

  // Sorts the lists and renames equal reductions: the one form of all that are alike.
  void canonicalize(State& state);
  // The canonical form, interned. `counts`, `occurrences` and `stage` must be those of the
  // coordinates; a stage of its own if kNoState.
  StateId intern(State state);
  State unpack(StateId id) const;

  std::span<const CoordId> data(StateId id) const {
    return {pool_.data() + records_[id].offset, records_[id].data};
  }
  const Counts& counts(StateId id) const { return records_[id].counts; }
  StateId stage(StateId id) const { return records_[id].stage; }
  // The reductions of a state, equal sizes side by side.
  std::span<const CoordId> reductions(StateId id) const;

  // What is known of the primitives, weights included, that a state still needs (reach.h).
  struct Need {
    std::uint8_t least = 0, most = 255;
  };
  Need& need(StateId id) { return records_[id].need; }

  std::size_t count() const { return records_.size(); }
  std::size_t bytes() const;  // of states alone; coordinates and sizes have their own
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
