// The planner of the strategy `compose`: which compositions are worth a proposal, by the tables.
// First pairs of linked options. Then rounds: the tables are corrected by what compositions came
// to, a knapsack gives their front, and the most promising ones of the front are proposed. Pairs of
// linked options that these have and that are not known come before them; so do pairs of
// neighbouring sites, if sums order compositions poorly. At last come compositions that differ from
// the best in one site. Refuses nothing; draws nothing.
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

// Whether pairs of neighbouring sites are measured: if sums of options order compositions poorly,
// in any case, or never.
enum class Neighbours : std::uint8_t { Auto, Yes, No };

struct ComposeGoal {
  bool has_gain = true;  // otherwise every changed site counts as a loss of 1
  double least_gain = 0;
  std::size_t front = 50;   // compositions of a round
  std::size_t pairs = 500;  // more are not all measured in advance
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
  std::map<Choice, bool> fits_;  // what the space said of pairs
};

}  // namespace cambium::search
