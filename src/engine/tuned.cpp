#include "engine/tuned.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "codegen/codegen.h"
#include "program/canonical.h"
#include "program/clone.h"
#include "program/fingerprint.h"
#include "program/verify.h"
#include "schedule/defaults/default_schedule.h"
#include "schedule/rules/space.h"
#include "store/tuning_store.h"
#include "tune/database.h"

namespace cambium::engine {

namespace {

// The first that still makes the program that was timed. Where none does, what the rules make of
// the best one's decisions today: near to it, though not timed. Where they refuse too, the best as
// it is, so that compiling can say what is wrong with it.
std::optional<schedule::Trace> usable(const std::vector<tune::KnownSchedule>& known,
                                      const program::Program& program, const Machine& machine,
                                      int threads) {
  if (known.empty()) return std::nullopt;
  program::Context cx;
  const program::Program own = program::clone_into(cx, program);
  for (const tune::KnownSchedule& one : known) {
    const auto made = schedule::replay(cx, own, one.trace);
    if (!made.ok() || program::fingerprint_of(made->program()) != one.scheduled) continue;
    if (program::check(cx, made->program(), program::Stage::Ready).ok()) return one.trace;
  }
  schedule::DraftOptions again;
  again.otherwise = schedule::Otherwise::Preferred;
  again.wanted = schedule::decisions_of(known[0].trace);
  again.threads = threads;
  if (!again.wanted.empty()) {
    const auto made = schedule::generate(cx, own, machine, schedule::whole_space(), again);
    if (made.ok()) return made->trace();
  }
  return known[0].trace;
}

}  // namespace

Result<compile::ScheduleSource> schedules_from(const std::string& db, const Machine& machine,
                                               int threads) {
  if (db.empty()) return compile::ScheduleSource();
  std::error_code error;
  if (!std::filesystem::exists(db, error)) return Rejection(Reason::NotFound, db);
  struct Shared {
    explicit Shared(store::TuningStore opened) : store(std::move(opened)) {}
    std::mutex mutex;
    store::TuningStore store;
  };
  CAMBIUM_TRY(store::TuningStore opened, store::TuningStore::open(db));
  auto shared = std::make_shared<Shared>(std::move(opened));
  const store::TuningKey common{{}, fingerprint_of(machine), threads, codegen::version()};
  return compile::ScheduleSource(
      [shared, common, machine](const program::Program& program) -> std::optional<schedule::Trace> {
        store::TuningKey key = common;
        key.program = program::fingerprint_of(program);
        std::unique_lock lock(shared->mutex);
        const auto known = tune::best_schedules(shared->store, key);
        lock.unlock();
        return known.ok() ? usable(*known, program, machine, key.threads) : std::nullopt;
      });
}

Result<schedule::Schedule> schedule_of(program::Context& cx, const program::Program& program,
                                       const Machine& machine,
                                       const compile::ScheduleSource& source) {
  if (source) {
    const program::Program named = program::canonical(cx, program);
    if (const auto trace = source(named)) {
      auto replayed = schedule::replay(cx, named, *trace);
      const bool fits =
          replayed.ok() && program::check(cx, replayed->program(), program::Stage::Ready).ok();
      if (fits) return replayed;
    }
  }
  return schedule::default_schedule(cx, program, machine);
}

}  // namespace cambium::engine
