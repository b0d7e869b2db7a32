// Steps and samplings that have no effect; see space.h.
#include "program/text.h"
#include "schedule/rules/space.h"

namespace cambium::schedule {

Result<Trace> without_dead(Context& cx, const Program& program, const Trace& trace) {
  CAMBIUM_TRY(const Schedule whole, replay(cx, program, trace));
  const std::string wanted = program::to_text(cx, whole.program());
  Trace live;
  for (const Record& record : trace) {
    if (!is_sample(record.step) || !neighbours_of(record.step).empty()) live.push_back(record);
  }
  // From the last: what only a dead step used is then dead too.
  for (std::size_t i = live.size(); i-- > 0;) {
    if (is_sample(live[i].step)) continue;
    Trace shorter = live;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
    const auto schedule = replay(cx, program, shorter);
    if (!schedule.ok() || program::to_text(cx, schedule->program()) != wanted) continue;
    live = std::move(shorter);
  }
  return live;
}

}  // namespace cambium::schedule
