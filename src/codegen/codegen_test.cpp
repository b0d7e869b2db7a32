#include "codegen/codegen.h"

#include <gtest/gtest.h>

#include "base/features.h"
#include "program/text.h"

namespace cambium::codegen {
namespace {

TEST(Backends, AreThereInABuildWithLlvmAndOnlyThen) {
  const bool is_in = require_feature("llvm").ok();
  const auto backend = backend_for(host_machine());
  ASSERT_EQ(backend.ok(), is_in);
  EXPECT_EQ(version(host_machine()).find("llvm") != std::string::npos, is_in);
  program::Context cx;
  const auto program =
      program::parse(cx, "program p(y: f32[1] output) { block a() { y[0] = 1.0 } }");
  ASSERT_TRUE(program.ok());
  const auto code = compile_kernel(cx, *program, host_machine());
  EXPECT_EQ(code.ok(), is_in);
  if (!is_in) {
    EXPECT_EQ(backend.rejection().reason(), Reason::Unavailable);
    EXPECT_EQ(code.rejection().reason(), Reason::Unavailable);
    EXPECT_EQ(version(host_machine()), "none");
  }
}

}  // namespace
}  // namespace cambium::codegen
