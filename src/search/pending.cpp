#include <utility>

#include "search/driver.h"

namespace cambium::search {

Result<std::int64_t> complete_pending(const SearchContext& context, const std::string& evaluator,
                                      const SearchHooks& hooks) {
  Evaluations evaluations(*context.study, *context.executor, context.place);
  CAMBIUM_TRY(const auto offer, context.executor->offer(evaluator));
  CAMBIUM_TRY(const std::vector<store::EvaluationKey> waiting, context.study->pending(evaluator));
  std::int64_t asked = 0, answered = 0;
  for (const store::EvaluationKey& key : waiting) {
    CAMBIUM_TRY(const auto row, context.study->candidate(key.candidate));
    if (!row) continue;
    const Stage stage{key.evaluator, key.options, key.fidelity, {key.seed}, {}};
    CAMBIUM_REQUIRE(evaluations.ask(asked++, key.candidate, row->document, stage, key.seed,
                                    [] { return Estimates{}; }));
  }
  while (answered < asked) {
    if (hooks.stop != nullptr && hooks.stop->load()) {
      evaluations.cancel();
      break;
    }
    CAMBIUM_TRY(const std::optional<Answer> answer, evaluations.next(0.2));
    if (answer) ++answered;
    if (hooks.progress) {
      SearchProgress now;
      now.phase = SearchProgress::Phase::Finals;
      now.planned = asked;
      now.folded = answered;
      hooks.progress(now);
    }
  }
  return answered;
}

}  // namespace cambium::search
