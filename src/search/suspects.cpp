#include "search/suspects.h"

#include <utility>

namespace cambium::search {

void Suspects::add(Ended death) {
  const store::EvaluationKey& key = death.evaluation.key;
  died_.insert(key);
  const std::string evaluator = key.evaluator;
  deaths_[evaluator].push_back(std::move(death));
}

std::vector<Ended> Suspects::release(const std::string& evaluator) {
  return std::exchange(deaths_[evaluator], {});
}

}  // namespace cambium::search
