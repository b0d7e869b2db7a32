#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/check.h"
#include "base/escape.h"
#include "base/features.h"
#include "compile/library_texts.h"

namespace cambium::compile {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// The declarations of the ABI, without what makes it a header of its own.
std::string_view abi_declarations() {
  const std::string_view text = kernel_abi_text();
  const std::size_t begin = text.find("#include <stdint.h>");
  CAMBIUM_CHECK(begin != std::string_view::npos, "kernel_abi.h does not include stdint.h");
  return text.substr(begin);
}

std::string sizes_of(const std::string& prefix, std::string_view kind,
                     const std::vector<model::TensorType>& types) {
  std::string text;
  for (std::size_t i = 0; i < types.size(); ++i) {
    text += fmt::format("#define {}_{}{}_BYTES {}\n", prefix, kind, i, types[i].bytes());
  }
  return text;
}

std::string parameters_of(std::string_view kind, const std::vector<model::TensorType>& types,
                          const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < types.size(); ++i) {
    text += fmt::format("     {}[{}]  {}  \"{}\"\n", kind, i, types[i].text(), c_comment(names[i]));
  }
  return text;
}

}  // namespace

std::string header_text(const CompiledModel& model) {
  const std::string name = c_name(model.name);
  const std::string prefix = upper(name);
  std::string text = fmt::format(
      "/* The model '{}' as native code for {} ({}), made by Cambium {}. */\n"
      "#ifndef {prefix}_H\n#define {prefix}_H\n\n"
      "#ifndef CAMBIUM_KERNEL_ABI\n#define CAMBIUM_KERNEL_ABI\n{abi}#endif\n\n",
      c_comment(model.name), c_comment(model.machine.name), c_comment(model.machine.cpu), version(),
      fmt::arg("prefix", prefix), fmt::arg("abi", abi_declarations()));
  text += fmt::format("#define {}_WEIGHT_BYTES {}\n", prefix, model.weights.size());
  text += fmt::format("#define {}_WORKSPACE_BYTES(workers) ({} + (workers) * {})\n", prefix,
                      model.workspace.shared_bytes, model.workspace.worker_bytes);
  text += sizes_of(prefix, "INPUT", model.inputs) + sizes_of(prefix, "OUTPUT", model.outputs);
  text += fmt::format(
      "\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
      "/* Runs the model once and returns 0. All tensors are dense, the last dimension innermost.\n"
      "{}{}"
      "     weights     the bytes of {name}.weights, at an address divisible by {align}\n"
      "     workspace   {prefix}_WORKSPACE_BYTES(workers) bytes at an address divisible by {align};"
      "\n                 calls that run at the same time need one each\n"
      "     parallel    shares loops among threads; NULL: one worker, the calling thread */\n"
      "int {driver}(const void* const* inputs, void* const* outputs, const void* weights,\n"
      "    void* workspace, const cambium_parallel* parallel);\n\n"
      "#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
      parameters_of("inputs", model.inputs, model.input_names),
      parameters_of("outputs", model.outputs, model.output_names), fmt::arg("name", name),
      fmt::arg("prefix", prefix), fmt::arg("align", kAlignment), fmt::arg("driver", model.driver));
  return text;
}

}  // namespace cambium::compile
