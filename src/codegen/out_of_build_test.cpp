#include <gtest/gtest.h>

#include "base/features.h"
#include "codegen/codegen.h"
#include "program/text.h"

namespace cambium::codegen {
namespace {

TEST(OutOfBuild, RefusesWithoutLlvmAndOnlyThen) {
  const bool is_in = require_feature("llvm").ok();
  program::Context cx;
  const auto program =
      program::parse(cx, "program p(y: f32[1] output) { block a() { y[0] = 1.0 } }");
  ASSERT_TRUE(program.ok());
  const auto code = compile_kernel(cx, *program, host_machine());
  const auto ir = print_ir(cx, *program, host_machine());
  const auto driver = compile_driver({}, host_machine());
  const auto jit = Jit::create();
  EXPECT_EQ(code.ok(), is_in);
  EXPECT_EQ(ir.ok(), is_in);
  EXPECT_EQ(driver.ok(), is_in);
  EXPECT_EQ(jit.ok(), is_in);
  EXPECT_EQ(version().find("llvm") != std::string::npos, is_in);
  if (!is_in) {
    EXPECT_EQ(code.rejection().reason(), Reason::Unavailable);
  }
}

}  // namespace
}  // namespace cambium::codegen
