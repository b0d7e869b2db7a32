#include "search/elsewhere.h"

#include <utility>
#include <vector>

namespace cambium::search {

Result<std::optional<store::Evaluation>> Elsewhere::find(const store::EvaluationKey& key) {
  if (!ways_) {
    ways_.emplace();
    CAMBIUM_REQUIRE(study_.each_evaluation([this](const store::Evaluation& each) {
      (*ways_)[study::question_of(each.key)].count(each);
      return true;
    }));
  }
  CAMBIUM_TRY(std::vector<store::Evaluation> all, study_.evaluations(key.candidate));
  std::erase_if(all, [&](const store::Evaluation& each) {
    return study::question_of(each.key) != study::question_of(key) || each.key.seed != key.seed;
  });
  const study::Ways& ways = (*ways_)[study::question_of(key)];
  std::vector<store::Evaluation> chosen = ways.chosen(std::move(all));
  if (chosen.empty()) return std::optional<store::Evaluation>();
  return std::optional(std::move(chosen.front()));
}

}  // namespace cambium::search
