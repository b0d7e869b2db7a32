#include "tune/finals.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace cambium::tune {

std::vector<Tried> finalists_of(const History& history, std::size_t count) {
  std::vector<Tried> finalists;
  const auto add = [&](const Tried& tried) {
    const bool is_there = std::any_of(finalists.begin(), finalists.end(), [&](const Tried& other) {
      return other.individual.scheduled == tried.individual.scheduled;
    });
    if (!is_there && finalists.size() < count) finalists.push_back(tried);
  };
  const auto best = history.best();
  if (best.empty()) return finalists;
  add(best[0]);
  if (history.default_tried.has_value()) add(*history.default_tried);
  const auto won =
      std::find_if(best.begin(), best.end(), [](const Tried& tried) { return tried.was_compared; });
  if (won != best.end()) add(*won);
  for (const Tried& tried : best) add(tried);
  return finalists;
}

Result<std::vector<std::optional<Measurement>>> compare(const Task& task,
                                                        const std::vector<Tried>& finalists,
                                                        Bench& bench, ThreadPool& pool,
                                                        Cores& cores) {
  std::vector<std::unique_ptr<Built>> built(finalists.size());
  pool.parallel_for(static_cast<std::int64_t>(finalists.size()), 1,
                    [&](std::int64_t begin, std::int64_t) {
                      const auto i = static_cast<std::size_t>(begin);
                      const Cores::Hold core(cores);
                      auto one = bench.build(task, finalists[i].individual.trace);
                      if (one.ok()) built[i] = std::move(one).value();
                    });
  std::vector<const Built*> there;
  for (const auto& one : built) {
    if (one != nullptr) there.push_back(one.get());
  }
  std::vector<std::optional<Measurement>> times(finalists.size());
  if (there.empty()) return times;
  const Cores::Timing timing(cores, task.threads);
  CAMBIUM_TRY(const std::vector<Measurement> measured, bench.compare(task, there));
  std::size_t next = 0;
  for (std::size_t i = 0; i < built.size(); ++i) {
    if (built[i] != nullptr) times[i] = measured[next++];
  }
  return times;
}

}  // namespace cambium::tune
