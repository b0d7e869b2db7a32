#include "tune/history.h"

#include <algorithm>
#include <utility>

#include "base/random.h"

namespace cambium::tune {
namespace {

constexpr std::size_t kBest = 64;

bool is_faster(const Tried& a, const Tried& b) {
  if (a.time.value != b.time.value) return a.time.value < b.time.value;
  return a.number < b.number;
}

}  // namespace

void History::add(Individual individual, std::int64_t number,
                  const std::optional<Measurement>& time, bool was_compared) {
  taken_.insert(individual.scheduled);
  if (!time.has_value()) {
    ++refused_;
  } else {
    Tried tried{std::move(individual), number, *time, was_compared};
    if (tried.individual.strategy == "default") default_tried = tried;
    best_.insert(std::upper_bound(best_.begin(), best_.end(), tried, is_faster), std::move(tried));
    if (best_.size() > kBest) best_.pop_back();
  }
  best_after_.push_back(best_seconds());
}

void History::compared(Fingerprint scheduled, const Measurement& time) {
  for (Tried& tried : best_) {
    if (tried.individual.scheduled != scheduled) continue;
    tried.time = time;
    tried.was_compared = true;
  }
  std::stable_sort(best_.begin(), best_.end(), is_faster);
}

void History::add_old(Fingerprint scheduled, bool was_refused) {
  taken_.insert(scheduled);
  if (was_refused) ++refused_;
  best_after_.push_back(best_seconds());
}

void History::refuse(Fingerprint scheduled) {
  const auto is_it = [&](const Tried& tried) { return tried.individual.scheduled == scheduled; };
  std::erase_if(best_, is_it);
  if (default_tried.has_value() && is_it(*default_tried)) default_tried.reset();
  ++refused_;
}

void Examples::add(Example example) {
  ++seen_;
  if (kept_.size() < most_) {
    kept_.push_back(std::move(example));
    return;
  }
  // The n-th replaces one of those kept with probability most / n.
  Rng rng(static_cast<std::uint64_t>(seen_));
  const std::uint64_t at = rng.below(static_cast<std::uint64_t>(seen_));
  if (at < most_) kept_[static_cast<std::size_t>(at)] = std::move(example);
}

}  // namespace cambium::tune
