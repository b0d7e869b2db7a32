// The planner of the strategy `compose`: uses the tables to decide which compositions to propose.
// It begins with pairs of linked options. Then it works in rounds: it corrects the tables by the
// measured compositions, a knapsack computes the front of compositions, and the most promising ones
// are proposed. Before them come their unknown pairs of linked options and, if sums rank
// compositions poorly, pairs of neighbouring sites. The last proposals differ from the best
// composition in one site. Refuses nothing; draws nothing at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "search/strategies/compose_state.h"

namespace cambium::search {

// Whether to measure pairs of neighbouring sites: only if sums of options rank compositions poorly,
// always, or never.
enum class Neighbours : std::uint8_t { Auto, Yes, No };

struct ComposeGoal {
  bool has_gain = true;  // otherwise every changed site counts as a loss of 1
  double least_gain = 0;
  std::size_t front = 50;   // number of compositions per round
  std::size_t pairs = 500;  // up to this many are all measured in advance
  Neighbours neighbours = Neighbours::Auto;

  bool is_enough(double gain) const { return !has_gain || gain >= least_gain; }
  // Nothing: a value is missing.
  std::optional<Weighed> weighed(const MeasuredChoice& measured) const;
};

std::size_t changed_sites(const Choice& choice);

class ComposePlanner {
 public:
  // Both must outlive it.
  ComposePlanner(spaces::OffersBySite& offers, const ComposeGoal& goal)
      : offers_(offers), goal_(goal) {}

  // The candidate; refuses options that do not fit together.
  Result<spaces::Edits> edits_of(const Composition& composition) const;
  // Fills the empty queue. False: nothing is left.
  bool plan(ComposeState& state);

 private:
  void plan_pairs(ComposeState& state);
  void plan_pairs_of(const std::vector<Choice>& picked, ComposeState& state) const;
  void plan_compositions(ComposeState& state);
  void plan_variations(ComposeState& state, const std::set<Choice>& met) const;
  bool needs_neighbours(const ComposeState& state) const;
  bool fits(const Composition& pair);
  bool forbid_unfit(ComposeState& state, const std::vector<Chosen>& front);
  std::vector<Composition> unknown_pairs(const ComposeState& state, const Choice& choice,
                                         bool is_linked_only) const;
  std::vector<const TriedComposition*> ranked(const ComposeState& state) const;
  std::vector<Choice> picked(const std::vector<Chosen>& front, const std::set<Choice>& met) const;

  spaces::OffersBySite& offers_;
  const ComposeGoal& goal_;
  std::map<Choice, bool> fits_;  // whether the space accepts the pairs
};

}  // namespace cambium::search
