// The shape distance against true distances, found by trying everything: over shapes alone, where
// it is mostly equal (not where a block that it counts on is no parameter of MERGE), and over the
// states of whole spaces. It must never be above.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "spaces/coordinate/synthesis/primitives/all.h"
#include "spaces/coordinate/synthesis/reach.h"
#include "spaces/coordinate/synthesis/rules/rules.h"
#include "spaces/coordinate/synthesis/synthesis_testing.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

using Shape = std::vector<SizeId>;  // sorted

struct Case {
  const char* input;
  const char* output;
  const char* binding;
  int splits, merges, weights;
  int strides = 0;
  int unfolds = 4;      // of which windows eliminate, one each
  int occurrences = 3;  // of variables in reductions and weights, of the spaces of states
};

// Several axes and one, sizes that share variables and not, with and without coefficients, and
// limits that bind. Without weights, coordinates are eliminated one by one.
const Case kCases[] = {
    {"[A, B]", "[B, A]", "A=4, B=6, s=2", 8, 4, 2},
    {"[A]", "[B]", "A=12, B=6, s=2, k=3", 8, 4, 2},
    {"[A, B]", "[A*B]", "A=8, B=9, s=2, k=3", 8, 4, 2},
    {"[A, B, C]", "[A, B]", "A=4, B=6, C=10, s=2", 8, 4, 2},
    {"[s*A, A/s]", "[A]", "A=16, s=2", 8, 4, 2},
    {"[A, A]", "[A, B]", "A=8, B=12, s=2", 8, 4, 2},
    {"[A, B]", "[B, A]", "A=4, B=6, s=2", 1, 1, 2},
    {"[A, B]", "[A*B]", "A=8, B=9, s=2, k=3", 2, 0, 2},
    {"[A, B]", "[B, A]", "A=4, B=6, s=2", 8, 4, 0},
    {"[A]", "[B]", "A=12, B=6, s=2, k=3", 8, 2, 0},
    {"[s*A]", "[A]", "A=6, s=2, k=3", 8, 2, 2, 1},
    {"[s*A, B]", "[A, B]", "A=6, B=4, s=2", 8, 1, 1, 1},
    {"[s*A, s*B]", "[B, A]", "A=6, B=4, s=2", 8, 1, 1, 2},
    {"[s*k*A]", "[A]", "A=6, s=2, k=3", 8, 1, 0, 2},
    {"[A, B]", "[B, A]", "A=4, B=6, s=2", 8, 4, 0, 0, 1},
    {"[s*k*A]", "[A]", "A=6, s=2, k=3", 8, 1, 0, 1, 2},
};

std::unique_ptr<Space> space_of(const Case& c) {
  Limits limits;
  limits.weight_free = true;
  limits.splits = c.splits;
  limits.merges = c.merges;
  limits.weights = c.weights;
  limits.strides = c.strides;
  limits.unfolds = c.unfolds;
  limits.coefficient_power = 1;
  limits.occurrences = Limits::all_of(100);
  return space_for(c.input, c.output, {c.binding}, limits);
}

// Shapes of up to so many coordinates: all that are compared, and two more on the way, which two
// MERGEs need.
constexpr std::size_t kMostCompared = 3, kMostOnTheWay = 5;

// What one primitive makes of a shape, rules aside: SPLIT, MERGE, and a CONTRACTION that eliminates
// any coordinates, or an UNFOLD or EXPAND that eliminates one. And two, a STRIDE with its UNFOLD.
struct Way {
  Shape shape;
  int splits = 0, merges = 0, strides = 0;
  int eliminated = 0;  // where there are no weights, by a window or an EXPAND each

  int primitives() const { return 1 + strides; }
};
std::vector<Way> after_one(Space& space, const Shape& shape) {
  std::vector<Way> all;
  const auto add = [&](Shape next, int splits, int merges, int strides = 0) {
    std::sort(next.begin(), next.end());
    const bool is_eliminating = splits + merges == 0 && space.limits.weights == 0;
    all.push_back({std::move(next), splits, merges, strides, is_eliminating ? 1 : 0});
  };
  for (std::size_t i = 0; i < shape.size(); ++i) {
    for (const Block& block : space.sizes.blocks(shape[i])) {
      if (shape.size() == kMostOnTheWay) break;
      Shape next = shape;
      next[i] = block.block;
      next.push_back(block.rest);
      add(std::move(next), 0, 1);
    }
    for (std::size_t j = i + 1; j < shape.size(); ++j) {
      const SizeId product = space.sizes.product(shape[i], shape[j]);
      if (!space.sizes.legal(product)) continue;
      Shape next = shape;
      next[i] = product;
      next.erase(next.begin() + static_cast<std::ptrdiff_t>(j));
      add(std::move(next), 1, 0);
    }
  }
  for (const SizeId step : space.sizes.parameters()) {
    if (space.limits.strides == 0 || space.sizes[step].occurrences.primary != 0) continue;
    for (std::size_t base = 0; base < shape.size(); ++base) {
      for (std::size_t window = 0; window < shape.size(); ++window) {
        if (window == base) continue;
        Shape next = shape;
        next[base] = space.sizes.product(shape[base], step);
        next.erase(next.begin() + static_cast<std::ptrdiff_t>(window));
        add(std::move(next), 0, 0, 1);
      }
    }
  }
  for (std::uint32_t gone = 1; gone < (1U << shape.size()); ++gone) {
    if (space.limits.weights == 0 && (gone & (gone - 1)) != 0) continue;
    Shape next;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if ((gone >> i & 1) == 0) next.push_back(shape[i]);
    }
    add(std::move(next), 0, 0);
  }
  return all;
}

// True distances, remembered: in so many primitives with so many SPLITs, MERGEs and STRIDEs left.
class TrueDistances {
 public:
  explicit TrueDistances(Space& space) : space_(space) {
    input_.assign(space.input.begin(), space.input.end());
    std::sort(input_.begin(), input_.end());
  }
  int at(const Shape& shape, int most) {
    for (int steps = 0; steps <= most; ++steps) {
      const Limits& limits = space_.limits;
      const Left left{limits.splits, limits.merges, limits.strides,
                      limits.unfolds + limits.expands};
      if (can(shape, steps, left)) return steps;
    }
    return kFar;
  }

 private:
  struct Left {
    int splits, merges, strides, eliminations;
    auto operator<=>(const Left&) const = default;
  };

  bool can(const Shape& shape, int steps, Left left) {
    if (shape == input_) return true;
    if (steps == 0) return false;
    left.splits = std::min(left.splits, steps), left.merges = std::min(left.merges, steps);
    const Key key(shape, steps, left);
    const auto [place, is_new] = known_.emplace(key, false);
    if (!is_new) return place->second;
    bool is_reached = false;
    for (const Way& way : after_one(space_, shape)) {
      const Left after{left.splits - way.splits, left.merges - way.merges,
                       left.strides - way.strides, left.eliminations - way.eliminated};
      const int steps_left = steps - way.primitives();
      if (std::min({after.splits, after.merges, after.strides, after.eliminations, steps_left}) <
          0) {
        continue;
      }
      is_reached = can(way.shape, steps_left, after);
      if (is_reached) break;
    }
    return known_[key] = is_reached;
  }

  Space& space_;
  Shape input_;
  using Key = std::tuple<Shape, int, Left>;
  std::map<Key, bool> known_;
};

TEST(DistanceProperty, IsNeverAboveTheTrueDistanceOfAShapeAndMostlyEqual) {
  for (const Case& c : kCases) {
    const auto space = space_of(c);
    Distances distances(*space);
    TrueDistances truths(*space);
    std::vector<SizeId> sizes(space->sizes.parameters().begin(), space->sizes.parameters().end());
    for (const SizeId s : space->input) sizes.push_back(s);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    int compared = 0, equal = 0;
    const auto compare = [&](const Shape& shape) {
      State state;
      for (const SizeId s : shape) {
        state.data.push_back(space->coordinates.output(static_cast<int>(state.data.size()), s));
      }
      const int truth = truths.at(shape, 4);
      if (truth == kFar) return;
      const int least = distances.least(state);
      ++compared;
      equal += least == truth;
      EXPECT_LE(least, truth) << c.input << ": "
                              << space->states.text(space->states.intern(state),
                                                    space->problem.sizes);
    };
    const auto extend = [&](auto&& self, Shape& shape, std::size_t from) -> void {
      if (!shape.empty()) compare(shape);
      for (std::size_t i = from; i < sizes.size() && shape.size() < kMostCompared; ++i) {
        shape.push_back(sizes[i]);
        self(self, shape, i);
        shape.pop_back();
      }
    };
    Shape shape;
    extend(extend, shape, 0);
    EXPECT_GT(compared, 10) << c.input << " " << c.binding;
    // Less with STRIDEs: their UNFOLDs are taken to eliminate all that is left over, not one each.
    EXPECT_GE(equal * 100, compared * (c.strides > 0 ? 70 : 98))
        << c.input << " " << c.binding << ": " << equal << " of " << compared;
  }
}

// All states of a space, all primitives, no rules: what each state needs at least.
TEST(DistanceProperty, IsNeverAboveTheTrueDistanceOfAState) {
  const Case cases[] = {{"[C, L]", "[D, L]", "C=4, D=6, L=12, k=3", 2, 1, 2},
                        {"[L]", "[L]", "L=16, s=2", 3, 2, 1},
                        {"[A, B]", "[A*B]", "A=4, B=6, s=2", 2, 2, 1},
                        {"[L/s]", "[L]", "L=12, s=2, k=3", 2, 1, 0},
                        {"[L]", "[L]", "L=18, s=2, k=3", 1, 0, 1, 1},
                        {"[s*L]", "[L]", "L=6, s=2, k=3", 1, 1, 1, 1},
                        {"[s*L]", "[D, L]", "L=6, D=4, s=2, k=3", 1, 0, 2, 1},
                        {"[s^2*L]", "[L]", "L=6, s=2, k=3", 0, 0, 0, 2},
                        {"[C, L]", "[D, L]", "C=4, D=6, L=12, k=3", 2, 1, 1, 0, 1, 1},
                        {"[L/s]", "[L]", "L=12, s=2, k=3", 2, 1, 0, 0, 0},
                        {"[A, B]", "[A*B]", "A=4, B=6, s=2", 2, 2, 0, 0, 1},
                        {"[L]", "[D, L]", "L=6, D=5, s=2, k=3", 1, 1, 1, 0, 1, 0}};
  for (const Case& c : cases) {
    Limits limits;
    limits.primitives = 4 + c.strides;
    limits.reductions = 2;
    limits.strides = c.strides;
    limits.splits = c.splits;
    limits.merges = c.merges;
    limits.weights = c.weights;
    limits.weight_free = c.weights < 2;
    limits.unfolds = c.unfolds;
    limits.occurrences = Limits::all_of(static_cast<std::uint8_t>(c.occurrences));
    limits.expands = 1;
    limits.coefficient_power = 1;
    limits.window_ratio = 1;
    limits.odd_windows = false;
    const auto space = space_for(c.input, c.output, {c.binding}, limits, RuleSet::none());
    Reach reach(*space);
    std::vector<StateId> all = {space->root};
    std::set<StateId> seen = {space->root};
    std::map<StateId, std::vector<StateId>> next;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const State state = space->states.unpack(all[i]);
      if (state.counts.all() == limits.primitives) continue;
      Steps steps;
      offer_reductions(*space, state, steps);
      const std::size_t reductions = steps.size();  // the distance is asked after them
      offer_views(*space, state, steps);
      for (std::size_t s = 0; s < steps.size(); ++s) {
        const StateId child = apply(*space, state, steps[s]);
        if (s >= reductions) next[all[i]].push_back(child);
        if (seen.insert(child).second) all.push_back(child);
      }
    }
    std::map<StateId, int> need;
    int finished = 0;
    for (std::size_t i = all.size(); i-- > 0;) {  // children have more primitives, so come later
      int least = kFar;
      if (const auto weights = reach.weights_needed(all[i])) least = *weights;
      for (const StateId child : next[all[i]]) least = std::min(least, 1 + need.at(child));
      need[all[i]] = least;
      finished += least < kFar;
      EXPECT_LE(reach.least(all[i]), least)
          << c.input << ": " << space->states.text(all[i], space->problem.sizes);
    }
    EXPECT_GT(finished, 20) << c.input << " " << c.output;
  }
}

}  // namespace
}  // namespace cambium::spaces::coordinate::synthesis
