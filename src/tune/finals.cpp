#include "tune/finals.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "program/clone.h"
#include "program/fingerprint.h"
#include "schedule/rules/space.h"

namespace cambium::tune {
namespace {

// Where none was compared, the end.
auto last_winner(const History& history) {
  const auto best = history.best();
  return std::find_if(best.begin(), best.end(),
                      [](const Tried& tried) { return tried.was_compared; });
}

// Nothing: it stays as it is.
std::optional<schedule::Trace> tidied(const Task& task, const Individual& individual) {
  program::Context cx;
  const program::Program lowered = program::clone_into(cx, *task.program);
  auto shorter = schedule::without_dead(cx, lowered, individual.trace);
  if (!shorter.ok()) return std::nullopt;
  const auto made = schedule::replay(cx, lowered, *shorter);
  const bool is_same =
      made.ok() && program::fingerprint_of(made->program()) == individual.scheduled;
  return is_same ? std::optional(std::move(shorter).value()) : std::nullopt;
}

}  // namespace

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
  const auto won = last_winner(history);
  if (won != best.end()) add(*won);
  for (const Tried& tried : best) add(tried);
  return finalists;
}

std::vector<Tried> last_two_of(const History& history) {
  const auto best = history.best();
  if (best.empty() || best[0].was_compared) return {};
  const auto won = last_winner(history);
  return won == best.end() ? std::vector<Tried>() : std::vector<Tried>{best[0], *won};
}

void tidy(const Task& task, std::vector<Tried>& finalists, ThreadPool& pool, Cores& cores) {
  pool.parallel_for(static_cast<std::int64_t>(finalists.size()), 1,
                    [&](std::int64_t begin, std::int64_t) {
                      Tried& finalist = finalists[static_cast<std::size_t>(begin)];
                      if (finalist.was_compared) return;
                      const Cores::Hold core(cores);
                      auto shorter = tidied(task, finalist.individual);
                      if (shorter.has_value()) finalist.individual.trace = *std::move(shorter);
                    });
}

std::vector<Result<Measurement>> compare(const Task& task, const std::vector<Tried>& finalists,
                                         Bench& bench, ThreadPool& pool, Cores& cores) {
  std::vector<std::optional<Result<std::unique_ptr<Built>>>> built(finalists.size());
  pool.parallel_for(static_cast<std::int64_t>(finalists.size()), 1,
                    [&](std::int64_t begin, std::int64_t) {
                      const auto i = static_cast<std::size_t>(begin);
                      const Cores::Hold core(cores);
                      built[i] = bench.build(task, finalists[i].individual.trace);
                    });
  std::vector<const Built*> there;
  for (const auto& one : built) {
    if (one->ok()) there.push_back(one->value().get());
  }
  std::vector<Result<Measurement>> measured;
  if (!there.empty()) {
    const Cores::Timing timing(cores, task.threads);
    measured = bench.compare(task, there);
    // A runner that did not start in time may start the next time.
    const bool may_pass = std::any_of(measured.begin(), measured.end(), [](const auto& one) {
      return !one.ok() && is_fault_of_runner(one.rejection().reason());
    });
    if (may_pass) measured = bench.compare(task, there);
  }
  std::vector<Result<Measurement>> times;
  std::size_t next = 0;
  for (const auto& one : built) {
    times.push_back(one->ok() ? measured[next++] : Result<Measurement>(one->rejection()));
  }
  return times;
}

}  // namespace cambium::tune
