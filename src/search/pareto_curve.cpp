#include "search/pareto_curve.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace cambium::search {

ParetoCurve::ParetoCurve(const std::vector<CurvePlace>& all) : corners_(all) {
  CAMBIUM_CHECK(!all.empty(), "a curve of nothing");
  std::sort(corners_.begin(), corners_.end(), [](const CurvePlace& a, const CurvePlace& b) {
    return a.first != b.first ? a.first > b.first : a.second > b.second;
  });
  std::size_t kept = 1;
  for (std::size_t i = 1; i < corners_.size(); ++i) {
    if (corners_[i].second > corners_[kept - 1].second) corners_[kept++] = corners_[i];
  }
  corners_.resize(kept);
  // A single corner has no extent, so all points give it.
  const std::vector<CurvePlace>& measured = kept > 1 ? corners_ : all;
  CurvePlace low = measured[0], high = measured[0];
  for (const CurvePlace& place : measured) {
    low = {std::min(low.first, place.first), std::min(low.second, place.second)};
    high = {std::max(high.first, place.first), std::max(high.second, place.second)};
  }
  if (high.first > low.first) extent_.first = high.first - low.first;
  if (high.second > low.second) extent_.second = high.second - low.second;
}

double ParetoCurve::distance(const CurvePlace& place, const CurvePlace& other) const {
  const double x = (place.first - other.first) / extent_.first;
  const double y = (place.second - other.second) / extent_.second;
  return std::sqrt(x * x + y * y);
}

double ParetoCurve::distance(const CurvePlace& place) const {
  const CurvePlace& right = corners_.front();
  const CurvePlace& left = corners_.back();
  double least = std::min(distance(place, {right.first, std::min(place.second, right.second)}),
                          distance(place, {std::min(place.first, left.first), left.second}));
  for (std::size_t i = 1; i < corners_.size(); ++i) {
    const CurvePlace& a = corners_[i - 1];
    const CurvePlace& b = corners_[i];
    const double dx = (b.first - a.first) / extent_.first;
    const double dy = (b.second - a.second) / extent_.second;
    const double px = (place.first - a.first) / extent_.first;
    const double py = (place.second - a.second) / extent_.second;
    const double along = std::clamp((px * dx + py * dy) / (dx * dx + dy * dy), 0.0, 1.0);
    const CurvePlace nearest{a.first + along * (b.first - a.first),
                             a.second + along * (b.second - a.second)};
    least = std::min(least, distance(place, nearest));
  }
  return least;
}

CurvePlace ParetoCurve::anchor(Rng& rng) const {
  if (corners_.size() == 1) return corners_[0];
  const auto piece = static_cast<std::size_t>(rng.below(corners_.size() - 1));
  const double along = rng.uniform();
  const CurvePlace& a = corners_[piece];
  const CurvePlace& b = corners_[piece + 1];
  return {a.first + along * (b.first - a.first), a.second + along * (b.second - a.second)};
}

}  // namespace cambium::search
