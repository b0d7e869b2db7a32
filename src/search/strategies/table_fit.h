// Table fit: how well the tables of the strategy `compose` predicted what compositions came to. The
// strategy measures pairs of neighbours where sums order compositions poorly, and tells people.
// Refuses nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "search/strategies/compose_state.h"

namespace cambium::search {

struct TableFit {
  std::size_t compositions = 0;  // that were measured
  // Between sums of the tables and what was measured: Spearman's correlation, and the median
  // distance. The same distance for the tables as they were corrected when each was planned.
  double correlation = 0, error = 0, corrected_error = 0;
  bool is_exact = true;  // all errors are those of rounding

  // Fewer compositions say too little of the correlation.
  bool says_enough() const { return compositions >= 20; }
  bool is_poor() const { return says_enough() && !is_exact && correlation < 0.8; }
};

// Which sums: of the costs, or of the gains.
struct SumsOf {
  std::optional<double> MeasuredChoice::*measured;
  double Weighed::*predicted;
};
inline constexpr SumsOf kCosts{&MeasuredChoice::cost, &Weighed::cost};
inline constexpr SumsOf kGains{&MeasuredChoice::gain, &Weighed::gain};

// Which compositions: those that were planned with pairs of linked options only, or with pairs of
// all neighbours.
enum class PairsOf : std::uint8_t { LinkedOptions, Neighbours };

TableFit fit_of(std::span<const TriedComposition> tried, const SumsOf& sums, PairsOf pairs);

}  // namespace cambium::search
