#include "model/onnx/interpolation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

namespace cambium::model::onnx_io {

namespace {

// Where output `i` lies among the inputs.
double coordinate(const std::string& mode, std::int64_t i, std::int64_t from, std::int64_t to,
                  double scale) {
  const auto at = static_cast<double>(i);
  const double half_pixel = (at + 0.5) / scale - 0.5;
  if (mode == "asymmetric") return at / scale;
  // What the scale makes of the length, before it is rounded to whole entries.
  const double exact = static_cast<double>(from) * scale;
  if (mode == "align_corners") {
    return exact == 1 ? 0 : at * static_cast<double>(from - 1) / (exact - 1);
  }
  if (mode == "pytorch_half_pixel") return to > 1 ? half_pixel : 0;
  if (mode == "half_pixel_symmetric") {
    const double centre = static_cast<double>(from) / 2;
    return centre * (1 - static_cast<double>(to) / exact) + half_pixel;
  }
  return half_pixel;
}

double cubic_weight(double distance, double a) {
  const double d = std::fabs(distance);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

}  // namespace

bool has_coordinates(const std::string& name) {
  static constexpr std::array<std::string_view, 5> kNames = {
      "half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "half_pixel_symmetric"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::vector<double> interpolation_matrix(const Interpolation& law, std::int64_t from,
                                         std::int64_t to, double scale) {
  std::vector<double> matrix(static_cast<std::size_t>(from * to), 0);
  const std::int64_t reach = law.cubic ? 2 : 1;
  for (std::int64_t i = 0; i < to; ++i) {
    const auto last = static_cast<double>(from - 1);
    double at = coordinate(law.coordinates, i, from, to, scale);
    // A linear sum between two copies of the edge is the edge; a cubic one overshoots first.
    at = law.cubic ? std::clamp(at, -4.0, last + 4) : std::clamp(at, 0.0, last);
    const auto base = static_cast<std::int64_t>(std::floor(at));
    std::vector<std::pair<std::int64_t, double>> taps;
    for (std::int64_t tap = base - reach + 1; tap <= base + reach; ++tap) {
      const double distance = at - static_cast<double>(tap);
      const double weight = law.cubic ? cubic_weight(distance, law.cubic_coefficient)
                                      : std::max(0.0, 1 - std::fabs(distance));
      const bool outside = tap < 0 || tap >= from;
      taps.emplace_back(std::clamp<std::int64_t>(tap, 0, from - 1),
                        outside && law.exclude_outside ? 0 : weight);
    }
    const double sum = std::accumulate(taps.begin(), taps.end(), 0.0,
                                       [](double a, const auto& tap) { return a + tap.second; });
    for (const auto& [tap, weight] : taps) {
      matrix[static_cast<std::size_t>(tap * to + i)] +=
          law.exclude_outside && sum != 0 ? weight / sum : weight;
    }
  }
  return matrix;
}

}  // namespace cambium::model::onnx_io
