#include "tune/pipeline.h"

#include <algorithm>
#include <chrono>
#include <utility>

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

// A trial and how far it is. `built` is there once it was compiled or refused.
struct Pipeline::Slot {
  TrialInWork trial;
  bool in_build = false, in_timing = false, is_dropped = false;
  std::optional<Result<std::unique_ptr<Built>>> built;
};

Pipeline::Pipeline(const std::vector<Task>& tasks, Bench& bench, Memory& memory, int jobs,
                   Cores& cores, Bell& bell)
    : tasks_(tasks),
      bench_(bench),
      memory_(memory),
      cores_(cores),
      bell_(bell),
      most_built_(2 * static_cast<std::size_t>(jobs) + 2) {
  for (int i = 0; i < jobs; ++i) threads_.emplace_back([this] { build_some(); });
  threads_.emplace_back([this] { time_some(); });
}

Pipeline::~Pipeline() {
  drop();
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Pipeline::submit(std::vector<TrialInWork> trials) {
  {
    const std::scoped_lock lock(mutex_);
    for (TrialInWork& trial : trials) {
      slots_.push_back(std::make_unique<Slot>());
      slots_.back()->trial = std::move(trial);
    }
  }
  changed_.notify_all();
}

std::vector<FinishedTrial> Pipeline::finished() {
  std::vector<FinishedTrial> some;
  {
    const std::scoped_lock lock(mutex_);
    some = std::exchange(finished_, {});
  }
  changed_.notify_all();
  return some;
}

bool Pipeline::is_idle() {
  const std::scoped_lock lock(mutex_);
  return slots_.empty() && finished_.empty();
}

void Pipeline::drop() {
  const std::scoped_lock lock(mutex_);
  // What a thread holds stays until that thread lets go; a builder sees then that nobody waits.
  std::erase_if(slots_, [](const std::unique_ptr<Slot>& slot) {
    return !slot->in_timing && !slot->in_build;
  });
  for (std::unique_ptr<Slot>& slot : slots_) slot->is_dropped = !slot->in_timing;
}

Status Pipeline::health() {
  const std::scoped_lock lock(mutex_);
  if (fault_.has_value()) return *fault_;
  return Ok{};
}

void Pipeline::note(const Status& done) {
  if (done.ok()) return;
  const std::scoped_lock lock(mutex_);
  if (!fault_.has_value()) fault_ = done.rejection();
}

Result<std::unique_ptr<Built>> Pipeline::build(const TrialInWork& trial) {
  const Task& task = tasks_[trial.task];
  const Individual& one = trial.individual;
  const Cores::Hold core(cores_);
  note(memory_.begin_build(task, {one.trace, one.scheduled, one.strategy}, trial.number));
  auto built = bench_.build(task, one.trace);
  note(memory_.end_build(task, one.scheduled));
  return built;
}

void Pipeline::build_some() {
  std::unique_lock lock(mutex_);
  while (true) {
    Slot* next = nullptr;
    changed_.wait(lock, [&] {
      if (ends_) return true;
      const auto from = slots_.begin();
      const auto end = from + static_cast<std::ptrdiff_t>(std::min(slots_.size(), most_built_));
      const auto found = std::find_if(from, end, [](const std::unique_ptr<Slot>& slot) {
        return !slot->in_build && !slot->built.has_value();
      });
      next = found == end ? nullptr : found->get();
      return next != nullptr;
    });
    if (ends_) return;
    next->in_build = true;
    lock.unlock();
    std::optional<Result<std::unique_ptr<Built>>> built = build(next->trial);
    lock.lock();
    next->in_build = false;
    next->built = std::move(built);
    if (next->is_dropped) {
      std::erase_if(slots_, [next](const auto& slot) { return slot.get() == next; });
      bell_.ring();
    }
    changed_.notify_all();
  }
}

void Pipeline::time_some() {
  std::unique_lock lock(mutex_);
  while (true) {
    // Nothing new is timed before what was timed is on its way into memory: a kill loses little.
    changed_.wait(lock, [&] {
      return ends_ || (finished_.empty() && !slots_.empty() && slots_.front()->built.has_value());
    });
    if (ends_) return;
    Slot& slot = *slots_.front();
    slot.in_timing = true;
    lock.unlock();
    std::optional<Result<Measurement>> time;
    if (slot.built->ok()) {
      const Task& task = tasks_[slot.trial.task];
      const Cores::Timing cores(cores_, task.threads);
      time = bench_.time(task, *slot.built->value());
    } else {
      time = slot.built->rejection();
    }
    lock.lock();
    finished_.push_back({std::move(slot.trial), *std::move(time)});
    slots_.pop_front();
    changed_.notify_all();
    bell_.ring();
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
