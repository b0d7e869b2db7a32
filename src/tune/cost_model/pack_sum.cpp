#include "tune/cost_model/pack_sum.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"

namespace cambium::tune {
namespace {

constexpr double kRefusedWeight = 0.1;
constexpr double kLeastWeight = 0.1;
constexpr double kMostError = 0.5;  // in logarithms: one trial that was timed wrong must not lead

}  // namespace

std::size_t share_column() {
  static const std::size_t kColumn = [] {
    const std::vector<std::string>& names = feature_names();
    const auto at = std::find(names.begin(), names.end(), "draft.share");
    CAMBIUM_CHECK(at != names.end(), "rows know their share");
    return static_cast<std::size_t>(at - names.begin());
  }();
  return kColumn;
}

double packed(const Features& features, double draft_seconds, std::span<const float> of_rows,
              std::size_t& at) {
  double sum = std::log(draft_seconds);
  for (std::size_t r = 0; r < features.rows; ++r) {
    sum += static_cast<double>(features.row(r)[share_column()] * of_rows[at++]);
  }
  return sum;
}

PackSum::PackSum(std::vector<const Example*> examples) : examples_(std::move(examples)) {
  std::map<Fingerprint, std::size_t> groups;
  targets_.resize(examples_.size());
  for (std::size_t i = 0; i < examples_.size(); ++i) {
    const auto [at, is_new] = groups.emplace(examples_[i]->program, groups.size());
    if (is_new) groups_.emplace_back();
    groups_[at->second].push_back(i);
    targets_[i].group = at->second;
    const Features& features = examples_[i]->features;
    matrix_.insert(matrix_.end(), features.values.begin(), features.values.end());
    rows_ += features.rows;
  }
  for (const std::vector<std::size_t>& group : groups_) {
    double fastest = INFINITY, slowest = 0;
    for (std::size_t i : group) {
      if (!std::isfinite(examples_[i]->seconds)) continue;
      fastest = std::min(fastest, examples_[i]->seconds);
      slowest = std::max(slowest, examples_[i]->seconds);
    }
    for (std::size_t i : group) {
      const bool ran = std::isfinite(examples_[i]->seconds);
      // A program none of whose examples ran says nothing.
      const double seconds = ran ? examples_[i]->seconds : slowest > 0 ? 2 * slowest : 1;
      targets_[i].log_seconds = std::log(seconds);
      targets_[i].weight = ran           ? std::max(kLeastWeight, fastest / seconds)
                           : slowest > 0 ? kRefusedWeight
                                         : 0;
    }
  }
}

std::vector<double> PackSum::predictions(std::span<const float> of_rows) const {
  std::vector<double> made;
  made.reserve(examples_.size());
  std::size_t at = 0;
  for (const Example* e : examples_) {
    made.push_back(packed(e->features, e->draft_seconds, of_rows, at));
  }
  return made;
}

void PackSum::gradients(std::span<const double> predictions, std::vector<float>& gradient,
                        std::vector<float>& hessian) const {
  std::vector<double> means(groups_.size(), 0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    double sum = 0, weights = 0;
    for (std::size_t i : groups_[g]) {
      sum += targets_[i].weight * (predictions[i] - targets_[i].log_seconds);
      weights += targets_[i].weight;
    }
    if (weights > 0) means[g] = sum / weights;
  }
  gradient.clear();
  hessian.clear();
  for (std::size_t i = 0; i < examples_.size(); ++i) {
    const Target& target = targets_[i];
    const double error = predictions[i] - target.log_seconds - means[target.group];
    const Features& features = examples_[i]->features;
    for (std::size_t r = 0; r < features.rows; ++r) {
      // All rows of an example move together: the share once, not squared, keeps the step safe.
      const double share = static_cast<double>(features.row(r)[share_column()]);
      const double step = std::clamp(error, -kMostError, kMostError);
      gradient.push_back(static_cast<float>(target.weight * step * share));
      hessian.push_back(static_cast<float>(target.weight * share));
    }
  }
}

double PackSum::disorder(std::span<const double> predictions) const {
  double wrong = 0, all = 0;
  for (const std::vector<std::size_t>& group : groups_) {
    for (std::size_t a = 0; a < group.size(); ++a) {
      for (std::size_t b = a + 1; b < group.size(); ++b) {
        const Target& x = targets_[group[a]];
        const Target& y = targets_[group[b]];
        const double difference = (x.log_seconds - y.log_seconds) * std::max(x.weight, y.weight);
        const double predicted = predictions[group[a]] - predictions[group[b]];
        all += std::abs(difference);
        if (difference * predicted < 0) wrong += std::abs(difference);
        if (predicted == 0) wrong += std::abs(difference) / 2;
      }
    }
  }
  return all > 0 ? wrong / all : 0;
}

}  // namespace cambium::tune
