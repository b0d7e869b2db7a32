#include "search/strategies/table_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/quantile.h"
#include "base/ranks.h"

namespace cambium::search {
namespace {

// Sums that differ by less than this share of the greatest are equal: they were added in another
// order.
constexpr double kRounding = 1e-9;

std::vector<double> rounded(std::vector<double> values, double unit) {
  for (double& value : values) value = unit > 0 ? std::round(value / unit) : value;
  return values;
}

}  // namespace

TableFit fit_of(std::span<const TriedComposition> tried, const SumsOf& sums, PairsOf pairs) {
  std::vector<double> measured, predicted, errors, corrected_errors;
  double greatest = 0, worst = 0;
  for (const TriedComposition& each : tried) {
    const auto& value = each.measured.*(sums.measured);
    if (!value || each.prediction.is_by_neighbours != (pairs == PairsOf::Neighbours)) continue;
    measured.push_back(*value);
    predicted.push_back(each.prediction.summed.*(sums.predicted));
    errors.push_back(std::abs(predicted.back() - *value));
    corrected_errors.push_back(std::abs(each.prediction.corrected.*(sums.predicted) - *value));
    greatest = std::max({greatest, std::abs(*value), std::abs(predicted.back())});
    worst = std::max(worst, errors.back());
  }
  TableFit fit;
  fit.compositions = measured.size();
  fit.error = median(std::move(errors));
  fit.corrected_error = median(std::move(corrected_errors));
  const double unit = kRounding * greatest;
  fit.is_exact = worst <= unit;
  fit.correlation =
      spearman(rounded(std::move(predicted), unit), rounded(std::move(measured), unit));
  return fit;
}

}  // namespace cambium::search
