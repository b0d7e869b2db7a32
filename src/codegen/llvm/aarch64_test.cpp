#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/process.h"
#include "base/scratch_folder_testing.h"
#include "codegen/llvm/cases_testing.h"
#include "codegen/llvm/native_testing.h"
#include "program/text.h"

namespace cambium::codegen {
namespace {

using program::Array;

std::string array_text(const std::string& name, const std::string& bytes) {
  std::string text = "static _Alignas(64) unsigned char " + name + "[] = {";
  for (const char c : bytes) text += std::to_string(static_cast<unsigned char>(c)) + ",";
  return text + "0};\n";
}

// C code that runs one kernel on given buffers and compares what it wrote with what was expected.
std::string check_text(const program::Program& program, const std::string& symbol,
                       const std::vector<Array>& arguments, const std::vector<Array>& want) {
  std::string data;
  std::string list;
  std::string checks;
  std::size_t argument = 0;
  std::size_t output = 0;
  for (const program::Buffer* buffer : program.parameters) {
    const std::string name = symbol + "_" + std::string(buffer->name);
    if (buffer->role == program::Role::Output) {
      const Array& expected = want[output++];
      data += array_text(name, std::string(bytes_of(expected).size(), '\xcd'));
      data += array_text(name + "_want", bytes_of(expected));
      checks += "  bad += differ_" + std::string(name_of(buffer->dtype)) + "(" + name + ", " +
                name + "_want, " + std::to_string(expected.size()) + ", \"" + name + "\");\n";
    } else {
      data += array_text(name, bytes_of(arguments[argument++]));
    }
    list += name + ", ";
  }
  return data + "void " + symbol + "(void**, void*, void*);\nstatic int check_" + symbol +
         "(void) {\n  int bad = 0;\n  void* buffers[] = {" + list + "};\n  " + symbol +
         "(buffers, workspace, 0);\n" + checks + "  return bad;\n}\n";
}

constexpr const char* kHead = R"(
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static _Alignas(64) unsigned char workspace[1 << 20];
static int close_to(double x, double y, double unit) {
  return x == y || (x != x && y != y) || fabs(x - y) <= unit * fmax(fmax(fabs(x), fabs(y)), 1);
}
static double wide_f16(uint16_t bits) { __fp16 h; memcpy(&h, &bits, 2); return h; }
static double wide_bf16(uint16_t bits) { uint32_t w = (uint32_t)bits << 16; float f; memcpy(&f, &w, 4); return f; }
#define DIFFER(name, T, widen, unit) \
  static int differ_##name(const void* got, const void* want, int n, const char* what) { \
    for (int i = 0; i < n; ++i) { \
      const double x = widen(((const T*)got)[i]), y = widen(((const T*)want)[i]); \
      if (!close_to(x, y, unit)) return printf("%s[%d]: %g, not %g\n", what, i, x, y); \
    } \
    return 0; \
  }
DIFFER(f32, float, , 1e-5) DIFFER(f64, double, , 1e-12)
DIFFER(f16, uint16_t, wide_f16, 1e-3) DIFFER(bf16, uint16_t, wide_bf16, 8e-3)
DIFFER(i32, int32_t, , 0) DIFFER(i64, int64_t, , 0) DIFFER(u16, uint16_t, , 0) DIFFER(bool, uint8_t, , 0)
)";

// All the cases in one program for AArch64, in an emulator.
TEST(AArch64, ComputesWhatProgramsAreInterpretedAs) {
  for (const char* tool : {"aarch64-linux-gnu-gcc", "qemu-aarch64"}) {
    const auto found = run_process({{tool, "--version"}, "", {}});
    if (!found.ok() || !found->succeeded()) GTEST_SKIP() << tool << " is not there";
  }
  const ScratchFolder folder;
  std::string source = kHead;
  std::string calls;
  std::vector<std::string> build = {"aarch64-linux-gnu-gcc", "-w", "-O1", folder / "main.c"};
  for (const Case& one : cases()) {
    program::Context cx;
    const auto program = program::parse(cx, one.text);
    ASSERT_TRUE(program.ok()) << program.rejection().message();
    const std::vector<Array> arguments = random_arguments(*program, 3);
    const auto want = program::interpret(cx, *program, arguments);
    ASSERT_TRUE(want.ok()) << want.rejection().message();
    CodegenOptions options;
    options.symbol = one.name;
    const auto code = compile_kernel(cx, *program, machine_named("aarch64").value(), options);
    ASSERT_TRUE(code.ok()) << one.name << ": " << code.rejection().message();
    ASSERT_LE(code->workspace.bytes(1), 1 << 20);
    const std::string object = folder / (std::string(one.name) + ".o");
    ASSERT_TRUE(write_file(object, code->bytes).ok());
    build.push_back(object);
    source += check_text(*program, one.name, arguments, *want);
    calls += "  bad += check_" + std::string(one.name) + "();\n";
  }
  source += "int main(void) {\n  int bad = 0;\n" + calls + "  return bad != 0;\n}\n";
  ASSERT_TRUE(write_file(folder / "main.c", source).ok());
  build.insert(build.end(), {"-o", folder / "main", "-lm"});
  const auto built = run_process({build, "", {}});
  ASSERT_TRUE(built.ok() && built->succeeded()) << built->errors;
  const auto ran =
      run_process({{"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", folder / "main"}, "", {}});
  ASSERT_TRUE(ran.ok());
  EXPECT_TRUE(ran->succeeded()) << ran->text() << "\n" << ran->output << ran->errors;
}

}  // namespace
}  // namespace cambium::codegen
