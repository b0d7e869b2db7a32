#include <regex>

#include <gtest/gtest.h>

#include "codegen/llvm/cases_testing.h"
#include "codegen/llvm/gemm_testing.h"
#include "codegen/llvm/native_testing.h"
#include "program/text.h"

namespace cambium::codegen {
namespace {

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string ir_of(const char* name, const Machine& machine) {
  for (const Case& one : cases()) {
    if (std::string_view(one.name) != name) continue;
    program::Context cx;
    return llvm_backend().print_ir(cx, program::parse(cx, one.text).value(), machine).value();
  }
  return "no such case";
}

TEST(Kernel, MultipliesMatricesInRegisterTilesWithoutSpills) {
  for (const char* name : {"avx512", "avx2", "aarch64"}) {
    program::Context cx;
    const Machine machine = machine_named(name).value();
    const int lanes = static_cast<int>(machine.lanes());
    const int rows = machine.vector_registers == 32 ? 6 : 2;
    for (const char* hints : {"", "@unroll(4)"}) {
      const auto program =
          program::parse(cx, gemm_text(4 * rows, 8 * lanes, 40, lanes, rows, hints));
      ASSERT_TRUE(program.ok()) << program.rejection().message();
      const bool is_here = machine.isa == host_machine().isa;
      EXPECT_EQ(is_here ? mismatch(cx, *program, 1) : "", "");
      CodegenOptions options;
      options.rejects_spills = true;
      const auto code = compile_kernel(cx, *program, machine, options);
      ASSERT_TRUE(code.ok()) << name << ": " << code.rejection().message();
      EXPECT_LT(code->facts.ir_instructions, 400);
      EXPECT_GT(code->facts.code_bytes, 200);
    }
  }
}

TEST(Kernel, MakesABroadcastOnceForARowOfTheTile) {
  program::Context cx;
  const Machine machine = machine_named("avx512").value();
  const auto program = program::parse(cx, gemm_text(24, 128, 40, 16));
  const auto code = compile_kernel(cx, *program, machine);
  ASSERT_TRUE(code.ok()) << code.rejection().message();
  const std::string text = llvm_backend().print_assembly(*code, machine).value();
  EXPECT_EQ(count(text, "vbroadcastss"), 6U) << text;
  EXPECT_EQ(count(text, "vfmadd"), 24U) << text;
  EXPECT_EQ(count(text, "rsp"), 0U) << text;
}

TEST(Kernel, SharesOneLoadAmongShufflesOfAGroup) {
  const std::string ir = ir_of("GroupedShuffles", machine_named("avx512").value());
  EXPECT_EQ(count(ir, "load <16 x float>"), 5U + 4U) << ir;
  EXPECT_EQ(count(ir, "call <16 x float> @llvm.fma"), 20U) << ir;
}

TEST(Kernel, PrefetchesWhereAsked) {
  const std::string ir = ir_of("PixelsOverTwoDimensions", machine_named("avx512").value());
  EXPECT_GT(count(ir, "call void @llvm.prefetch"), 0U) << ir;
}

TEST(Kernel, ComputesExponentialsInVectors) {
  const std::string ir = ir_of("Softmax", machine_named("avx512").value());
  EXPECT_EQ(count(ir, "expf"), 0U) << ir;
}

// Measurements are kept by it: what emits the code is in it, and who optimizes.
TEST(Kernel, TellsItsVersionWithAHashOfItsSources) {
  const std::string text = version(host_machine());
  EXPECT_TRUE(std::regex_match(text, std::regex("[0-9]+-[0-9a-f]{12}-llvm-[0-9.]+.*"))) << text;
}

}  // namespace
}  // namespace cambium::codegen
