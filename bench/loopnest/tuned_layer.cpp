#include "loopnest/tuned_layer.h"

#include <utility>

#include "compile/build_kernel.h"
#include "program/clone.h"
#include "schedule/trace/schedule.h"
#include "trial/expected.h"

namespace cambium::bench {

Result<TunedLayer> tuned_layer(const model::Model& model, const lower::Layouts& layouts,
                               const Machine& machine, const LayerTuning& tuning,
                               measure::Runner& runner) {
  CAMBIUM_TRY(const engine::TuningTask task, engine::task_of(model, layouts, tuning.threads));
  engine::TuningOptions options;
  options.trials = tuning.trials;
  options.patience = 0;  // every layer gets as many
  options.jobs = tuning.jobs;
  options.db = tuning.db;
  CAMBIUM_TRY(const engine::TuningReport report, engine::tune_tasks({task}, machine, options));
  const engine::TuningRow& best = report.last.rows.at(0);
  if (best.trace.empty()) {
    return Rejection(Reason::NoSchedule, task.task.name, "no trial gave a schedule that works");
  }
  CAMBIUM_TRY(const schedule::Trace trace, schedule::parse_trace(best.trace));
  CAMBIUM_TRY(const std::unique_ptr<trial::Expected> expected,
              trial::make_expected(task.task, machine, 1, runner));

  auto cx = std::make_unique<program::Context>();
  CAMBIUM_TRY(const schedule::Schedule scheduled,
              compile::ready_schedule(*cx, program::clone_into(*cx, *task.task.program), trace));
  CAMBIUM_TRY(NativeKernel kernel, NativeKernel::make(*cx, scheduled.program(), machine,
                                                      expected->test.arguments, tuning.threads));
  kernel.run();
  CAMBIUM_TRY(const double error, measure::check_outputs(expected->test, kernel.outputs()));
  return TunedLayer{std::move(cx), std::move(kernel), best, error};
}

}  // namespace cambium::bench
