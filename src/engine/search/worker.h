// A worker: takes jobs as JSON lines and answers each with a line, keeping base models, spaces and
// whatever its evaluators keep warm. A bad job is answered, never a reason to stop. What
// `cambium evaluate` runs.
#pragma once

#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "engine/search/delegate.h"
#include "engine/search/evaluator.h"
#include "engine/search/spaces.h"
#include "model/model.h"

namespace cambium::engine {

class Worker {
 public:
  // Artifacts go through files in `folder`.
  Worker(std::vector<Evaluator> evaluators, std::string folder);
  // Jobs for these evaluators go to a child of another program, which answers as this one would.
  void hand_over(const std::vector<std::string>& evaluators, std::vector<std::string> argv);

  // Jobs for these are refused for that reason.
  void lack(const std::vector<std::string>& evaluators, const Rejection& why);

  std::string answer(const std::string& line);
  // Until the input ends.
  void serve(std::istream& in, std::ostream& out);

 private:
  struct Base {
    model::Model model;
    Spaces spaces;
  };
  Result<const Base*> base_of(const JobSetting& setting);
  Result<Findings> evaluate(const ReadJob& read);

  std::vector<Evaluator> evaluators_;
  std::map<std::string, std::shared_ptr<Delegate>> delegates_;  // by evaluator
  std::map<std::string, Rejection> absences_;                   // by evaluator
  std::string folder_;
  // By model, sizes and spaces.
  std::map<std::tuple<std::string, std::string, std::string>, std::unique_ptr<Base>> bases_;
};

}  // namespace cambium::engine
