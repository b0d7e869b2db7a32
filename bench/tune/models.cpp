#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/core.h>
#include <unistd.h>

#include "base/file.h"
#include "engine/executor.h"
#include "engine/files.h"
#include "engine/native.h"
#include "engine/run.h"
#include "engine/tune.h"
#include "measure/timing.h"
#include "model/cost.h"
#include "peers/peer_process.h"
#include "tune/parts.h"

namespace cambium::bench {
namespace {

constexpr const char* kModels[] = {"resnet18", "resnet50", "mobilenet-v2", "bert-mini6"};
struct Script {
  const char* name;
  const char* file;
  bool tunes = false, is_torch = false;
};
constexpr Script kScripts[] = {{"onnxruntime", "onnx_runtime_peer.py"},
                               {"libtorch", "torch_peer.py", false, true},
                               {"tvm", "tvm_peer.py", true}};
constexpr std::uint64_t kSeed = 1;
constexpr double kBurst = 0.15;  // seconds; ours and theirs take turns
constexpr int kRounds = 15;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

// Turns of both, the median of the ratios of neighbours.
Result<nlohmann::json> against(PeerProcess& peer, const measure::Call& ours, int rounds) {
  std::vector<double> ratios, mine, theirs;
  for (int i = 0; i < rounds; ++i) {
    measure::BurstOptions how;
    how.slice_seconds = kBurst / static_cast<double>(how.slices);
    mine.push_back(measure::time_burst(ours, how).seconds);
    CAMBIUM_TRY(const double seconds, peer.burst(kBurst));
    theirs.push_back(seconds);
    ratios.push_back(seconds / mine.back());
    ::usleep(50'000);  // some libraries' threads spin after a call
  }
  std::vector<double> distances;
  for (const double r : ratios) distances.push_back(std::abs(r / median(ratios) - 1));
  return nlohmann::json{{"ratio", median(ratios)},
                        {"spread", median(distances)},
                        {"ours_seconds", median(mine)},
                        {"theirs_seconds", median(theirs)}};
}

nlohmann::json ask(const Script& script, const std::string& onnx, const std::string& name,
                   int threads, const TuneBenchOptions& options, const measure::Call& ours) {
  nlohmann::json out = {{"peer", script.name}};
  std::vector<std::string> argv = {script.is_torch ? options.torch_python : options.python,
                                   options.peers + "/" + script.file, onnx, "--threads",
                                   std::to_string(threads)};
  if (script.tunes) {
    argv.insert(argv.end(), {"--seconds", fmt::format("{}", options.seconds), "--work",
                             options.db + "." + name + std::to_string(threads) + ".tvm"});
  }
  auto peer = PeerProcess::start(argv);
  if (!peer.ok() || !peer->missing.empty()) {
    out["missing"] = peer.ok() ? peer->missing : peer.rejection().message();
    return out;
  }
  out["version"] = peer->version;
  out["note"] = peer->note;
  const auto compared = against(*peer, ours, options.quick ? 3 : kRounds);
  if (compared.ok()) {
    out.update(*compared);
  } else {
    out["missing"] = compared.rejection().message();
  }
  return out;
}

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
  nlohmann::json out = {
      {"seconds", gain.ours_seconds},          {"against_default", gain.ratio},
      {"against_default_spread", gain.spread}, {"trials", report.last.done},
      {"tasks", report.last.rows.size()},      {"tuning_seconds", report.last.seconds},
      {"macs", cost_of(model).macs},           {"peers", nlohmann::json::array()}};
  const std::string onnx = options.db + "." + name + ".onnx";
  CAMBIUM_REQUIRE(engine::save_model(model, onnx));
  for (const Script& script : kScripts) {
    out["peers"].push_back(ask(script, onnx, name, threads, options, call(tuned)));
  }
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
