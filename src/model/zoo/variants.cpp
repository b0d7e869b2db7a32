#include "model/zoo/variants.h"

#include <array>
#include <set>

#include "base/check.h"
#include "base/random.h"

namespace cambium::model::zoo {

std::string text_of(const BlockVariant& variant) {
  std::string out;
  for (const BlockFactors& block : variant) {
    if (!out.empty()) out += ' ';
    out += std::to_string(block.groups) + '/' + std::to_string(block.bottleneck);
  }
  return out;
}

std::vector<BlockVariant> draw_resnet34_variants(std::size_t count, std::uint64_t seed) {
  constexpr std::array<std::int64_t, 4> kGroups{1, 2, 4, 8};
  constexpr std::array<std::int64_t, 3> kBottlenecks{1, 2, 4};
  CAMBIUM_CHECK(count <= 100'000'000, "there are 12^16, and drawing goes on until all differ");
  Rng rng(seed);
  std::set<BlockVariant> drawn;
  while (drawn.size() < count) {
    BlockVariant variant(kResNet34Blocks);
    for (BlockFactors& block : variant) {
      block.groups = kGroups[rng.below(kGroups.size())];
      block.bottleneck = kBottlenecks[rng.below(kBottlenecks.size())];
    }
    drawn.insert(std::move(variant));
  }
  return {drawn.begin(), drawn.end()};
}

}  // namespace cambium::model::zoo
