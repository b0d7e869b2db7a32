#include "tune/proposer.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "program/clone.h"
#include "tune/coordinate_descent.h"
#include "tune/draft_model.h"
#include "tune/ranking.h"

namespace cambium::tune {
namespace {

constexpr std::size_t kMostExamples = 4096;
// Traces from earlier runs that are made again for the models to learn from.
constexpr std::ptrdiff_t kMostRestored = 1024;
constexpr std::int64_t kFewestNewExamples = 16;
// So many batches at least, so that what is learned from the first is of use to the last.
constexpr std::int64_t kFewestBatches = 8;
constexpr std::int64_t kSmallestBatch = 4;
// Into which programs are divided to ask the model about one of them after it saw the others.
constexpr std::size_t kParts = 4;

BudgetLimits limits_of(const TuneOptions& options) {
  constexpr std::int64_t kEndless = std::int64_t{1} << 40;  // sums over tasks still fit
  const std::int64_t trials = std::clamp<std::int64_t>(options.trials, 0, kEndless);
  const std::int64_t fits = std::max(kSmallestBatch, trials / kFewestBatches);
  return {std::max<std::int64_t>(1, std::min(options.batch, fits)), trials};
}

constexpr const char* kDefault = "default";  // the strategy of the default schedule
constexpr const char* kDescent = "descent";  // that of CoordinateDescent

// As default schedules are made (schedule/defaults): where one is refused, one with small code may
// serve. Nothing: the rules refuse all that they prefer themselves.
std::optional<Individual> make_default(Generator& generator) {
  schedule::DraftOptions preferred;
  preferred.otherwise = schedule::Otherwise::Preferred;
  for (const bool is_small : {false, true}) {
    preferred.small_code = is_small;
    auto made = generator.make({&preferred, 1}, {});
    if (!made[0].has_value()) continue;
    made[0]->strategy = kDefault;
    return std::move(made[0]);
  }
  return std::nullopt;
}

double seconds_of(const Memory::Known& known) {
  return known.measurement.has_value() ? known.measurement->value : kRefusedSeconds;
}

// Whether coordinate descent tried something after the first that is as good as the best.
bool is_descended_from_best(const std::vector<Memory::Known>& known) {
  double best = kRefusedSeconds;
  for (const Memory::Known& one : known) best = std::min(best, seconds_of(one));
  const auto as_good = std::find_if(known.begin(), known.end(), [best](const Memory::Known& one) {
    return seconds_of(one) <= best * (1 + kWorthwhileGain);
  });
  return std::any_of(as_good, known.end(),
                     [](const Memory::Known& one) { return one.candidate.strategy == kDescent; });
}

Example example_of(const Task& task, const Individual& individual, double seconds) {
  return {task.fingerprint, individual.features, seconds, individual.draft_seconds};
}

}  // namespace

Proposer::Proposer(const std::vector<Task>& tasks, const TuneOptions& options, CostModel& model,
                   ThreadPool& pool, Cores& cores)
    : given_(tasks),
      options_(options),
      model_(model),
      pool_(pool),
      cores_(cores),
      limits_(limits_of(options)),
      tasks_(tasks.size()),
      examples_(kMostExamples) {}

Result<std::unique_ptr<Proposer>> Proposer::make(const std::vector<Task>& tasks,
                                                 const TuneOptions& options, CostModel& model,
                                                 ThreadPool& pool, Cores& cores) {
  std::unique_ptr<Proposer> made(new Proposer(tasks, options, model, pool, cores));
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    CAMBIUM_TRY(made->tasks_[i].strategy, make_strategy(options.strategy));
    program::Context cx;
    const program::Program program = program::clone_into(cx, *tasks[i].program);
    made->tasks_[i].roofline_seconds =
        tune::roofline_seconds(cx, program, options.machine, tasks[i].threads);
  }
  return made;
}

// The best are needed to go on from, the default schedule to compare with and what was begun to be
// tried again; the models learn from the latest too, good or bad.
std::vector<std::size_t> Proposer::worth_making(const std::vector<Memory::Known>& known) const {
  const auto rank = [&known](std::size_t i) {
    if (known[i].was_begun || known[i].candidate.strategy == kDefault) return 0.0;
    return seconds_of(known[i]);
  };
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (schedule::is_of(options_.space, known[i].candidate.trace)) order.push_back(i);
  }
  if (std::ssize(order) > kMostRestored) {
    const auto latest = order.end() - kMostRestored / 2;
    std::stable_sort(order.begin(), latest,
                     [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    order.erase(order.begin() + kMostRestored / 2, latest);
    std::sort(order.begin(), order.end());
  }
  return order;
}

void Proposer::restore(std::size_t task, const std::vector<Memory::Known>& known) {
  State& state = tasks_[task];
  const std::vector<std::size_t> order = worth_making(known);
  std::vector<schedule::Trace> traces;
  for (const std::size_t i : order) traces.push_back(known[i].candidate.trace);
  Generator generator(given_[task], options_.space, options_.machine, pool_, cores_,
                      &is_abandoned_);
  std::vector<std::optional<Individual>> made = generator.remake(traces);

  std::size_t next = 0;  // in `made`
  const Memory::Known* other_default = nullptr;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const Memory::Known& one = known[i];
    const Fingerprint scheduled = one.candidate.scheduled;
    // One that died may have been ahead of others that were not recorded.
    state.last_number = std::max(state.last_number, one.number);
    std::optional<Individual> individual;
    const bool was_tried = next < order.size() && order[next] == i;
    if (was_tried) individual = std::move(made[next++]);
    const bool is_it = individual.has_value() && individual->scheduled == scheduled;
    if (is_it) individual->strategy = one.candidate.strategy;
    if (one.was_begun) {
      state.begun.emplace(scheduled, one.number);
      if (is_it) state.again.push_back(std::move(*individual));
    } else if (is_it) {
      if (!one.measurement.has_value()) ++state.refused_before[one.reason];
      examples_.add(example_of(given_[task], *individual, seconds_of(one)));
      state.history.add(std::move(*individual), one.number, one.measurement,
                        one.samples_by_comparison > 0);
    } else if (!was_tried && schedule::is_of(options_.space, one.candidate.trace)) {
      if (!one.measurement.has_value()) ++state.refused_before[one.reason];
      state.history.add_old(scheduled, !one.measurement.has_value());
    } else {
      state.history.take(scheduled);
      if (one.candidate.strategy == kDefault) other_default = &one;
    }
  }
  if (other_default != nullptr) adopt_default(state, generator, *other_default);
  state.proposed = state.history.trials();
  state.searched = state.proposed - (state.history.default_tried.has_value() ? 1 : 0);
  // Otherwise every run would finish what is finished, with one more batch.
  state.is_descended = is_settled(task) && is_descended_from_best(known);
}

// Another space or an older version measured it: it is the same program, and its time counts.
void Proposer::adopt_default(State& state, Generator& generator, const Memory::Known& known) {
  if (!options_.begins_with_default || state.history.default_tried.has_value()) return;
  auto made = make_default(generator);
  if (!made.has_value() || made->scheduled != known.candidate.scheduled) return;
  state.is_default_made = true;
  state.history.set_default(*made);
  if (!known.measurement.has_value()) ++state.refused_before[known.reason];
  state.history.add(std::move(*made), known.number, known.measurement,
                    known.samples_by_comparison > 0);
}

void Proposer::learn(std::vector<FinishedTrial> trials) {
  for (FinishedTrial& finished : trials) {
    TrialInWork& trial = finished.trial;
    std::optional<Measurement> time;
    if (finished.result.ok()) time = *finished.result;
    examples_.add(example_of(given_[trial.task], trial.individual,
                             time.has_value() ? time->value : kRefusedSeconds));
    tasks_[trial.task].history.add(std::move(trial.individual), trial.number, time);
  }
}

void Proposer::compared(std::size_t task, Fingerprint scheduled, const Measurement& time) {
  tasks_[task].history.compared(scheduled, time);
}

std::vector<Standing> Proposer::standings(bool reserves) const {
  const auto of_finish =
      static_cast<std::int64_t>(options_.finish * static_cast<double>(limits_.trials));
  const std::int64_t reserve = std::min(limits_.batch, of_finish);
  std::vector<Standing> standings;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const State& state = tasks_[i];
    const bool is_owed = reserves && !state.is_descended && !is_blind(options_.strategy);
    standings.push_back({given_[i].weight, state.roofline_seconds, state.history.best_after(),
                         state.proposed + (is_owed ? reserve : 0),
                         state.is_exhausted || is_settled(i)});
  }
  return standings;
}

std::int64_t Proposer::planned() const {
  std::int64_t proposed = 0;
  for (const State& state : tasks_) proposed += state.proposed;
  return proposed + std::max<std::int64_t>(0, trials_left(standings(), limits_));
}

// The points at which it learns depend on what came, never on when.
void Proposer::train_if_due() {
  if (!learns()) return;
  const std::int64_t fresh = examples_.seen() - trained_on_;
  if (fresh < std::max(kFewestNewExamples, trained_on_ / 4)) return;
  trained_on_ = examples_.seen();
  const Cores::Hold core(cores_);
  const auto quality = model_.train(examples_.all(), options_.seed);
  if (!quality.ok()) log_warning(quality.rejection().message());  // it goes on with what it knows
}

std::optional<ModelQuality> Proposer::quality_by_program(const std::atomic<bool>& stop) {
  const std::span<const Example> all = examples_.all();
  std::map<Fingerprint, std::size_t> numbers;  // of programs
  for (const Example& example : all) numbers.emplace(example.program, numbers.size());
  if (!learns() || numbers.size() < 2) return std::nullopt;
  const std::size_t parts = std::min(kParts, numbers.size());
  // One training at a time: who times needs all cores in between.
  const auto train = [&](std::span<const Example> some) -> Result<ModelQuality> {
    const Cores::Hold core(cores_);
    return model_.train(some, options_.seed);
  };
  std::vector<Example> asked;
  std::vector<double> scores;
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<Example> others;
    std::vector<Features> features;
    std::vector<double> drafts;
    const std::size_t before = asked.size();
    for (const Example& example : all) {
      const bool is_asked = numbers.at(example.program) % parts == part;
      (is_asked ? asked : others).push_back(example);
      if (!is_asked) continue;
      features.push_back(example.features);
      drafts.push_back(example.draft_seconds);
    }
    if (stop) return std::nullopt;
    const auto learned = train(others);
    if (!learned.ok() || learned->examples == 0) {
      asked.resize(before);  // what it is now it has from those that it would be asked about
      continue;
    }
    const std::vector<double> some = model_.score(features, drafts);
    scores.insert(scores.end(), some.begin(), some.end());
  }
  if (stop) return std::nullopt;
  const auto learned = train(all);
  if (!learned.ok()) log_warning(learned.rejection().message());
  return asked.empty() ? std::nullopt : std::optional(quality_of(asked, scores));
}

std::optional<Individual> Proposer::default_candidate(std::size_t task) {
  State& state = tasks_[task];
  if (!options_.begins_with_default || state.is_default_made) return std::nullopt;
  Generator generator(given_[task], options_.space, options_.machine, pool_, cores_,
                      &is_abandoned_);
  state.is_default_made = true;
  auto made = make_default(generator);
  for (const auto& [reason, times] : generator.refusals()) refusals_[reason] += times;
  if (!made.has_value()) return std::nullopt;
  state.history.set_default(*made);
  if (state.history.taken().contains(made->scheduled)) return std::nullopt;
  return made;
}

TrialInWork Proposer::trial_of(std::size_t task, Individual individual) {
  State& state = tasks_[task];
  state.history.take(individual.scheduled);
  ++state.proposed;
  const auto begun = state.begun.find(individual.scheduled);
  const bool is_alone = begun != state.begun.end();
  const std::int64_t number = is_alone ? begun->second : ++state.last_number;
  return {task, number, std::move(individual), is_alone};
}

bool Proposer::has_room(std::size_t task) const {
  return next_batch(standings(), limits_, task) > 0;
}

// What processes died in comes last: it may end this one too. One task alone needs no opening: its
// first batch begins with the default schedule.
std::vector<TrialInWork> Proposer::openings() {
  has_opened_ = true;
  std::vector<TrialInWork> batch;
  if (tasks_.size() == 1 && tasks_[0].again.empty()) return batch;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (!has_room(i)) continue;
    if (auto first = default_candidate(i)) batch.push_back(trial_of(i, std::move(*first)));
  }
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    for (Individual& one : tasks_[i].again) {
      const bool is_there = tasks_[i].history.taken().contains(one.scheduled);
      if (is_there || !has_room(i)) continue;
      ++tasks_[i].searched;
      batch.push_back(trial_of(i, std::move(one)));
    }
    tasks_[i].again.clear();
  }
  return batch;
}

std::vector<Individual> Proposer::candidates(std::size_t task, std::size_t count, double spent) {
  State& state = tasks_[task];
  Generator generator(given_[task], options_.space, options_.machine, pool_, cores_,
                      &is_abandoned_);
  std::vector<Individual> all;
  const auto add = [&](std::vector<Individual> some) {
    for (Individual& one : some) {
      state.history.take(one.scheduled);
      all.push_back(std::move(one));
    }
  };
  if (auto first = default_candidate(task)) {
    state.history.take(first->scheduled);
    all.push_back(std::move(*first));
  }
  const auto ask_for = [&](Strategy& strategy) {
    if (all.size() >= count) return;
    const Rng rng = Rng(options_.seed)
                        .split(given_[task].fingerprint.text())
                        .split(static_cast<std::uint64_t>(state.proposed) + all.size());
    Ask ask{generator, state.history, learns() ? &model_ : nullptr, rng, count - all.size(), spent};
    add(strategy.propose(ask));
  };
  if (is_finish(spent)) {
    state.is_descended = true;
    CoordinateDescent descent;
    ask_for(descent);
  }
  ask_for(*state.strategy);
  for (const auto& [reason, times] : generator.refusals()) refusals_[reason] += times;
  return all;
}

bool Proposer::is_finish(double spent) const {
  return spent >= 1 - options_.finish && !is_blind(options_.strategy);
}

// The finish has a batch for every task that was timed, those of which most is expected first; what
// is left after that, and all before it, goes where the budget says.
std::optional<std::size_t> Proposer::next(double spent) const {
  std::vector<Standing> all = standings(!is_finish(spent));
  if (is_finish(spent)) {
    std::optional<std::size_t> chosen;
    double most = 0;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const State& state = tasks_[i];
      if (state.is_descended || state.is_exhausted || state.history.best().empty()) continue;
      const double gain = expected_gain(all[i], limits_.batch);
      if (!has_room(i) || (chosen.has_value() && gain <= most)) continue;
      chosen = i;
      most = gain;
    }
    if (chosen.has_value()) return chosen;
  }
  // A default schedule is no batch: the first one is still owed.
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (tasks_[i].searched == 0 && has_room(i)) all[i].proposed = 0;
  }
  return next_task(all, limits_);
}

std::size_t Proposer::batch_size(std::size_t task, double spent) const {
  std::int64_t size = next_batch(standings(!is_finish(spent)), limits_, task);
  // The finish begins with a batch of its own.
  const double before = (1 - options_.finish - spent) * static_cast<double>(planned());
  if (before > 0)
    size = std::min(size, std::max<std::int64_t>(1, static_cast<std::int64_t>(before)));
  return static_cast<std::size_t>(size);
}

std::vector<TrialInWork> Proposer::propose(double time_spent) {
  if (!has_opened_) {
    std::vector<TrialInWork> batch = openings();
    if (!batch.empty()) return batch;
  }
  train_if_due();
  while (!is_abandoned_) {
    std::int64_t proposed = 0;
    for (const State& each : tasks_) proposed += each.proposed;
    double spent =
        std::max(time_spent, static_cast<double>(proposed) /
                                 static_cast<double>(std::max<std::int64_t>(1, planned())));
    auto task = next(spent);
    if (!task.has_value() && !is_finish(spent)) task = next(spent = 1);  // what it has reserved
    if (!task.has_value()) break;
    State& state = tasks_[*task];
    std::vector<TrialInWork> batch;
    for (Individual& one : candidates(*task, batch_size(*task, spent), spent)) {
      ++state.searched;
      batch.push_back(trial_of(*task, std::move(one)));
    }
    if (!batch.empty()) return batch;
    state.is_exhausted = true;
  }
  return {};
}

}  // namespace cambium::tune
