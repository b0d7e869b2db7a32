// Compares strategies at equal budgets. Each runs over a space once per seed, with a fixed number
// of tickets in flight. Its results are summarized by the number of tickets.
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
  std::vector<spaces::Candidate> candidates;  // by ticket; fewer if the space has no more
  std::vector<double> rewards;

  double best(std::size_t tickets) const;  // of the first `tickets`; 0 if there are none
  // The number of tickets until a reward was reached. If it never was: one more than the number of
  // tickets.
  std::size_t tickets_to(double reward) const;
};

// One run for each seed, from the first on. Refuses what making a strategy refuses.
Result<std::vector<SearchRun>> race(const RaceOptions& options, Fingerprint base,
                                    spaces::Space& space, const Judge& judge);

struct Quartiles {
  double mean = 0, lower = 0, median = 0, upper = 0;
};
Quartiles quartiles_of(std::vector<double> values);  // of at least one value

}  // namespace cambium::bench
