// Shape distance: how many primitives at least are between some coordinates and the input, looking
// at sizes alone (theorem A.2 of the paper). Coordinates O and axes I fall into reshape groups; a
// group takes |I| + |E| + |O| - 2 SPLITs and MERGEs, where E is what it makes that is then
// eliminated (nothing, if both sides have the same size); coordinates that are eliminated as they
// are take none. One CONTRACTION eliminates any number. A STRIDE multiplies a coordinate of a group
// and waits for an UNFOLD, which eliminates a window. Without weights, UNFOLDs and EXPANDs
// eliminate one coordinate each, and none when they are used up; with weights, what no weight may
// read is theirs. Never above the true distance.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

inline constexpr std::uint8_t kFar = 255;

inline constexpr std::size_t kMaxMerges = 4;
// SPLITs and MERGEs needed for a multiset of sizes, by how many of them are MERGEs.
using Costs = std::array<std::uint8_t, kMaxMerges + 1>;
inline constexpr Costs kAllFar = {kFar, kFar, kFar, kFar, kFar};
struct Reshapes {
  Costs exact = kAllFar;        // if nothing is eliminated
  Costs eliminating = kAllFar;  // if something is
  Costs one_by_one = kAllFar;   // with one more primitive for each that is eliminated
};

class Distances {
 public:
  // Distances of so many multisets are remembered; then all are forgotten, since they are worked
  // out again faster than they fill the memory of a machine.
  static constexpr std::size_t kMostKnown = std::size_t{1} << 20;
  explicit Distances(Space& space, std::size_t most_known = kMostKnown);

  // Primitives that a state needs at least, its weights included.
  int least(const State& state) { return least(sized(state)); }
  // And the state that a step leads to, which need not exist: most steps lead too far away.
  int least(const State& state, const Step& step);

  std::size_t count() const { return known_.size(); }
  std::size_t bytes() const;

 private:
  // Sizes; with kWhole those of coordinates that no MERGE may cut.
  using Multiset = Few<std::uint32_t, kMaxData>;
  static constexpr std::uint32_t kWhole = 1U << 16;
  struct Known {
    std::uint32_t offset;
    std::uint8_t count, strides;
    Reshapes reshapes;
  };
  struct Search;
  // All of a state that its distance depends on.
  struct Sized {
    Multiset sizes;
    int strided = 0;  // results of STRIDEs
    int merges = 0, splits = 0, strides = 0, unfolds = 0, expands = 0;
    std::uint64_t occurrences = 0;  // of primary variables
  };

  // How many STRIDEs bring what a group lacks: all of it, or all and something over. Two are taken
  // to bring anything.
  struct Missing {
    std::uint8_t exact = 0, more = 0;
  };

  Missing missing(SizeId ratio);
  std::uint32_t sized(const Coord& coord) const;
  Sized sized(const State& state) const;
  int least(Sized sized);
  int least(const Sized& sized, int strides);  // with so many more STRIDEs below bases
  // Whether a coordinate can still be eliminated: always where there are weights.
  bool may_eliminate(const Sized& sized) const;
  // With exactly so many STRIDEs, remembered by the multiset, which is sorted.
  Reshapes reshapes(const Multiset& sizes, int strides);
  Reshapes compute(const Multiset& sizes, int strides);
  bool is_beyond_occurrences(const Sized& sized) const;
  void forget();

  Space& space_;
  std::size_t most_known_;
  std::array<bool, expr::kMaxPrimary> fits_window_{};  // primary variables that some window holds
  bool are_reductions_whole_ = false;                  // by the rules, a REDUCE is not merged
  std::vector<Missing> missing_;                       // by size; {0, 0}: not asked
  std::vector<Known> known_;
  std::vector<std::uint32_t> pool_;
  Interned table_;
};

}  // namespace cambium::spaces::coordinate::synthesis
