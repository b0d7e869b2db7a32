// auto-inline: an elementwise block is computed where it is read, without asking anybody. As
// MetaSchedule does it on processors, a block stays where it is when it has a condition, a dear
// function, or reads something in another order than it writes: those are for
// random-compute-location. A program without any reduction has no such limits. Refuses NothingToDo
// and what Inline refuses.
#pragma once

#include <vector>

#include "program/program.h"
#include "schedule/rules/rule.h"

namespace cambium::schedule {

struct AutoInlineOptions {
  bool conditions_stay = true;
  bool needs_order = true;  // see reads_in_order
  std::vector<program::UnaryFn> dear = {program::UnaryFn::Exp};
};

Rule auto_inline_rule(AutoInlineOptions options = {});

// Whether every load of the body is at some of the target's iterators, each at most once, in the
// order in which they stand in the target; distances and constants do not matter.
bool reads_in_order(const program::Body& body);

}  // namespace cambium::schedule
