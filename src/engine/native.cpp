#include "engine/native.h"

#include <algorithm>
#include <chrono>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/outputs.h"
#include "base/text.h"
#include "engine/documents.h"
#include "engine/memory.h"
#include "engine/tuned.h"
#include "lower/passes.h"
#include "model/cost.h"

namespace cambium::engine {

namespace {

using model::Model;

constexpr std::size_t kSlowest = 5;

Status check_passes(const std::vector<std::string>& off) {
  const std::vector<std::string> names = pass_names();
  for (const std::string& name : off) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return Rejection(Reason::UnknownPass, name, join(names, ", "));
    }
  }
  return Ok{};
}

Result<compile::Options> compile_options(const NativeOptions& options) {
  compile::Options compiling;
  CAMBIUM_TRY(compiling.machine, machine_named(options.machine));
  CAMBIUM_TRY(compiling.schedules, schedules_from(options.db, compiling.machine, options.threads));
  compiling.jobs = options.jobs;
  compiling.progress = options.progress;
  return compiling;
}

void add_kernels(const compile::CompiledModel& compiled, CompileReport& report) {
  std::unordered_set<std::string> seen;
  for (const compile::KernelReport& kernel : compiled.kernels) {
    ++report.calls;
    if (!seen.insert(kernel.symbol).second) continue;
    report.slowest.push_back(kernel);
    if (!kernel.fallback.empty()) report.slower.push_back(kernel);
    report.plain_loops += kernel.is_plain ? 1 : 0;
    report.tuned += kernel.is_tuned ? 1 : 0;
    report.code_bytes += kernel.facts.code_bytes;
  }
  report.kernels = std::ssize(report.slowest);
  std::stable_sort(report.slowest.begin(), report.slowest.end(),
                   [](const auto& a, const auto& b) { return a.facts.seconds > b.facts.seconds; });
  if (!report.slowest.empty()) {
    report.median_kernel_seconds = report.slowest[report.slowest.size() / 2].facts.seconds;
  }
  if (report.slowest.size() > kSlowest) report.slowest.resize(kSlowest);
}

}  // namespace

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const lower::Pass& pass : lower::passes()) names.emplace_back(pass.name);
  return names;
}

Result<compile::LoweredModel> lower_model(const Model& model, const std::vector<std::string>& off) {
  CAMBIUM_REQUIRE(check_passes(off));
  CAMBIUM_REQUIRE(check_memory(model, 1));
  return compile::lower_model(model, off);
}

Result<compile::CompiledModel> compile_model(const Model& model, const NativeOptions& options) {
  CAMBIUM_TRY(const compile::Options compiling, compile_options(options));
  CAMBIUM_TRY(const compile::LoweredModel lowered, lower_model(model, options.off));
  return compile::compile(lowered, compiling);
}

Result<compile::CompiledModel> compile_lowered(const compile::LoweredModel& lowered,
                                               const NativeOptions& options) {
  CAMBIUM_TRY(const compile::Options compiling, compile_options(options));
  return compile::compile(lowered, compiling);
}

Footprint footprint_of(const Model& model, const compile::CompiledModel& compiled) {
  Footprint out;
  out.weight_bytes = std::ssize(compiled.weights);
  out.workspace_bytes = compiled.workspace.bytes(1);
  out.plan_bytes = compiled.plan_bytes;
  out.live_bytes = compiled.live_bytes;
  out.pair_bytes = compiled.pair_bytes;
  out.model_bytes = cost_of(model).weight_bytes;
  return out;
}

Result<CompileReport> compile_library(const Model& model, const NativeOptions& options,
                                      const std::string& folder) {
  CAMBIUM_REQUIRE(check_output_folder(folder));
  CompileReport report;
  const auto start = std::chrono::steady_clock::now();
  CAMBIUM_TRY(compile::CompiledModel compiled, compile_model(model, options));
  CAMBIUM_REQUIRE(compile::write_library(compiled, folder));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.model = model.name();
  report.machine = compiled.machine.name;
  report.folder = folder;
  const std::string name = compile::c_name(model.name());
  report.files = {name + ".so", name + ".h", name + ".weights", "manifest.json"};
  report.footprint = footprint_of(model, compiled);
  add_kernels(compiled, report);
  report.calls_in_order = std::move(compiled.kernels);
  return report;
}

nlohmann::json to_json(const CompileReport& report) {
  const Footprint& footprint = report.footprint;
  nlohmann::json slowest = nlohmann::json::array();
  for (const compile::KernelReport& kernel : report.slowest) {
    slowest.push_back({{"symbol", kernel.symbol},
                       {"nodes", kernel.nodes},
                       {"macs", kernel.macs},
                       {"seconds", kernel.facts.seconds},
                       {"code_bytes", kernel.facts.code_bytes},
                       {"ir_instructions", kernel.facts.ir_instructions},
                       {"loop_spills", kernel.facts.loop_spills}});
  }
  nlohmann::json slower = nlohmann::json::array();
  for (const compile::KernelReport& kernel : report.slower) {
    slower.push_back({{"symbol", kernel.symbol},
                      {"nodes", kernel.nodes},
                      {"reason", kernel.fallback},
                      {"plain_loops", kernel.is_plain}});
  }
  nlohmann::json out = document("compile", 1);
  out["model"] = report.model;
  out["machine"] = report.machine;
  out["folder"] = report.folder;
  out["files"] = report.files;
  out["seconds"] = report.seconds;
  out["calls"] = report.calls;
  out["kernels"] = report.kernels;
  out["tuned"] = report.tuned;
  out["code_bytes"] = report.code_bytes;
  out["median_kernel_seconds"] = report.median_kernel_seconds;
  out["memory"] = {{"weight_bytes", footprint.weight_bytes},
                   {"workspace_bytes", footprint.workspace_bytes},
                   {"plan_bytes", footprint.plan_bytes},
                   {"live_bytes", footprint.live_bytes},
                   {"model_bytes", footprint.model_bytes},
                   {"pair_bytes", footprint.pair_bytes},
                   {"ratio", footprint.ratio()}};
  out["slowest"] = std::move(slowest);
  out["plain_loops"] = report.plain_loops;
  out["slower"] = std::move(slower);
  return out;
}

}  // namespace cambium::engine
