// Schedule: a program and the trace of steps that made it. A trace is text with one step per line,
//   split(loop: i, factors: [0, 6], tail: guard) -> i.0, i.1
// and replays: the same steps on the same program give the same program, including names. Replay
// checks the names after the arrow, so a trace that no longer fits is refused at the first step
// that differs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedule/trace/steps.h"

namespace cambium::schedule {

struct Record {
  Step step;
  Names made;
};
using Trace = std::vector<Record>;

std::string to_text(const Step& step);
std::string to_text(const Trace& trace);
// Refuse BadSyntax with line and column, UnknownStep, MissingField.
Result<Trace> parse_trace(std::string_view text);

// The values of the sizes in a document: {"Co", 64}.
using NamedSizes = std::vector<std::pair<std::string, std::int64_t>>;
// Parses a trace that people write for loops of any extent. Numbers may be products and quotients
// of sizes (`3*Co/4`). Fields other than names may be left out, and so may the names after the
// arrow. Also refuses NotDivisible for a quotient that is not a whole number.
Result<Trace> parse_document(std::string_view text, const NamedSizes& sizes);

class StepMemory;

class Schedule {
 public:
  // The memory, if any, must belong to this context and outlive the schedule.
  Schedule(Context& cx, Program program, StepMemory* memory = nullptr)
      : cx_(&cx), program_(program), memory_(memory) {
    trace_.reserve(96);  // most have fewer steps
  }

  Context& context() const { return *cx_; }
  const Program& program() const { return program_; }
  const Trace& trace() const& { return trace_; }
  Trace trace() && { return std::move(trace_); }
  const std::vector<InterfaceChange>& changes() const { return changes_; }

  // Applies and records the step. A refusal changes nothing.
  Result<Names> apply(const Step& step);

  // A state of the schedule, to return to if one of several steps fails.
  struct Mark {
    Program program;
    std::size_t steps, changes;
  };
  Mark mark() const { return {program_, trace_.size(), changes_.size()}; }
  void back_to(const Mark& mark);

 private:
  Context* cx_;
  Program program_;
  StepMemory* memory_;
  Trace trace_;
  std::vector<InterfaceChange> changes_;
};

// Refuses what a step refuses, with its line, and TraceDiffers.
Result<Schedule> replay(Context& cx, const Program& program, const Trace& trace);

}  // namespace cambium::schedule
