// Weights: the last step of an operator. For a state whose coordinates can be matched to the axes
// of the input, a choice says which coordinate indexes which axis and what each weight reads. A
// weight may read any set of coordinates, used up or not, but a weight must read every coordinate
// that the input does not read. `check` names the rule or limit that a choice breaks.
#pragma once

#include <optional>
#include <vector>

#include "base/random.h"
#include "spaces/coordinate/synthesis/anatomy.h"
#include "spaces/coordinate/synthesis/budgets.h"

namespace cambium::spaces::coordinate::synthesis {

// A state before its weights are chosen.
class Finishing {
 public:
  // With budgets, lists leave out choices that bounds refuse.
  Finishing(Space& space, StateId id, const Budgets* budgets = nullptr);

  const Anatomy& anatomy() const { return anatomy_; }
  // Whether the input can be matched at all.
  bool is_match() const { return !matches_.empty(); }
  // The name of the first broken rule or limit, or null.
  const char* check(const Choice& choice) const;

  // Calls `use` once with every good choice of exactly this many weights, until it returns false.
  // Returns false if `use` did.
  template <class Use>
  bool each(int weights, Use use) const;
  std::uint64_t pruned() const { return pruned_; }  // choices, finished or not, by bounds
  // The least number of weights; none if the state can never be finished.
  std::optional<int> least_weights(int most) const;
  // A random good choice with this many weights, all equally likely; none if good ones are rare.
  std::optional<Choice> guess(int weights, Rng& rng) const;

 private:
  using Axes = Few<std::uint8_t, kMaxAxes>;

  // A weight, or several weights together: the few facts that decide most questions.
  struct Weight {
    Reads reads, bases;
    std::uint64_t primaries;
  };
  struct Wanted {
    Reads read = 0;            // by some weight
    Reads depended_twice = 0;  // outputs and reductions, by two weights
  };
  struct Sum {
    Reads read = 0, once = 0, twice = 0;
    std::uint64_t primaries = 0;

    Sum with(const Weight& weight) const {
      return {read | weight.reads, once | weight.bases, twice | (once & weight.bases),
              primaries + weight.primaries};
    }
    bool satisfies(const Wanted& wanted) const {
      return (wanted.read & ~read) == 0 && (wanted.depended_twice & ~twice) == 0;
    }
  };

  // Reads only a part of the data, whatever the rules are.
  bool has_waiting_stride() const { return (anatomy_.data & anatomy_.strided) != 0; }
  Wanted wanted_by(const Choice& choice) const;
  void add_good_weights(Reads weight, Reads open) const;
  void match(Axes& axes, Reads used);
  bool is_hopeless(const Axes& axes) const;
  bool is_allowed(std::uint64_t primaries) const;
  std::uint64_t primaries_of(Reads reads) const;
  void find_symmetries();
  bool is_first_of_its_kind(const Choice& choice) const;
  bool is_within_occurrences(const Choice& choice) const;
  bool is_good_weight(Reads weight) const;
  const char* check_weight(Reads weight) const;
  bool is_too_small(Reads weight) const;
  bool is_pooling_too_much(const Choice& choice) const;
  Choice begin(std::size_t match) const;
  const std::vector<Weight>& good_weights() const;  // ascending
  // The least cost of each for this match of the data; empty without budgets.
  const std::vector<Bound>& prices(std::size_t match) const;

  Space& space_;
  StateId id_;
  Anatomy anatomy_;
  Reads readable_ = 0;
  std::vector<Axes> matches_;
  std::array<std::uint64_t, kMaxCoords> primaries_{};  // powers of each coordinate, a byte each
  std::uint64_t allowed_ = 0;                          // what limits leave for weights
  std::vector<std::array<std::uint8_t, kMaxCoords>> symmetries_;
  mutable std::vector<Weight> good_weights_;
  mutable bool has_good_weights_ = false;
  const Budgets* budgets_;
  mutable std::vector<std::vector<Bound>> prices_;  // by match
  mutable std::uint64_t pruned_ = 0;
};

template <class Use>
bool Finishing::each(int weights, Use use) const {
  if (budgets_ != nullptr && most_macs(space_, id_, weights) < budgets_->least_macs) return true;
  for (std::size_t m = 0; m < matches_.size(); ++m) {
    Choice choice = begin(m);
    if (weights == 0) {
      if (check(choice) == nullptr && !use(choice)) return false;
      continue;
    }
    const Wanted wanted = wanted_by(choice);
    const std::vector<Weight>& all = good_weights();
    const std::vector<Bound>& price = prices(m);
    const auto add = [&](auto&& self, std::size_t from, int left, const Sum& sum,
                         const Bound& cost) -> bool {
      for (std::size_t i = from; i < all.size(); ++i) {
        // If two weights must depend on a leaf and there are only two weights, both must.
        if (weights == 2 && (wanted.depended_twice & ~all[i].bases) != 0) continue;
        const Sum next = sum.with(all[i]);
        if (!is_allowed(next.primaries) || (left == 1 && !next.satisfies(wanted))) continue;
        const Bound bound = price.empty() ? cost : cost.with(price[i]);
        if (!price.empty() && !is_affordable(*budgets_, bound)) {
          ++pruned_;
          continue;
        }
        choice.weights.push_back(all[i].reads);
        const bool go_on = left == 1 ? check(choice) != nullptr || use(choice)
                                     : self(self, i + 1, left - 1, next, bound);
        choice.weights.resize(choice.weights.size() - 1);
        if (!go_on) return false;
      }
      return true;
    };
    if (!add(add, 0, weights, Sum{}, Bound{})) return false;
  }
  return true;
}

}  // namespace cambium::spaces::coordinate::synthesis
