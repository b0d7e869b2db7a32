// Strategy: decides what to try next. It proposes candidates under tickets 0, 1, 2 ... and is told
// what came of them strictly in the order of tickets, a fixed number behind: so the same seed and
// the same results give the same search whatever the order in which evaluations end. Refuses
// (NoFacet) a space that lacks what it needs. Called by the driver.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "search/metric.h"
#include "spaces/space.h"

namespace cambium::search {

using Ticket = std::int64_t;

struct Proposal {
  spaces::Candidate candidate;
  std::string space;  // that made it
};

// What came of a proposal.
struct Outcome {
  spaces::Candidate candidate;
  bool is_refused = false;  // by legality, a budget, a proxy, a crash
  Scores scores;            // as far as it got
  double reward = 0;        // of the driver's reward function; 0 when refused
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Nothing: the spaces have nothing more, now and later. What was proposed before comes again only
  // where all else failed: the driver then folds the known outcome at once.
  virtual std::optional<Proposal> propose(Ticket ticket) = 0;
  // In the order of tickets, each once.
  virtual void fold(Ticket ticket, const Outcome& outcome) = 0;
  // All that it has learned, as text; `restore` goes on from there exactly, in a strategy that was
  // made by the same options. Refuses BadSyntax for a text that is no such state: the strategy is
  // of no use then.
  virtual std::string state() const = 0;
  virtual Status restore(std::string_view state) = 0;
};

struct StrategyOptions {
  std::string name = "tree";  // one of strategy_names()
  std::uint64_t seed = 1;
  int in_flight = 4;                    // results come this many tickets later
  std::vector<Metric> objectives = {};  // of the front, for those that look at one
  std::vector<std::pair<std::string, std::string>> settings = {};  // by name
};

std::vector<std::string> strategy_names();
// Over one space the strategy itself; over several, a bandit with one strategy for each: settings
// `SPACE.strategy` names another one for a space, `SPACE.x` is for that space alone, `bandit.x` for
// the bandit, and `x` for all strategies of the name. Refuses
// UnknownStrategy, NoFacet and BadOption. Spaces must outlive it. `base` is what an empty candidate
// is made of.
Result<std::unique_ptr<Strategy>> make_strategy(const StrategyOptions& options, Fingerprint base,
                                                const std::vector<spaces::Space*>& spaces);

}  // namespace cambium::search
