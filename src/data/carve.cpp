#include "data/carve.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "base/check.h"
#include "base/random.h"

namespace cambium::data {

Carved carve(std::span<const std::int32_t> labels, const CarveOptions& options) {
  CAMBIUM_CHECK(options.share >= 0 && options.share < 1, "a share must lie in [0, 1)");
  std::map<std::int32_t, std::vector<std::uint32_t>> groups;
  for (std::size_t i = 0; i < labels.size(); ++i)
    groups[options.stratified ? labels[i] : 0].push_back(static_cast<std::uint32_t>(i));

  const Rng root = Rng(options.seed).split("carve");
  Carved carved;
  for (auto& [label, members] : groups) {
    Rng rng = root.split(static_cast<std::uint64_t>(label));
    rng.shuffle(std::span<std::uint32_t>(members));
    const auto taken = std::lround(options.share * static_cast<double>(members.size()));
    const auto cut = members.begin() + taken;
    carved.validation.insert(carved.validation.end(), members.begin(), cut);
    carved.train.insert(carved.train.end(), cut, members.end());
  }
  std::sort(carved.train.begin(), carved.train.end());
  std::sort(carved.validation.begin(), carved.validation.end());
  return carved;
}

}  // namespace cambium::data
