// Shape distance: the least number of primitives between some coordinates and the input, judged by
// sizes alone (theorem A.2 of the paper). Coordinates O and axes I fall into reshape groups. A
// group takes |I| + |E| + |O| - 2 SPLITs and MERGEs, where E are the coordinates that it makes only
// to eliminate them; there are none if both sides have the same size. A coordinate that is
// eliminated as it is takes none. One CONTRACTION eliminates any number. A STRIDE multiplies a
// coordinate of a group and waits for an UNFOLD, which eliminates a window. Without weights, an
// UNFOLD or an EXPAND eliminates one coordinate each, until they are used up. With weights, they
// eliminate the coordinates that no weight may read. The distance is never above the true one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "spaces/coordinate/synthesis/primitives/primitive.h"

namespace cambium::spaces::coordinate::synthesis {

inline constexpr std::uint8_t kFar = 255;

inline constexpr std::size_t kMaxMerges = most_of(PrimitiveKind::Merge);
// The SPLITs and MERGEs that a multiset of sizes needs, by the number of MERGEs among them.
using Costs = std::array<std::uint8_t, kMaxMerges + 1>;
inline constexpr Costs kAllFar = [] {
  Costs costs{};
  costs.fill(kFar);
  return costs;
}();
struct Reshapes {
  Costs exact = kAllFar;        // if nothing is eliminated
  Costs eliminating = kAllFar;  // if something is
  Costs one_by_one = kAllFar;   // with one more primitive for each that is eliminated
};

class Distances {
 public:
  // So many multisets are remembered. Then all are forgotten, because computing them again is
  // cheaper than filling the memory of a machine.
  static constexpr std::size_t kMostKnown = std::size_t{1} << 20;
  explicit Distances(Space& space, std::size_t most_known = kMostKnown);

  // The least number of primitives that a state still needs, including its weights.
  int least(const State& state) { return least(sized(state)); }
  // The same for the state that a step leads to. The state need not exist yet, because most steps
  // lead too far away.
  int least(const State& state, const Step& step);

  std::size_t count() const { return known_.size(); }
  std::size_t bytes() const;

 private:
  // Sizes. kWhole marks coordinates that no MERGE may cut.
  using Multiset = Few<std::uint32_t, kMaxData>;
  static constexpr std::uint32_t kWhole = 1U << 16;
  struct Known {
    std::uint32_t offset;
    std::uint8_t count, strides;
    Reshapes reshapes;
  };
  struct Search;
  // The parts of a state that its distance depends on.
  struct Sized {
    Multiset sizes;
    int strided = 0;  // results of STRIDEs
    Counts counts;
    std::uint64_t occurrences = 0;  // of primary variables
  };

  // The number of STRIDEs that supply what a group lacks, exactly or with a surplus. Two STRIDEs
  // are assumed to supply anything.
  struct Missing {
    std::uint8_t exact = 0, more = 0;
  };

  Missing missing(SizeId ratio);
  std::uint32_t sized(const Coord& coord) const;
  Sized sized(const State& state) const;
  int least(Sized sized);
  int least(const Sized& sized, int strides);  // with so many additional STRIDEs below bases
  // Whether a coordinate can still be eliminated; with weights it always can.
  bool may_eliminate(const Sized& sized) const;
  // With exactly so many STRIDEs. Remembered by the multiset, which must be sorted.
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
