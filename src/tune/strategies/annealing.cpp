#include "tune/strategies/annealing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tune/mutate.h"

namespace cambium::tune {

// Half of the chains from the best that is known, the others from anywhere.
void Annealing::start(Ask& ask) {
  for (const Tried& tried : ask.history.best()) {
    if (chains_.size() < options_.chains / 2) chains_.push_back(tried.individual);
  }
  if (chains_.empty() && ask.history.default_schedule().has_value()) {
    chains_.push_back(*ask.history.default_schedule());
  }
  Taken seen;
  draw_fresh(ask, options_.chains - chains_.size(), seen, chains_);
}

std::vector<Individual> Annealing::propose(Ask& ask) {
  std::vector<Individual> found;  // all that the chains visit and nobody tried
  if (chains_.empty()) {
    start(ask);
    for (const Individual& chain : chains_) {
      if (!ask.history.taken().contains(chain.scheduled)) found.push_back(chain);
    }
  }
  score(ask.model, chains_);  // the model may have learned since
  score(ask.model, found);
  const double temperature =
      options_.first_temperature *
      std::pow(options_.last_temperature / options_.first_temperature, ask.spent);
  Taken seen;
  for (const Individual& individual : found) seen.insert(individual.scheduled);
  const Taken none;
  for (int step = 0; step < options_.steps; ++step) {
    std::vector<schedule::DraftOptions> wishes(chains_.size());
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      wishes[i].seed = ask.rng.next_u64();
      wishes[i].wanted = schedule::decisions_of(chains_[i].trace);
      auto change = redraw(chains_[i].trace, ask.rng);
      if (change.has_value()) wishes[i].wanted[change->key] = std::move(change->decision);
    }
    // A chain may pass through what was tried; it is only not proposed again.
    auto made = ask.generator.make(wishes, none);
    std::vector<Individual> next;
    std::vector<std::size_t> of_chain;
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (!made[i].has_value()) continue;
      next.push_back(std::move(*made[i]));
      of_chain.push_back(i);
    }
    score(ask.model, next);
    for (std::size_t i = 0; i < next.size(); ++i) {
      Individual& at = chains_[of_chain[i]];
      const double rise = next[i].score - at.score;
      if (rise > 0 && !ask.rng.chance(std::exp(-rise / temperature))) continue;
      at = std::move(next[i]);
      if (!ask.history.taken().contains(at.scheduled) && seen.insert(at.scheduled).second) {
        found.push_back(at);
      }
    }
  }
  if (ask.model == nullptr) {
    ask.rng.shuffle(std::span(found));
  } else {
    std::sort(found.begin(), found.end(), [](const Individual& a, const Individual& b) {
      return a.score != b.score ? a.score < b.score : a.scheduled < b.scheduled;
    });
  }
  if (found.size() > ask.count) found.resize(ask.count);
  if (found.size() < ask.count) draw_fresh(ask, ask.count - found.size(), seen, found);
  for (Individual& individual : found) individual.strategy = "annealing";
  return found;
}

}  // namespace cambium::tune
