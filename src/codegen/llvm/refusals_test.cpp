#include <gtest/gtest.h>

#include "codegen/llvm/gemm_testing.h"
#include "codegen/llvm/native_testing.h"
#include "program/text.h"

namespace cambium::codegen {
namespace {

Result<ObjectCode> compiled(const std::string& text, const CodegenOptions& options = {},
                            const Machine& machine = host_machine()) {
  program::Context cx;
  auto program = program::parse(cx, text);
  if (!program.ok()) return std::move(program).rejection();
  return compile_kernel(cx, *program, machine, options);
}

void expect_refusal(const Result<ObjectCode>& code, Reason reason, const std::string& words) {
  ASSERT_FALSE(code.ok());
  EXPECT_EQ(code.rejection().reason(), reason) << code.rejection().message();
  EXPECT_NE(code.rejection().message().find(words), std::string::npos)
      << code.rejection().message();
}

TEST(Refusals, RegistersWantKnownPlaces) {
  expect_refusal(compiled(R"(
program p(x: f32[8] input, y: f32[8] output) {
  local t: f32[8] @space("register")
  for i in 8 { block a(spatial i = i) { t[i] = x[i] } }
  for j in 8 { block b(spatial i = j) { y[i] = t[i] } }
})"),
                 Reason::NotInRegisters, "block 'a' uses it at a place that is not known");
}

TEST(Refusals, RegistersDoNotPassIntoParallelLoops) {
  expect_refusal(compiled(R"(
program p(x: f32[8] input, y: f32[8] output) {
  local t: f32[8] @space("register")
  for i in 8 unrolled { block a(spatial i = i) { t[i] = x[i] } }
  for j in 8 parallel { block b(spatial i = j) { y[i] = t[0] } }
})"),
                 Reason::NotInRegisters, "parallel loop 'j' does not begin its life");
}

TEST(Refusals, RegistersAreFew) {
  expect_refusal(compiled(R"(
program p(x: f32[1024] input, y: f32[1024] output) {
  local t: f32[1024] @space("register")
  for i in 1024 unrolled { block a(spatial i = i) { t[i] = x[i] } }
  for j in 1024 unrolled { block b(spatial i = j) { y[i] = t[i] } }
})"),
                 Reason::NotInRegisters, "it has 1024 elements");
}

TEST(Refusals, RegistersAreNotGatheredFrom) {
  expect_refusal(compiled(R"(
program p(x: f32[4] input, ids: i64[4] input, y: f32[4] output) {
  local t: f32[4] @space("register")
  for i in 4 unrolled { block a(spatial i = i) { t[i] = x[i] } }
  for j in 4 { block b(spatial i = j) { y[i] = gather(t, ids[i]) } }
})"),
                 Reason::NotInRegisters, "block 'b' gathers from it");
}

TEST(Refusals, OneRegisterElementIsNotWrittenByLanesUnderAMask) {
  expect_refusal(compiled(R"(
program p(x: f32[4] input, y: f32[1] output) {
  local t: f32[1] @space("register")
  for i in 4 vectorized { block a(spatial z in 1 = 0, spatial i = i) if i == 2 { t[z] = x[i] } }
  block b() { y[0] = t[0] }
})"),
                 Reason::NotInRegisters, "some lanes of block 'a' write one element");
}

TEST(Refusals, UnrolledCodeHasALimit) {
  expect_refusal(compiled(R"(
program p(x: f32[8192] input, y: f32[8192] output) {
  for i in 8192 unrolled { block a(spatial i = i) { y[i] = x[i] + 1.0 } }
})"),
                 Reason::CodeTooLarge, "at most 20000");
}

TEST(Refusals, TilesThatSpillAreRefusedWhenAsked) {
  const Machine machine = host_machine();
  const int lanes = static_cast<int>(machine.lanes());
  const std::string text = gemm_text(24, 8 * lanes, 40, lanes, 12);  // 48 accumulators
  const auto slow = compiled(text);
  ASSERT_TRUE(slow.ok()) << slow.rejection().message();
  EXPECT_GT(slow->facts.loop_spills, 0);
  CodegenOptions options;
  options.rejects_spills = true;
  expect_refusal(compiled(text, options), Reason::SpillsInLoop, "access the stack");
}

TEST(Refusals, UnknownProcessorsAreNamed) {
  Machine machine = host_machine();
  machine.cpu = "abacus";
  const std::string text = "program p(y: f32[1] output) { block a() { y[0] = 1.0 } }";
  expect_refusal(compiled(text, {}, machine), Reason::CodegenFailed, "abacus");
  machine.triple = "abacus-none-none";
  expect_refusal(compiled(text, {}, machine), Reason::CodegenFailed, "abacus");
}

TEST(Refusals, WhatIsNoObjectIsNotDisassembled) {
  ObjectCode junk;
  junk.bytes = "no object at all";
  const auto text = llvm_backend().print_assembly(junk, host_machine());
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.rejection().reason(), Reason::CodegenFailed);
}

TEST(Refusals, LoadingTellsMissingSymbolsAndForeignCode) {
  const auto nothing = llvm_backend().load({});
  ASSERT_TRUE(nothing.ok());
  const auto missing = (*nothing)->find("nobody");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.rejection().reason(), Reason::SymbolMissing);
  const std::string text = "program p(y: f32[1] output) { block a() { y[0] = 1.0 } }";
  const Machine other = machine_named(host_machine().isa == Isa::Neon ? "avx2" : "aarch64").value();
  const auto foreign = compiled(text, {}, other);
  ASSERT_TRUE(foreign.ok()) << foreign.rejection().message();
  const auto loaded = llvm_backend().load({&*foreign, 1});
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.rejection().reason(), Reason::ForeignMachine);
}

TEST(Refusals, CodeOfAnUnknownFormatIsNeitherLoadedNorDisassembled) {
  auto code = compiled("program p(y: f32[1] output) { block a() { y[0] = 1.0 } }");
  ASSERT_TRUE(code.ok());
  code->format = static_cast<CodeFormat>(7);
  const auto loaded = llvm_backend().load({&*code, 1});
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.rejection().reason(), Reason::Unavailable);
  EXPECT_NE(loaded.rejection().message().find("format 7"), std::string::npos);
  const auto text = llvm_backend().print_assembly(*code, host_machine());
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.rejection().reason(), Reason::Unavailable);
}

}  // namespace
}  // namespace cambium::codegen
