#include "tune/strategies/evolution.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tune/mutate.h"

namespace cambium::tune {
namespace {

// Positions drawn in proportion to weights.
class Wheel {
 public:
  void add(double weight) { sums_.push_back((sums_.empty() ? 0 : sums_.back()) + weight); }
  bool empty() const { return sums_.empty(); }
  std::size_t spin(Rng& rng) const {
    const double at = rng.uniform(0, sums_.back());
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), at);
    return std::min(static_cast<std::size_t>(found - sums_.begin()), sums_.size() - 1);
  }

 private:
  std::vector<double> sums_;
};

bool is_better(const Individual& a, const Individual& b) {
  if (a.score != b.score) return a.score < b.score;
  return a.scheduled < b.scheduled;  // so that the order is the same everywhere
}

}  // namespace

class Evolution::Run {
 public:
  Run(const EvolutionOptions& options, Ask& ask) : options_(options), ask_(ask) {
    // By rank, not by time: how far times lie apart differs from task to task.
    double weight = 1;
    for (const Tried& tried : ask.history.best()) {
      elite_.push_back(&tried.individual);
      elite_wheel_.add(weight);
      weight *= options_.per_rank;
    }
    // The default schedule is where most good ones are near, before anything is measured.
    if (elite_.empty() && ask.history.default_schedule().has_value()) {
      elite_.push_back(&*ask.history.default_schedule());
      elite_wheel_.add(1);
    }
  }

  // What is proposed; `carried` is what the last batch left, and then what this one leaves.
  std::vector<Individual> best(std::vector<Individual>& carried) {
    first_population(std::exchange(carried, {}));
    for (int generation = 0; generation < options_.generations; ++generation) {
      std::vector<Individual> next;
      breed(next);
      settle(next);
    }
    return pick(carried);
  }

 private:
  void first_population(std::vector<Individual> carried) {
    std::vector<Individual> fresh;
    for (Individual& old : carried) {
      if (ask_.history.taken().contains(old.scheduled) || !seen_.insert(old.scheduled).second) {
        continue;
      }
      fresh.push_back(std::move(old));
    }
    const std::size_t enough =
        fresh.empty() ? options_.population : fresh.size() + options_.newcomers;
    if (!elite_.empty()) {
      std::vector<schedule::DraftOptions> wishes((enough - fresh.size()) / 2);
      for (schedule::DraftOptions& wish : wishes) wish = child_of(elite(), 3);
      make_fresh(ask_, wishes, seen_, fresh);
    }
    const std::size_t from = fresh.size();
    if (from < enough) draw_fresh(ask_, enough - from, seen_, fresh);
    for (std::size_t i = from; i < fresh.size(); ++i) random_.insert(fresh[i].scheduled);
    settle(fresh);
  }

  // Scores a generation, makes its wheel of parents and adds it to all that were seen.
  void settle(std::vector<Individual>& generation) {
    score(ask_.model, generation);
    const std::size_t from = everyone_.size();
    for (Individual& individual : generation) everyone_.push_back(std::move(individual));
    parents_.clear();
    for (std::size_t i = from; i < everyone_.size(); ++i) parents_.push_back(i);
    // Parents are the best seen so far as well as the young: a bad generation costs nothing.
    std::vector<std::size_t> order(from);
    for (std::size_t i = 0; i < from; ++i) order[i] = i;
    const std::size_t old = std::min(from, options_.population / 4);
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(old), order.end(),
        [this](std::size_t a, std::size_t b) { return is_better(everyone_[a], everyone_[b]); });
    parents_.insert(parents_.end(), order.begin(),
                    order.begin() + static_cast<std::ptrdiff_t>(old));
    wheel_ = {};
    double least = 0;
    for (std::size_t i = 0; i < parents_.size(); ++i) {
      const double s = everyone_[parents_[i]].score;
      least = i == 0 ? s : std::min(least, s);
    }
    // Scores are logarithms of seconds: twice as fast is four times as likely.
    for (const std::size_t i : parents_) wheel_.add(std::exp(2 * (least - everyone_[i].score)));
  }

  void breed(std::vector<Individual>& next) {
    std::vector<schedule::DraftOptions> wishes;
    if (wheel_.empty() && elite_.empty()) return;
    while (wishes.size() < options_.children * ask_.count) {
      if (ask_.rng.chance(options_.mutation)) {
        wishes.push_back(child_of(parent(), 2));
      } else {
        const Individual& first = parent();
        wishes.push_back(wish_for(crossed(first.trace, parent().trace, ask_.rng)));
      }
    }
    make_fresh(ask_, wishes, seen_, next);
  }

  const Individual& elite() { return *elite_[elite_wheel_.spin(ask_.rng)]; }
  const Individual& parent() {
    const bool from_elite =
        wheel_.empty() ||
        (!elite_.empty() && (ask_.model == nullptr || ask_.rng.chance(options_.measured_parent)));
    return from_elite ? elite() : everyone_[parents_[wheel_.spin(ask_.rng)]];
  }

  schedule::DraftOptions wish_for(schedule::Decisions decisions) {
    schedule::DraftOptions wish;
    wish.seed = ask_.rng.next_u64();
    wish.wanted = std::move(decisions);
    return wish;
  }

  // One to `most` decisions changed, mostly one.
  schedule::DraftOptions child_of(const Individual& parent, int most) {
    schedule::DraftOptions wish = wish_for(schedule::decisions_of(parent.trace));
    for (int i = 0; i < most; ++i) {
      if (i > 0 && !ask_.rng.chance(0.4)) break;
      auto change =
          ask_.rng.chance(0.8) ? mutation(parent.trace, ask_.rng) : redraw(parent.trace, ask_.rng);
      if (change.has_value()) wish.wanted[change->key] = std::move(change->decision);
    }
    return wish;
  }

  // The best of all that were seen, and a share of the random ones whatever their score.
  std::vector<Individual> pick(std::vector<Individual>& carried) {
    std::vector<std::size_t> order(everyone_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (ask_.model == nullptr) {
      ask_.rng.shuffle(std::span(order));
      std::stable_partition(order.begin(), order.end(), [this](std::size_t i) {
        return !random_.contains(everyone_[i].scheduled);
      });
    } else {
      std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
        return is_better(everyone_[a], everyone_[b]);
      });
    }
    // Without a model only trials tell where to look, so the first of them look everywhere.
    const bool looks_around = ask_.model == nullptr && ask_.spent < options_.looking_around;
    const double share = looks_around ? 0.5 : options_.random_share;
    const auto random =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(ask_.count)));
    std::vector<Individual> picked;
    const auto take = [&](std::size_t i) {
      picked.push_back(std::move(everyone_[i]));
      order.erase(std::find(order.begin(), order.end(), i));
    };
    while (picked.size() + random < ask_.count && !order.empty()) take(order.front());
    std::vector<std::size_t> drawn;
    for (const std::size_t i : order) {
      if (random_.contains(everyone_[i].scheduled)) drawn.push_back(i);
    }
    ask_.rng.shuffle(std::span(drawn));
    for (std::size_t i = 0; i < drawn.size() && picked.size() < ask_.count; ++i) take(drawn[i]);
    while (picked.size() < ask_.count && !order.empty()) take(order.front());
    if (ask_.model != nullptr) {
      for (std::size_t i = 0; i < std::min(order.size(), options_.carried); ++i) {
        carried.push_back(std::move(everyone_[order[i]]));
      }
    }
    return picked;
  }

  const EvolutionOptions& options_;
  Ask& ask_;
  std::vector<const Individual*> elite_;
  Wheel elite_wheel_;
  Taken seen_, random_;
  std::vector<Individual> everyone_;
  std::vector<std::size_t> parents_;
  Wheel wheel_;
};

std::vector<Individual> Evolution::propose(Ask& ask) {
  std::vector<Individual> proposed = Run(options_, ask).best(carried_);
  for (Individual& individual : proposed) individual.strategy = "evolution";
  return proposed;
}

}  // namespace cambium::tune
