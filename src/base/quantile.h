// The median and other quantiles of a set of numbers; 0 for an empty set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cambium {

// The sample at that share of the sorted samples: 0 is the least, 1 the greatest.
inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const double place = share * static_cast<double>(values.size() - 1) + 0.5;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// For an even number of samples, the mean of the two in the middle.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace cambium
