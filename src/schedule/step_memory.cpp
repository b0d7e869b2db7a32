#include "schedule/step_memory.h"

#include <cstdint>
#include <type_traits>

#include "schedule/schedule.h"

namespace cambium::schedule {
namespace {

std::uintptr_t address(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

}  // namespace

Result<StepOutcome> outcome_of(Context& cx, const Program& program, const Step& step) {
  return std::visit(
      [&](const auto& s) -> Result<StepOutcome> {
        CAMBIUM_TRY(auto applied, s.apply(cx, program));
        StepOutcome outcome{applied.program, std::move(applied.made), {}};
        if constexpr (std::is_same_v<decltype(applied), NeuralApplied>) {
          outcome.changes = std::move(applied.changes);
        }
        return outcome;
      },
      step);
}

const Result<StepOutcome>& StepMemory::outcome(Context& cx, const Program& program,
                                               const Step& step) {
  const Fingerprint key = fingerprint_of(address(program.root), address(program.parameters.data()),
                                         program.parameters.size(), address(program.locals.data()),
                                         program.locals.size(), program.name, to_text(step));
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(key, outcome_of(cx, program, step)).first->second;
}

}  // namespace cambium::schedule
