// What tests of strategies run on: rewards planted over the toy spaces, and a driver in small that
// keeps a fixed number of tickets under way.
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

// Tickets `first` to `last`, less one; fewer where the strategy has no more. Folds what is under
// way only when the window asks for it, so that `strategy` is left with tickets under way.
class SmallDriver {
 public:
  SmallDriver(Strategy& strategy, Judge judge, int in_flight)
      : strategy_(&strategy), judge_(std::move(judge)), in_flight_(in_flight) {}

  // Whether there was a proposal.
  bool step();
  void run(Ticket tickets);
  // Goes on with another strategy object that was restored from the state of this one.
  void go_on_with(Strategy& strategy) { strategy_ = &strategy; }

  const Trace& trace() const { return trace_; }

 private:
  Strategy* strategy_;
  Judge judge_;
  int in_flight_;
  Trace trace_;
  std::vector<Outcome> outcomes_;
};

// Of words of the toy tree: the share of its length that letters of `good` make, squared, times the
// share of different good letters, less a little that depends on the word as if by chance.
Judge judge_words(std::vector<int> lengths, std::string good);
// Of toy blocks: accuracy grows with blocks, less and less, and with the right activations; MACs
// grow with blocks. The reward is the accuracy.
Judge judge_blocks(const model::Model& base, std::vector<spaces::Space*> spaces);

}  // namespace cambium::search::testing
