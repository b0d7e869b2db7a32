// A space of schedules: rules, each applied to every block of a program from the last to the first,
// and post-processing that makes the result ready for code generation and verifies it. The trace
// records the decisions that were drawn.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "schedule/rules/rule.h"

namespace cambium::schedule {

struct Space {
  std::vector<Rule> rules;
};

// Cambium's own rules, which tuning and the default schedule use.
Space whole_space();
// The rules of the MetaSchedule paper, with its design spaces.
Space stock_space();
// By name: "whole" or "stock". Refuses BadOption for another name, and lists these.
Result<Space> space_named(const std::string& name);
std::vector<std::string> space_names();
// `space` without the rules of these names. Refuses UnknownRule.
Result<Space> without(Space space, const std::vector<std::string>& names);

// Whether rules of the space asked for every decision that the trace has sampled.
bool is_of(const Space& space, const Trace& trace);

// One schedule of the space. The result is Ready (program/verify.h). Refuses what verifying
// refuses, CodeTooLarge, and BadDecision if a rule asked for a decision without a legal value.
Result<Schedule> generate(Context& cx, const Program& program, const Machine& machine,
                          const Space& space, const DraftOptions& options);

// The design spaces: all combinations of structural decisions with a valid schedule, at most
// `most`, each as the decisions to want. They are found by running the rules. A rule that refuses
// asks for no decisions, so the decisions that follow its preferred one are found only if that one
// is not refused.
std::vector<Decisions> structures(Context& cx, const Program& program, const Machine& machine,
                                  const Space& space, std::size_t most = 256);

// The trace without parts that have no effect: samplings with only one outcome, and steps that
// change neither the program nor its names. Refuses a trace that does not replay.
Result<Trace> without_dead(Context& cx, const Program& program, const Trace& trace);

}  // namespace cambium::schedule
