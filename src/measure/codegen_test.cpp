// From a program to a time, through everything: code generator, runner, check, both protocols.
#include <gtest/gtest.h>

#include "codegen/llvm/gemm_testing.h"
#include "measure/measure.h"
#include "program/build.h"
#include "program/text.h"

namespace cambium::measure {
namespace {

using namespace program;  // NOLINT(google-build-using-namespace): programs are what is tested here

Runner runner() {
  auto started = Runner::start(CAMBIUM_RUNNER);
  EXPECT_TRUE(started.ok());
  return std::move(*started);
}

// What gemm_text computes, without any schedule: b lies in panels of `panel` columns.
Program lowered_gemm(Context& cx, std::int64_t m, std::int64_t n, std::int64_t k,
                     std::int64_t panel) {
  Builder builder(cx, "gemm");
  const Mem a = builder.input("a", {m, k});
  const Mem b = builder.constant("b", {n / panel, k, panel});
  const Mem c = builder.output("c", {m, n});
  builder.block("c", {spatial("i", m), spatial("j", n), reduce("k", k)}, [&](Point p) {
    return sum(c, {p[0], p[1]}, a(p[0], p[2]) * b(p[1] / panel, p[2], p[1] % panel));
  });
  return builder.finish();
}

struct Gemm {
  Context cx;
  Machine machine = host_machine();
  int lanes = static_cast<int>(machine.lanes());

  codegen::ObjectCode code(int m, int n, int k, int rows) {
    const auto program = parse(cx, codegen::gemm_text(m, n, k, lanes, rows));
    EXPECT_TRUE(program.ok()) << program.rejection().message();
    const auto made = codegen::compile_kernel(cx, *program, machine);
    EXPECT_TRUE(made.ok()) << made.rejection().message();
    return *made;
  }
};

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
  EXPECT_GT(ranked->value, 1e-7);
  EXPECT_LT(ranked->value, 1e-2);
  EXPECT_EQ(ranked->machine, fingerprint_of(host_machine()));
  EXPECT_GT(ranked->samples, 0);

  const auto compared = r.compare({tall, *test}, {flat, *test}, 1);
  ASSERT_TRUE(compared.ok()) << compared.rejection().message();
  EXPECT_GT(compared->ratio, 1.02) << "a tile of one row loads four vectors for four products";
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
