#include "search/jobs.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace cambium::search {

bool Jobs::join(const store::EvaluationKey& key, std::int64_t asker) {
  const auto same = by_key_.find(key);
  if (same == by_key_.end()) return false;
  running_.at(same->second).askers.push_back(asker);
  return true;
}

std::int64_t Jobs::begin(const store::EvaluationKey& key, std::int64_t asker) {
  const std::int64_t id = next_id_++;
  by_key_.emplace(key, id);
  running_.emplace(id, Running{key, {asker}});
  return id;
}

std::int64_t Jobs::begin_probe(const store::EvaluationKey& key) {
  const std::int64_t id = next_id_++;
  running_.emplace(id, Running{key, {}, true});
  return id;
}

Jobs::Running Jobs::end(std::int64_t id) {
  const auto found = running_.find(id);
  CAMBIUM_CHECK(found != running_.end(), "an executor answers what it was asked");
  Running ended = std::move(found->second);
  running_.erase(found);
  if (!ended.is_probe) by_key_.erase(ended.key);
  return ended;
}

bool Jobs::has_any_of(const std::string& evaluator) const {
  return std::any_of(running_.begin(), running_.end(),
                     [&](const auto& each) { return each.second.key.evaluator == evaluator; });
}

void Jobs::clear() {
  running_.clear();
  by_key_.clear();
}

}  // namespace cambium::search
