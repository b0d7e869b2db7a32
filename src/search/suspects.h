// Suspects: evaluations that killed their worker, until it is known whether the candidate or the
// machine is to blame. A death counts against the candidate once another job of the same evaluator
// has survived; if there is no other job, the original is evaluated again as a probe. Refuses
// nothing. Used by Evaluations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "store/study.h"

namespace cambium::search {

// An evaluation that has ended, and its askers.
struct Ended {
  std::vector<std::int64_t> askers;
  store::Evaluation evaluation;
  std::vector<store::Artifact> artifacts;
};

class Suspects {
 public:
  void add(Ended death);
  // The deaths since a job of the evaluator last survived.
  const std::vector<Ended>& of(const std::string& evaluator) { return deaths_[evaluator]; }
  // Removes and returns these deaths, which now count against their candidates.
  std::vector<Ended> release(const std::string& evaluator);
  // Whether the evaluation killed its worker in this run.
  bool has_died(const store::EvaluationKey& key) const { return died_.count(key) != 0; }
  void clear() { deaths_.clear(); }

 private:
  std::map<std::string, std::vector<Ended>> deaths_;
  std::set<store::EvaluationKey> died_;
};

}  // namespace cambium::search
