// cambium-bench-models: whole models at batch 1 as native code, checked against the reference
// executor before they are timed, and against the frameworks that are installed. Reached by
// `cambium bench models`.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "base/quantile.h"
#include "base/text.h"
#include "cli/common.h"
#include "cli/table.h"
#include "commit.h"
#include "engine/documents.h"
#include "engine/executor.h"
#include "engine/files.h"
#include "engine/machines.h"
#include "engine/native.h"
#include "engine/run.h"
#include "measure/timing.h"
#include "model/cost.h"
#include "peers/frameworks.h"

namespace cambium::bench {
namespace {

constexpr std::uint64_t kSeed = 1;

struct Case {
  std::string_view name;
  bool quick;
};
constexpr Case kCases[] = {
    {"resnet18", true}, {"resnet50", false}, {"mobilenet-v2", true}, {"bert-mini6", true}};

struct Options {
  std::vector<std::string> models;  // as commands take them; none: the cases above
  std::vector<std::string> only;
  int threads = 1, jobs = 1;
  std::string db;
  FrameworkOptions peers;
  bool quick = false, json = false;
};

struct Row {
  std::string name, refused;
  double compile_seconds = 0, median_kernel_seconds = 0;
  std::int64_t kernels = 0, macs = 0;
  std::int64_t tuned = 0;  // calls of kernels with a schedule of the database
  std::int64_t plain = 0;  // calls of kernels whose tuned or default schedule was refused
  engine::OutputError error;
  engine::Footprint footprint;
  measure::Burst burst;
  nlohmann::json peers;  // of peers/frameworks.h

  double gflops() const { return 2e-9 * static_cast<double>(macs) / burst.seconds; }
};

double median_kernel_seconds(const compile::CompiledModel& compiled) {
  std::vector<double> seconds;
  for (const codegen::ObjectCode& object : compiled.objects)
    seconds.push_back(object.facts.seconds);
  if (!seconds.empty()) seconds.pop_back();  // the driver
  return median(std::move(seconds));
}

Status measure_one(const Options& options, Row& row) {
  CAMBIUM_TRY(const engine::Loaded loaded, engine::load_model(row.name, {{}, kSeed}));
  const model::Model& model = loaded.model;
  row.macs = cost_of(model).macs;
  const auto start = std::chrono::steady_clock::now();
  CAMBIUM_TRY(
      compile::CompiledModel compiled,
      engine::compile_model(model, {"host", {}, options.jobs, {}, options.db, options.threads}));
  row.compile_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  row.kernels = std::ssize(compiled.objects) - 1;
  row.median_kernel_seconds = median_kernel_seconds(compiled);
  row.tuned = std::count_if(compiled.kernels.begin(), compiled.kernels.end(),
                            [](const auto& kernel) { return kernel.is_tuned; });
  row.plain = std::count_if(compiled.kernels.begin(), compiled.kernels.end(),
                            [](const auto& kernel) { return kernel.is_plain; });
  row.footprint = engine::footprint_of(model, compiled);
  CAMBIUM_TRY(compile::NativeModel native, compile::NativeModel::load(std::move(compiled)));

  const std::vector<model::Tensor> inputs = engine::random_inputs(model, kSeed);
  ThreadPool pool(options.threads), all(options.jobs);
  CAMBIUM_TRY(const auto outputs, native.run(inputs, pool));
  CAMBIUM_TRY(const auto expected, engine::reference_executor(model)->run(inputs, 0, all));
  row.error = engine::compare_outputs(model, outputs, expected);
  CAMBIUM_REQUIRE(engine::check_error(row.error));

  const measure::Call ours = [&] {
    const auto ignored = native.run(inputs, pool);
    CAMBIUM_CHECK(ignored.ok(), "it ran before");
  };
  row.burst = measure::time_burst(ours);
  FrameworkOptions peers = options.peers;
  peers.threads = options.threads;
  if (options.quick) peers.rounds = 5;
  row.peers = nlohmann::json::array();
  for (const Framework framework :
       {Framework::OnnxRuntime, Framework::OpenVino, Framework::LibTorch}) {
    row.peers.push_back(json_of(compare_framework(framework, model, ours, peers)));
  }
  return Ok{};
}

std::string ratio_text(const nlohmann::json& peer) {
  return peer.contains("ratio") ? fmt::format("{:.2f}", peer["ratio"].get<double>()) : "missing";
}

std::string rows_text(const std::vector<Row>& rows) {
  using cli::Column;
  constexpr Column::Align kRight = Column::Align::Right;
  cli::Table table({{"model", Column::Align::Left, false},
                    {"compile s", kRight, false},
                    {"kernels", kRight, false},
                    {"tuned", kRight, false},
                    {"plain", kRight, false},
                    {"median ms", kRight, false},
                    {"ms", kRight, false},
                    {"GFLOP/s", kRight, false},
                    {"error", kRight, false},
                    {"weights", kRight, false},
                    {"plan", kRight, false},
                    {"pair", kRight, false},
                    {"peak", kRight, false},
                    {"onnxruntime", kRight, false},
                    {"openvino", kRight, false},
                    {"libtorch", kRight, false}});
  for (const Row& row : rows) {
    if (!row.refused.empty()) continue;
    const engine::Footprint& f = row.footprint;
    table.add({row.name, fmt::format("{:.1f}", row.compile_seconds), std::to_string(row.kernels),
               row.tuned == 0 ? "" : std::to_string(row.tuned),
               row.plain == 0 ? "" : std::to_string(row.plain),
               fmt::format("{:.1f}", row.median_kernel_seconds * 1e3),
               fmt::format("{:.2f}", row.burst.seconds * 1e3), fmt::format("{:.1f}", row.gflops()),
               fmt::format("{:.1e}", row.error.largest), human_bytes(f.weight_bytes),
               human_bytes(f.plan_bytes), human_bytes(f.pair_bytes),
               fmt::format("{:.2f}", f.ratio()), ratio_text(row.peers.at(0)),
               ratio_text(row.peers.at(1)), ratio_text(row.peers.at(2))});
  }
  return table.text(cli::terminal_width());
}

struct PeerSummary {
  std::int64_t compared = 0;
  double mean = 0, worst = 0;
  std::string worst_case, version, missing;  // why there was none, the first time
};
struct Summary {
  std::int64_t count = 0, refused = 0;
  double worst_peak = 0;
  std::map<std::string, PeerSummary> peers;
};

void count_peer(const std::string& model, const nlohmann::json& peer, PeerSummary& out) {
  if (!peer.contains("ratio")) {
    if (out.missing.empty()) out.missing = peer["missing"].get<std::string>();
    return;
  }
  const double ratio = peer["ratio"].get<double>();
  out.version = peer["version"].get<std::string>();
  const auto before = static_cast<double>(out.compared++);
  out.mean = std::pow(out.mean, before / (before + 1)) * std::pow(ratio, 1 / (before + 1));
  if (out.compared > 1 && ratio >= out.worst) return;
  out.worst = ratio;
  out.worst_case = model;
}

Summary summarize(const std::vector<Row>& rows) {
  Summary out;
  for (const Row& row : rows) {
    ++out.count;
    if (!row.refused.empty()) {
      ++out.refused;
      continue;
    }
    out.worst_peak = std::max(out.worst_peak, row.footprint.ratio());
    for (const auto& peer : row.peers) {
      count_peer(row.name, peer, out.peers[peer["peer"].get<std::string>()]);
    }
  }
  return out;
}

nlohmann::json json_of(const Row& row) {
  nlohmann::json out = {{"case", row.name}};
  if (!row.refused.empty()) {
    out["refused"] = row.refused;
    return out;
  }
  const engine::Footprint& f = row.footprint;
  out["compile_seconds"] = row.compile_seconds;
  out["kernels"] = row.kernels;
  out["tuned_calls"] = row.tuned;
  out["plain_calls"] = row.plain;
  out["median_kernel_seconds"] = row.median_kernel_seconds;
  out["seconds"] = row.burst.seconds;
  out["spread"] = row.burst.spread;
  out["gflops"] = row.gflops();
  out["error"] = row.error.largest;
  out["memory"] = {{"weight_bytes", f.weight_bytes},
                   {"workspace_bytes", f.workspace_bytes},
                   {"plan_bytes", f.plan_bytes},
                   {"live_bytes", f.live_bytes},
                   {"model_bytes", f.model_bytes},
                   {"pair_bytes", f.pair_bytes},
                   {"ratio", f.ratio()}};
  out["peers"] = row.peers;
  return out;
}

nlohmann::json to_json(const std::vector<Row>& rows, const Machine& machine,
                       const Options& options) {
  nlohmann::json out = engine::document("bench", 1);
  out["name"] = "models";
  out["commit"] = std::string(commit());
  out["machine"] = engine::json_of(machine);
  out["options"] = {
      {"threads", options.threads}, {"quick", options.quick}, {"seed", kSeed}, {"db", options.db}};
  out["rows"] = nlohmann::json::array();
  for (const Row& row : rows) out["rows"].push_back(json_of(row));
  const Summary summary = summarize(rows);
  out["summary"] = {{"count", summary.count},
                    {"refused", summary.refused},
                    {"worst_memory_ratio", summary.worst_peak},
                    {"peers", nlohmann::json::array()}};
  for (const auto& [name, peer] : summary.peers) {
    nlohmann::json line = {{"peer", name}, {"compared", peer.compared}};
    if (peer.compared > 0) {
      line.update(
          {{"geometric_mean", peer.mean}, {"worst", peer.worst}, {"worst_case", peer.worst_case}});
    }
    out["summary"]["peers"].push_back(std::move(line));
  }
  return out;
}

int print_rows(const std::vector<Row>& rows) {
  const Summary summary = summarize(rows);
  std::string text = rows_text(rows);
  for (const Row& row : rows) {
    if (!row.refused.empty()) text += fmt::format("{}: {}\n", row.name, row.refused);
  }
  text += fmt::format(
      "\n{} models, {} refused or wrong; memory at worst {:.2f} times the weights "
      "and the largest pair of live activations\n",
      summary.count, summary.refused, summary.worst_peak);
  for (const auto& [name, peer] : summary.peers) {
    if (peer.compared > 0) {
      text += fmt::format(
          "{} {}: geometric mean {:.2f} over {} (above 1: ours is faster), worst {:.2f} ({})\n",
          name, peer.version, peer.mean, peer.compared, peer.worst, peer.worst_case);
    }
    if (!peer.missing.empty()) text += fmt::format("{} is missing: {}\n", name, peer.missing);
  }
  return cli::print(text);
}

std::vector<std::string> models_of(const Options& options) {
  if (!options.models.empty()) return options.models;
  std::vector<std::string> models;
  for (const Case& each : kCases) {
    const std::string name(each.name);
    const bool is_too_large = options.quick && options.only.empty() && !each.quick;
    if (!is_too_large && is_wanted(name, options.only)) models.push_back("zoo:" + name);
  }
  return models;
}

int run(const Options& options) {
  const auto machine = engine::probed_host(cli::cache_folder() + "/ceilings.json");
  if (!machine.ok()) return cli::refuse(machine.rejection());
  std::vector<Row> rows;
  for (const std::string& name : models_of(options)) {
    fmt::print(stderr, "{} ...\n", name);
    Row row;
    row.name = name;
    const Status status = measure_one(options, row);
    if (!status.ok()) row.refused = status.rejection().message();
    rows.push_back(std::move(row));
  }
  if (rows.empty()) {
    return cli::refuse(Rejection(Reason::BadOption, "--only", "no model has such a name"));
  }
  const int printed =
      options.json ? cli::print_document(to_json(rows, *machine, options)) : print_rows(rows);
  const bool failed = summarize(rows).refused > 0;
  return printed != cli::kDone ? printed : failed ? cli::kFailed : cli::kDone;
}

}  // namespace
}  // namespace cambium::bench

int main(int argc, char** argv) {
  CLI::App app{"Whole models at batch 1 as native code", "cambium bench models"};
  cambium::bench::Options options;
  auto* const models =
      app.add_option(
             "models", options.models,
             "models: FILE.onnx, FILE.cambium or zoo:NAME; default: four well-known networks")
          ->type_name("MODEL");
  app.add_option("--only", options.only,
                 "of the four networks, those whose name contains one of these")
      ->delimiter(',')
      ->type_name("NAME")
      ->excludes(models);
  app.add_option("--threads", options.threads, "threads that one run uses")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N")
      ->capture_default_str();
  options.jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  cambium::cli::add_schedules_option(app, options.db);
  app.add_option("--python", options.peers.python, "Python that has the peers of PyPI")
      ->type_name("FILE");
  app.add_option("--torch-python", options.peers.torch_python, "Python that has PyTorch")
      ->type_name("FILE");
  options.peers.folder = CAMBIUM_PEERS_FOLDER;
  app.add_option("--peers", options.peers.folder, "folder of the peers' scripts (bench/peers)")
      ->type_name("DIR");
  app.add_flag("--quick", options.quick, "fewer rounds, not the largest model");
  app.add_flag("--json", options.json, "print one JSON document (docs/schema/bench_models.json)");
  app.footer(
      "Examples:\n"
      "  cambium bench models --only resnet18 --threads 2\n"
      "  cambium bench models mine.onnx --db tuning.db");
  if (const auto code = cambium::bench::parse(app, argc, argv)) return *code;
  return cambium::bench::run(options);
}
