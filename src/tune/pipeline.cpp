#include "tune/pipeline.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/core.h>

#include "base/check.h"

namespace cambium::tune {

void Bell::ring() {
  {
    const std::scoped_lock lock(mutex_);
    has_rung_ = true;
  }
  rang_.notify_all();
}

void Bell::wait(double seconds) {
  std::unique_lock lock(mutex_);
  rang_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return has_rung_; });
  has_rung_ = false;
}

// How often a thread that waits for builds looks at the clock of the bench.
constexpr std::chrono::milliseconds kBetweenLooks{50};

// A trial and how far it is.
struct Pipeline::Slot {
  enum class Stage { Waiting, Building, Ending, Built, Timing };
  TrialInWork trial;
  Stage stage = Stage::Waiting;
  bool is_dropped = false, is_abandoned = false;
  std::optional<double> began;  // once the compiler has it; by the clock of the bench
  std::thread::id builder;
  std::optional<Cores::Hold> core;
  std::optional<Result<std::unique_ptr<Built>>> built;  // once it was compiled or refused

  bool is_in_build() const { return stage == Stage::Building || stage == Stage::Ending; }
};

// What threads share. One that hangs in the compiler may be left to itself: it keeps this, and
// touches nothing else when it comes back.
struct Pipeline::Shared {
  Shared(std::vector<Task> given, Bench& bench_, Memory& memory_, std::shared_ptr<Cores> cores_,
         Bell& bell_, const PipelineOptions& how)
      : tasks(std::move(given)),
        bench(bench_),
        memory(memory_),
        cores(std::move(cores_)),
        bell(bell_),
        stop(how.stop),
        most_built(2 * static_cast<std::size_t>(how.jobs) + 2) {}

  const std::vector<Task> tasks;
  Bench& bench;
  Memory& memory;
  const std::shared_ptr<Cores> cores;
  Bell& bell;
  const std::atomic<bool>* const stop;
  const std::size_t most_built;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<Slot>> slots;  // in order; a slot leaves when it was timed
  std::vector<FinishedTrial> finished;
  std::optional<Rejection> fault;  // the first of memory
  std::optional<double> dropped;   // by the clock of the bench
  bool ends = false;

  std::shared_ptr<Slot> next_to_build() const;
  bool build(Slot& slot, std::unique_lock<std::mutex>& lock);
  std::optional<Result<std::unique_ptr<Built>>> compile(Slot& slot,
                                                        std::unique_lock<std::mutex>& lock);
  bool is_building() const {
    return std::any_of(slots.begin(), slots.end(),
                       [](const auto& slot) { return slot->is_in_build(); });
  }
  void note(const Status& done) {
    if (done.ok()) return;
    const std::scoped_lock lock(mutex);
    if (!fault.has_value()) fault = done.rejection();
  }
  void forget(const Slot* slot) {
    std::erase_if(slots, [slot](const auto& each) { return each.get() == slot; });
    bell.ring();
  }
};

std::shared_ptr<Pipeline::Slot> Pipeline::Shared::next_to_build() const {
  const auto end = slots.begin() + static_cast<std::ptrdiff_t>(std::min(slots.size(), most_built));
  const auto found = std::find_if(
      slots.begin(), end, [](const auto& slot) { return slot->stage == Slot::Stage::Waiting; });
  if (found == end) return nullptr;
  const bool is_somebody_alone = std::any_of(slots.begin(), slots.end(), [](const auto& slot) {
    return slot->is_in_build() && slot->trial.is_alone;
  });
  const bool must_wait = is_somebody_alone || ((*found)->trial.is_alone && is_building());
  return must_wait ? nullptr : *found;
}

Pipeline::Pipeline(const std::vector<Task>& tasks, Bench& bench, Memory& memory,
                   const PipelineOptions& how, std::shared_ptr<Cores> cores, Bell& bell,
                   std::function<void()> abandoned)
    : how_(how),
      abandoned_(std::move(abandoned)),
      shared_(std::make_shared<Shared>(tasks, bench, memory, std::move(cores), bell, how)) {
  for (int i = 0; i < how.jobs; ++i) start_builder();
  timer_ = std::thread([shared = shared_] { time_some(shared); });
}

void Pipeline::start_builder() {
  builders_.emplace_back([shared = shared_] { build_some(shared); });
}

Pipeline::~Pipeline() {
  drop();
  {
    std::unique_lock lock(shared_->mutex);
    const double begin = shared_->bench.now();
    while (shared_->is_building() && shared_->bench.now() - begin < how_.grace_seconds) {
      shared_->changed.wait_for(lock, kBetweenLooks);
    }
    shared_->ends = true;
  }
  leave_hanging();
  shared_->changed.notify_all();
  for (std::thread& builder : builders_) builder.join();
  timer_.join();
}

void Pipeline::submit(std::vector<TrialInWork> trials) {
  {
    const std::scoped_lock lock(shared_->mutex);
    for (TrialInWork& trial : trials) {
      shared_->slots.push_back(std::make_shared<Slot>());
      shared_->slots.back()->trial = std::move(trial);
    }
  }
  shared_->changed.notify_all();
}

std::vector<FinishedTrial> Pipeline::finished() {
  std::vector<FinishedTrial> some;
  {
    const std::scoped_lock lock(shared_->mutex);
    some = std::exchange(shared_->finished, {});
  }
  shared_->changed.notify_all();
  return some;
}

bool Pipeline::is_idle() {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->slots.empty() && shared_->finished.empty();
}

void Pipeline::drop() {
  const std::scoped_lock lock(shared_->mutex);
  if (!shared_->dropped.has_value()) shared_->dropped = shared_->bench.now();
  // What a thread holds stays until that thread lets go; a builder sees then that nobody waits.
  std::erase_if(shared_->slots, [](const std::shared_ptr<Slot>& slot) {
    return slot->stage != Slot::Stage::Timing && !slot->is_in_build();
  });
  for (const auto& slot : shared_->slots) slot->is_dropped = slot->stage != Slot::Stage::Timing;
}

Status Pipeline::health() {
  const std::scoped_lock lock(shared_->mutex);
  if (shared_->fault.has_value()) return *shared_->fault;
  return Ok{};
}

void Pipeline::leave_hanging() {
  const std::scoped_lock lock(shared_->mutex);
  const double now = shared_->bench.now();
  const auto is_over = [now](double since, double seconds) { return now - since >= seconds; };
  for (const auto& slot : std::vector(shared_->slots.begin(), shared_->slots.end())) {
    if (slot->stage != Slot::Stage::Building || !slot->began.has_value()) continue;
    if (slot->is_dropped && is_over(*shared_->dropped, how_.grace_seconds)) {
      abandon(*slot);
      shared_->forget(slot.get());
    } else if (is_over(*slot->began, how_.build_seconds)) {
      abandon(*slot);
      slot->stage = Slot::Stage::Built;
      slot->built = Rejection(Reason::CodegenFailed,
                              fmt::format("compiling took longer than {:g} s", how_.build_seconds));
      if (slot->is_dropped) shared_->forget(slot.get());
    }
  }
  shared_->changed.notify_all();
}

// Its thread is stuck, with all that is on its stack; another takes its place.
void Pipeline::abandon(Slot& slot) {
  slot.is_abandoned = true;
  slot.core.reset();
  const auto stuck = std::find_if(builders_.begin(), builders_.end(), [&](const std::thread& one) {
    return one.get_id() == slot.builder;
  });
  stuck->detach();
  builders_.erase(stuck);
  if (!shared_->ends) start_builder();
  if (abandoned_) abandoned_();
}

// Both give `lock` back while they work; the slot may be left to itself meanwhile. Nothing: nobody
// waits for it any more, and it may be deadly.
std::optional<Result<std::unique_ptr<Built>>> Pipeline::Shared::compile(
    Slot& slot, std::unique_lock<std::mutex>& lock) {
  const Task& task = tasks[slot.trial.task];
  const schedule::Trace& trace = slot.trial.individual.trace;
  if (slot.trial.is_alone) {
    slot.began = bench.now();
    lock.unlock();
    Status lived = bench.rehearse(task, trace);
    lock.lock();
    if (!lived.ok()) return std::move(lived).rejection();
    if (slot.is_abandoned || slot.is_dropped || (stop != nullptr && *stop)) return std::nullopt;
  }
  slot.began = bench.now();  // a rehearsal has its own time
  lock.unlock();
  Result<std::unique_ptr<Built>> built = bench.build(task, trace);
  lock.lock();
  return built;
}

// False: it was left to itself, and whose this is may be gone.
bool Pipeline::Shared::build(Slot& slot, std::unique_lock<std::mutex>& lock) {
  if (slot.is_dropped) return true;
  const Task& task = tasks[slot.trial.task];
  const Individual& one = slot.trial.individual;
  lock.unlock();
  note(memory.begin_build(task, {one.trace, one.scheduled, one.strategy}, slot.trial.number));
  lock.lock();
  std::optional<Result<std::unique_ptr<Built>>> built;
  if (!slot.is_dropped) {
    built = compile(slot, lock);
    if (slot.is_abandoned) return false;
  }
  slot.stage = Slot::Stage::Ending;
  // What a process died in stays begun until somebody has compiled it, or its refusal is recorded.
  const bool is_known = built.has_value() && (built->ok() || !slot.is_dropped);
  if (slot.trial.is_alone && !is_known) return true;
  lock.unlock();
  note(memory.end_build(task, one.scheduled));
  lock.lock();
  slot.built = std::move(built);
  return true;
}

void Pipeline::build_some(const std::shared_ptr<Shared>& shared) {
  std::unique_lock lock(shared->mutex);
  while (true) {
    std::shared_ptr<Slot> slot;
    shared->changed.wait(lock, [&] {
      slot = shared->ends ? nullptr : shared->next_to_build();
      return shared->ends || slot != nullptr;
    });
    if (slot == nullptr) return;
    slot->stage = Slot::Stage::Building;
    slot->builder = std::this_thread::get_id();
    lock.unlock();
    slot->core.emplace(*shared->cores);
    lock.lock();
    if (!shared->build(*slot, lock)) return;
    slot->core.reset();
    slot->stage = Slot::Stage::Built;
    if (slot->is_dropped) shared->forget(slot.get());
    shared->changed.notify_all();
  }
}

void Pipeline::time_some(const std::shared_ptr<Shared>& shared) {
  std::unique_lock lock(shared->mutex);
  while (true) {
    // Nothing new is timed before what was timed is on its way into memory: a kill loses little.
    shared->changed.wait(lock, [&] {
      return shared->ends || (shared->finished.empty() && !shared->slots.empty() &&
                              shared->slots.front()->built.has_value());
    });
    if (shared->ends) return;
    Slot& slot = *shared->slots.front();
    slot.stage = Slot::Stage::Timing;
    lock.unlock();
    std::optional<Result<Measurement>> time;
    if (slot.built->ok()) {
      const Task& task = shared->tasks[slot.trial.task];
      const Built& built = *slot.built->value();
      const Cores::Timing cores(*shared->cores, task.threads);
      time = shared->bench.time(task, built);
      // A runner that did not start in time may start the next time.
      const bool may_pass = !time->ok() && is_fault_of_runner(time->rejection().reason());
      if (may_pass) time = shared->bench.time(task, built);
    } else {
      time = slot.built->rejection();
    }
    lock.lock();
    shared->finished.push_back({std::move(slot.trial), *std::move(time)});
    shared->slots.pop_front();
    shared->changed.notify_all();
    shared->bell.ring();
  }
}

Background::Background(Bell& bell) : bell_(bell), thread_([this] { run(); }) {}

Background::~Background() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Background::start(std::function<void()> work) {
  {
    const std::scoped_lock lock(mutex_);
    CAMBIUM_CHECK(!work_, "one thing at a time");
    work_ = std::move(work);
  }
  changed_.notify_all();
}

bool Background::is_idle() {
  const std::scoped_lock lock(mutex_);
  return !work_;
}

void Background::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || work_; });
    if (!work_) return;
    lock.unlock();
    work_();
    lock.lock();
    work_ = nullptr;
    bell_.ring();
  }
}

}  // namespace cambium::tune
