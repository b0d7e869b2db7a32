#include "model/recognize/progression.h"

#include <algorithm>

namespace cambium::model::recognition {

namespace {

bool continues(const Ints& from, const Ints& to, const Ints& step) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (to[i] - from[i] != step[i]) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<Progression>> progressions(const std::vector<Ints>& points) {
  return progressions(points.size(), points.empty() ? 0 : points[0].size(),
                      [&](std::size_t i, Ints& to) { to = points[i]; });
}

std::optional<std::vector<Progression>> progressions(
    std::size_t count, std::size_t width, const std::function<void(std::size_t, Ints&)>& read) {
  std::vector<Progression> levels;  // fastest first
  Ints table;                       // behind the first level: where each block of it starts
  const auto at = [&](std::size_t i, Ints& to) {
    if (levels.empty()) return read(i, to);
    std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(i * width), width, to.begin());
  };
  Ints before(width), now(width), step(width);
  while (count > 1) {
    if (levels.size() == kMostLevels) return std::nullopt;
    at(0, before);
    at(1, now);
    for (std::size_t c = 0; c < width; ++c) step[c] = now[c] - before[c];
    Ints starts = before;
    std::size_t run = 2;
    for (std::swap(before, now); run < count; ++run) {
      at(run, now);
      if (!continues(before, now, step)) break;
      std::swap(before, now);
    }
    if (count % run != 0) return std::nullopt;
    for (std::size_t i = run; i < count; ++i) {
      at(i, now);
      if (i % run == 0) {
        starts.insert(starts.end(), now.begin(), now.end());
      } else if (!continues(before, now, step)) {
        return std::nullopt;
      }
      std::swap(before, now);
    }
    levels.push_back({static_cast<std::int64_t>(run), step});
    table = std::move(starts);
    count /= run;
  }
  std::reverse(levels.begin(), levels.end());
  return levels;
}

}  // namespace cambium::model::recognition
