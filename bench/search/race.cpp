#include "search/race.h"

#include <algorithm>
#include <numeric>

namespace cambium::bench {

double SearchRun::best(std::size_t tickets) const {
  double best = 0;
  for (std::size_t i = 0; i < std::min(tickets, rewards.size()); ++i) {
    best = std::max(best, rewards[i]);
  }
  return best;
}

std::size_t SearchRun::tickets_to(double reward) const {
  const auto found =
      std::find_if(rewards.begin(), rewards.end(), [&](double each) { return each >= reward; });
  return static_cast<std::size_t>(found - rewards.begin()) + 1;
}

Result<std::vector<SearchRun>> race(const RaceOptions& options, Fingerprint base,
                                    spaces::Space& space, const Judge& judge) {
  std::vector<SearchRun> runs;
  for (int i = 0; i < options.seeds; ++i) {
    const search::StrategyOptions made{options.strategy,
                                       options.first_seed + static_cast<std::uint64_t>(i),
                                       options.in_flight,
                                       {},
                                       options.settings};
    CAMBIUM_TRY(const auto strategy, search::make_strategy(made, base, {&space}));
    SearchRun run;
    std::vector<search::Outcome> outcomes;
    for (search::Ticket ticket = 0; ticket < options.tickets; ++ticket) {
      if (const search::Ticket due = ticket - options.in_flight; due >= 0) {
        strategy->fold(due, outcomes[static_cast<std::size_t>(due)]);
      }
      const auto proposal = strategy->propose(ticket);
      if (!proposal) break;
      outcomes.push_back(judge(proposal->candidate));
      run.rewards.push_back(outcomes.back().reward);
      run.candidates.push_back(proposal->candidate);
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

Quartiles quartiles_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
  };
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {sum / static_cast<double>(values.size()), at(0.25), at(0.5), at(0.75)};
}

}  // namespace cambium::bench
