// Strategies against each other at equal budgets: each runs over a space once for every seed, a
// fixed number of tickets under way, and what it found is summed up against tickets.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/settings.h"
#include "search/strategy.h"

namespace cambium::bench {

struct RaceOptions {
  std::string strategy = "tree";
  SettingList settings;
  search::Ticket tickets = 100;
  std::uint64_t first_seed = 1;
  int seeds = 20, in_flight = 4;
};

using Judge = std::function<search::Outcome(const spaces::Candidate&)>;

struct SearchRun {
  std::vector<spaces::Candidate> candidates;  // by ticket; fewer where the space has no more
  std::vector<double> rewards;

  double best(std::size_t tickets) const;  // of so many, 0 of none
  // How many it took to reach a reward; one more than there were where it was never reached.
  std::size_t tickets_to(double reward) const;
};

// One run for each seed, from the first on. Refuses what making a strategy refuses.
Result<std::vector<SearchRun>> race(const RaceOptions& options, Fingerprint base,
                                    spaces::Space& space, const Judge& judge);

struct Quartiles {
  double mean = 0, lower = 0, median = 0, upper = 0;
};
Quartiles quartiles_of(std::vector<double> values);  // of one at least

}  // namespace cambium::bench
