#include <algorithm>
#include <chrono>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "model/fingerprint.h"
#include "search/driver.h"
#include "search/time_left.h"

namespace cambium::search {
namespace {

struct Count {
  std::int64_t asked = 0, answered = 0, planned = 0;
  bool was_stopped = false;
  int at_a_time = 1;
  TimeLeft time_left;
  std::map<std::string, std::int64_t> left;  // by kind of job
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
    if (answer) {
      ++count.answered;
      const store::EvaluationKey& key = answer->evaluation.key;
      --count.left[TimeLeft::kind_of(key.evaluator, key.fidelity)];
      count.time_left.note(answer->evaluation);
    }
    if (hooks.progress) {
      SearchProgress now;
      now.phase = SearchProgress::Phase::Complete;
      now.finals_planned = count.planned;
      now.finals_done = now.evaluations = count.answered;
      const auto taken = std::chrono::steady_clock::now() - count.begin;
      now.seconds = std::chrono::duration<double>(taken).count();
      std::vector<TimeLeft::Planned> planned;
      for (const auto& [kind, jobs] : count.left) {
        planned.push_back({kind, static_cast<double>(jobs), count.at_a_time});
      }
      now.seconds_left = count.time_left.at(now.seconds, planned);
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
  CAMBIUM_TRY(const Offer offer, context.executor->offer(evaluator));
  CAMBIUM_TRY(std::vector<store::EvaluationKey> waiting, context.study->pending(evaluator));
  // The original comes first, because the others are compared with it.
  const auto others = std::stable_partition(
      waiting.begin(), waiting.end(), [&](const auto& key) { return key.candidate == original; });
  Count count;
  count.planned = static_cast<std::int64_t>(waiting.size());
  count.at_a_time = offer.at_a_time;
  for (const auto& key : waiting) ++count.left[TimeLeft::kind_of(key.evaluator, key.fidelity)];
  CAMBIUM_REQUIRE(evaluate_all({waiting.begin(), others}, context, evaluations, hooks, count));
  if (!count.was_stopped) {
    CAMBIUM_REQUIRE(evaluate_all({others, waiting.end()}, context, evaluations, hooks, count));
  }
  return count.answered;
}

}  // namespace cambium::search
