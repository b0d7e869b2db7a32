// Worker: takes jobs as JSON lines and answers each with a line. It keeps models, spaces and the
// state of evaluators between jobs. A bad job gets an answer and never stops the worker. Run by
// `cambium evaluate`.
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
  // Artifacts are passed as files in `folder`.
  Worker(std::vector<Evaluator> evaluators, std::string folder);
  // Jobs of these evaluators go to a child process of another program.
  void hand_over(const std::vector<std::string>& evaluators, std::vector<std::string> argv);

  // Jobs of these evaluators are refused for that reason.
  void lack(const std::vector<std::string>& evaluators, const Rejection& why);

  std::string answer(const std::string& line);
  // Runs until the input ends.
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
