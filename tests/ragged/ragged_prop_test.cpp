// Whatever the number of columns, the default schedule of a contraction computes what it means, in
// vectors of both sizes, keeps its accumulators in whole
// registers, and does not spill.
#include <limits>

#include <gtest/gtest.h>

#include "codegen/llvm/native_testing.h"
#include "program/interpret.h"
#include "schedule/defaults/default_schedule.h"
#include "schedule/rules/small_operators_testing.h"

namespace cambium {
namespace {

constexpr double kTolerance = 1e-5;

struct Ragged {
  const char* machine;
  std::int64_t kernel, first, last;
};

class RaggedWidths : public testing::TestWithParam<Ragged> {};

// Numbers that spoil every sum that they are in, and must spoil no other.
void put_specials(program::Array& data) {
  std::vector<double> numbers = data.as_doubles();
  numbers.front() = std::numeric_limits<double>::quiet_NaN();
  numbers[numbers.size() / 2] = std::numeric_limits<double>::infinity();
  numbers.back() = -std::numeric_limits<double>::infinity();
  data = program::Array::of(std::vector<float>(numbers.begin(), numbers.end()));
}

// What compiling takes: the preferred schedule or, where that spills, the one with small code.
void expect_right(const program::Program& lowered, program::Context& cx, const Machine& machine,
                  bool with_specials = false) {
  auto arguments = codegen::random_arguments(lowered, 3);
  if (with_specials) put_specials(arguments[0]);
  const auto want = program::interpret(cx, lowered, arguments);
  ASSERT_TRUE(want.ok()) << want.rejection().message();
  std::int64_t spills = 1;
  for (const auto which : {schedule::Default::Preferred, schedule::Default::LessUnrolled,
                           schedule::Default::SmallCode}) {
    if (spills == 0) break;
    const auto made = schedule::default_schedule(cx, lowered, machine, which);
    ASSERT_TRUE(made.ok()) << made.rejection().message();
    EXPECT_EQ(schedule::untiled_contraction(lowered, made->trace()), "");
    const auto code = codegen::compile_kernel(cx, made->program(), machine);
    ASSERT_TRUE(code.ok()) << code.rejection().message();
    spills = code->facts.loop_spills;
    // One element at a time takes ten times as much.
    EXPECT_LT(code->facts.code_bytes, 40'000);
    if (!machine.runs_here()) continue;
    const auto got = codegen::run_native(made->program(), *code, arguments);
    ASSERT_TRUE(got.ok()) << got.rejection().message();
    EXPECT_EQ(codegen::difference(*got, *want, kTolerance), "");
  }
  EXPECT_EQ(spills, 0);
}

TEST_P(RaggedWidths, ComputeWhatTheyMean) {
  const Ragged& given = GetParam();
  const Machine machine = machine_named(given.machine).value();
  for (std::int64_t columns = given.first; columns <= given.last; ++columns) {
    SCOPED_TRACE(columns);
    program::Context cx;
    // 24 channels: terms side by side in lanes, by twos and fours, are possible.
    const schedule::Conv shape{5, 24, columns, given.kernel, 1, given.kernel / 2, 1};
    expect_right(schedule::conv(cx, shape), cx, machine, columns % 4 == 1);
  }
}

// Widths of a group of channels.
TEST(RaggedWidths, OfGroupsComputeWhatTheyMean) {
  for (const char* name : {"avx512", "avx2"}) {
    for (const std::int64_t columns : {9, 12, 17, 20, 24, 31, 40, 56, 100}) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(columns));
      program::Context cx;
      expect_right(schedule::conv(cx, {5, 48, 2 * columns, 3, 1, 1, 2}), cx,
                   machine_named(name).value(), columns % 2 == 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, RaggedWidths,
                         testing::Values(Ragged{"avx512", 1, 8, 130}, Ragged{"avx512", 3, 8, 36},
                                         Ragged{"avx2", 1, 8, 70}, Ragged{"avx2", 3, 8, 20}),
                         [](const auto& test) {
                           return std::string(test.param.machine) + "_" +
                                  std::to_string(test.param.kernel) + "x" +
                                  std::to_string(test.param.kernel);
                         });

TEST(RaggedWidths, OfMatrixProductsComputeWhatTheyMean) {
  for (const char* name : {"avx512", "avx2"}) {
    for (const std::int64_t columns : {3, 9, 17, 24, 40, 56, 61}) {
      SCOPED_TRACE(columns);
      program::Context cx;
      expect_right(schedule::matmul(cx, 13, columns, 28), cx, machine_named(name).value());
    }
  }
}

}  // namespace
}  // namespace cambium
