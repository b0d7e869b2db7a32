#include "engine/tuned.h"

#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "codegen/codegen.h"
#include "compile/kernels.h"
#include "engine/machines.h"
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
  struct Shared {
    explicit Shared(store::TuningStore opened) : store(std::move(opened)) {}
    std::mutex mutex;
    store::TuningStore store;
    bool has_warned = false;
  };
  CAMBIUM_TRY(store::TuningStore opened, store::TuningStore::open(db, store::Mode::Read));
  auto shared = std::make_shared<Shared>(std::move(opened));
  const store::TuningKey common{
      {}, fingerprint_of(on_this_processor(machine)), threads, codegen::version()};
  return compile::ScheduleSource(
      [shared, common, machine](const program::Program& program) -> std::optional<schedule::Trace> {
        store::TuningKey key = common;
        key.program = program::fingerprint_of(program);
        std::unique_lock lock(shared->mutex);
        const auto known = tune::best_schedules(shared->store, key);
        if (!known.ok() && !std::exchange(shared->has_warned, true)) {
          log_warning("schedules that were tuned are not used: " + known.rejection().message());
        }
        lock.unlock();
        return known.ok() ? usable(*known, program, machine, key.threads) : std::nullopt;
      });
}

Result<schedule::Schedule> schedule_of(program::Context& cx, const program::Program& program,
                                       const Machine& machine,
                                       const compile::ScheduleSource& source) {
  compile::Options options;
  options.machine = machine;
  options.schedules = source;
  const auto kernel = compile::make_kernel(program, "kernel", options);
  if (!kernel.ok()) {
    if (kernel.rejection().reason() != Reason::Unavailable) return kernel.rejection();
    return schedule::default_schedule(cx, program, machine);
  }
  CAMBIUM_TRY(const schedule::Trace trace, schedule::parse_trace(kernel->trace));
  return schedule::replay(cx, kernel->is_tuned ? program::canonical(cx, program) : program, trace);
}

}  // namespace cambium::engine
