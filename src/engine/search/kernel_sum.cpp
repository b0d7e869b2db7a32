#include "engine/search/kernel_sum.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/dtype.h"
#include "base/machine.h"
#include "codegen/codegen.h"
#include "engine/native.h"
#include "engine/ranges.h"
#include "engine/search/evaluators.h"
#include "engine/search/weight_traffic.h"
#include "program/program.h"

namespace cambium::engine {
namespace {

KernelBytes bytes_of(const trial::TuningTask& task) {
  KernelBytes bytes;
  bytes.calls = task.task.weight;
  for (const program::Buffer* buffer : task.task.program->parameters) {
    const bool is_weight = buffer->role == program::Role::Constant;
    (is_weight ? bytes.weights : bytes.others) += buffer->elements() * size_of(buffer->dtype);
  }
  return bytes;
}

}  // namespace

Result<KernelSum> kernel_sum(const model::Model& model, int threads, KernelTimes& times,
                             const KernelTimes::Setting& setting) {
  CAMBIUM_TRY(const compile::LoweredModel lowered, lower_model(model, {}));
  KernelSum sum;
  auto tasks = trial::tasks_of(lowered, threads);
  if (!tasks.ok() && tasks.rejection().reason() == Reason::NothingToTune) return sum;
  CAMBIUM_REQUIRE(tasks);
  CAMBIUM_TRY(const std::vector<KernelTime> known, times.of(*tasks, setting));
  double squares = 0;
  std::vector<KernelBytes> bytes;
  for (std::size_t i = 0; i < known.size(); ++i) {
    bytes.push_back(bytes_of((*tasks)[i]));
    const double all = known[i].seconds * (*tasks)[i].task.weight;
    sum.seconds += all;
    squares += (all * known[i].spread) * (all * known[i].spread);
    sum.calls += static_cast<std::int64_t>((*tasks)[i].task.weight);
  }
  CAMBIUM_TRY(const Machine* const machine, times.machine(setting));
  sum.traffic_seconds = weight_traffic_seconds(bytes, *machine, threads);
  sum.seconds += sum.traffic_seconds;
  sum.kernels = static_cast<std::int64_t>(known.size());
  sum.spread = sum.seconds > 0 ? std::sqrt(squares) / sum.seconds : 0;
  return sum;
}

Evaluator kernel_sum_evaluator() {
  Evaluator evaluator;
  evaluator.name = kKernelSum;
  evaluator.version = kernel_sum_version();
  // The table lives as long as the worker.
  evaluator.evaluate = [times = std::make_shared<KernelTimes>()](
                           const EvaluationRequest& request) -> Result<Findings> {
    KernelTimes::Setting setting;
    CAMBIUM_TRY(const int threads, integer_option(request.options, "threads", 1, ranges::kThreads));
    CAMBIUM_TRY(setting.jobs, integer_option(request.options, "jobs", threads, ranges::kThreads));
    CAMBIUM_TRY(setting.trials, trials_of(request.key.fidelity));
    setting.db = request.setting.db;
    setting.machine_file = request.setting.machine_file;
    setting.seed = request.key.seed;
    CAMBIUM_TRY(const KernelSum sum, kernel_sum(request.model, threads, *times, setting));
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
