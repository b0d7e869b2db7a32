// A rule: one idea of how to schedule, as an ordinary function over program, analysis and sampling.
// It is offered every block in turn and either works on it or refuses (NothingToDo, or whatever its
// steps refuse), in which case nothing has changed. docs/howto/add_rule.md walks through one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "schedule/draft.h"

namespace cambium::schedule {

struct Rule {
  std::string name;
  std::string summary;  // one line
  std::function<Status(Draft& draft, const std::string& block)> apply;
};

}  // namespace cambium::schedule
