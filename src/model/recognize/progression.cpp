#include "model/recognize/progression.h"

#include <algorithm>

namespace cambium::model::recognition {

namespace {

// Deeper nests than any window has are accidents of a random table.
constexpr std::size_t kMaxLevels = 8;

bool continues(const Ints& from, const Ints& to, const Ints& step) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (to[i] - from[i] != step[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<Progression>> progressions(std::vector<Ints> points) {
  std::vector<Progression> levels;  // fastest first
  while (points.size() > 1) {
    Ints step = points[1];
    for (std::size_t i = 0; i < step.size(); ++i) step[i] -= points[0][i];
    std::size_t run = 2;
    while (run < points.size() && continues(points[run - 1], points[run], step)) ++run;
    if (points.size() % run != 0 || levels.size() == kMaxLevels) return std::nullopt;
    std::vector<Ints> starts;
    for (std::size_t block = 0; block < points.size(); block += run) {
      for (std::size_t i = block + 1; i < block + run; ++i) {
        if (!continues(points[i - 1], points[i], step)) return std::nullopt;
      }
      starts.push_back(std::move(points[block]));
    }
    levels.push_back({static_cast<std::int64_t>(run), std::move(step)});
    points = std::move(starts);
  }
  std::reverse(levels.begin(), levels.end());
  return levels;
}

}  // namespace cambium::model::recognition
