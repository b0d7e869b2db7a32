#include "measure/measure.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "measure/kernels_testing.h"
#include "program/build.h"

namespace cambium::measure {
namespace {

using program::Array;

Limits test_limits() {
  Limits limits;
  limits.seconds = 60;  // on a busy machine, too
  limits.memory_bytes = 256 << 20;
  return limits;
}

Runner runner() {
  auto started = Runner::start(CAMBIUM_RUNNER, test_limits());
  EXPECT_TRUE(started.ok());
  return std::move(*started);
}

// y[100] from x[100]: 400 bytes, so that there is room on both sides within a page.
KernelBuffers in_and_out(std::int64_t elements = 100) {
  KernelBuffers buffers;
  buffers.buffers = {{"x", DType::F32, elements, false}, {"y", DType::F32, elements, true}};
  return buffers;
}

std::vector<Array> ramp(std::int64_t elements = 100) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < elements; ++i) values.push_back(static_cast<float>(i));
  return {Array::of(std::move(values))};
}

const std::string kNames = "const float* x = b[0]; float* y = b[1]; ";

void expect_refused(const codegen::ObjectCode& code, Reason reason, const std::string& text,
                    const KernelBuffers& buffers = in_and_out(),
                    double seconds = test_limits().seconds) {
  Runner r = runner();
  r.limit_seconds(seconds);
  const auto refused = r.run(code, buffers, ramp(buffers.buffers[0].elements), 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(name_of(refused.rejection().reason()), name_of(reason));
  EXPECT_NE(refused.rejection().message().find(text), std::string::npos)
      << refused.rejection().message();
  // One rejection, and the next kernel runs.
  r.limit_seconds(test_limits().seconds);
  const auto good = compile_c(kNames + "for (int i = 0; i < 100; ++i) y[i] = x[i];");
  EXPECT_TRUE(r.run(*good, in_and_out(), ramp(), 1).ok());
}

TEST(Runner, GivesWhatTheKernelComputes) {
  CAMBIUM_COMPILE_OR_SKIP(code, kNames + "for (int i = 0; i < 100; ++i) y[i] = 2 * x[i] + 1;");
  Runner r = runner();
  const auto outputs = r.run(code, in_and_out(), ramp(), 1);
  ASSERT_TRUE(outputs.ok()) << outputs.rejection().message();
  EXPECT_EQ(outputs->at(0).as_doubles()[7], 15);
  EXPECT_EQ(outputs->at(0).as_doubles()[99], 199);
}

TEST(Runner, CallsFunctionsOfLibm) {
  CAMBIUM_COMPILE_OR_SKIP(code, kNames + "for (int i = 0; i < 100; ++i) y[i] = erff(x[i] / 100);");
  Runner r = runner();
  const auto outputs = r.run(code, in_and_out(), ramp(), 1);
  ASSERT_TRUE(outputs.ok()) << outputs.rejection().message();
  EXPECT_NEAR(outputs->at(0).as_doubles()[50], std::erf(0.5), 1e-6);
}

TEST(Runner, SharesLoopsAmongNumberedWorkers) {
  const std::string task =
      "typedef struct { const float* x; float* y; float* ws; } context;\n"
      "static void task(void* c, int64_t begin, int64_t end, int64_t worker) {\n"
      "  context* s = c; for (int64_t i = begin; i < end; ++i) {\n"
      "    s->ws[16 * worker] = s->x[i]; s->y[i] = s->ws[16 * worker] * 3; } }\n";
  CAMBIUM_COMPILE_OR_SKIP(
      code, "context c = {b[0], b[1], ws}; if (p) p->run(p->self, 100, 7, task, &c);", task);
  codegen::ObjectCode with_workspace = code;
  with_workspace.workspace.worker_bytes = 64;
  Runner r = runner();
  const auto outputs = r.run(with_workspace, in_and_out(), ramp(), 2);
  ASSERT_TRUE(outputs.ok()) << outputs.rejection().message();
  EXPECT_EQ(outputs->at(0).as_doubles()[99], 297);
}

TEST(Runner, RefusesACrash) {
  CAMBIUM_COMPILE_OR_SKIP(code, "*(volatile int*)8 = 1;");
  expect_refused(code, Reason::KernelCrashed, "SIGSEGV");
}

TEST(Runner, RefusesAnIllegalInstruction) {
  CAMBIUM_COMPILE_OR_SKIP(code, "__builtin_trap();");
  expect_refused(code, Reason::KernelCrashed, "SIGILL");
}

TEST(Runner, RefusesAStackThatOverflows) {
  CAMBIUM_COMPILE_OR_SKIP(code, "((float*)b[1])[0] = (float)down(1);",
                          "static int down(int n) { volatile int a[1000]; a[n % 1000] = n; "
                          "return down(n + 1) + a[7]; }",
                          "-O0");
  expect_refused(code, Reason::KernelCrashed, "SIG");
}

TEST(Runner, RefusesAHang) {
  CAMBIUM_COMPILE_OR_SKIP(code, "for (;;) __asm__ volatile(\"\");");
  expect_refused(code, Reason::KernelTimeout, "500 ms", in_and_out(), 0.5);
}

TEST(Runner, RefusesAWriteBehindABuffer) {
  CAMBIUM_COMPILE_OR_SKIP(code, kNames + "for (int i = 0; i < 101; ++i) y[i] = x[0];");
  expect_refused(code, Reason::GuardTouched, "'y'");
}

TEST(Runner, RefusesAWriteBeforeABuffer) {
  CAMBIUM_COMPILE_OR_SKIP(code, kNames + "for (int i = -1; i < 100; ++i) y[i] = x[0];");
  expect_refused(code, Reason::GuardTouched, "'y'");
}

TEST(Runner, RefusesAWriteFarBehindABuffer) {
  CAMBIUM_COMPILE_OR_SKIP(code, kNames + "for (int i = 0; i < 100; ++i) y[i] = 0; y[9999] = x[0];");
  expect_refused(code, Reason::GuardTouched, "'y'");
}

TEST(Runner, RefusesAReadBehindTheLastPage) {
  CAMBIUM_COMPILE_OR_SKIP(code, kNames + "for (int i = 0; i < 1024; ++i) y[i] = x[i + 1];");
  expect_refused(code, Reason::KernelCrashed, "SIGSEGV reading behind 'x'", in_and_out(1024));
}

TEST(Runner, RefusesAWriteToAnInput) {
  CAMBIUM_COMPILE_OR_SKIP(code, "((float*)b[0])[3] = 1;");
  expect_refused(code, Reason::KernelCrashed, "SIGSEGV writing 'x'");
}

TEST(Runner, RefusesAWriteBehindTheWorkspace) {
  CAMBIUM_COMPILE_OR_SKIP(code,
                          kNames + "for (int i = 0; i < 100; ++i) y[i] = 0; ((char*)ws)[0] = 1;");
  expect_refused(code, Reason::GuardTouched, "the workspace");
}

TEST(Runner, RefusesAnOutputThatIsNotWritten) {
  CAMBIUM_COMPILE_OR_SKIP(code, kNames + "for (int i = 0; i < 100; ++i) if (i != 42) y[i] = x[i];");
  expect_refused(code, Reason::OutputUntouched, "element 42 of output 'y'");
}

TEST(Runner, PoisonsTheWorkspace) {
  CAMBIUM_COMPILE_OR_SKIP(code,
                          kNames + "for (int i = 0; i < 100; ++i) y[i] = ((float*)ws)[i] + 1;");
  codegen::ObjectCode with_workspace = code;
  with_workspace.workspace.shared_bytes = 400;
  Runner r = runner();
  const auto outputs = r.run(with_workspace, in_and_out(), ramp(), 1);
  // NaN + 1 keeps its payload on x86, which is the poison itself.
  if (outputs.ok()) {
    EXPECT_TRUE(std::isnan(outputs->at(0).as_doubles()[0]));
  } else {
    EXPECT_EQ(outputs.rejection().reason(), Reason::OutputUntouched);
  }
}

TEST(Runner, RefusesAHugeWorkspace) {
  CAMBIUM_COMPILE_OR_SKIP(good, "");
  codegen::ObjectCode code = good;
  code.workspace.shared_bytes = std::int64_t{1} << 40;
  expect_refused(code, Reason::KernelMemory, "the limit is 268435456");
  code.workspace.worker_bytes = std::numeric_limits<std::int64_t>::max();
  expect_refused(code, Reason::KernelMemory, "the limit is 268435456");
}

TEST(Runner, RefusesAFunctionThatIsNotOfLibm) {
  CAMBIUM_COMPILE_OR_SKIP(code, "system(\"true\");", "int system(const char*);");
  expect_refused(code, Reason::BadObject, "'system' is no function of libm");
}

TEST(Runner, RefusesWhatIsNoObject) {
  codegen::ObjectCode code;
  code.bytes =
      "not an object, by any means, and long enough to be looked at as if it were a header";
  code.symbol = "kernel";
  expect_refused(code, Reason::BadObject, "not an ELF file");
}

TEST(Runner, RefusesAMissingSymbol) {
  CAMBIUM_COMPILE_OR_SKIP(good, "");
  codegen::ObjectCode code = good;
  code.symbol = "colonel";
  expect_refused(code, Reason::SymbolMissing, "'colonel'");
}

TEST(Runner, RefusesArgumentsThatDoNotFit) {
  CAMBIUM_COMPILE_OR_SKIP(code, "");
  Runner r = runner();
  EXPECT_EQ(r.run(code, in_and_out(), {}, 1).rejection().reason(), Reason::WrongArgument);
  EXPECT_EQ(r.run(code, in_and_out(), ramp(99), 1).rejection().reason(), Reason::WrongArgument);
  const std::vector<Array> doubles{Array{DType::F64, std::vector<double>(100)}};
  EXPECT_EQ(r.run(code, in_and_out(), doubles, 1).rejection().reason(), Reason::WrongArgument);
  std::vector<Array> two = ramp();
  two.push_back(two[0]);
  EXPECT_EQ(r.run(code, in_and_out(), two, 1).rejection().reason(), Reason::WrongArgument);
}

// y[100] = x[100] * w[1], and code for which somebody has doubled w before.
TEST(Runner, ChecksCodeWithOtherBuffersAgainstTheCase) {
  CAMBIUM_COMPILE_OR_SKIP(code,
                          "const float* x = b[0]; const float* w2 = b[1]; float* y = b[2];"
                          "for (int i = 0; i < 100; ++i) y[i] = x[i] * w2[0] / 2;");
  program::Context cx;
  program::Builder b(cx, "scale");
  const program::Mem x = b.input("x", {100}), w = b.constant("w", {1}), y = b.output("y", {100});
  b.block("scale", {program::spatial("i", 100)}, [&](program::Point p) {
    return program::assign(y, {p[0]}, x(p[0]) * w(program::Ix{&cx, cx.number(0)}));
  });
  const program::Program lowered = b.finish();
  const auto test = make_case(cx, lowered);
  ASSERT_TRUE(test.ok()) << test.rejection().message();
  KernelBuffers buffers = test->buffers;
  buffers.buffers[1].name = "packed";
  const auto twice = static_cast<float>(2 * test->arguments[1].as_doubles()[0]);
  const Array packed = Array::of(std::vector<float>{twice});
  Runner r = runner();
  const Contender good{code, *test, &buffers, {&test->arguments[0], &packed}};
  const auto ranked = r.rank(good, 1);
  ASSERT_TRUE(ranked.ok()) << ranked.rejection().message();
  EXPECT_GT(ranked->value, 0);
  const Contender wrong{code, *test};  // called with the constant as it is
  EXPECT_EQ(r.rank(wrong, 1).rejection().reason(), Reason::WrongResult);
  EXPECT_EQ(r.compare(good, wrong, 1).rejection().reason(), Reason::WrongResult);
  EXPECT_TRUE(r.compare(good, good, 1).ok());
}

TEST(Runner, TakesAnotherLimitForTheCallsThatFollow) {
  CAMBIUM_COMPILE_OR_SKIP(code, "for (;;) __asm__ volatile(\"\");");
  Runner r = runner();
  r.limit_seconds(0.1);
  const auto refused = r.run(code, in_and_out(), ramp(), 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.rejection().message().find("100 ms"), std::string::npos);
}

TEST(Runner, RefusesAMissingExecutable) {
  const auto missing = Runner::start("/nonexistent/cambium-runner");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.rejection().reason(), Reason::RunnerMissing);
}

TEST(Runner, RefusesAnExecutableThatIsSomethingElse) {
  const auto other = Runner::start("/bin/true");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.rejection().reason(), Reason::RunnerFailed);
}

}  // namespace
}  // namespace cambium::measure
