#include "spaces/coordinate/synthesis/budgets.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cambium::spaces::coordinate::synthesis {
namespace {

double value(const Space& space, CoordId coord, std::size_t binding) {
  return static_cast<double>(space.sizes.values(space.coordinates.size(coord))[binding]);
}

double elements(const Space& space, const Anatomy& anatomy, Reads weight, std::size_t binding) {
  double count = 1;
  for (; weight != 0; weight &= weight - 1) {
    const auto place = static_cast<std::size_t>(std::countr_zero(weight));
    count *= value(space, anatomy.coords[place], binding);
  }
  return count;
}

}  // namespace

Bound least_cost(const Space& space, StateId id) {
  Bound bound;
  const bool is_computing = !space.limits.weight_free || space.states.counts(id).reductions > 0;
  for (const Space::Volume& volume : space.volumes) {
    const double weights =
        space.limits.weight_free
            ? 0
            : static_cast<double>(std::max<std::int64_t>(space.limits.least_weight, 1));
    // An operator that computes anything reads the input once.
    if (is_computing) bound.macs += volume.input;
    bound.parameters += weights;
    bound.memory = std::max(bound.memory, kElementBytes * (volume.input + volume.output + weights));
  }
  return bound;
}

double most_macs(const Space& space, StateId id, int weights) {
  // Padding makes sizes larger than they are here.
  if (space.limits.pad) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t b = 0; b < space.volumes.size(); ++b) {
    double points = space.volumes[b].output;
    for (const CoordId r : space.states.reductions(id)) points *= value(space, r, b);
    sum += points * std::max(weights, 1);
  }
  return sum;
}

Prices::Prices(const Space& space, const Anatomy& anatomy, const Choice& begun)
    : space_(space), anatomy_(anatomy), bindings_(space.sizes.bindings()) {
  for (const Space::Volume& volume : space.volumes) all_.push_back(volume.output);
  list_growth(begun);
  tabulate();
}

// Growth that is not counted always comes later and delays no sum. The bound is lower but valid.
void Prices::add_growth(const std::vector<double>& factors, bool is_counted) {
  if (is_counted) {
    factors_.insert(factors_.end(), factors.begin(), factors.end());
    ++growths_;
    return;
  }
  for (std::size_t b = 0; b < bindings_; ++b) all_[b] /= std::max(1.0, factors[b]);
}

void Prices::list_growth(const Choice& begun) {
  std::vector<double> factors(bindings_);
  const auto fresh = [&]() -> std::uint32_t {
    const bool is_counted = growths_ < kMostGrowth;
    add_growth(factors, is_counted);
    return is_counted ? 1U << (growths_ - 1) : 0;
  };
  // Without the gaps of a STRIDE.
  const auto steps = [&](CoordId id, std::size_t b) {
    const Coord& c = space_.coordinates[id];
    return value(space_, c.kind == CoordinateKind::Stride ? c.first : id, b);
  };
  const Reads outer = (anatomy_.data & ~begun.data) | anatomy_.expanded;
  // Consumers come after their operands.
  for (std::size_t i = anatomy_.coords.size(); i-- > 0;) {
    const CoordId id = anatomy_.coords[i];
    const Coord& c = space_.coordinates[id];
    if ((outer >> i & 1U) != 0) {
      for (std::size_t b = 0; b < bindings_; ++b) factors[b] = value(space_, id, b);
      needed_[i] |= fresh();
    }
    // The operands of an UNFOLD have its window; its result does not have it yet.
    std::uint32_t below = needed_[i];
    if (c.kind == CoordinateKind::Unfold) {
      for (std::size_t b = 0; b < bindings_; ++b) {
        factors[b] = steps(c.first, b) * steps(c.second, b) / value(space_, id, b);
      }
      below |= fresh();
    }
    if (c.first != kNoCoord) needed_[anatomy_.place(c.first)] |= below;
    if (c.second != kNoCoord) needed_[anatomy_.place(c.second)] |= below;
  }
}

void Prices::tabulate() {
  const std::size_t sets = std::size_t{1} << growths_;
  without_.resize(sets * bindings_);
  open_.assign(sets, 0);
  for (std::size_t set = 0; set < sets; ++set) {
    double* row = &without_[set * bindings_];
    std::copy(all_.begin(), all_.end(), row);
    for (std::size_t g = 0; g < growths_; ++g) {
      if ((set >> g & 1U) == 0) continue;
      for (std::size_t b = 0; b < bindings_; ++b) row[b] /= factors_[g * bindings_ + b];
    }
    for (Reads rest = anatomy_.reductions; rest != 0; rest &= rest - 1) {
      const auto place = static_cast<std::size_t>(std::countr_zero(rest));
      if ((needed_[place] & set) != 0) open_[set] |= rest & -rest;
    }
  }
  const int first = std::countr_zero(anatomy_.reductions);
  const std::size_t sums = std::size_t{1} << std::popcount(anatomy_.reductions);
  sums_.resize(sums * bindings_);
  for (std::size_t set = 0; set < sums; ++set) {
    const Reads reads = set == 0 ? 0 : static_cast<Reads>(set) << first;
    for (std::size_t b = 0; b < bindings_; ++b) {
      sums_[set * bindings_ + b] = elements(space_, anatomy_, reads, b);
    }
  }
}

double Prices::macs(Reads weight) const {
  std::uint32_t needed = 0;
  for (Reads rest = weight; rest != 0; rest &= rest - 1) {
    needed |= needed_[static_cast<std::size_t>(std::countr_zero(rest))];
  }
  const Reads own = anatomy_.bases_of(weight) & anatomy_.reductions;
  // Reductions stand side by side.
  const int first = std::countr_zero(anatomy_.reductions);
  std::array<double, 64> least{};
  std::vector<double> many;
  double* best = least.data();
  if (bindings_ > least.size()) {
    many.resize(bindings_);
    best = many.data();
  }
  std::fill(best, best + bindings_, std::numeric_limits<double>::infinity());
  const auto later = static_cast<std::uint32_t>(open_.size() - 1) & ~needed;
  for (std::uint32_t set = later;; set = (set - 1) & later) {
    const Reads open = own | open_[set];
    const std::size_t sums = open == 0 ? 0 : open >> first;
    for (std::size_t b = 0; b < bindings_; ++b) {
      best[b] = std::min(best[b], without_[set * bindings_ + b] * sums_[sums * bindings_ + b]);
    }
    if (set == 0) break;
  }
  double sum = 0;
  for (std::size_t b = 0; b < bindings_; ++b) sum += best[b];
  return sum;
}

Bound Prices::of(Reads weight) const {
  Bound bound;
  bound.macs = macs(weight);
  for (std::size_t b = 0; b < bindings_; ++b) {
    const Space::Volume& volume = space_.volumes[b];
    const double count = elements(space_, anatomy_, weight, b);
    bound.parameters += count;
    bound.memory = std::max(bound.memory, kElementBytes * (volume.input + volume.output + count));
  }
  return bound;
}

bool is_affordable(const Budgets& budgets, const Bound& bound) {
  // Bounds are quotients of products, and rounding must not refuse an operator that just fits.
  constexpr double kSlack = 1 + 1e-9;
  return bound.macs <= kSlack * budgets.most_macs &&
         bound.parameters <= kSlack * budgets.most_parameters &&
         bound.memory <= kSlack * budgets.most_memory;
}

bool is_within(const Budgets& budgets, const Space& space, const Anatomy& anatomy,
               const Choice& choice, const Operator& op) {
  if (budgets.parameters != nullptr) {
    const Result<double> parameters = budgets.parameters(op, space.problem.bindings);
    if (!parameters.ok() || *parameters > budgets.most_parameters) return false;
  } else if (std::isfinite(budgets.most_parameters)) {
    double parameters = 0;
    for (std::size_t b = 0; b < space.sizes.bindings(); ++b) {
      for (const Reads weight : choice.weights) parameters += elements(space, anatomy, weight, b);
    }
    if (parameters > budgets.most_parameters) return false;
  }
  if (budgets.macs != nullptr) {
    const Result<double> macs = budgets.macs(op, space.problem.bindings);
    if (!macs.ok() || *macs < budgets.least_macs || *macs > budgets.most_macs) return false;
  }
  if (budgets.memory != nullptr) {
    const Result<double> memory = budgets.memory(op, space.problem.bindings);
    if (!memory.ok() || *memory > budgets.most_memory) return false;
  }
  return true;
}

}  // namespace cambium::spaces::coordinate::synthesis
