// The order that is found is never worse than any other.
#include <algorithm>
#include <bit>
#include <limits>

#include <gtest/gtest.h>

#include "base/random.h"
#include "spaces/coordinate/lowering/ordering.h"

namespace cambium::spaces::coordinate {
namespace {

Game random_game(Rng& rng) {
  const std::size_t bindings = 1 + rng.below(2);
  const auto factors = [&](std::int64_t most) {
    std::vector<double> out;
    for (std::size_t b = 0; b < bindings; ++b) {
      out.push_back(static_cast<double>(rng.between(1, most)));
    }
    return out;
  };
  Game game;
  game.elements = factors(100);
  const std::size_t growths = rng.below(5), sums = rng.below(5), weights = rng.below(4);
  const auto some = [&](std::size_t of) -> Mask {
    return rng.next_u64() & rng.next_u64() & ((Mask{1} << of) - 1);
  };
  for (std::size_t g = 0; g < growths; ++g) game.growths.push_back({factors(6)});
  for (std::size_t s = rng.below(2); s > 0; --s) {
    game.shrinkages.push_back({some(growths), factors(3)});
  }
  for (std::size_t w = 0; w < weights; ++w) game.weights.push_back(some(growths));
  for (std::size_t r = 0; r < sums; ++r) {
    game.sums.push_back({some(growths), some(weights), factors(6)});
  }
  return game;
}

// Every sequence of steps, each with any weights and any reductions that may be summed then.
class Exhaustive {
 public:
  explicit Exhaustive(const Game& game)
      : game_(game),
        all_weights_((Mask{1} << game.weights.size()) - 1),
        all_sums_((Mask{1} << game.sums.size()) - 1) {}

  double best(Mask weights = 0, Mask sums = 0, Mask growth = 0) const {
    if (weights == all_weights_ && sums == all_sums_) return 0;
    double least = std::numeric_limits<double>::infinity();
    const Mask left_weights = all_weights_ & ~weights, left_sums = all_sums_ & ~sums;
    for (Mask w = left_weights;; w = (w - 1) & left_weights) {
      for (Mask r = left_sums;; r = (r - 1) & left_sums) {
        if ((w | r) != 0 && is_legal(r, weights | w)) {
          const Mask grown = growth | growth_of(w, r);
          const double cost = count(grown, sums) * std::max(std::popcount(w), 1);
          least = std::min(least, cost + best(weights | w, sums | r, grown));
        }
        if (r == 0) break;
      }
      if (w == 0) break;
    }
    return least;
  }

 private:
  bool is_legal(Mask sums, Mask weights) const {
    for (std::size_t r = 0; r < game_.sums.size(); ++r) {
      if ((sums >> r & 1) != 0 && (game_.sums[r].weights & ~weights) != 0) return false;
    }
    return true;
  }
  Mask growth_of(Mask weights, Mask sums) const {
    Mask out = 0;
    for (std::size_t w = 0; w < game_.weights.size(); ++w) {
      if ((weights >> w & 1) != 0) out |= game_.weights[w];
    }
    for (std::size_t r = 0; r < game_.sums.size(); ++r) {
      if ((sums >> r & 1) != 0) out |= game_.sums[r].growth;
    }
    return out;
  }
  double count(Mask growth, Mask sums) const {
    double total = 0;
    for (std::size_t b = 0; b < game_.elements.size(); ++b) {
      double out = game_.elements[b];
      for (std::size_t g = 0; g < game_.growths.size(); ++g) {
        if ((growth >> g & 1) != 0) out *= game_.growths[g].factor[b];
      }
      for (const Game::Shrinkage& s : game_.shrinkages) {
        if ((s.growth & ~growth) == 0) out /= s.factor[b];
      }
      for (std::size_t r = 0; r < game_.sums.size(); ++r) {
        if ((sums >> r & 1) != 0) out /= game_.sums[r].extent[b];
      }
      total += out;
    }
    return total;
  }

  const Game& game_;
  Mask all_weights_, all_sums_;
};

TEST(OrderingProperty, IsAsGoodAsTheBestOfAllOrders) {
  Rng rng(11);
  int ordered = 0;
  for (int i = 0; i < 2000; ++i) {
    const Game game = random_game(rng);
    const Ordering found = best_ordering(game);
    const double best = Exhaustive(game).best();
    ASSERT_NEAR(found.macs, best, 1e-9 * best) << "game " << i;
    if (found.steps.size() > 1) ++ordered;
  }
  EXPECT_GT(ordered, 500);
}

}  // namespace
}  // namespace cambium::spaces::coordinate
