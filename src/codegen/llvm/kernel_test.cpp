#include <gtest/gtest.h>

#include "codegen/llvm/gemm_testing.h"
#include "codegen/llvm/native_testing.h"
#include "program/text.h"

namespace cambium::codegen {
namespace {

TEST(Kernel, MultipliesMatricesInRegisterTilesWithoutSpills) {
  program::Context cx;
  const Machine machine = host_machine();
  const int lanes = static_cast<int>(machine.lanes());
  const int rows = machine.vector_registers == 32 ? 6 : 2;
  const auto program = program::parse(cx, gemm_text(4 * rows, 8 * lanes, 40, lanes, rows));
  ASSERT_TRUE(program.ok()) << program.rejection().message();
  EXPECT_EQ(mismatch(cx, *program, 1), "");
  const auto code = compile_kernel(cx, *program, machine);
  ASSERT_TRUE(code.ok()) << code.rejection().message();
  EXPECT_EQ(code->facts.loop_spills, 0);
  EXPECT_LT(code->facts.ir_instructions, 300);
  EXPECT_GT(code->facts.code_bytes, 200);
}

}  // namespace
}  // namespace cambium::codegen
