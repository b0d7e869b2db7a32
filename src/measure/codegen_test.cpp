// From a program to a time, through everything: code generator, runner, check, both protocols.
#include <gtest/gtest.h>

#include "measure/gemm_kernels_testing.h"
#include "measure/measure.h"
#include "program/build.h"
#include "program/text.h"

namespace cambium::measure {
namespace {

using namespace program;  // NOLINT(google-build-using-namespace): programs are what is tested here

TEST(Path, AProgramBecomesCodeThatIsCheckedAndTimed) {
  Gemm gemm;
  const int n = 8 * gemm.lanes;
  const auto test = make_case(gemm.cx, lowered_gemm(gemm.cx, 48, n, 100, 4 * gemm.lanes));
  ASSERT_TRUE(test.ok()) << test.rejection().message();
  const codegen::ObjectCode tall = gemm.code(48, n, 100, 6), flat = gemm.code(48, n, 100, 1);
  Runner r = runner();
  const auto outputs = r.run(tall, test->buffers, test->arguments, 1);
  ASSERT_TRUE(outputs.ok()) << outputs.rejection().message();
  const auto error = check_outputs(*test, *outputs);
  ASSERT_TRUE(error.ok()) << error.rejection().message();
  EXPECT_LT(*error, 0.5);

  const auto ranked = r.rank({tall, *test}, 1);
  ASSERT_TRUE(ranked.ok()) << ranked.rejection().message();
  EXPECT_GT(ranked->value, 0);
  EXPECT_EQ(ranked->machine, fingerprint_of(host_machine()));
  EXPECT_GT(ranked->samples, 0);

  const auto compared = r.compare({tall, *test}, {flat, *test}, 1);
  ASSERT_TRUE(compared.ok()) << compared.rejection().message();
  EXPECT_GT(compared->ratio, 0);
}

TEST(Path, NoTimeOfAWrongResult) {
  Gemm gemm;
  const int n = 8 * gemm.lanes;
  const auto test = make_case(gemm.cx, lowered_gemm(gemm.cx, 48, n, 100, 4 * gemm.lanes));
  // One row of b is left out.
  const auto program = parse(gemm.cx, codegen::gemm_text(48, n, 99, gemm.lanes));
  const auto wrong = codegen::compile_kernel(gemm.cx, *program, gemm.machine);
  ASSERT_TRUE(wrong.ok()) << wrong.rejection().message();
  Runner r = runner();
  EXPECT_EQ(r.rank({*wrong, *test}, 1).rejection().reason(), Reason::WrongResult);
  const codegen::ObjectCode right = gemm.code(48, n, 100, 6);
  EXPECT_EQ(r.compare({right, *test}, {*wrong, *test}, 1).rejection().reason(),
            Reason::WrongResult);
}

// The objects of the code generator load, whatever of libm they call, and are as good as the bound.
TEST(Path, EveryFunctionStaysWithinItsBound) {
  Runner r = runner();
  for (int fn = 0; fn < static_cast<int>(UnaryFn::IsNan); ++fn) {
    const auto f = static_cast<UnaryFn>(fn);
    Context cx;
    Builder b(cx, "unary");
    const Mem x = b.input("x", {200}), y = b.output("y", {200});
    b.block("y", {spatial("i", 200)},
            [&](Point p) { return assign(y, {p[0]}, apply(f, x(p[0]) * 1.7 + 0.3) * x(p[0])); });
    const Program program = b.finish();
    const auto code = codegen::compile_kernel(cx, program, host_machine());
    ASSERT_TRUE(code.ok()) << name_of(f) << ": " << code.rejection().message();
    const auto test = make_case(cx, program);
    const auto outputs = r.run(*code, test->buffers, test->arguments, 1);
    ASSERT_TRUE(outputs.ok()) << name_of(f) << ": " << outputs.rejection().message();
    const auto error = check_outputs(*test, *outputs);
    EXPECT_TRUE(error.ok()) << name_of(f) << ": " << error.rejection().message();
  }
}

TEST(Path, RunsParallelLoopsOnThreads) {
  Context cx;
  const auto program = parse(cx, R"(
program scale(x: f32[64, 32] input, y: f32[64, 32] output) {
  for i in 64 parallel {
    for j in 32 {
      block y(spatial i = i, spatial j = j) { y[i, j] = x[i, j] * 2.0 }
    }
  }
})");
  ASSERT_TRUE(program.ok()) << program.rejection().message();
  const auto code = codegen::compile_kernel(cx, *program, host_machine());
  ASSERT_TRUE(code.ok()) << code.rejection().message();
  const auto test = make_case(cx, *program);
  ASSERT_TRUE(test.ok()) << test.rejection().message();
  Runner r = runner();
  for (const int threads : {1, 2, 5}) {
    const auto outputs = r.run(*code, test->buffers, test->arguments, threads);
    ASSERT_TRUE(outputs.ok()) << outputs.rejection().message();
    EXPECT_EQ(*check_outputs(*test, *outputs), 0);
  }
}

}  // namespace
}  // namespace cambium::measure
