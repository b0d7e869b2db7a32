#include "search/funnel.h"

#include <algorithm>

namespace cambium::search {
namespace {

bool has(const std::vector<Stage>& stages, const char* evaluator) {
  return std::any_of(stages.begin(), stages.end(),
                     [&](const Stage& stage) { return stage.evaluator == evaluator; });
}

}  // namespace

bool trains(const std::vector<Stage>& stages) {
  return has(stages, study::kAccuracyEvaluator);
}

std::vector<study::Metric> explored_objectives(const Funnel& funnel, study::Metric cost) {
  if (trains(funnel.explore)) return funnel.objectives;
  const bool has_fisher = has(funnel.explore, study::kLegalityEvaluator);
  std::vector<study::Metric> objectives;
  const auto add = [&](study::Metric metric) {
    const bool is_there =
        std::find(objectives.begin(), objectives.end(), metric) != objectives.end();
    if (!is_there) objectives.push_back(metric);
  };
  for (const study::Metric metric : funnel.objectives) {
    if (!study::is_of_training(metric)) {
      add(metric);
    } else if (has_fisher) {
      add(study::Metric::FisherChange);
    }
  }
  if (objectives.empty()) add(cost);
  return objectives;
}

}  // namespace cambium::search
