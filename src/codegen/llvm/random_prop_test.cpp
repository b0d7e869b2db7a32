#include <gtest/gtest.h>

#include "codegen/llvm/native_testing.h"
#include "program/random_program.h"
#include "program/text.h"
#include "program/verify.h"

namespace cambium::codegen {
namespace {

constexpr std::uint64_t kCases = 300;

std::vector<program::Array> arrays(const std::vector<std::vector<double>>& inputs) {
  std::vector<program::Array> all;
  for (const auto& values : inputs) {
    all.push_back(program::Array::of(std::span<const double>(values)));
  }
  return all;
}

// Schedules are drawn without looking whether loops may be parallel; those that may not are passed.
TEST(RandomProgram, ComputesNativelyWhatItIsInterpretedAs) {
  std::uint64_t scheduled = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    program::Context cx;
    const program::RandomFormula formula = program::random_formula(seed);
    const auto arguments = arrays(program::random_inputs(formula, seed));
    const program::Program plain = program::plain_program(cx, formula);
    ASSERT_EQ(mismatch(cx, plain, arguments, 0), "") << "seed " << seed;
    const program::Program marked = program::scheduled_program(cx, formula, seed);
    if (!program::check(cx, marked, program::Stage::Scheduled).ok()) continue;
    ++scheduled;
    ASSERT_EQ(mismatch(cx, marked, arguments, 0), "") << "seed " << seed << "\n"
                                                      << program::to_text(cx, marked);
  }
  EXPECT_GT(scheduled, kCases / 4);
}

TEST(RandomProgram, ComputesTheSameInShorterVectors) {
  const Machine machine = machine_named("avx2").value();
  if (!machine.runs_here()) GTEST_SKIP() << "no AVX2 here";
  for (std::uint64_t seed = kCases; seed < 2 * kCases; ++seed) {
    program::Context cx;
    const program::RandomFormula formula = program::random_formula(seed);
    const auto arguments = arrays(program::random_inputs(formula, seed));
    const program::Program marked = program::scheduled_program(cx, formula, seed);
    if (!program::check(cx, marked, program::Stage::Scheduled).ok()) continue;
    const auto code = compile_kernel(cx, marked, machine);
    ASSERT_TRUE(code.ok()) << code.rejection().message();
    const auto got = run_native(marked, *code, arguments);
    ASSERT_TRUE(got.ok()) << got.rejection().message();
    ASSERT_EQ(difference(*got, *program::interpret(cx, marked, arguments), 0), "")
        << "seed " << seed << "\n"
        << program::to_text(cx, marked);
  }
}

}  // namespace
}  // namespace cambium::codegen
