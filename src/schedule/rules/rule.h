// A rule: one scheduling idea, as an ordinary function over program, analysis and sampling. It is
// offered every block in turn and either works on the block or refuses (NothingToDo, or whatever
// its steps refuse). A refusal changes nothing. docs/howto/add_rule.md walks through one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "schedule/trace/draft.h"

namespace cambium::schedule {

struct Rule {
  std::string name;
  std::string summary;  // one line
  std::function<Status(Draft& draft, const std::string& block)> apply;
};

}  // namespace cambium::schedule
