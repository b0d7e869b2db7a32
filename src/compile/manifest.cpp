#include <nlohmann/json.hpp>

#include "base/features.h"
#include "base/json.h"
#include "compile/library_texts.h"

namespace cambium::compile {
namespace {

using nlohmann::json;

json tensors(const std::vector<model::TensorType>& types, const std::vector<std::string>& names) {
  json list = json::array();
  for (std::size_t i = 0; i < types.size(); ++i) {
    list.push_back({{"name", names[i]},
                    {"type", {{"dtype", name_of(types[i].dtype)}, {"dims", types[i].dims}}},
                    {"bytes", types[i].bytes()}});
  }
  return list;
}

json kernel_json(const KernelReport& kernel) {
  return {{"symbol", kernel.symbol},
          {"nodes", kernel.nodes},
          {"macs", kernel.macs},
          {"trace", kernel.trace},
          {"tuned", kernel.is_tuned},
          {"fallback", kernel.fallback},
          {"ir_instructions", kernel.facts.ir_instructions},
          {"code_bytes", kernel.facts.code_bytes},
          {"loop_spills", kernel.facts.loop_spills}};
}

}  // namespace

std::string manifest_text(const CompiledModel& model) {
  const std::string name = c_name(model.name);
  json kernels = json::array();
  for (const KernelReport& kernel : model.kernels) kernels.push_back(kernel_json(kernel));
  const json manifest{
      {"document", "cambium.manifest"},
      {"version", 1},
      {"cambium", version()},
      {"codegen", codegen::version(model.machine)},
      {"model", model.name},
      {"machine",
       {{"name", model.machine.name},
        {"triple", model.machine.triple},
        {"cpu", model.machine.cpu},
        {"features", model.machine.features}}},
      {"function", model.driver},
      {"files",
       {{"library", name + ".so"}, {"header", name + ".h"}, {"weights", name + ".weights"}}},
      {"inputs", tensors(model.inputs, model.input_names)},
      {"outputs", tensors(model.outputs, model.output_names)},
      {"weight_bytes", model.weights.size()},
      {"workspace",
       {{"shared_bytes", model.workspace.shared_bytes},
        {"worker_bytes", model.workspace.worker_bytes}}},
      {"plan_bytes", model.plan_bytes},
      {"live_bytes", model.live_bytes},
      {"kernels", kernels}};
  return pretty_json_text(manifest);
}

}  // namespace cambium::compile
