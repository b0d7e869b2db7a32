#include "engine/search/draft.h"

#include <vector>

#include "compile/lowered_model.h"
#include "program/clone.h"
#include "schedule/defaults/default_schedule.h"
#include "trial/tasks.h"
#include "tune/draft_model.h"

namespace cambium::engine {

Result<double> draft_latency(const model::Model& model, const Machine& machine, int threads) {
  CAMBIUM_TRY(const compile::LoweredModel lowered, compile::lower_model(model));
  CAMBIUM_TRY(const std::vector<trial::TuningTask> tasks, trial::tasks_of(lowered, threads));
  double seconds = 0;
  for (const trial::TuningTask& task : tasks) {
    program::Context cx;
    const program::Program program = program::clone_into(cx, *task.task.program);
    CAMBIUM_TRY(const schedule::Schedule schedule,
                schedule::default_schedule(cx, program, machine));
    const tune::DraftEstimate draft =
        tune::draft_estimate(cx, schedule.program(), machine, threads);
    seconds += draft.seconds * task.task.weight;
  }
  return seconds;
}

}  // namespace cambium::engine
