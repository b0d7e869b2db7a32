#include "engine/native.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/outputs.h"
#include "base/text.h"
#include "engine/documents.h"
#include "engine/memory.h"
#include "engine/tuned.h"
#include "lower/groups.h"
#include "lower/passes.h"
#include "model/cost.h"

namespace cambium::engine {

namespace {

using model::Model;
using model::Value;

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

Result<compile::CompiledModel> compile_model(const Model& model, const NativeOptions& options) {
  compile::Options compiling;
  CAMBIUM_TRY(compiling.machine, machine_named(options.machine));
  CAMBIUM_REQUIRE(check_passes(options.off));
  CAMBIUM_REQUIRE(check_memory(model, 1));
  compiling.off = options.off;
  compiling.jobs = options.jobs;
  compiling.progress = options.progress;
  CAMBIUM_TRY(compiling.schedules, schedules_from(options.db, compiling.machine, options.threads));
  return compile::compile(model, compiling);
}

std::int64_t largest_live_pair(const Model& prepared) {
  struct Life {
    std::int64_t bytes;
    std::size_t first, last;
  };
  std::map<Value, Life> lives;
  const std::vector<lower::FusionGroup> groups = lower::groups_of(prepared);
  const model::Uses uses(prepared);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const model::NodeId id : groups[g].nodes) {
      const model::Node& node = prepared.node(id);
      for (const Value input : node.inputs) {
        if (const auto life = lives.find(input); life != lives.end()) life->second.last = g;
      }
      for (std::uint32_t slot = 0; slot < node.outputs.size(); ++slot) {
        lives[{id, slot}] = {node.outputs[slot].bytes(), g, g};
      }
    }
  }
  // What lives in one group only never stands in memory; outputs stand in the caller's.
  std::vector<Life> kept;
  for (const auto& life : lives) {
    const auto readers = uses.of(life.first);
    const bool is_output = std::any_of(readers.begin(), readers.end(),
                                       [](const model::Use& use) { return !use.node.valid(); });
    if (life.second.last > life.second.first && !is_output) kept.push_back(life.second);
  }
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    largest = std::max(largest, kept[i].bytes);
    for (std::size_t j = i + 1; j < kept.size(); ++j) {
      const bool meet = kept[i].first <= kept[j].last && kept[j].first <= kept[i].last;
      if (meet) largest = std::max(largest, kept[i].bytes + kept[j].bytes);
    }
  }
  return largest;
}

Footprint footprint_of(const Model& model, const compile::CompiledModel& compiled,
                       const std::vector<std::string>& off) {
  Footprint out;
  out.weight_bytes = std::ssize(compiled.weights);
  out.workspace_bytes = compiled.workspace.bytes(1);
  out.plan_bytes = compiled.plan_bytes;
  out.live_bytes = compiled.live_bytes;
  out.model_bytes = cost_of(model).weight_bytes;
  const auto prepared = lower::prepare(model, off);
  CAMBIUM_CHECK(prepared.ok(), "it was compiled, so it was prepared before");
  out.pair_bytes = largest_live_pair(*prepared);
  return out;
}

Result<CompileReport> compile_library(const Model& model, const NativeOptions& options,
                                      const std::string& folder) {
  CAMBIUM_REQUIRE(check_output_folder(folder));
  CompileReport report;
  const auto start = std::chrono::steady_clock::now();
  CAMBIUM_TRY(const compile::CompiledModel compiled, compile_model(model, options));
  CAMBIUM_REQUIRE(compile::write_library(compiled, folder));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.model = model.name();
  report.machine = compiled.machine.name;
  report.folder = folder;
  const std::string name = compile::c_name(model.name());
  report.files = {name + ".so", name + ".h", name + ".weights", "manifest.json"};
  report.footprint = footprint_of(model, compiled, options.off);
  add_kernels(compiled, report);
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
