// Kernels for tests, compiled by the system's C compiler, so these tests need no code generator.
#pragma once

#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "base/scratch_folder_testing.h"
#include "codegen/codegen.h"

namespace cambium::measure {

inline constexpr char kKernelPrologue[] =
    "#include <stdint.h>\n"
    "#include <math.h>\n"
    "typedef void (*cambium_task)(void*, int64_t, int64_t, int64_t);\n"
    "typedef struct { void (*run)(void*, int64_t, int64_t, cambium_task, void*); void* self;\n"
    "                 int64_t workers; } cambium_parallel;\n";

// `body` is the body of `kernel`, with buffers as `b` and the workspace as `ws`. Nothing: there is
// no C compiler.
inline std::optional<codegen::ObjectCode> compile_c(const std::string& body,
                                                    const std::string& before = "",
                                                    const std::string& option = "-O2") {
  const ScratchFolder folder;
  const std::string stem = folder / "kernel";
  const std::string source = kKernelPrologue + before +
                             "\nvoid kernel(void* const* b, void* ws, const cambium_parallel* p) {"
                             "(void)b; (void)ws; (void)p;\n" +
                             body + "\n}\n";
  if (!write_file(stem + ".c", source)) return std::nullopt;
  ProcessRequest request;
  request.argv = {"cc", option,      "-fPIC", "-fno-builtin", "-fno-stack-protector",
                  "-c", stem + ".c", "-o",    stem + ".o"};
  const auto outcome = run_process(request);
  if (!outcome) return std::nullopt;
  EXPECT_TRUE(outcome->succeeded()) << outcome->errors;
  const auto bytes = read_file(stem + ".o");
  ::unlink((stem + ".c").c_str());
  ::unlink((stem + ".o").c_str());
  if (!bytes) return std::nullopt;
  codegen::ObjectCode code;
  code.bytes = *bytes;
  code.symbol = "kernel";
  return code;
}

}  // namespace cambium::measure

#define CAMBIUM_COMPILE_OR_SKIP(name, ...)                               \
  const auto compiled_##name = cambium::measure::compile_c(__VA_ARGS__); \
  if (!compiled_##name) GTEST_SKIP() << "there is no C compiler";        \
  const cambium::codegen::ObjectCode& name = *compiled_##name
