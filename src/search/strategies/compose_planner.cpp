#include "search/strategies/compose_planner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "search/strategies/table_fit.h"

namespace cambium::search {
namespace {

using Kind = Composition::Kind;
using Standing = OptionTables::Standing;

// The knapsack is solved again so often at most, because pairs on its front did not fit together.
constexpr int kMostRepairs = 30;

std::set<Choice> met_by(const ComposeState& state) {
  std::set<Choice> met;
  for (const TriedComposition& each : state.tried_wholes) met.insert(each.measured.choice);
  return met;
}

Composition whole(const ComposeState& state, const Choice& choice) {
  const OptionTables& tables = state.tables;
  return {Kind::Whole,
          0,
          choice,
          {tables.sum_of(choice), tables.predicted(choice), state.uses_neighbours}};
}

std::vector<std::int32_t> known_options(const OptionTables& tables, std::size_t site) {
  std::vector<std::int32_t> known;
  for (std::int32_t option = 0; option < tables.options(site); ++option) {
    if (tables.standing(site, option) == Standing::Known) known.push_back(option);
  }
  return known;
}

// Those that change the cost most come first.
std::vector<std::int32_t> by_cost(const OptionTables& tables, std::size_t site) {
  std::vector<std::int32_t> known = known_options(tables, site);
  std::stable_sort(known.begin(), known.end(), [&](std::int32_t a, std::int32_t b) {
    return std::abs(tables.at(site, a).cost) > std::abs(tables.at(site, b).cost);
  });
  return known;
}

}  // namespace

std::size_t changed_sites(const Choice& choice) {
  return choice.size() - static_cast<std::size_t>(std::count(choice.begin(), choice.end(), -1));
}

std::optional<Weighed> ComposeGoal::weighed(const MeasuredChoice& measured) const {
  if (!measured.cost || (has_gain && !measured.gain)) return std::nullopt;
  const double gain =
      has_gain ? *measured.gain : -static_cast<double>(changed_sites(measured.choice));
  return Weighed{*measured.cost, gain};
}

Result<spaces::Edits> ComposePlanner::edits_of(const Composition& composition) const {
  if (composition.kind != Kind::Alone) return offers_.composed(composition.choice);
  const auto option = static_cast<std::size_t>(composition.choice[composition.place]);
  return offers_.options_at(composition.place)[option].edits;
}

bool ComposePlanner::plan(ComposeState& state) {
  if (!state.has_planned_pairs) {
    state.has_planned_pairs = true;
    plan_pairs(state);
  }
  if (state.queue.empty()) plan_compositions(state);
  return !state.queue.empty();
}

// ---- pairs

bool ComposePlanner::fits(const Composition& pair) {
  const auto [found, is_new] = fits_.try_emplace(pair.choice);
  if (is_new) found->second = edits_of(pair).ok();
  return found->second;
}

// Pairs of linked options, all if they are few. Otherwise one for each linked option: with the
// option of the other site that changes its cost most, from which the others are estimated.
void ComposePlanner::plan_pairs(ComposeState& state) {
  std::vector<Composition> all, some;
  std::size_t count = 0;
  for (std::size_t link = 0; link < state.tables.links().size(); ++link) {
    const LinkedSites& sites = state.tables.links()[link];
    const std::vector<std::int32_t> others = by_cost(state.tables, sites.second);
    for (const std::int32_t option : known_options(state.tables, sites.first)) {
      if (!state.tables.is_linked(link, option)) continue;
      bool has_one = false;
      for (const std::int32_t other : others) {
        const bool is_few = ++count <= goal_.pairs;
        if (has_one && !is_few) continue;
        Composition pair = state.pair_of(link, {option, other});
        if (is_few) all.push_back(pair);
        if (has_one || !fits(pair)) continue;
        some.push_back(std::move(pair));
        has_one = true;
      }
    }
  }
  auto& planned = count <= goal_.pairs ? all : some;
  state.queue.assign(planned.begin(), planned.end());
}

// The pairs of a composition of which nothing is known: those of linked options, or all.
std::vector<Composition> ComposePlanner::unknown_pairs(const ComposeState& state,
                                                       const Choice& choice,
                                                       bool is_linked_only) const {
  std::vector<Composition> pairs;
  for (std::size_t link = 0; link < state.tables.links().size(); ++link) {
    const LinkedSites& sites = state.tables.links()[link];
    const OptionTables::Pair pair = {choice[sites.first], choice[sites.second]};
    if (pair.first < 0 || pair.second < 0 || state.tables.is_allowed(link, pair)) continue;
    if (is_linked_only && !state.tables.is_linked(link, pair.first)) continue;
    pairs.push_back(state.pair_of(link, pair));
  }
  return pairs;
}

// Whether some pair of the front was found not to fit together.
bool ComposePlanner::forbid_unfit(ComposeState& state, const std::vector<Chosen>& front) {
  bool has_found = false;
  for (const Chosen& one : front) {
    for (const Composition& pair : unknown_pairs(state, one.choice, true)) {
      if (fits(pair)) continue;
      state.note(pair, {});
      has_found = true;
    }
  }
  return has_found;
}

// ---- whole compositions

// The best first: those that were not refused and gain enough, by reward; then by gain.
std::vector<const TriedComposition*> ComposePlanner::ranked(const ComposeState& state) const {
  using Rank = std::tuple<bool, double, double, std::size_t>;
  std::vector<std::pair<Rank, const TriedComposition*>> all;
  for (const TriedComposition& each : state.tried_wholes) {
    const auto sums = goal_.weighed(each.measured);
    if (!sums) continue;
    const bool is_good = !each.is_refused && goal_.is_enough(sums->gain);
    all.push_back(
        {{!is_good, is_good ? -each.reward : -sums->gain, sums->cost, all.size()}, &each});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const TriedComposition*> ranked;
  for (const auto& [rank, each] : all) ranked.push_back(each);
  return ranked;
}

// The cheapest of the front, and ever fewer of the rest: near the least gain that is allowed, most
// of what the tables promise breaks.
std::vector<Choice> ComposePlanner::picked(const std::vector<Chosen>& front,
                                           const std::set<Choice>& met) const {
  std::vector<const Choice*> open;
  for (const Chosen& one : front) {
    // What changes one site was probed.
    if (changed_sites(one.choice) > 1 && met.count(one.choice) == 0) open.push_back(&one.choice);
  }
  const std::size_t most = goal_.front;
  std::vector<Choice> picked;
  std::size_t next = 0;
  for (std::size_t i = 0; i < std::min(most, open.size()); ++i) {
    if (open.size() > most && most > 1) {
      const double share = static_cast<double>(i) / static_cast<double>(most - 1);
      const auto wanted =
          static_cast<std::size_t>(share * share * static_cast<double>(open.size() - 1));
      next = std::clamp(wanted, next, open.size() - (most - i));
    }
    picked.push_back(*open[next++]);
  }
  return picked;
}

// Whether the sums of options order compositions so poorly that pairs should be measured.
bool ComposePlanner::needs_neighbours(const ComposeState& state) const {
  if (goal_.neighbours != Neighbours::Auto) return goal_.neighbours == Neighbours::Yes;
  if (!goal_.has_gain) return false;
  return fit_of(state.tried_wholes, kGains, PairsOf::LinkedOptions).is_poor();
}

// As many as a round has compositions: those that most of the picked ones have.
void ComposePlanner::plan_pairs_of(const std::vector<Choice>& picked, ComposeState& state) const {
  std::map<Choice, std::pair<std::size_t, Composition>> asked;  // how often
  for (const Choice& choice : picked) {
    for (Composition& pair : unknown_pairs(state, choice, !state.uses_neighbours)) {
      auto& [count, composition] = asked[pair.choice];
      ++count;
      composition = std::move(pair);
    }
  }
  std::vector<const std::pair<std::size_t, Composition>*> order;
  for (const auto& [choice, each] : asked) order.push_back(&each);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->first > b->first; });
  order.resize(std::min(order.size(), goal_.front));
  for (const auto* each : order) state.queue.push_back(each->second);
}

void ComposePlanner::plan_compositions(ComposeState& state) {
  state.uses_neighbours = state.uses_neighbours || needs_neighbours(state);
  std::vector<MeasuredChoice> measured;
  for (const TriedComposition& each : state.tried_wholes) measured.push_back(each.measured);
  const auto best = ranked(state);
  state.tables.correct(measured, best.empty() ? state.unchanged() : best.front()->measured.choice);
  const double least = goal_.has_gain ? goal_.least_gain : -std::numeric_limits<double>::infinity();
  std::vector<Chosen> front = state.tables.front(least);
  for (int i = 0; i < kMostRepairs && forbid_unfit(state, front); ++i) {
    front = state.tables.front(least);
  }
  const std::set<Choice> met = met_by(state);
  const std::vector<Choice> picked = this->picked(front, met);
  if (!state.has_probed_pairs) {
    state.has_probed_pairs = true;
    plan_pairs_of(picked, state);
    if (!state.queue.empty()) return;
  }
  state.has_probed_pairs = false;
  for (const Choice& choice : picked) state.queue.push_back(whole(state, choice));
  if (state.queue.empty()) plan_variations(state, met);
}

// What differs in one site from the best, then from the next best, and so on: first what should
// gain enough, the cheapest first.
void ComposePlanner::plan_variations(ComposeState& state, const std::set<Choice>& met) const {
  using Rank = std::tuple<bool, double, Choice>;
  for (const TriedComposition* center : ranked(state)) {
    std::set<Rank> found;
    Choice choice = center->measured.choice;
    for (std::size_t site = 0; site < choice.size(); ++site) {
      const std::int32_t own = choice[site];
      for (std::int32_t option = -1; option < state.tables.options(site); ++option) {
        if (option == own) continue;
        if (option >= 0 && state.tables.standing(site, option) != Standing::Known) continue;
        choice[site] = option;
        if (changed_sites(choice) < 2 || met.count(choice) > 0) continue;
        const Weighed sums = state.tables.predicted(choice);
        found.emplace(!goal_.is_enough(sums.gain), sums.cost, choice);
      }
      choice[site] = own;
    }
    for (const Rank& each : found) {
      if (state.queue.size() >= goal_.front) break;
      state.queue.push_back(whole(state, std::get<2>(each)));
    }
    if (!state.queue.empty()) return;
  }
}

}  // namespace cambium::search
