#include "engine/search/kernel_sum_evaluator.h"

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/machine.h"
#include "codegen/codegen.h"
#include "engine/machines.h"
#include "engine/native.h"
#include "engine/ranges.h"
#include "engine/search/evaluators.h"
#include "engine/tune.h"
#include "trial/kernel_sum.h"

namespace cambium::engine {
namespace {

Status tune_kernels(const std::vector<TuningTask>& tasks, const Machine& machine,
                    const trial::KernelTimes::Setting& setting) {
  TuningOptions tuning;
  tuning.db = setting.db;
  tuning.trials = setting.trials;
  tuning.patience = 0;
  tuning.jobs = setting.jobs;
  tuning.runner = setting.runner;
  tuning.seed = setting.seed;
  CAMBIUM_REQUIRE(tune_tasks(tasks, machine, tuning));
  return Ok{};
}

}  // namespace

trial::KernelTimes kernel_times() {
  return trial::KernelTimes(
      {[](const std::string& machine_file) { return probed_host(machine_file); }, tune_kernels});
}

Evaluator kernel_sum_evaluator() {
  Evaluator evaluator;
  evaluator.name = kKernelSum;
  evaluator.version = kernel_sum_version();
  // The table lives as long as the worker.
  evaluator.evaluate = [times = std::make_shared<trial::KernelTimes>(kernel_times())](
                           const EvaluationRequest& request) -> Result<Findings> {
    trial::KernelTimes::Setting setting;
    CAMBIUM_TRY(const int threads, integer_option(request.options, "threads", 1, ranges::kThreads));
    CAMBIUM_TRY(setting.jobs, integer_option(request.options, "jobs", threads, ranges::kThreads));
    CAMBIUM_TRY(setting.trials, trials_of(request.key.fidelity));
    setting.db = request.setting.db;
    setting.machine_file = request.setting.machine_file;
    setting.seed = request.key.seed;
    CAMBIUM_TRY(const compile::LoweredModel lowered, lower_model(request.model, {}));
    CAMBIUM_TRY(const trial::KernelSum sum, trial::kernel_sum(lowered, threads, *times, setting));
    Findings findings;
    findings.values[kKernelSumValue] = {sum.seconds, sum.spread, 1, false};
    findings.values[kLatency] = {sum.seconds, sum.spread, 1, true};
    return findings;
  };
  return evaluator;
}

std::string kernel_sum_version() {
  return "2 " + codegen::version(host_machine());
}

}  // namespace cambium::engine
