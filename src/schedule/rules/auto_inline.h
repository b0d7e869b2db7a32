// auto-inline: always computes an elementwise block where it is read; there is no decision. As in
// MetaSchedule on processors, a block stays where it is if it has a condition or an expensive
// function, or reads in another order than it writes; random-compute-location handles those. A
// program without any reduction has no such limits. Refuses NothingToDo and everything that Inline
// refuses.
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

// Whether every load of the body is indexed by iterators of the target, each at most once and in
// the order of the target. Offsets and constants do not matter.
bool reads_in_order(const program::Body& body);

}  // namespace cambium::schedule
