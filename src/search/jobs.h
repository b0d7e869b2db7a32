// Jobs: the evaluations that the executor is working on, with the askers of each. Another request
// for such an evaluation shares its job. Refuses nothing. Used by Evaluations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/study.h"

namespace cambium::search {

class Jobs {
 public:
  struct Running {
    store::EvaluationKey key;
    std::vector<std::int64_t> askers;
    bool is_probe = false;  // the original again, to find out whether the machine causes deaths
  };

  // Adds an asker to a running job; false: there is no such job.
  bool join(const store::EvaluationKey& key, std::int64_t asker);
  std::int64_t begin(const store::EvaluationKey& key, std::int64_t asker);
  std::int64_t begin_probe(const store::EvaluationKey& key);
  // Removes a job that has ended. It must be there.
  Running end(std::int64_t id);
  bool has_any_of(const std::string& evaluator) const;
  bool is_empty() const { return running_.empty(); }
  void clear();

 private:
  std::int64_t next_id_ = 0;
  std::map<std::int64_t, Running> running_;
  std::map<store::EvaluationKey, std::int64_t> by_key_;  // without probes
};

}  // namespace cambium::search
