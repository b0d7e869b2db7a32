#include "engine/search/latency.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/features.h"
#include "base/quantile.h"
#include "base/thread_pool.h"
#include "codegen/codegen.h"
#include "engine/executor.h"
#include "engine/machines.h"
#include "engine/native.h"
#include "engine/run.h"
#include "engine/tune.h"
#include "engine/tuning_tasks.h"
#include "measure/timing.h"
#include "model/reference/execute.h"

namespace cambium::engine {
namespace {

constexpr std::int64_t kBursts = 15;

Status tune_for(const model::Model& model, const LatencyOptions& options) {
  CAMBIUM_TRY(const Machine machine, probed_host(options.machine_file));
  CAMBIUM_TRY(const std::vector<TuningTask> tasks, tasks_of(model, {}, options.threads));
  TuningOptions tuning;
  tuning.trials = options.trials;
  tuning.seconds = options.tuning_seconds;
  tuning.jobs = options.jobs;
  tuning.db = options.db;
  tuning.seed = options.seed;
  CAMBIUM_TRY([[maybe_unused]] const TuningReport report, tune_tasks(tasks, machine, tuning));
  return Ok{};
}

}  // namespace

Result<Latency> measure_latency(const model::Model& model, const LatencyOptions& options) {
  if (options.trials > 0) CAMBIUM_REQUIRE(tune_for(model, options));
  NativeOptions native;
  native.jobs = options.jobs;
  std::error_code unknown;
  if (std::filesystem::exists(options.db, unknown)) native.db = options.db;
  native.threads = options.threads;
  CAMBIUM_TRY(compile::CompiledModel compiled, compile_model(model, native));
  Latency latency;
  const Footprint footprint = footprint_of(model, compiled, {});
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

  std::vector<double> times;
  for (std::int64_t i = 0; i < kBursts; ++i) {
    const measure::Burst burst = measure::time_burst([&] { (void)loaded.run(inputs, pool); });
    times.push_back(burst.seconds);
  }
  latency.seconds = median(times);
  for (double& time : times) time = std::abs(time - latency.seconds) / latency.seconds;
  latency.spread = median(times);
  latency.bursts = kBursts;
  return latency;
}

Evaluator latency_evaluator() {
  Evaluator evaluator;
  evaluator.name = "latency";
  evaluator.version = "1 " + codegen::version();
  evaluator.evaluate = [](const EvaluationRequest& request) -> Result<Findings> {
    LatencyOptions options;
    CAMBIUM_TRY(const std::int64_t threads, integer_option(request.options, "threads", 1));
    CAMBIUM_TRY(const std::int64_t jobs, integer_option(request.options, "jobs", threads));
    CAMBIUM_TRY(const std::int64_t seconds, integer_option(request.options, "seconds", 0));
    options.threads = static_cast<int>(threads);
    options.jobs = static_cast<int>(jobs);
    options.tuning_seconds = static_cast<double>(seconds);
    options.trials = static_cast<std::int64_t>(request.key.fidelity);
    options.seed = request.key.seed;
    options.db = request.setting.db;
    options.machine_file = request.setting.machine_file;
    CAMBIUM_TRY(const Latency latency, measure_latency(request.model, options));
    Findings findings;
    findings.values["latency"] = {latency.seconds, latency.spread, latency.bursts, false};
    // Not the metric `memory`, which follows from shapes: limits on that compare like with like.
    findings.values["native_memory"] = {static_cast<double>(latency.memory_bytes), 0, 1, false};
    return findings;
  };
  return evaluator;
}

Result<search::Offer> latency_offer() {
  CAMBIUM_REQUIRE(require_feature("llvm"));
  return search::Offer{latency_evaluator().version, fingerprint_of(host_machine())};
}

}  // namespace cambium::engine
