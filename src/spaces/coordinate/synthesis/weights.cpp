#include "spaces/coordinate/synthesis/weights.h"

#include <algorithm>
#include <bit>

#include "spaces/coordinate/synthesis/primitives/primitive.h"
#include "spaces/coordinate/synthesis/renaming.h"
#include "spaces/coordinate/synthesis/rules/rules.h"

namespace cambium::spaces::coordinate::synthesis {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
constexpr int kGuesses = 20;  // before all choices are searched for a good one

std::size_t lowest(Reads reads) {
  return static_cast<std::size_t>(std::countr_zero(reads));
}

}  // namespace

Finishing::Finishing(Space& space, StateId id, const Budgets* budgets)
    : space_(space), id_(id), budgets_(budgets) {
  if (!dissect(space, id, anatomy_) || has_waiting_stride()) return;
  Axes axes;
  match(axes, 0);
  if (matches_.empty()) return;
  // Reductions are within limits, so no byte borrows from the next.
  allowed_ = space.allowed.primary - space.states.unpack(id).occurrences.primary;
  for (std::size_t i = 0; i < anatomy_.coords.size(); ++i) {
    const SizeId size = space.coordinates.size(anatomy_.coords[i]);
    primaries_[i] = space.sizes[size].size.powers().words()[0];
    const Reads self = Reads{1} << i;
    if (is_allowed(primaries_[i]) && (anatomy_.expanded & self) == 0 && is_good_weight(self)) {
      readable_ |= self;
    }
  }
  matches_.erase(std::remove_if(matches_.begin(), matches_.end(),
                                [&](const Axes& one) { return is_hopeless(one); }),
                 matches_.end());
  if (!matches_.empty()) find_symmetries();
}

bool Finishing::is_allowed(std::uint64_t primaries) const {
  return (((allowed_ | kHighBits) - primaries) & kHighBits) == kHighBits;
}

std::uint64_t Finishing::primaries_of(Reads reads) const {
  std::uint64_t sum = 0;
  for (Reads rest = reads; rest != 0; rest &= rest - 1) sum += primaries_[lowest(rest)];
  return sum;
}

// Weights must read every coordinate that the data does not read, and sums among them twice. Checks
// whether that needs more than the occurrences or the weights that are left.
bool Finishing::is_hopeless(const Axes& axes) const {
  Reads outer = anatomy_.data;
  for (const std::uint8_t place : axes) outer &= ~(Reads{1} << place);
  Reads summed = outer & anatomy_.reductions;
  if (summed != 0 && !space_.rules.has("sum-in-one-weight")) summed = 0;
  return (outer & ~readable_) != 0 || !is_allowed(primaries_of(outer) + primaries_of(summed)) ||
         (summed != 0 && space_.limits.weights < 2);
}

void Finishing::match(Axes& axes, Reads used) {
  if (axes.size() == space_.input.size()) {
    matches_.push_back(axes);
    return;
  }
  const SizeId wanted = space_.input[axes.size()];
  for (Reads rest = anatomy_.data & ~used; rest != 0; rest &= rest - 1) {
    const std::size_t place = lowest(rest);
    if (space_.coordinates.size(anatomy_.coords[place]) != wanted) continue;
    axes.push_back(static_cast<std::uint8_t>(place));
    match(axes, used | Reads{1} << place);
    axes.resize(axes.size() - 1);
  }
}

void Finishing::find_symmetries() {
  for_each_renaming(
      space_.coordinates, space_.states.reductions(id_), [&](const Renaming& renaming) {
        std::array<std::uint8_t, kMaxCoords> places{};
        for (std::size_t i = 0; i < anatomy_.coords.size(); ++i) {
          const CoordId to = renamed(space_.coordinates, anatomy_.coords[i], renaming);
          std::size_t place = 0;
          while (place < anatomy_.coords.size() && anatomy_.coords[place] != to) ++place;
          if (place == anatomy_.coords.size()) return;  // not the same state
          places[i] = static_cast<std::uint8_t>(place);
        }
        symmetries_.push_back(places);
      });
}

bool Finishing::is_first_of_its_kind(const Choice& choice) const {
  for (const auto& places : symmetries_) {
    Few<Reads, kMaxWeights> weights;
    for (const Reads weight : choice.weights) {
      Reads moved = 0;
      for (Reads rest = weight; rest != 0; rest &= rest - 1) {
        moved |= Reads{1} << places[lowest(rest)];
      }
      weights.push_back(moved);
    }
    sort_few(weights);
    Axes axes = choice.axes;
    for (std::uint8_t& place : axes) place = places[place];
    const bool same = weights == choice.weights;
    if (same ? std::lexicographical_compare(axes.begin(), axes.end(), choice.axes.begin(),
                                            choice.axes.end())
             : std::lexicographical_compare(weights.begin(), weights.end(), choice.weights.begin(),
                                            choice.weights.end())) {
      return false;
    }
  }
  return true;
}

bool Finishing::is_within_occurrences(const Choice& choice) const {
  std::uint64_t sum = 0;
  for (const Reads weight : choice.weights) sum += primaries_of(weight);
  return is_allowed(sum);
}

bool Finishing::is_too_small(Reads weight) const {
  for (std::size_t b = 0; b < space_.sizes.bindings() && space_.limits.least_weight > 1; ++b) {
    double elements = 1;
    for (Reads rest = weight; rest != 0; rest &= rest - 1) {
      const SizeId size = space_.coordinates.size(anatomy_.coords[lowest(rest)]);
      elements *= static_cast<double>(space_.sizes.values(size)[b]);
    }
    if (elements < static_cast<double>(space_.limits.least_weight)) return true;
  }
  return false;
}

// If it forbids a weight, it forbids all larger weights too.
const char* Finishing::check_weight(Reads weight) const {
  if (std::popcount(weight) > space_.limits.weight_axes) return "weight_axes";
  if (!is_allowed(primaries_of(weight))) return "occurrences";
  const RuleInfo* rule = forbidding(space_, anatomy_, weight);
  return rule == nullptr ? nullptr : rule->name;
}

// Judges each coordinate alone: if rules forbid a set, they forbid all larger sets.
bool Finishing::is_good_weight(Reads weight) const {
  return forbidding(space_, anatomy_, weight) == nullptr;
}

bool Finishing::is_pooling_too_much(const Choice& choice) const {
  Reads read = 0;
  for (const Reads weight : choice.weights) read |= weight;
  const Reads pooled = anatomy_.reductions & ~anatomy_.bases_of(read);
  for (std::size_t b = 0; b < space_.sizes.bindings() && pooled != 0; ++b) {
    double volume = 1;
    for (Reads rest = pooled; rest != 0; rest &= rest - 1) {
      const SizeId size = space_.coordinates.size(anatomy_.coords[lowest(rest)]);
      volume *= static_cast<double>(space_.sizes.values(size)[b]);
    }
    if (volume > static_cast<double>(space_.limits.pooling)) return true;
  }
  return false;
}

const char* Finishing::check(const Choice& choice) const {
  if (has_waiting_stride()) return "a STRIDE is consumed by an UNFOLD";
  if (choice.weights.empty() && !space_.limits.weight_free) return "weight_free";
  if (choice.weights.size() > static_cast<std::size_t>(space_.limits.weights)) return "weights";
  Reads read = 0;
  for (std::size_t i = 0; i < choice.weights.size(); ++i) {
    if (choice.weights[i] == 0) return "a weight reads something";
    if (i > 0 && choice.weights[i - 1] >= choice.weights[i]) return "weight-in-weight";
    read |= choice.weights[i];
  }
  if ((anatomy_.data & ~choice.data & ~read) != 0) return "all coordinates are read";
  if ((read & anatomy_.expanded) != 0) return "an EXPAND is read by nothing";
  if (!is_within_occurrences(choice)) return "occurrences";
  for (const Reads weight : choice.weights) {
    if (const char* broken = check_weight(weight)) return broken;
    if (is_too_small(weight)) return "least_weight";
  }
  if (const RuleInfo* rule = forbidding(space_, anatomy_, choice)) return rule->name;
  if (is_pooling_too_much(choice)) return "pooling";
  if (!is_first_of_its_kind(choice)) return "equal reductions are interchangeable";
  return nullptr;
}

Choice Finishing::begin(std::size_t match) const {
  Choice choice;
  choice.axes = matches_[match];
  for (const std::uint8_t place : choice.axes) choice.data |= Reads{1} << place;
  return choice;
}

Finishing::Wanted Finishing::wanted_by(const Choice& choice) const {
  Wanted wanted;
  wanted.read = anatomy_.data & ~choice.data;
  if (space_.rules.has("sum-in-one-weight")) {
    wanted.depended_twice = anatomy_.reductions & ~anatomy_.bases_of(choice.data);
  }
  return wanted;
}

void Finishing::add_good_weights(Reads weight, Reads open) const {
  for (; open != 0; open &= open - 1) {
    const Reads larger = weight | (open & -open);
    if (check_weight(larger) != nullptr) continue;
    if (!is_too_small(larger)) {
      good_weights_.push_back({larger, anatomy_.bases_of(larger), primaries_of(larger)});
    }
    add_good_weights(larger, open & (open - 1));
  }
}

const std::vector<Finishing::Weight>& Finishing::good_weights() const {
  if (!has_good_weights_) {
    has_good_weights_ = true;
    add_good_weights(0, readable_);
    std::sort(good_weights_.begin(), good_weights_.end(),
              [](const Weight& a, const Weight& b) { return a.reads < b.reads; });
  }
  return good_weights_;
}

const std::vector<Bound>& Finishing::prices(std::size_t match) const {
  prices_.resize(matches_.size());
  std::vector<Bound>& all = prices_[match];
  if (budgets_ == nullptr || !budgets_->has_most() || !all.empty()) return all;
  const Prices prices(space_, anatomy_, begin(match));
  for (const Weight& weight : good_weights()) all.push_back(prices.of(weight.reads));
  return all;
}

std::optional<int> Finishing::least_weights(int most) const {
  if (matches_.empty()) return std::nullopt;
  Rng rng(id_);  // any will do: only whether there is one counts
  for (int weights = space_.limits.weight_free ? 0 : 1; weights <= most; ++weights) {
    if (guess(weights, rng)) return weights;
    const bool is_none = each(weights, [](const Choice&) { return false; });
    if (!is_none) return weights;
  }
  return std::nullopt;
}

std::optional<Choice> Finishing::guess(int weights, Rng& rng) const {
  for (int i = 0; i < kGuesses && weights > 0 && is_match(); ++i) {
    Choice choice = begin(rng.below(matches_.size()));
    const Reads outer = anatomy_.data & ~choice.data;
    // Each weight reads each coordinate with probability one half. A coordinate that the data does
    // not read is drawn again until some weight reads it.
    Reads open = readable_;
    choice.weights.resize(static_cast<std::size_t>(weights));
    std::fill(choice.weights.begin(), choice.weights.end(), 0);
    while (open != 0) {
      Reads read = 0;
      for (Reads& weight : choice.weights) {
        weight = (weight & ~open) | (static_cast<Reads>(rng.next_u64()) & open);
        read |= weight;
      }
      open = outer & ~read;
    }
    sort_few(choice.weights);
    if (check(choice) == nullptr) return choice;
  }
  return std::nullopt;
}

}  // namespace cambium::spaces::coordinate::synthesis
