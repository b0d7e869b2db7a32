#include <filesystem>

#include "base/file.h"
#include "base/process.h"
#include "base/temporary_folder.h"
#include "codegen/codegen.h"

namespace cambium::codegen {
namespace {

struct Linker {
  std::string program, package;
  std::vector<std::string> libm;  // where the C library of that machine may be
};

Linker linker_for(const Machine& machine) {
  const bool is_arm = machine.isa == Isa::Neon;
#ifdef __aarch64__
  const bool is_cross = !is_arm;
#else
  const bool is_cross = is_arm;
#endif
  const std::string name = is_arm ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  const std::string package = is_arm ? "aarch64-linux-gnu" : "x86-64-linux-gnu";
  if (!is_cross) return {"ld", "binutils", {"/lib/" + name + "/libm.so.6", "/lib64/libm.so.6"}};
  return {name + "-ld", "binutils-" + package, {"/usr/" + name + "/lib/libm.so.6"}};
}

}  // namespace

Status link_shared(std::span<const ObjectCode> objects, std::string_view exported,
                   const Machine& machine, const std::string& path) {
  const Linker linker = linker_for(machine);
  CAMBIUM_TRY(const TemporaryFolder scratch, TemporaryFolder::make());
  const std::string script = scratch / "exports";
  CAMBIUM_REQUIRE(write_file(script, "{ global: " + std::string(exported) + "; local: *; };\n"));
  ProcessRequest request;
  request.argv = {linker.program,     "-shared", "-z", "noexecstack",
                  "--version-script", script,    "-o", path};
  for (std::size_t i = 0; i < objects.size(); ++i) {
    CAMBIUM_REQUIRE(check_format(objects[i], CodeFormat::Elf, linker.program));
    const std::string file = scratch / (std::to_string(i) + ".o");
    CAMBIUM_REQUIRE(write_file(file, objects[i].bytes));
    request.argv.push_back(file);
  }
  for (const std::string& libm : linker.libm) {
    if (!std::filesystem::exists(libm)) continue;
    request.argv.insert(request.argv.end(), {"--as-needed", libm});
    break;
  }
  const auto outcome = run_process(request);
  if (!outcome.ok()) return Rejection(Reason::LinkerMissing, linker.program, linker.package);
  if (!outcome->succeeded()) {
    const std::string& words = outcome->errors.empty() ? outcome->text() : outcome->errors;
    return Rejection(Reason::LinkFailed, linker.program, words.substr(0, words.find('\n')));
  }
  return Ok{};
}

}  // namespace cambium::codegen
