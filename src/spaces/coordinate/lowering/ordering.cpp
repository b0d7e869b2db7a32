#include "spaces/coordinate/lowering/ordering.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <deque>

namespace cambium::spaces::coordinate {

namespace {

struct Score {
  double macs = 0, intermediate = 0;
  int stages = 0;

  friend auto operator<=>(const Score&, const Score&) = default;
};

// What is done so far; everything else follows from it.
struct State {
  Mask weights = 0, sums = 0, growth = 0;
  double elements = 0;  // over all bindings
  Score rest;
  Step next;
};

class Search {
 public:
  explicit Search(const Game& game) : game_(game) {
    all_weights_ = below(game.weights.size());
    all_sums_ = below(game.sums.size());
    all_growth_ = below(game.growths.size());
  }

  Ordering run() {
    const State* state = &visit(0, 0, 0);
    Ordering out{{}, false, state->rest.macs, state->rest.intermediate};
    while (!is_last(*state)) {
      out.steps.push_back(state->next);
      state = find(state->weights | state->next.weights, state->sums | state->next.sums);
    }
    out.moves_at_end = state->growth != all_growth_;
    return out;
  }

 private:
  static Mask below(std::size_t count) { return (Mask{1} << count) - 1; }
  bool is_last(const State& s) const { return s.weights == all_weights_ && s.sums == all_sums_; }

  const State* find(Mask weights, Mask sums) const {
    for (const State& s : states_) {
      if (s.weights == weights && s.sums == sums) return &s;
    }
    return nullptr;
  }

  // Elements once `growth` is lowered and `sums` are summed, over all bindings.
  double count(Mask growth, Mask sums) {
    std::vector<double>& out = scratch_;
    out = game_.elements;
    for (std::size_t g = 0; g < game_.growths.size(); ++g) {
      if ((growth >> g & 1) == 0) continue;
      for (std::size_t b = 0; b < out.size(); ++b) out[b] *= game_.growths[g].factor[b];
    }
    // Divide last: every divisor is a factor by then, so doubles remain whole numbers.
    for (const Game::Shrinkage& s : game_.shrinkages) {
      if ((s.growth & ~growth) != 0) continue;
      for (std::size_t b = 0; b < out.size(); ++b) out[b] /= s.factor[b];
    }
    for (std::size_t r = 0; r < game_.sums.size(); ++r) {
      if ((sums >> r & 1) == 0) continue;
      for (std::size_t b = 0; b < out.size(); ++b) out[b] /= game_.sums[r].extent[b];
    }
    double total = 0;
    for (const double elements : out) total += elements;
    return total;
  }

  const State& visit(Mask weights, Mask sums, Mask growth) {
    if (const State* known = find(weights, sums)) return *known;
    State s{weights, sums, growth, count(growth, sums), {}, {}};
    if (!is_last(s)) choose(s);
    states_.push_back(std::move(s));
    return states_.back();
  }

  void choose(State& s) {
    bool first = true;
    const Mask left = all_weights_ & ~s.weights;
    for (Mask w = left;; w = (w - 1) & left) {  // subsets, the empty one last
      choose_sums(s, w, first);
      if (w == 0) break;
    }
  }

  // Tries every set of reductions that the stage may open in addition to those of its weights.
  void choose_sums(State& s, Mask weights, bool& first) {
    Mask base = s.growth;
    for (std::size_t w = 0; w < game_.weights.size(); ++w) {
      if ((weights >> w & 1) != 0) base |= game_.weights[w];
    }
    const Mask done = s.weights | weights;
    Mask ready = 0, blocked = 0;
    for (std::size_t r = 0; r < game_.sums.size(); ++r) {
      const Game::Sum& sum = game_.sums[r];
      if ((s.sums >> r & 1) != 0 || (sum.weights & ~done) != 0) continue;
      ready |= Mask{1} << r;
      if ((sum.growth & ~base) != 0) blocked |= Mask{1} << r;
    }
    for (Mask opened = blocked;; opened = (opened - 1) & blocked) {
      const Mask growth = base | growth_of(opened);
      const Mask summed = reached(ready, growth);
      if ((summed & blocked) == opened && (weights | summed) != 0) {
        consider(s, {weights, summed}, growth, first);
      }
      if (opened == 0) break;
    }
  }

  Mask growth_of(Mask sums) const {
    Mask growth = 0;
    for (std::size_t r = 0; r < game_.sums.size(); ++r) {
      if ((sums >> r & 1) != 0) growth |= game_.sums[r].growth;
    }
    return growth;
  }

  Mask reached(Mask ready, Mask growth) const {
    Mask out = 0;
    for (std::size_t r = 0; r < game_.sums.size(); ++r) {
      if ((ready >> r & 1) != 0 && (game_.sums[r].growth & ~growth) == 0) out |= Mask{1} << r;
    }
    return out;
  }

  void consider(State& s, Step step, Mask growth, bool& first) {
    const int factors = std::max(std::popcount(step.weights), 1);
    Score score{count(growth, s.sums) * factors, 0, 1};
    if (!first && score.macs > s.rest.macs) return;
    const State& next = visit(s.weights | step.weights, s.sums | step.sums, growth);
    const bool is_output = is_last(next) && next.growth == all_growth_;
    score.macs += next.rest.macs;
    score.intermediate = next.rest.intermediate + (is_output ? 0 : next.elements);
    score.stages += next.rest.stages;
    if (!first && score >= s.rest) return;
    s.rest = score;
    s.next = step;
    first = false;
  }

  const Game& game_;
  Mask all_weights_ = 0, all_sums_ = 0, all_growth_ = 0;
  std::deque<State> states_;  // few: a list is quicker than a table
  std::vector<double> scratch_;
};

}  // namespace

Ordering best_ordering(const Game& game) {
  return Search(game).run();
}

}  // namespace cambium::spaces::coordinate
