#include "tune/proposer.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "program/text.h"
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
    const auto program = program::parse(cx, tasks[i].program);
    if (!program.ok()) {
      return Rejection(Reason::NoSchedule, tasks[i].name, program.rejection().message());
    }
    made->tasks_[i].roofline_seconds =
        tune::roofline_seconds(cx, *program, options.machine, tasks[i].threads);
  }
  return made;
}

void Proposer::restore(std::size_t task, const std::vector<Memory::Known>& known) {
  State& state = tasks_[task];
  const auto seconds = [&known](std::size_t i) {
    return known[i].measurement.has_value() ? known[i].measurement->value : kRefusedSeconds;
  };
  // The best are needed to go on from; the models learn from the latest too, good or bad.
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (schedule::is_of(options_.space, known[i].candidate.trace)) order.push_back(i);
  }
  if (std::ssize(order) > kMostRestored) {
    const auto latest = order.end() - kMostRestored / 2;
    std::stable_sort(order.begin(), latest,
                     [&](std::size_t a, std::size_t b) { return seconds(a) < seconds(b); });
    order.erase(order.begin() + kMostRestored / 2, latest);
    std::sort(order.begin(), order.end());
  }
  std::vector<schedule::Trace> traces;
  for (const std::size_t i : order) traces.push_back(known[i].candidate.trace);
  Generator generator(given_[task], options_.space, options_.machine, pool_, cores_,
                      &is_abandoned_);
  std::vector<std::optional<Individual>> made = generator.remake(traces);

  std::size_t next = 0;  // in `made`
  for (std::size_t i = 0; i < known.size(); ++i) {
    const Fingerprint scheduled = known[i].candidate.scheduled;
    std::optional<Individual> individual;
    if (next < order.size() && order[next] == i) individual = std::move(made[next++]);
    if (!individual.has_value() || individual->scheduled != scheduled) {
      state.history.add_unused(scheduled);
      continue;
    }
    examples_.add(example_of(given_[task], *individual, seconds(i)));
    individual->strategy = known[i].candidate.strategy;
    state.history.add(std::move(*individual), known[i].number, known[i].measurement,
                      known[i].samples_by_comparison > 0);
  }
  state.proposed = state.history.trials();
  // One that died may have been ahead of others that were not recorded.
  for (const Memory::Known& one : known) {
    state.last_number = std::max(state.last_number, one.number);
  }
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

std::vector<Standing> Proposer::standings() const {
  std::vector<Standing> standings;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    standings.push_back({given_[i].weight, tasks_[i].roofline_seconds,
                         tasks_[i].history.best_after(), tasks_[i].proposed,
                         tasks_[i].is_exhausted});
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

std::optional<ModelQuality> Proposer::quality_by_program() {
  const std::span<const Example> all = examples_.all();
  std::map<Fingerprint, std::size_t> numbers;  // of programs
  for (const Example& example : all) numbers.emplace(example.program, numbers.size());
  if (!learns() || numbers.size() < 2) return std::nullopt;
  const std::size_t parts = std::min(kParts, numbers.size());
  const Cores::Hold core(cores_);
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
    const auto learned = model_.train(others, options_.seed);
    if (!learned.ok() || learned->examples == 0) {
      asked.resize(before);  // what it is now it has from those that it would be asked about
      continue;
    }
    const std::vector<double> some = model_.score(features, drafts);
    scores.insert(scores.end(), some.begin(), some.end());
  }
  const auto learned = model_.train(all, options_.seed);
  if (!learned.ok()) log_warning(learned.rejection().message());
  return asked.empty() ? std::nullopt : std::optional(quality_of(asked, scores));
}

std::optional<Individual> Proposer::default_candidate(State& state, Generator& generator) {
  state.is_default_made = true;
  schedule::DraftOptions preferred;
  preferred.otherwise = schedule::Otherwise::Preferred;
  auto made = generator.make({&preferred, 1}, {});
  if (!made[0].has_value()) return std::nullopt;
  made[0]->strategy = "default";
  state.history.set_default(*made[0]);
  if (state.history.taken().contains(made[0]->scheduled)) return std::nullopt;
  return std::move(made[0]);
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
  if (options_.begins_with_default && !state.is_default_made) {
    if (auto first = default_candidate(state, generator)) {
      state.history.take(first->scheduled);
      all.push_back(std::move(*first));
    }
  }
  const auto ask_for = [&](Strategy& strategy) {
    if (all.size() >= count) return;
    const Rng rng = Rng(options_.seed)
                        .split(given_[task].fingerprint.text())
                        .split(static_cast<std::uint64_t>(state.proposed) + all.size());
    Ask ask{generator, state.history, learns() ? &model_ : nullptr, rng, count - all.size(), spent};
    add(strategy.propose(ask));
  };
  if (spent >= 1 - options_.finish && !is_blind(options_.strategy)) {
    CoordinateDescent descent;
    ask_for(descent);
  }
  ask_for(*state.strategy);
  for (const auto& [reason, times] : generator.refusals()) refusals_[reason] += times;
  return all;
}

std::size_t Proposer::batch_size(std::size_t task, double spent) const {
  std::int64_t size = next_batch(standings(), limits_, task);
  // The finish begins with a batch of its own.
  const double before = (1 - options_.finish - spent) * static_cast<double>(planned());
  if (before > 0)
    size = std::min(size, std::max<std::int64_t>(1, static_cast<std::int64_t>(before)));
  return static_cast<std::size_t>(size);
}

std::vector<TrialInWork> Proposer::propose(double time_spent) {
  train_if_due();
  while (!is_abandoned_) {
    const auto task = next_task(standings(), limits_);
    if (!task.has_value()) break;
    State& state = tasks_[*task];
    std::int64_t proposed = 0;
    for (const State& each : tasks_) proposed += each.proposed;
    const double spent =
        std::max(time_spent, static_cast<double>(proposed) / static_cast<double>(planned()));
    std::vector<TrialInWork> batch;
    for (Individual& one : candidates(*task, batch_size(*task, spent), spent)) {
      ++state.proposed;
      batch.push_back({*task, ++state.last_number, std::move(one)});
    }
    if (!batch.empty()) return batch;
    state.is_exhausted = true;
  }
  return {};
}

}  // namespace cambium::tune
