
#include <fmt/core.h>

#include "engine/executor.h"
#include "engine/files.h"
#include "engine/native.h"
#include "engine/run.h"
#include "engine/tune.h"
#include "measure/timing.h"
#include "model/cost.h"
#include "peers/frameworks.h"
#include "tune/parts.h"

namespace cambium::bench {
namespace {

constexpr const char* kModels[] = {"resnet18", "resnet50", "mobilenet-v2", "bert-mini6"};
constexpr std::uint64_t kSeed = 1;

Result<nlohmann::json> measure_one(const std::string& name, int threads, const Machine& machine,
                                   const TuneBenchOptions& options) {
  CAMBIUM_TRY(const engine::Loaded loaded, engine::load_model("zoo:" + name, {{}, kSeed}));
  const model::Model& model = loaded.model;
  CAMBIUM_TRY(const auto tasks, engine::tasks_of(model, {}, threads));
  engine::TuningOptions tuning;
  tuning.trials = 1'000'000;  // the clock decides
  tuning.seconds = options.seconds;
  tuning.jobs = options.jobs;
  tuning.db = options.db;
  CAMBIUM_TRY(const engine::TuningReport report, engine::tune_tasks(tasks, machine, tuning));
  engine::NativeOptions how;
  how.jobs = options.jobs;
  how.threads = threads;
  const std::vector<model::Tensor> inputs = engine::random_inputs(model, kSeed);
  ThreadPool pool(threads), all(options.jobs);
  CAMBIUM_TRY(const auto expected, engine::reference_executor(model)->run(inputs, 0, all));
  const auto made = [&](const std::string& db) -> Result<compile::NativeModel> {
    how.db = db;
    CAMBIUM_TRY(compile::CompiledModel compiled, engine::compile_model(model, how));
    CAMBIUM_TRY(compile::NativeModel native, compile::NativeModel::load(std::move(compiled)));
    CAMBIUM_TRY(const auto outputs, native.run(inputs, pool));
    CAMBIUM_REQUIRE(engine::check_error(engine::compare_outputs(model, outputs, expected)));
    return native;
  };
  CAMBIUM_TRY(compile::NativeModel tuned, made(options.db));
  CAMBIUM_TRY(compile::NativeModel usual, made(""));
  const auto call = [&](compile::NativeModel& native) -> measure::Call {
    return [&] { static_cast<void>(native.run(inputs, pool)); };
  };
  const measure::Comparison gain = measure::compare(call(tuned), call(usual));
  nlohmann::json out = {{"seconds", gain.ours_seconds},
                        {"against_default", gain.ratio},
                        {"against_default_spread", gain.spread},
                        {"trials", report.last.done},
                        {"tasks", report.last.rows.size()},
                        {"tuning_seconds", report.last.seconds},
                        {"macs", cost_of(model).macs}};
  FrameworkOptions peers;
  peers.folder = options.peers;
  peers.python = options.python;
  peers.torch_python = options.torch_python;
  peers.threads = threads;
  if (options.quick) peers.rounds = 3;
  peers.tune_seconds = options.seconds;
  peers.work = fmt::format("{}.{}.{}", options.db, name, threads);
  out["peers"] = compare_frameworks(model, call(tuned), peers);
  return out;
}

}  // namespace

Status bench_models(const Machine& machine, const TuneBenchOptions& options, Results& results) {
  for (const char* name : kModels) {
    if (!is_wanted(name, options)) continue;
    for (const int threads : options.threads) {
      const nlohmann::json key = {
          {"part", "models"}, {"case", name}, {"threads", threads}, {"seconds", options.seconds}};
      if (results.find(key) != nullptr) continue;
      fmt::print(stderr, "{}, {} thread(s) ...\n", name, threads);
      const auto row = measure_one(name, threads, machine, options);
      CAMBIUM_REQUIRE(results.add(
          key, row.ok() ? *row : nlohmann::json{{"refused", row.rejection().message()}}));
    }
  }
  return Ok{};
}

std::string models_text(const Results& results) {
  std::string text;
  for (const nlohmann::json& row : results.rows()) {
    const nlohmann::json& key = row["key"];
    if (key["part"] != "models") continue;
    text += fmt::format("{:14} {} thread(s)", key["case"].get<std::string>(),
                        key["threads"].get<int>());
    if (row.contains("refused")) {
      text += "  " + row["refused"].get<std::string>() + "\n";
      continue;
    }
    text += fmt::format("  {:7.2f} ms, {:.2f} of the default, {} trials in {:.0f} s;",
                        row["seconds"].get<double>() * 1e3, row["against_default"].get<double>(),
                        row["trials"].get<std::int64_t>(), row["tuning_seconds"].get<double>());
    for (const nlohmann::json& peer : row["peers"]) {
      text += fmt::format("  {} ", peer["peer"].get<std::string>());
      text += peer.contains("ratio") ? fmt::format("{:.2f} ±{:.0f}%", peer["ratio"].get<double>(),
                                                   100 * peer["spread"].get<double>())
                                     : "missing (" + peer.value("missing", "") + ")";
    }
    text += '\n';
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace cambium::bench
