#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "codegen/llvm/cases_testing.h"
#include "codegen/llvm/native_testing.h"
#include "program/text.h"
#include "program/verify.h"

namespace cambium::codegen {
namespace {

TEST(Difference, OfANumberThatIsFiniteOnOneSideOnly) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const auto differ = [](double got, double want) {
    const auto of = [](double x) {
      return std::vector{program::Array::of(std::vector<float>{static_cast<float>(x)})};
    };
    return !difference(of(got), of(want), 1e-5).empty();
  };
  for (const double special : {inf, -inf, nan}) {
    EXPECT_FALSE(differ(special, special));
    EXPECT_TRUE(differ(special, 1));
    EXPECT_TRUE(differ(1, special));
  }
  EXPECT_TRUE(differ(inf, -inf));
  EXPECT_TRUE(differ(inf, nan));
  EXPECT_FALSE(differ(1, 1 + 1e-6));
}

class Programs : public testing::TestWithParam<Case> {};

TEST_P(Programs, ComputeNativelyWhatTheyAreInterpretedAs) {
  program::Context cx;
  const auto program = program::parse(cx, GetParam().text);
  ASSERT_TRUE(program.ok()) << program.rejection().message();
  const auto sound = program::check(cx, *program, program::Stage::Scheduled);
  if (!sound.ok() && !name_of(sound.rejection().reason()).ends_with("NotProved")) {
    ADD_FAILURE() << sound.rejection().message();
  }
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    ASSERT_EQ(mismatch(cx, *program, seed, 1e-5), "")
        << llvm_backend().print_ir(cx, *program, host_machine()).value();
  }
}

// The same code for other vector lengths, as far as this machine can run them.
TEST_P(Programs, ComputeTheSameInShorterVectors) {
  program::Context cx;
  const auto program = program::parse(cx, GetParam().text);
  ASSERT_TRUE(program.ok()) << program.rejection().message();
  const Machine machine = machine_named("avx2").value();
  if (!machine.runs_here()) GTEST_SKIP() << "no AVX2 here";
  const auto arguments = random_arguments(*program, 7);
  const auto want = program::interpret(cx, *program, arguments);
  const auto code = compile_kernel(cx, *program, machine);
  ASSERT_TRUE(code.ok()) << code.rejection().message();
  const auto got = run_native(*program, *code, arguments, 2);
  ASSERT_TRUE(got.ok()) << got.rejection().message();
  EXPECT_EQ(difference(*got, *want, 1e-5), "");
}

INSTANTIATE_TEST_SUITE_P(, Programs, testing::ValuesIn(cases().begin(), cases().end()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace cambium::codegen
