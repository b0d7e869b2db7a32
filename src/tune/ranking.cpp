#include "tune/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/check.h"

namespace cambium::tune {
namespace {

constexpr std::size_t kFewest = 3;  // examples that can be ranked
constexpr std::size_t kTop = 8;

std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t at = 0; at < order.size();) {
    std::size_t end = at;
    while (end < order.size() && values[order[end]] == values[order[at]]) ++end;
    const double mean = (static_cast<double>(at) + static_cast<double>(end - 1)) / 2;
    for (; at < end; ++at) ranks[order[at]] = mean;
  }
  return ranks;
}

// Of one program: its examples that ran.
void add_program(std::span<const Example> examples, std::span<const double> scores,
                 const std::vector<std::size_t>& members, ModelQuality& sum) {
  std::vector<double> seconds, predicted, drafts;
  for (std::size_t i : members) {
    seconds.push_back(examples[i].seconds);
    predicted.push_back(scores[i]);
    drafts.push_back(examples[i].draft_seconds);
  }
  sum.rank_correlation += rank_correlation(predicted, seconds);
  sum.draft_correlation += rank_correlation(drafts, seconds);
  std::vector<std::size_t> order(seconds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return predicted[a] < predicted[b]; });
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(kTop, order.size()); ++i) {
    best = std::min(best, seconds[order[i]]);
  }
  sum.best_of_top_8 += *std::min_element(seconds.begin(), seconds.end()) / best;
}

}  // namespace

double rank_correlation(std::span<const double> x, std::span<const double> y) {
  CAMBIUM_CHECK(x.size() == y.size(), "lists of one length");
  if (x.size() < 2) return 0;
  const std::vector<double> a = ranks_of(x), b = ranks_of(y);
  const double mean = (static_cast<double>(x.size()) - 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

ModelQuality quality_of(std::span<const Example> examples, std::span<const double> scores) {
  CAMBIUM_CHECK(examples.size() == scores.size(), "one score per example");
  std::map<Fingerprint, std::vector<std::size_t>> programs;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (std::isfinite(examples[i].seconds)) programs[examples[i].program].push_back(i);
  }
  ModelQuality quality;
  quality.examples = static_cast<std::int64_t>(examples.size());
  double count = 0;
  for (const auto& [program, members] : programs) {
    if (members.size() < kFewest) continue;
    quality.held_out += static_cast<std::int64_t>(members.size());
    count += 1;
    add_program(examples, scores, members, quality);
  }
  if (count > 0) {
    quality.rank_correlation /= count;
    quality.draft_correlation /= count;
    quality.best_of_top_8 /= count;
  }
  return quality;
}

}  // namespace cambium::tune
