#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "base/check.h"
#include "train/trainer.h"

namespace cambium::train {

namespace {

// A rule that several trainings share.
class SharedRule : public StoppingRule {
 public:
  SharedRule(StoppingRule& rule, std::mutex& mutex) : rule_(rule), mutex_(mutex) {}

  std::string text() const override { return rule_.text(); }
  std::optional<std::string> stops(const Curve& so_far, std::int64_t epochs) const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return rule_.stops(so_far, epochs);
  }
  void learn(const Curve& curve, bool finished) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    rule_.learn(curve, finished);
  }

 private:
  StoppingRule& rule_;
  std::mutex& mutex_;
};

Result<TrainReport> train_one(const TrainJob& job, std::mutex& telling) {
  TrainOptions options = job.options;
  std::optional<SharedRule> rule;
  if (options.stopping != nullptr) options.stopping = &rule.emplace(*options.stopping, telling);
  if (options.progress) {
    options.progress = [&](const Progress& progress) {
      const std::lock_guard<std::mutex> lock(telling);
      job.options.progress(progress);
    };
  }
  return train(job.model, *job.data, options);
}

}  // namespace

std::vector<Result<TrainReport>> train_together(std::span<const TrainJob> jobs, int at_once) {
  CAMBIUM_CHECK(at_once > 0, "a number of trainings");
  std::vector<std::optional<Result<TrainReport>>> done(jobs.size());
  std::mutex telling;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      const std::atomic<bool>* interrupted = jobs[i].options.interrupted;
      if (i > 0 && interrupted != nullptr && interrupted->load()) return;
      done[i].emplace(train_one(jobs[i], telling));
    }
  };
  std::vector<std::thread> threads;
  const std::size_t count = std::min(jobs.size(), static_cast<std::size_t>(at_once));
  for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
  work();
  for (std::thread& each : threads) each.join();
  std::vector<Result<TrainReport>> out;
  for (auto& each : done) {
    if (!each) break;
    out.push_back(std::move(*each));
  }
  return out;
}

}  // namespace cambium::train
