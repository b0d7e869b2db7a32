// For tests of strategies: planted rewards over the toy spaces, and a small driver that keeps a
// fixed number of tickets running.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "search/strategy.h"

namespace cambium::search::testing {

using Judge = std::function<Outcome(const Proposal&)>;

struct Trace {
  std::vector<spaces::Candidate> candidates;  // by ticket
  std::vector<double> rewards;

  double best() const;
  double mean() const;
};

// Runs tickets one after the other; fewer if the strategy has no more proposals. Folds only when
// the window is full or the strategy waits for an outcome, so that tickets are left running.
class SmallDriver {
 public:
  SmallDriver(Strategy& strategy, Judge judge, int in_flight)
      : strategy_(&strategy), judge_(std::move(judge)), in_flight_(in_flight) {}

  // Returns whether there was a proposal.
  bool step();
  void run(Ticket tickets);
  // Continues with another strategy object, restored from the state of this one.
  void go_on_with(Strategy& strategy) { strategy_ = &strategy; }

  const Trace& trace() const { return trace_; }
  const std::vector<Outcome>& outcomes() const { return outcomes_; }  // by ticket

 private:
  void fold();

  Strategy* strategy_;
  Judge judge_;
  int in_flight_;
  Trace trace_;
  std::vector<Outcome> outcomes_;
  Ticket folded_ = 0;
};

// Rewards of words of the toy tree: the squared share of letters from `good`, times the share of
// different good letters, minus a little that depends on the word as if by chance.
Judge judge_words(std::vector<int> lengths, std::string good);
// Scores of toy blocks: accuracy grows with blocks, ever more slowly, and with the right
// activations; MACs grow with blocks. The reward is the accuracy.
Judge judge_blocks(const model::Model& base, std::vector<spaces::Space*> spaces);
// Values `macs`, as counted, and `quality`, to which each edit adds its own. The reward grows as
// MACs fall.
Judge judge_sites(const model::Model& base, std::vector<spaces::Space*> spaces);
Values planted_of_sites(const model::Model& base);  // the same of the original

}  // namespace cambium::search::testing
