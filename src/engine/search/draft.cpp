#include "engine/search/draft.h"

#include <vector>

#include "engine/tuning_tasks.h"
#include "program/text.h"
#include "schedule/defaults/default_schedule.h"
#include "tune/draft_model.h"

namespace cambium::engine {

Result<double> draft_latency(const model::Model& model, const Machine& machine, int threads) {
  CAMBIUM_TRY(const std::vector<TuningTask> tasks, tasks_of(model, {}, threads));
  double seconds = 0;
  for (const TuningTask& task : tasks) {
    program::Context cx;
    CAMBIUM_TRY(const program::Program program, program::parse(cx, task.task.program));
    CAMBIUM_TRY(const schedule::Schedule schedule,
                schedule::default_schedule(cx, program, machine));
    const tune::DraftEstimate draft =
        tune::draft_estimate(cx, schedule.program(), machine, threads);
    seconds += draft.seconds * task.task.weight;
  }
  return seconds;
}

}  // namespace cambium::engine
