#include "schedule/schedule.h"

#include <type_traits>

namespace cambium::schedule {
namespace {

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "nothing" : text;
}

struct Outcome {
  Program program;
  Names made;
  std::vector<InterfaceChange> changes;
};

Result<Outcome> outcome_of(Context& cx, const Program& program, const Step& step) {
  return std::visit(
      [&](const auto& s) -> Result<Outcome> {
        CAMBIUM_TRY(auto applied, s.apply(cx, program));
        Outcome outcome{applied.program, std::move(applied.made), {}};
        if constexpr (std::is_same_v<decltype(applied), NeuralApplied>) {
          outcome.changes = std::move(applied.changes);
        }
        return outcome;
      },
      step);
}

}  // namespace

Result<Names> Schedule::apply(const Step& step) {
  CAMBIUM_TRY(Outcome outcome, outcome_of(*cx_, program_, step));
  program_ = outcome.program;
  changes_.insert(changes_.end(), outcome.changes.begin(), outcome.changes.end());
  trace_.push_back({step, outcome.made});
  return outcome.made;
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
