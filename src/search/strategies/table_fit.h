// Table fit: how well the tables of the strategy `compose` predicted measured compositions. The
// strategy measures pairs of neighbours if sums rank compositions poorly, and reports the fit to
// users. Refuses nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "search/strategies/compose_state.h"

namespace cambium::search {

struct TableFit {
  std::size_t compositions = 0;  // number of measured compositions
  // Spearman's correlation between sums of the tables and measurements, and their median distance.
  // `corrected_error`: the same distance for the corrected tables at the time of planning.
  double correlation = 0, error = 0, corrected_error = 0;
  bool is_exact = true;  // all errors are rounding errors

  // With fewer compositions, the correlation is not reliable.
  bool says_enough() const { return compositions >= 20; }
  bool is_poor() const { return says_enough() && !is_exact && correlation < 0.8; }
};

// Which sums to compare: those of costs, or those of gains.
struct SumsOf {
  std::optional<double> MeasuredChoice::*measured;
  double Weighed::*predicted;
};
inline constexpr SumsOf kCosts{&MeasuredChoice::cost, &Weighed::cost};
inline constexpr SumsOf kGains{&MeasuredChoice::gain, &Weighed::gain};

// Which compositions to compare: those planned with pairs of linked options only, or those planned
// with pairs of all neighbours.
enum class PairsOf : std::uint8_t { LinkedOptions, Neighbours };

TableFit fit_of(std::span<const TriedComposition> tried, const SumsOf& sums, PairsOf pairs);

}  // namespace cambium::search
