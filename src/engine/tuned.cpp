#include "engine/tuned.h"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/log.h"
#include "codegen/codegen.h"
#include "compile/build_kernel.h"
#include "engine/machines.h"
#include "program/fingerprint.h"
#include "schedule/rules/space.h"
#include "store/tuning_store.h"
#include "tune/database.h"

namespace cambium::engine {

namespace {

using Scheduled = std::optional<Result<schedule::Schedule>>;

// The first schedule that still makes the program that was timed. If none does, what the rules make
// of the best one's decisions today: similar, though not timed. If the rules refuse too, what is
// wrong with the best.
Scheduled usable(program::Context& cx, const program::Program& program,
                 const std::vector<tune::KnownSchedule>& known, const Machine& machine,
                 int threads) {
  Scheduled best;
  for (const tune::KnownSchedule& one : known) {
    Result<schedule::Schedule> made = compile::ready_schedule(cx, program, one.trace);
    if (made.ok() && program::fingerprint_of(made->program()) == one.scheduled) return made;
    if (!best) best = std::move(made);
  }
  if (!best) return std::nullopt;
  schedule::DraftOptions again;
  again.otherwise = schedule::Otherwise::Preferred;
  again.wanted = schedule::decisions_of(known[0].trace);
  again.threads = threads;
  if (!again.wanted.empty()) {
    auto made = schedule::generate(cx, program, machine, schedule::whole_space(), again);
    if (made.ok()) return made;
  }
  return best;
}

}  // namespace

Result<compile::ScheduleSource> schedules_from(const std::string& db, const Machine& machine,
                                               int threads) {
  if (db.empty()) return compile::ScheduleSource();
  struct Shared {
    explicit Shared(store::TuningStore opened) : store(std::move(opened)) {}
    std::mutex mutex;
    store::TuningStore store;
    bool has_warned = false;
  };
  CAMBIUM_TRY(store::TuningStore opened, store::TuningStore::open(db, store::Mode::Read));
  auto shared = std::make_shared<Shared>(std::move(opened));
  const store::TuningKey common{
      {}, fingerprint_of(on_this_processor(machine)), threads, codegen::version(machine)};
  return compile::ScheduleSource(
      [shared, common, machine](program::Context& cx,
                                const program::Program& program) -> Scheduled {
        store::TuningKey key = common;
        key.program = program::fingerprint_of(program);
        std::unique_lock lock(shared->mutex);
        const auto known = tune::best_schedules(shared->store, key);
        if (!known.ok() && !std::exchange(shared->has_warned, true)) {
          log_warning("tuned schedules are not used: " + known.rejection().message());
        }
        lock.unlock();
        return known.ok() ? usable(cx, program, *known, machine, key.threads) : std::nullopt;
      });
}

}  // namespace cambium::engine
