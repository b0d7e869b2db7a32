#include "schedule/trace/schedule.h"

#include <optional>

#include "schedule/trace/draft.h"
#include "schedule/trace/step_memory.h"

namespace cambium::schedule {
namespace {

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "nothing" : text;
}

}  // namespace

Result<Names> Schedule::apply(const Step& step) {
  std::optional<Result<StepOutcome>> made;
  // A sampling instruction changes nothing, which is made faster than remembered.
  const Result<StepOutcome>& outcome = memory_ == nullptr || is_sample(step)
                                           ? made.emplace(outcome_of(*cx_, program_, step))
                                           : memory_->outcome(*cx_, program_, step);
  if (!outcome.ok()) return outcome.rejection();
  program_ = outcome->program;
  changes_.insert(changes_.end(), outcome->changes.begin(), outcome->changes.end());
  trace_.push_back({step, outcome->made});
  return outcome->made;
}

void Schedule::back_to(const Mark& mark) {
  program_ = mark.program;
  trace_.erase(trace_.begin() + static_cast<std::ptrdiff_t>(mark.steps), trace_.end());
  changes_.erase(changes_.begin() + static_cast<std::ptrdiff_t>(mark.changes), changes_.end());
}

Result<Schedule> replay(Context& cx, const Program& program, const Trace& trace) {
  Schedule schedule(cx, program);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const auto place = [&] {
      return "step " + std::to_string(i + 1) + ": " + to_text(trace[i].step);
    };
    auto made = schedule.apply(trace[i].step);
    if (!made.ok()) return std::move(made).rejection().at(place());
    if (*made != trace[i].made) {
      return Rejection(Reason::TraceDiffers, joined(trace[i].made), joined(*made)).at(place());
    }
  }
  return schedule;
}

}  // namespace cambium::schedule
