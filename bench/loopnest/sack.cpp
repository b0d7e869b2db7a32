#include "loopnest/sack.h"

#include "base/random.h"

namespace cambium::bench {

search::Knapsack sack_of(std::size_t sites, std::int32_t options) {
  Rng rng(1);
  search::Knapsack sack;
  for (std::size_t site = 0; site < sites; ++site) {
    auto& own = sack.sites.emplace_back();
    const double size = rng.uniform(0.2, 1), loss = rng.uniform(0.2, 1);
    own.push_back({0, 0});
    for (std::int32_t i = 1; i < options; ++i) {
      const double share = (i + rng.uniform()) / (options + 1);
      own.push_back({-size * share, -loss * share * share});
    }
  }
  return sack;
}

search::Knapsack linked_sack_of(std::size_t sites, std::int32_t options, std::size_t apart) {
  search::Knapsack sack = sack_of(sites, options);
  Rng rng(2);
  for (std::size_t site = 0; site + 1 < sites; site += apart) {
    auto& link = sack.links.emplace_back();
    link.first = site;
    link.second = site + 1;
    for (std::int32_t a = 1; a < options; a += 10) {
      for (std::int32_t b = 1; b < options; ++b) {
        link.pairs.push_back({a, b, {rng.uniform(0, 0.1), rng.uniform(-0.1, 0)}, rng.chance(0.9)});
      }
    }
  }
  return sack;
}

}  // namespace cambium::bench
