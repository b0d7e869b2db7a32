// Strategy: decides what to try next. It proposes candidates under tickets 0, 1, 2 ... and learns
// their outcomes strictly in the order of tickets, a fixed number behind. The same seed and the
// same results therefore give the same search, whichever evaluation ends first. Refuses (NoFacet) a
// space that lacks what the strategy needs. Called by the driver.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/settings.h"
#include "spaces/space.h"
#include "study/scores.h"

namespace cambium::search {

using Ticket = std::int64_t;

// What evaluations measured, by name: metrics, and values that are none ("fisher").
using Values = std::map<std::string, store::StudyValue>;

struct Proposal {
  spaces::Candidate candidate;
  std::string space;  // that proposed it
  // The values for which a probe is proposed. The probe ends at the first stage after which they
  // are known; limits and gates refuse it only then. Empty: not a probe.
  std::vector<std::string> probed = {};
};

// The outcome of a proposal.
struct Outcome {
  spaces::Candidate candidate;
  bool is_refused = false;  // for legality, a budget, a proxy, a crash
  // Refused by a limit or a gate of the search; its measured values are valid.
  bool is_over_threshold = false;
  bool is_probe = false;
  study::Scores scores;  // as far as they were measured
  Values values;         // as well; of two stages with a value of one name, those of the later one
  double reward = 0;     // 0: refused (reward.h)
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // Nothing: the spaces have no further candidates, or the strategy first needs the outcome of a
  // ticket in flight; it is asked again after each fold. A strategy repeats a proposal only if all
  // else failed; the driver then folds the known outcome at once.
  virtual std::optional<Proposal> propose(Ticket ticket) = 0;
  // Tells the outcome of a ticket: in order, each once.
  virtual void fold(Ticket ticket, const Outcome& outcome) = 0;
  // Everything that it has learned, as text. `restore` continues exactly from there, in a strategy
  // with the same options. Refuses (BadSyntax) any other text; the strategy cannot be used then.
  virtual std::string state() const = 0;
  virtual Status restore(std::string_view state) = 0;
  // Remarks for users about the search so far, one sentence each.
  virtual std::vector<std::string> remarks() const { return {}; }
};

struct StrategyOptions {
  std::string name = "tree";  // one of strategy_names()
  std::uint64_t seed = 1;
  int in_flight = 4;                           // outcomes are told this many tickets later
  std::vector<study::Metric> objectives = {};  // for strategies that look at the Pareto front
  SettingList settings = {};                   // by name
  // Of the original, by all stages of exploring. The driver fills it in before it explores.
  Values original = {};
};

std::vector<std::string> strategy_names();
// Its settings, with their defaults; also of the `bandit`. Empty: there is no such strategy.
std::vector<SettingInfo> strategy_settings(std::string_view name);
// The strategy itself for one space; for several, a bandit with one strategy for each. Then the
// setting `SPACE.strategy` chooses another strategy for a space, `SPACE.x` applies to one space,
// `bandit.x` to the bandit, and `x` to all strategies of the name. `base`: fingerprint of the
// original. The spaces must outlive the strategy. Refuses UnknownStrategy, NoFacet and BadOption.
Result<std::unique_ptr<Strategy>> make_strategy(const StrategyOptions& options, Fingerprint base,
                                                const std::vector<spaces::Space*>& spaces);

}  // namespace cambium::search
