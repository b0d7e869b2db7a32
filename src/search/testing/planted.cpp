#include "search/testing/planted.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "model/cost.h"
#include "spaces/testing/toy_blocks.h"

namespace cambium::search::testing {

double Trace::best() const {
  return rewards.empty() ? 0 : *std::max_element(rewards.begin(), rewards.end());
}

double Trace::mean() const {
  return rewards.empty() ? 0
                         : std::accumulate(rewards.begin(), rewards.end(), 0.0) /
                               static_cast<double>(rewards.size());
}

void SmallDriver::fold() {
  strategy_->fold(folded_, outcomes_[static_cast<std::size_t>(folded_)]);
  ++folded_;
}

bool SmallDriver::step() {
  const auto ticket = static_cast<Ticket>(outcomes_.size());
  if (ticket - folded_ >= in_flight_) fold();
  auto proposal = strategy_->propose(ticket);
  while (!proposal && folded_ < ticket) {
    fold();
    proposal = strategy_->propose(ticket);
  }
  if (!proposal) return false;
  Outcome outcome = judge_(*proposal);
  outcome.candidate = proposal->candidate;
  outcome.is_probe = !proposal->probed.empty();
  trace_.candidates.push_back(proposal->candidate);
  trace_.rewards.push_back(outcome.reward);
  outcomes_.push_back(std::move(outcome));
  return true;
}

void SmallDriver::run(Ticket tickets) {
  for (Ticket i = 0; i < tickets && step(); ++i) continue;
}

Judge judge_words(std::vector<int> lengths, std::string good) {
  return [lengths = std::move(lengths), good = std::move(good)](const Proposal& proposal) {
    const std::string& word = proposal.candidate.edits.at(0).document;
    double all = 0, right = 0;
    std::set<char> different;
    for (const char letter : word) {
      const int length = lengths[static_cast<std::size_t>(letter - 'a')];
      all += length;
      if (good.find(letter) == std::string::npos) continue;
      right += length;
      different.insert(letter);
    }
    const double share = right / all;
    const double variety = static_cast<double>(different.size()) / static_cast<double>(good.size());
    Rng rng = Rng(7).split(word);
    Outcome outcome;
    outcome.reward = share * share * (0.5 + 0.5 * variety) * (0.9 + 0.1 * rng.uniform());
    outcome.scores.set(study::Metric::Accuracy, {outcome.reward});
    return outcome;
  };
}

Judge judge_blocks(const model::Model& base, std::vector<spaces::Space*> spaces) {
  return [base, spaces = std::move(spaces)](const Proposal& proposal) {
    Outcome outcome;
    const auto model = spaces::apply(base, proposal.candidate, spaces);
    if (!model) {
      outcome.is_refused = true;
      return outcome;
    }
    double blocks = 0, right = 0;
    for (const model::NodePtr& node : model->nodes()) {
      const auto* unary = node->as<model::Unary>();
      if (unary == nullptr) continue;
      // Gelu is right in the first blocks, tanh behind.
      const bool is_early = blocks < 2;
      right += unary->fn == (is_early ? model::UnaryFn::Gelu : model::UnaryFn::Tanh) ? 1 : 0;
      blocks += 1;
    }
    const double accuracy = 0.9 * blocks / (blocks + 1) * (0.7 + 0.3 * right / blocks);
    outcome.reward = accuracy;
    outcome.scores.set(study::Metric::Accuracy, {accuracy});
    outcome.scores.set(study::Metric::Macs, {static_cast<double>(model::cost_of(*model).macs)});
    return outcome;
  };
}

Judge judge_sites(const model::Model& base, std::vector<spaces::Space*> spaces) {
  return [base, spaces = std::move(spaces)](const Proposal& proposal) {
    Outcome outcome;
    const auto model = spaces::apply(base, proposal.candidate, spaces);
    if (!model) {
      outcome.is_refused = true;
      return outcome;
    }
    double lost = 0;
    for (const spaces::Edit& edit : proposal.candidate.edits) {
      Rng rng = Rng(5).split(edit.sites[0]).split(edit.document);
      lost += rng.uniform() - 0.3;
    }
    const auto macs = static_cast<double>(model::cost_of(*model).macs);
    outcome.values["macs"] = {macs, 0, 1, false};
    outcome.values["quality"] = {1 - lost, 0, 1, false};
    outcome.scores.set(study::Metric::Macs, {macs});
    outcome.reward = 1 / macs;
    return outcome;
  };
}

Values planted_of_sites(const model::Model& base) {
  const auto macs = static_cast<double>(model::cost_of(base).macs);
  return {{"macs", {macs, 0, 1, false}}, {"quality", {1, 0, 1, false}}};
}

}  // namespace cambium::search::testing
