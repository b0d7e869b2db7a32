#include "engine/tuned.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "codegen/codegen.h"
#include "program/canonical.h"
#include "program/fingerprint.h"
#include "program/verify.h"
#include "schedule/defaults/default_schedule.h"
#include "store/tuning_store.h"
#include "tune/database.h"

namespace cambium::engine {

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
      [shared, common](const program::Program& program) -> std::optional<schedule::Trace> {
        store::TuningKey key = common;
        key.program = program::fingerprint_of(program);
        const std::lock_guard lock(shared->mutex);
        auto trace = tune::best_trace(shared->store, key);
        return trace.ok() ? std::move(trace).value() : std::nullopt;
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
