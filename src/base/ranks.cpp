#include "base/ranks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/quantile.h"
#include "base/random.h"

namespace cambium {

namespace {

double ordered(double value) {
  return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
}

}  // namespace

std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return ordered(values[a]) < ordered(values[b]); });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && ordered(values[order[end]]) == ordered(values[order[begin]])) {
      ++end;
    }
    const double rank = (static_cast<double>(begin + end) + 1) / 2;
    for (; begin < end; ++begin) ranks[order[begin]] = rank;
  }
  return ranks;
}

double spearman(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double middle = (static_cast<double>(x.size()) + 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

double kendall(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  std::int64_t same = 0, other = 0, tied_x = 0, tied_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double product = (x[i] - x[j]) * (y[i] - y[j]);
      same += product > 0;
      other += product < 0;
      tied_x += x[i] == x[j] && y[i] != y[j];
      tied_y += x[i] != x[j] && y[i] == y[j];
    }
  }
  const auto told_x = static_cast<double>(same + other + tied_y);
  const auto told_y = static_cast<double>(same + other + tied_x);
  return told_x > 0 && told_y > 0 ? static_cast<double>(same - other) / std::sqrt(told_x * told_y)
                                  : 0;
}

Spread bootstrapped(RankStatistic statistic, std::span<const double> a, std::span<const double> b,
                    int samples, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> x(a.size()), y(a.size()), drawn;
  for (int sample = 0; sample < samples; ++sample) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto at = static_cast<std::size_t>(rng.below(a.size()));
      x[i] = a[at];
      y[i] = b[at];
    }
    drawn.push_back(statistic(x, y));
  }
  return {quantile(drawn, 0.025), quantile(drawn, 0.975)};
}

}  // namespace cambium
