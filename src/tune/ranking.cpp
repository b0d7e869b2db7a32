#include "tune/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/check.h"
#include "base/ranks.h"

namespace cambium::tune {
namespace {

constexpr std::size_t kFewest = 3;  // examples that can be ranked
constexpr std::size_t kTop = 8;

// Of one program: its examples that ran.
void add_program(std::span<const Example> examples, std::span<const double> scores,
                 const std::vector<std::size_t>& members, ModelQuality& sum) {
  std::vector<double> seconds, predicted, drafts;
  for (std::size_t i : members) {
    seconds.push_back(examples[i].seconds);
    predicted.push_back(scores[i]);
    drafts.push_back(examples[i].draft_seconds);
  }
  sum.rank_correlation += spearman(predicted, seconds);
  sum.draft_correlation += spearman(drafts, seconds);
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
