// A rule of its own: a cache line that one lane fetched is used up before it is evicted.
// docs/howto/add_rule.md walks through it.
#pragma once

#include "schedule/rules/rule.h"

namespace add_rule {

cambium::schedule::Rule use_lines_up();

}  // namespace add_rule
