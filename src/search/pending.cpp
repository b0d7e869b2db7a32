#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "model/fingerprint.h"
#include "search/driver.h"

namespace cambium::search {
namespace {

struct Count {
  std::int64_t asked = 0, answered = 0, planned = 0;
  bool was_stopped = false;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

Status evaluate_all(std::span<const store::EvaluationKey> keys, const SearchContext& context,
                    Evaluations& evaluations, const SearchHooks& hooks, Count& count) {
  for (const store::EvaluationKey& key : keys) {
    CAMBIUM_TRY(const auto row, context.study->candidate(key.candidate));
    if (!row) continue;
    const Stage stage{key.evaluator, key.options, key.fidelity, {key.seed}, {}};
    CAMBIUM_REQUIRE(evaluations.ask(count.asked++, key.candidate, row->document, stage, key.seed,
                                    [] { return Estimates{}; }));
  }
  while (count.answered < count.asked && !count.was_stopped) {
    if (hooks.stop != nullptr && hooks.stop->load()) {
      evaluations.cancel();
      count.was_stopped = true;
    }
    CAMBIUM_TRY(const std::optional<Answer> answer, evaluations.next(0.2));
    if (answer) ++count.answered;
    if (hooks.progress) {
      SearchProgress now;
      now.phase = SearchProgress::Phase::Complete;
      now.finals_planned = count.planned;
      now.finals_done = now.evaluations = count.answered;
      const auto taken = std::chrono::steady_clock::now() - count.begin;
      now.seconds = std::chrono::duration<double>(taken).count();
      if (count.answered > 0) {
        const auto left = static_cast<double>(count.planned - count.answered);
        now.seconds_left = now.seconds / static_cast<double>(count.answered) * left;
      }
      hooks.progress(now);
    }
  }
  return Ok{};
}

}  // namespace

Result<std::int64_t> complete_pending(const SearchContext& context, const std::string& evaluator,
                                      const SearchHooks& hooks) {
  const spaces::Candidate base{model::structure_of(*context.base), {}, {}};
  const Fingerprint original = spaces::identity_of(base);
  Evaluations evaluations(*context.study, *context.executor, context.place, base);
  CAMBIUM_TRY(const auto offer, context.executor->offer(evaluator));
  CAMBIUM_TRY(std::vector<store::EvaluationKey> waiting, context.study->pending(evaluator));
  // The original before the others, which are compared with it.
  const auto others = std::stable_partition(
      waiting.begin(), waiting.end(), [&](const auto& key) { return key.candidate == original; });
  Count count;
  count.planned = static_cast<std::int64_t>(waiting.size());
  CAMBIUM_REQUIRE(evaluate_all({waiting.begin(), others}, context, evaluations, hooks, count));
  if (!count.was_stopped) {
    CAMBIUM_REQUIRE(evaluate_all({others, waiting.end()}, context, evaluations, hooks, count));
  }
  return count.answered;
}

}  // namespace cambium::search
