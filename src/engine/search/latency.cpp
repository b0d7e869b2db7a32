#include "engine/search/latency.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/thread_pool.h"
#include "codegen/codegen.h"
#include "engine/executor.h"
#include "engine/machines.h"
#include "engine/native.h"
#include "engine/ranges.h"
#include "engine/run.h"
#include "engine/search/evaluators.h"
#include "engine/tune.h"
#include "measure/timing.h"
#include "model/reference/execute.h"

namespace cambium::engine {
namespace {

constexpr std::int64_t kBursts = 15;

Status tune_for(const compile::LoweredModel& lowered, const LatencyOptions& options) {
  CAMBIUM_TRY(const Machine machine, probed_host(options.machine_file));
  CAMBIUM_TRY(const std::vector<TuningTask> tasks, trial::tasks_of(lowered, options.threads));
  TuningOptions tuning;
  tuning.trials = options.trials;
  tuning.patience = 0;  // the number of trials is part of the key
  tuning.seconds = options.tuning_seconds;
  tuning.jobs = options.jobs;
  tuning.db = options.db;
  tuning.seed = options.seed;
  CAMBIUM_TRY([[maybe_unused]] const TuningReport report, tune_tasks(tasks, machine, tuning));
  return Ok{};
}

Result<compile::CompiledModel> compiled_for(const compile::LoweredModel& lowered,
                                            const LatencyOptions& options) {
  NativeOptions native;
  native.jobs = options.jobs;
  std::error_code unknown;
  // Without tuning, tuned schedules are not used either: those that others add to the database
  // would change the times of one key.
  const bool is_tuned = options.trials > 0;
  if (is_tuned && std::filesystem::exists(options.db, unknown)) native.db = options.db;
  native.threads = options.threads;
  return compile_lowered(lowered, native);
}

measure::Call call_of(compile::NativeModel& model, const std::vector<model::Tensor>& inputs,
                      ThreadPool& pool) {
  return [&] { (void)model.run(inputs, pool); };
}

// In turn, so that disturbances of the machine hit both.
Status compare_with(const model::Model& other, const LatencyOptions& options,
                    compile::NativeModel& own, const std::vector<model::Tensor>& inputs,
                    ThreadPool& pool, Latency& latency) {
  CAMBIUM_TRY(const compile::LoweredModel lowered, lower_model(other, {}));
  CAMBIUM_TRY(compile::CompiledModel compiled, compiled_for(lowered, options));
  CAMBIUM_TRY(compile::NativeModel loaded, compile::NativeModel::load(std::move(compiled)));
  CAMBIUM_TRY([[maybe_unused]] const auto outputs, loaded.run(inputs, pool));
  measure::ComparisonOptions how;
  how.burst.clock = options.clock;
  how.rounds = kBursts;
  const measure::Comparison found =
      measure::compare(call_of(own, inputs, pool), call_of(loaded, inputs, pool), how);
  latency.speedup = found.ratio;
  latency.speedup_spread = found.spread;
  return Ok{};
}

}  // namespace

Result<Latency> measure_latency(const model::Model& model, const LatencyOptions& options) {
  CAMBIUM_TRY(const compile::LoweredModel lowered, lower_model(model, {}));
  if (options.trials > 0) CAMBIUM_REQUIRE(tune_for(lowered, options));
  CAMBIUM_TRY(compile::CompiledModel compiled, compiled_for(lowered, options));
  Latency latency;
  const Footprint footprint = footprint_of(model, compiled);
  latency.memory_bytes = footprint.weight_bytes + footprint.workspace_bytes;
  latency.kernels = static_cast<std::int64_t>(compiled.kernels.size());
  for (const compile::KernelReport& kernel : compiled.kernels) latency.tuned += kernel.is_tuned;
  CAMBIUM_TRY(compile::NativeModel loaded, compile::NativeModel::load(std::move(compiled)));

  ThreadPool pool(options.threads);
  const std::vector<model::Tensor> inputs = random_inputs(model, options.seed);
  CAMBIUM_TRY(const std::vector<model::Tensor> expected, execute(model, inputs, {&pool, {}}));
  CAMBIUM_TRY(const std::vector<model::Tensor> outputs, loaded.run(inputs, pool));
  const OutputError error = compare_outputs(model, outputs, expected);
  CAMBIUM_REQUIRE(check_error(error));
  latency.error = error.largest;

  measure::BurstOptions how;
  how.clock = options.clock;
  const measure::Bursts time = measure::time_bursts(call_of(loaded, inputs, pool), kBursts, how);
  latency.seconds = time.seconds;
  latency.spread = time.spread;
  latency.bursts = time.count;
  if (options.beside == nullptr) return latency;
  CAMBIUM_REQUIRE(compare_with(*options.beside, options, loaded, inputs, pool, latency));
  return latency;
}

Evaluator latency_evaluator() {
  Evaluator evaluator;
  evaluator.name = kLatency;
  evaluator.version = latency_version();
  evaluator.evaluate = [](const EvaluationRequest& request) -> Result<Findings> {
    LatencyOptions options;
    CAMBIUM_TRY(options.threads, integer_option(request.options, "threads", 1, ranges::kThreads));
    CAMBIUM_TRY(options.jobs,
                integer_option(request.options, "jobs", options.threads, ranges::kThreads));
    CAMBIUM_TRY(const std::int64_t seconds,
                integer_option(request.options, "seconds", std::int64_t{0}, ranges::kWholeSeconds));
    options.tuning_seconds = static_cast<double>(seconds);
    CAMBIUM_TRY(options.trials, trials_of(request.key.fidelity));
    options.seed = request.key.seed;
    options.db = request.setting.db;
    options.machine_file = request.setting.machine_file;
    // Only in the finals, because the original must be compiled for it.
    const bool is_compared = options.trials > 0 && !request.is_original;
    if (is_compared) options.beside = request.original;
    CAMBIUM_TRY(const Latency latency, measure_latency(request.model, options));
    Findings findings;
    findings.values["latency"] = {latency.seconds, latency.spread, latency.bursts, false};
    if (latency.speedup > 0) {
      findings.values["speedup"] = {latency.speedup, latency.speedup_spread, latency.bursts, false};
    }
    // Not the metric `memory`, which follows from shapes, so that limits compare like with like.
    findings.values["native_memory"] = {static_cast<double>(latency.memory_bytes), 0, 1, false};
    return findings;
  };
  return evaluator;
}

std::string latency_version() {
  return "2 " + codegen::version(host_machine());
}

}  // namespace cambium::engine
