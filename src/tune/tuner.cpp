#include "tune/tuner.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "tune/finals.h"
#include "tune/pipeline.h"
#include "tune/proposer.h"
#include "tune/tally.h"

namespace cambium::tune {
namespace {

constexpr double kProgressSeconds = 0.2;
constexpr double kWaitSeconds = 0.05;
// Of the time that there is, what trials may take; the rest is for comparing the best.
constexpr double kTrialsShare = 0.9;

class Tuning {
 public:
  Tuning(const std::vector<Task>& tasks, const TuneOptions& options, Bench& bench, Memory& memory,
         CostModel& model, const TuneHooks& hooks)
      : tasks_(tasks),
        options_(options),
        bench_(bench),
        memory_(memory),
        model_(model),
        hooks_(hooks),
        begin_(bench.now()),
        cores_(std::make_shared<Cores>(std::max(1, options.machine.cores))),
        pool_(std::max(1, options.jobs)),
        tally_(tasks) {}
  ~Tuning() {
    ends_examination_ = true;
    if (proposer_ != nullptr) proposer_->abandon();
  }
  Tuning(const Tuning&) = delete;
  Tuning& operator=(const Tuning&) = delete;

  Result<TuneResult> run() {
    CAMBIUM_TRY(proposer_, Proposer::make(tasks_, options_, model_, pool_, *cores_));
    CAMBIUM_REQUIRE(restore());
    CAMBIUM_REQUIRE(search());
    begin_examination();
    CAMBIUM_REQUIRE(compare_finalists());
    wait_until([this] { return examiner_.is_idle(); });
    report(true);
    if (tally_.has_nothing()) return tally_.first_fault();
    TuneResult result = tally_.result(*proposer_);
    result.was_stopped = is_stopping_;
    result.quality = quality_;
    return result;
  }

 private:
  // A batch on its way through the pipeline.
  struct Batch {
    std::size_t size = 0;
    std::vector<FinishedTrial> finished;
  };

  Status restore();
  Status search();
  Status record_finished();
  Status compare_finalists();
  Status compare_task(std::size_t task);
  void begin_examination();
  void begin_proposal();
  void end_proposal();

  const Tried* best_of(std::size_t task) const {
    const auto best = proposer_->history(task).best();
    return best.empty() ? nullptr : best.data();
  }
  double elapsed() { return bench_.now() - begin_; }
  bool is_asked_to_stop() const { return hooks_.stop != nullptr && *hooks_.stop; }
  bool is_late(double share) {
    return options_.seconds > 0 && elapsed() >= share * options_.seconds;
  }
  template <class Done>
  void wait_until(const Done& done);
  void report(bool is_last = false);

  const std::vector<Task>& tasks_;
  const TuneOptions& options_;
  Bench& bench_;
  Memory& memory_;
  CostModel& model_;
  const TuneHooks& hooks_;
  const double begin_;
  const std::shared_ptr<Cores> cores_;  // with builds that hang
  ThreadPool pool_;
  Bell bell_;
  std::unique_ptr<Proposer> proposer_;

  // Batch k is proposed from the batches up to k - 2, while k - 1 is in work: whatever the threads
  // do, what it is proposed from is the same. `batches_` begins with the first that the proposer
  // has not learned from.
  std::deque<Batch> batches_;
  std::vector<TrialInWork> proposal_;  // written by the background thread while it proposes
  bool is_proposing_ = false, has_more_ = true, is_stopping_ = false;

  Tally tally_;
  std::int64_t planned_ = 0;  // trials
  double reported_ = -1;
  std::optional<ModelQuality> quality_;  // written by the examiner
  std::atomic<bool> ends_examination_ = false;

  // Last, so that their threads end before what they use.
  Background background_{bell_}, examiner_{bell_};
  Pipeline pipeline_{
      tasks_,
      bench_,
      memory_,
      {std::max(1, options_.jobs), options_.build_seconds, options_.grace_seconds, hooks_.stop},
      cores_,
      bell_,
      hooks_.abandoned};
};

Status Tuning::restore() {
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    CAMBIUM_TRY(const std::vector<Memory::Known> known, memory_.known(tasks_[i]));
    background_.start([&] { proposer_->restore(i, known); });
    wait_until([this] { return background_.is_idle(); });
    tally_.reuse(i, proposer_->history(i), proposer_->refused_before(i));
    tally_.conclude(i, best_of(i));
  }
  planned_ = proposer_->planned();
  return Ok{};
}

template <class Done>
void Tuning::wait_until(const Done& done) {
  while (!done()) {
    bell_.wait(kWaitSeconds);
    if (is_asked_to_stop() || is_late(1)) ends_examination_ = true;
    report();
  }
}

void Tuning::begin_proposal() {
  // All batches but the one in work have been finished; they are learned from now.
  while (batches_.size() > 1) {
    proposer_->learn(std::move(batches_.front().finished));
    batches_.pop_front();
  }
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    if (tally_.is_blamed(i)) proposer_->give_up(i);
    tally_.settle(i, proposer_->is_settled(i));
  }
  const double spent =
      options_.seconds > 0 ? std::min(1.0, elapsed() / (kTrialsShare * options_.seconds)) : 0;
  is_proposing_ = true;
  background_.start([this, spent] { proposal_ = proposer_->propose(spent); });
}

void Tuning::end_proposal() {
  is_proposing_ = false;
  planned_ = proposer_->planned();
  if (is_stopping_) return;
  if (proposal_.empty()) {
    has_more_ = false;
    return;
  }
  batches_.push_back({proposal_.size(), {}});
  pipeline_.submit(std::exchange(proposal_, {}));
}

Status Tuning::record_finished() {
  CAMBIUM_REQUIRE(pipeline_.health());
  pipeline_.leave_hanging();
  for (FinishedTrial& finished : pipeline_.finished()) {
    const TrialInWork& trial = finished.trial;
    const Individual& individual = trial.individual;
    const auto open = std::find_if(batches_.begin(), batches_.end(), [](const Batch& batch) {
      return batch.finished.size() < batch.size;
    });
    if (!finished.result.ok() && is_fault_of_bench(finished.result.rejection().reason())) {
      tally_.blame_bench(trial.task, finished.result.rejection());
      --open->size;
      continue;
    }
    CAMBIUM_REQUIRE(memory_.record(tasks_[trial.task],
                                   {trial.number,
                                    {individual.trace, individual.scheduled, individual.strategy},
                                    finished.result,
                                    individual.features}));
    tally_.count(finished);
    open->finished.push_back(std::move(finished));
  }
  return Ok{};
}

Status Tuning::search() {
  while (true) {
    CAMBIUM_REQUIRE(record_finished());
    if (!is_stopping_ && (is_asked_to_stop() || is_late(kTrialsShare))) {
      is_stopping_ = true;
      proposer_->abandon();
      pipeline_.drop();
    }
    if (is_proposing_ && background_.is_idle()) end_proposal();
    const bool may_propose =
        batches_.size() < 2 ||
        (batches_.size() == 2 && batches_[0].finished.size() == batches_[0].size);
    if (!is_proposing_ && has_more_ && !is_stopping_ && may_propose) begin_proposal();
    report();
    if (!is_proposing_ && (is_stopping_ || !has_more_) && pipeline_.is_idle()) break;
    bell_.wait(kWaitSeconds);
  }
  for (Batch& batch : batches_) proposer_->learn(std::move(batch.finished));
  batches_.clear();
  for (std::size_t i = 0; i < tasks_.size(); ++i) tally_.settle(i, proposer_->is_settled(i));
  return Ok{};
}

// Beside the comparison, which asks nothing of the model, and no longer than there is time.
void Tuning::begin_examination() {
  if (is_asked_to_stop() || is_late(1)) return;
  examiner_.start([this] { quality_ = proposer_->quality_by_program(ends_examination_); });
}

Status Tuning::compare_finalists() {
  for (std::size_t i = 0; i < tasks_.size(); ++i) CAMBIUM_REQUIRE(compare_task(i));
  return Ok{};
}

Status Tuning::compare_task(std::size_t task) {
  const History& history = proposer_->history(task);
  const bool is_short = is_asked_to_stop() || is_late(1);
  // A new best that was not compared with the last winner would be passed over for it later.
  std::vector<Tried> finalists =
      is_short
          ? last_two_of(history)
          : finalists_of(history,
                         static_cast<std::size_t>(std::max<std::int64_t>(0, options_.finalists)));
  const bool is_settled = std::all_of(finalists.begin(), finalists.end(),
                                      [](const Tried& tried) { return tried.was_compared; });
  tally_.conclude(task, best_of(task));
  if (is_settled) return Ok{};
  tally_.work_on(task);
  std::vector<Result<Measurement>> times;
  background_.start([&] {
    tidy(tasks_[task], finalists, pool_, *cores_);
    times = compare(tasks_[task], finalists, bench_, pool_, *cores_);
  });
  wait_until([this] { return background_.is_idle(); });
  std::optional<Tried> winner;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    const Individual& one = finalists[i].individual;
    const Fingerprint scheduled = one.scheduled;
    if (times[i].ok()) {
      CAMBIUM_REQUIRE(
          memory_.record_comparison(tasks_[task], {one.trace, scheduled, one.strategy}, *times[i]));
      proposer_->compared(task, scheduled, *times[i]);
      if (winner.has_value() && winner->time.value <= times[i]->value) continue;
      winner = finalists[i];
      winner->time = *times[i];
      winner->was_compared = true;
      continue;
    }
    const Rejection& why = times[i].rejection();
    if (is_fault_of_bench(why.reason())) {
      tally_.blame_bench(task, why);
      continue;
    }
    CAMBIUM_REQUIRE(memory_.record_refusal(tasks_[task], scheduled, why));
    proposer_->refused(task, scheduled);
    tally_.refuse(task, why.reason());
  }
  // By comparison only; what was timed on the way may look faster than it is.
  tally_.conclude(task, winner.has_value() ? &*winner : best_of(task));
  return Ok{};
}

void Tuning::report(bool is_last) {
  if (!hooks_.progress) return;
  const double now = elapsed();
  if (!is_last && reported_ >= 0 && now - reported_ < kProgressSeconds) return;
  reported_ = now;
  Progress progress = tally_.progress(*proposer_, planned_, now, options_.seconds);
  if (is_last) progress.seconds_left = 0;
  hooks_.progress(progress);
}

}  // namespace

Result<TuneResult> tune(const std::vector<Task>& tasks, const TuneOptions& options, Bench& bench,
                        Memory& memory, CostModel& model, const TuneHooks& hooks) {
  return Tuning(tasks, options, bench, memory, model, hooks).run();
}

}  // namespace cambium::tune
