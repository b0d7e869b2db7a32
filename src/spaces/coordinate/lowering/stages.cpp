#include "spaces/coordinate/lowering/stages.h"

#include <algorithm>

#include "spaces/coordinate/lowering/ordering.h"

namespace cambium::spaces::coordinate {

namespace {

Result<std::vector<double>> values(const expr::Size& size,
                                   std::span<const expr::Binding> bindings) {
  std::vector<double> out;
  out.reserve(bindings.size());
  for (const expr::Binding& binding : bindings) {
    CAMBIUM_TRY(const std::int64_t value, expr::evaluate(size, binding));
    out.push_back(static_cast<double>(value));
  }
  return out;
}

Result<Game> game_of(const Operator& op, const Descent& d,
                     std::span<const expr::Binding> bindings) {
  Game game;
  game.elements.assign(bindings.size(), 1);
  for (const CoordinateIndex c : op.data) {
    CAMBIUM_TRY(const std::vector<double> domain,
                values(op.coordinates[place_of(c)].domain, bindings));
    for (std::size_t b = 0; b < domain.size(); ++b) game.elements[b] *= domain[b];
  }
  for (const Descent::Growing& growing : d.growing) {
    const Coordinate& it = op.coordinates[place_of(growing.coordinate)];
    const expr::Size& by =
        growing.is_expansion ? it.domain : op.coordinates[place_of(it.second)].domain;
    CAMBIUM_TRY(std::vector<double> factor, values(by, bindings));
    game.growths.push_back({std::move(factor)});
  }
  for (const CoordinateIndex c : d.strides) {
    CAMBIUM_TRY(std::vector<double> factor,
                values(op.coordinates[place_of(c)].parameter, bindings));
    game.shrinkages.push_back({d.growth[place_of(c)], std::move(factor)});
  }
  for (std::size_t r = 0; r < d.reductions; ++r) {
    const CoordinateIndex c = d.reduction(r);
    CAMBIUM_TRY(std::vector<double> extent, values(op.coordinates[place_of(c)].domain, bindings));
    game.sums.push_back({d.growth[place_of(c)], d.weights_of[r], std::move(extent)});
  }
  for (const std::vector<CoordinateIndex>& weight : op.weights) {
    Mask growth = 0;
    for (const CoordinateIndex c : weight) growth |= d.growth[place_of(c)];
    game.weights.push_back(growth);
  }
  return game;
}

// Lowers the requested primitives from the data down and tracks the axes.
class Frontier {
 public:
  Frontier(const Operator& op, const Descent& d) : op_(op), d_(d), passed_(op.coordinates.size()) {
    for (const CoordinateIndex c : op.data) passed_[place_of(c)] = true;
    axes_ = op.data;
  }

  const std::vector<CoordinateIndex>& axes() const { return axes_; }

  // Lowers everything above a coordinate.
  void pass(CoordinateIndex c) {
    if (passed_[place_of(c)]) return;
    if (d_.is_expanded[place_of(c)]) {
      passed_[place_of(c)] = true;
      axes_.push_back(c);
      ++appended_;
      return;
    }
    for (const CoordinateIndex above : d_.consumers[place_of(c)]) {
      if (above != kNoCoordinate) pass(above);
    }
    open(d_.consumers[place_of(c)]);
  }

  // STRIDEs drop elements, so they are lowered as soon as everything above them is.
  void pass_strides() {
    for (auto c = d_.strides.rbegin(); c != d_.strides.rend(); ++c) {
      if ((d_.growth[place_of(*c)] & ~growth_) == 0) pass(op_.coordinates[place_of(*c)].first);
    }
  }

  void add_growth(Mask growth) { growth_ |= growth; }

  // Removes summed axes. Windows and expanded axes move to the place of the first of them.
  void sum(std::span<const CoordinateIndex> reductions) {
    const auto is_summed = [&](CoordinateIndex c) {
      return std::find(reductions.begin(), reductions.end(), c) != reductions.end();
    };
    const auto fresh = axes_.end() - static_cast<std::ptrdiff_t>(appended_);
    const auto first = std::find_if(axes_.begin(), fresh, is_summed);
    std::rotate(first, fresh, axes_.end());
    std::erase_if(axes_, is_summed);
    appended_ = 0;
  }

 private:
  void open(const std::array<CoordinateIndex, 2>& tops) {
    const Coordinate& it = op_.coordinates[place_of(tops[0])];
    const auto place = std::find(axes_.begin(), axes_.end(), tops[0]);
    const auto index = place - axes_.begin();
    const bool is_fresh = index >= std::ssize(axes_) - static_cast<std::ptrdiff_t>(appended_);
    axes_[static_cast<std::size_t>(index)] = it.first;
    passed_[place_of(it.first)] = true;
    if (it.second != kNoCoordinate) {
      // A remaining window stands next to the channels, as convolutions need it.
      const bool is_window = it.kind == CoordinateKind::Unfold;
      axes_.insert(is_window ? axes_.end() : axes_.begin() + index + 1, it.second);
      passed_[place_of(it.second)] = true;
      if (is_fresh || is_window) ++appended_;
    }
    if (tops[1] != kNoCoordinate) {
      const auto other = std::find(axes_.begin(), axes_.end(), tops[1]);
      if (other - axes_.begin() >= std::ssize(axes_) - static_cast<std::ptrdiff_t>(appended_)) {
        --appended_;
      }
      axes_.erase(other);
    }
  }

  const Operator& op_;
  const Descent& d_;
  std::vector<bool> passed_;
  std::vector<CoordinateIndex> axes_;
  std::size_t appended_ = 0;  // how many of the last axes are windows or came from nothing
  Mask growth_ = 0;
};

}  // namespace

Result<std::vector<Stage>> stages_of(const Operator& op, std::span<const expr::Binding> bindings) {
  CAMBIUM_TRY(const Descent d, descent_of(op));
  CAMBIUM_TRY(const Game game, game_of(op, d, bindings));
  const Ordering ordering = best_ordering(game);
  std::vector<CoordinateIndex> outputs;
  for (std::size_t o = 0; o < d.outputs; ++o) outputs.push_back(static_cast<CoordinateIndex>(o));

  std::vector<Stage> out;
  Frontier frontier(op, d);
  for (const Step& step : ordering.steps) {
    Stage stage{frontier.axes(), {}, {}, {}};
    for (std::size_t w = 0; w < op.weights.size(); ++w) {
      if ((step.weights >> w & 1) == 0) continue;
      stage.weights.push_back(w);
      frontier.add_growth(game.weights[w]);
      for (const CoordinateIndex c : op.weights[w]) frontier.pass(c);
    }
    for (std::size_t r = 0; r < d.reductions; ++r) {
      if ((step.sums >> r & 1) == 0) continue;
      stage.reductions.push_back(d.reduction(r));
      frontier.add_growth(game.sums[r].growth);
      frontier.pass(d.reduction(r));
    }
    frontier.pass_strides();
    frontier.sum(stage.reductions);
    stage.output = frontier.axes();
    out.push_back(std::move(stage));
  }
  if (ordering.moves_at_end || out.empty()) {
    out.push_back({frontier.axes(), {}, {}, outputs});
  } else {
    out.back().output = outputs;
  }
  return out;
}

Result<double> fewest_macs(const Operator& op, std::span<const expr::Binding> bindings) {
  CAMBIUM_TRY(const Descent d, descent_of(op));
  CAMBIUM_TRY(const Game game, game_of(op, d, bindings));
  return best_ordering(game).macs;
}

namespace {

Result<std::int64_t> elements(const Operator& op, std::span<const CoordinateIndex> axes,
                              const expr::Binding& binding) {
  std::int64_t out = 1;
  for (const CoordinateIndex c : axes) {
    CAMBIUM_TRY(const std::int64_t extent,
                expr::evaluate(op.coordinates[place_of(c)].domain, binding));
    if (__builtin_mul_overflow(out, extent, &out)) return Rejection(Reason::SizeOverflow);
  }
  return out;
}

}  // namespace

Result<StagedCost> cost_of(const Operator& op, std::span<const Stage> stages,
                           const expr::Binding& binding) {
  StagedCost out;
  for (const Stage& stage : stages) {
    CAMBIUM_TRY(const std::int64_t results, elements(op, stage.output, binding));
    if (&stage != &stages.back()) out.intermediate += results;
    if (stage.weights.empty() && stage.reductions.empty()) continue;
    CAMBIUM_TRY(std::int64_t points, elements(op, stage.reductions, binding));
    const std::int64_t factors = std::max<std::int64_t>(std::ssize(stage.weights), 1);
    if (__builtin_mul_overflow(points, results, &points) ||
        __builtin_mul_overflow(points, factors, &points) ||
        __builtin_add_overflow(out.macs, points, &out.macs)) {
      return Rejection(Reason::SizeOverflow);
    }
  }
  for (const std::vector<CoordinateIndex>& weight : op.weights) {
    CAMBIUM_TRY(const std::int64_t count, elements(op, weight, binding));
    if (__builtin_add_overflow(out.parameters, count, &out.parameters)) {
      return Rejection(Reason::SizeOverflow);
    }
  }
  return out;
}

Result<double> most_bytes(const Operator& op, std::span<const expr::Binding> bindings) {
  CAMBIUM_TRY(const std::vector<Stage> stages, stages_of(op, bindings));
  double most = 0;
  for (const expr::Binding& binding : bindings) {
    CAMBIUM_TRY(const StagedCost cost, cost_of(op, stages, binding));
    CAMBIUM_TRY(const std::int64_t input, elements(op, op.data, binding));
    CAMBIUM_TRY(const std::int64_t output, elements(op, stages.back().output, binding));
    most = std::max(most, static_cast<double>(cost.parameters) +
                              static_cast<double>(cost.intermediate) + static_cast<double>(input) +
                              static_cast<double>(output));
  }
  return 4 * most;
}

}  // namespace cambium::spaces::coordinate
