#include "spaces/coordinate/random_testing.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "spaces/coordinate/check.h"
#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate::testing {
namespace {

using expr::Size;

class Builder {
 public:
  explicit Builder(Rng& rng) : rng_(rng) {
    const std::vector<std::string> bindings = {"C=8, H=28, k=3, s=2"};
    problem_ = problem_of("[C, H]", "[C, H]", bindings).value();
    problem_.fixed.clear();
    c_ = problem_.output[0];
    h_ = problem_.output[1];
    k_ = Size::var(*problem_.sizes.find("k"));
    s_ = Size::var(*problem_.sizes.find("s"));
    for (const Size& axis : problem_.output) {
      top_.push_back(add({CoordinateKind::Output, kNoCoordinate, kNoCoordinate, axis, Size()}));
    }
  }

  RandomOperator build(int steps, std::size_t weights) {
    const auto reductions = rng_.below(4);
    for (std::uint64_t r = 0; r < reductions; ++r) {
      const Size sizes[] = {c_, k_, s_, k_};
      top_.push_back(add(
          {CoordinateKind::Reduce, kNoCoordinate, kNoCoordinate, sizes[rng_.below(4)], Size()}));
    }
    for (int i = static_cast<int>(reductions); i < steps; ++i) step(weights);
    rng_.shuffle(std::span(top_));
    op_.data = top_;
    problem_.input.clear();
    for (const CoordinateIndex i : top_) problem_.input.push_back(domain(i));
    return {problem_, op_};
  }

 private:
  CoordinateIndex add(const Coordinate& c) {
    op_.coordinates.push_back(c);
    return static_cast<CoordinateIndex>(op_.coordinates.size() - 1);
  }
  const Size& domain(CoordinateIndex i) const { return op_.coordinates[place_of(i)].domain; }
  std::size_t any() { return static_cast<std::size_t>(rng_.below(top_.size())); }
  CoordinateIndex take(std::size_t place) {
    const CoordinateIndex i = top_[place];
    top_.erase(top_.begin() + static_cast<std::ptrdiff_t>(place));
    return i;
  }

  void step(std::size_t weights) {
    if (top_.empty()) return;
    switch (rng_.below(6)) {
      case 0: split(); break;
      case 1: merge(); break;
      case 2: {
        const CoordinateIndex i = take(any());
        top_.push_back(add({CoordinateKind::Shift, i, kNoCoordinate, domain(i), Size()}));
        break;
      }
      case 3:
      case 4: unfold(); break;
      default:
        if (op_.weights.size() < weights) contract();
    }
  }

  void split() {
    if (top_.size() < 2) return;
    const CoordinateIndex i = take(any());
    const CoordinateIndex j = take(any());
    top_.push_back(
        add({CoordinateKind::Split, i, j, product(domain(i), domain(j)).value(), Size()}));
  }

  void merge() {
    const std::size_t place = any();
    const auto high = quotient(domain(top_[place]), s_);
    if (!expr::require_integer(*high, problem_.bindings).ok()) return;
    const CoordinateIndex i = take(place);
    top_.push_back(add({CoordinateKind::MergeHigh, i, kNoCoordinate, *high, s_}));
    top_.push_back(add({CoordinateKind::MergeLow, i, kNoCoordinate, s_, s_}));
  }

  void unfold() {
    const auto is_window = [&](CoordinateIndex i) { return domain(i) == k_ || domain(i) == s_; };
    if (top_.size() < 2) return;
    const std::size_t place = any();
    if (!is_window(top_[place])) return;
    CoordinateIndex window = take(place);
    const std::size_t base_place = any();
    if (rng_.below(4) == 0) {
      window = add(
          {CoordinateKind::Stride, window, kNoCoordinate, product(domain(window), s_).value(), s_});
    }
    const CoordinateIndex base = take(base_place);
    top_.push_back(add({CoordinateKind::Unfold, base, window, domain(base), Size()}));
  }

  void contract() {
    std::vector<CoordinateIndex> weight;
    for (std::size_t place = top_.size(); place > 0; --place) {
      const std::uint64_t choice = rng_.below(4);
      if (choice >= 2) continue;
      weight.push_back(top_[place - 1]);
      if (choice == 0 && top_.size() > 1) take(place - 1);
    }
    if (!weight.empty()) op_.weights.push_back(weight);
  }

  Rng& rng_;
  Problem problem_;
  Operator op_;
  Size c_, h_, k_, s_;
  std::vector<CoordinateIndex> top_;
};

}  // namespace

RandomOperator random_operator(Rng& rng, int steps, std::size_t weights) {
  for (;;) {
    RandomOperator made = Builder(rng).build(steps, weights);
    if (made.problem.input.size() <= kMaxRank && check(made.problem, made.op).ok()) return made;
  }
}

Operator shuffled(const Operator& op, Rng& rng) {
  const std::size_t outputs = output_count(op);
  const std::size_t leaves = outputs + reduction_count(op);
  std::vector<CoordinateIndex> moved(op.coordinates.size(), kNoCoordinate);
  Operator out;
  const auto place = [&](CoordinateIndex i) {
    Coordinate c = op.coordinates[place_of(i)];
    if (c.first >= 0) c.first = moved[place_of(c.first)];
    if (c.second >= 0) c.second = moved[place_of(c.second)];
    moved[place_of(i)] = static_cast<CoordinateIndex>(out.coordinates.size());
    out.coordinates.push_back(c);
  };
  std::vector<CoordinateIndex> reductions;
  std::vector<CoordinateIndex> views;
  for (std::size_t i = 0; i < op.coordinates.size(); ++i) {
    const auto index = static_cast<CoordinateIndex>(i);
    if (i < outputs) place(index);
    if (i >= outputs && i < leaves) reductions.push_back(index);
    if (i >= leaves) views.push_back(index);
  }
  rng.shuffle(std::span(reductions));
  for (const CoordinateIndex i : reductions) place(i);
  while (!views.empty()) {
    rng.shuffle(std::span(views));
    const auto ready = std::find_if(views.begin(), views.end(), [&](CoordinateIndex i) {
      const Coordinate& c = op.coordinates[place_of(i)];
      return moved[place_of(c.first)] >= 0 && (c.second < 0 || moved[place_of(c.second)] >= 0);
    });
    place(*ready);
    views.erase(ready);
  }
  for (const CoordinateIndex i : op.data) out.data.push_back(moved[place_of(i)]);
  for (std::vector<CoordinateIndex> weight : op.weights) {
    for (CoordinateIndex& i : weight) i = moved[place_of(i)];
    rng.shuffle(std::span(weight));
    out.weights.push_back(std::move(weight));
  }
  rng.shuffle(std::span(out.weights));
  return out;
}

}  // namespace cambium::spaces::coordinate::testing
