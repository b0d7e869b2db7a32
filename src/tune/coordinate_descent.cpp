#include "tune/coordinate_descent.h"

#include <algorithm>
#include <utility>

namespace cambium::tune {
namespace {

// More neighbours than this for a trial are not all looked at: a random part of them is.
constexpr std::size_t kMostPerTrial = 40;

std::vector<schedule::DraftOptions> neighbours(const Individual& of, Rng& rng) {
  std::vector<schedule::DraftOptions> wishes;
  const schedule::Decisions decisions = schedule::decisions_of(of.trace);
  for (const schedule::Record& record : of.trace) {
    for (schedule::Decision& other : schedule::neighbours_of(record.step)) {
      schedule::DraftOptions wish;
      wish.seed = rng.next_u64();
      wish.otherwise = schedule::Otherwise::Preferred;  // what a new structure needs decided
      wish.wanted = decisions;
      wish.wanted[*schedule::key_of(record.step)] = std::move(other);
      wishes.push_back(std::move(wish));
    }
  }
  return wishes;
}

}  // namespace

std::vector<Individual> CoordinateDescent::propose(Ask& ask) {
  std::vector<schedule::DraftOptions> wishes;
  const auto best = ask.history.best();
  for (std::size_t i = 0; i < std::min(kDescentStarts, best.size()); ++i) {
    for (schedule::DraftOptions& wish : neighbours(best[i].individual, ask.rng)) {
      wishes.push_back(std::move(wish));
    }
  }
  ask.rng.shuffle(std::span(wishes));
  if (wishes.size() > kMostPerTrial * ask.count) wishes.resize(kMostPerTrial * ask.count);
  Taken seen;
  std::vector<Individual> found;
  make_fresh(ask, wishes, seen, found);
  score(ask.model, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const Individual& a, const Individual& b) { return a.score < b.score; });
  if (found.size() > ask.count) found.resize(ask.count);
  for (Individual& individual : found) individual.strategy = "descent";
  return found;
}

}  // namespace cambium::tune
