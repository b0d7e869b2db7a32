#include "compile/compile.h"

#include <atomic>

#include "compile/build_kernel.h"
#include "compile/compile_testing.h"
#include "model/builder.h"
#include "schedule/defaults/default_schedule.h"

namespace cambium::compile {
namespace {

using namespace model;

Model zoo_model(const char* name, const zoo::ZooOptions& options) {
  auto model = zoo::build(name, options);
  EXPECT_TRUE(model.ok()) << model.rejection().message();
  return std::move(model).value();
}

Model small_conv(std::string name = "small") {
  Builder b(std::move(name));
  const Value x = b.input("x", {DType::F32, {1, 3, 9, 9}});
  const Value w =
      b.weight("w", Tensor::lazy({DType::F32, {10, 3, 3, 3}}, {Fill::Law::Normal, 0.3, 1}));
  const Value c = b.add(Conv{{2, 2}, {1, 1, 1, 1}, {1, 1}, 1}, {x, w});
  b.output("y", b.add(Unary{UnaryFn::Relu}, {c}));
  return std::move(b).finish().value();
}

TEST(Compile, TinyResNetEqualsTheReference) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  expect_native_equals_reference(zoo_model("tiny-resnet", {}));
}

TEST(Compile, TinyGptEqualsTheReference) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  expect_native_equals_reference(zoo_model("tiny-gpt", {.length = 20}));
}

TEST(Compile, SmallMobileNetEqualsTheReference) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  expect_native_equals_reference(
      zoo_model("mobilenet-v2", {.classes = 10, .image = 32, .width_divisor = 4}));
}

TEST(Compile, BatchNormsThatDoNotFoldAreComputed) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  expect_native_equals_reference(zoo_model("tiny-resnet", {.width_divisor = 2}), {}, 1e-4,
                                 {"fold-batch-norm", "fold-constants"});
}

TEST(Compile, OutputsThatNoKernelWritesAreCopied) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  Builder b("odd-outputs");
  const Value x = b.input("x", {DType::F32, {2, 5}});
  const Value y = b.add(Unary{UnaryFn::Tanh}, {x});
  b.output("input", x);
  b.output("weight", b.weight("w", Tensor::of<std::int64_t>({3}, {1, 2, 3})));
  b.output("y", y);
  b.output("y again", y);
  b.output("later", b.add(Unary{UnaryFn::Exp}, {y}));
  expect_native_equals_reference(std::move(b).finish().value());
}

TEST(Compile, EqualGroupsShareAKernel) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  const auto compiled = compile(zoo_model("tiny-gpt", {.length = 8}), {});
  ASSERT_TRUE(compiled.ok()) << compiled.rejection().message();
  EXPECT_LT(compiled->objects.size(), compiled->kernels.size());
  EXPECT_EQ(compiled->objects.back().symbol, "tiny_gpt_run");
  std::int64_t macs = 0;
  for (const KernelReport& kernel : compiled->kernels) macs += kernel.macs;
  EXPECT_GT(macs, 0);
}

TEST(Compile, ThePlanStaysNearWhatIsAliveAtOnce) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  const auto compiled =
      compile(zoo_model("mobilenet-v2", {.classes = 10, .image = 64, .width_divisor = 4}), {});
  ASSERT_TRUE(compiled.ok()) << compiled.rejection().message();
  EXPECT_GT(compiled->live_bytes, 0);
  EXPECT_LE(static_cast<double>(compiled->plan_bytes),
            1.3 * static_cast<double>(compiled->live_bytes));
  EXPECT_GE(compiled->workspace.shared_bytes, compiled->plan_bytes);
}

TEST(Compile, SeveralJobsMakeTheSameCode) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  const Model model = zoo_model("tiny-resnet", {.width_divisor = 2});
  std::int64_t last = 0, all = 0;
  Options two;
  two.jobs = 2;
  two.progress = [&](std::int64_t done, std::int64_t of) {
    EXPECT_EQ(done, ++last);
    all = of;
  };
  const auto alone = compile(model, {});
  const auto together = compile(model, two);
  ASSERT_TRUE(alone.ok() && together.ok());
  EXPECT_EQ(last, all);
  EXPECT_EQ(alone->weights, together->weights);
  ASSERT_EQ(alone->objects.size(), together->objects.size());
  for (std::size_t i = 0; i < alone->objects.size(); ++i) {
    EXPECT_EQ(alone->objects[i].bytes, together->objects[i].bytes);
  }
}

TEST(Compile, GivenSchedulesAreUsedAndOthersAreTheDefault) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  Options options;
  std::atomic<int> asked = 0;
  options.schedules = [&](program::Context& cx, const program::Program& program) {
    ++asked;
    return schedule::plain_schedule(cx, program);
  };
  expect_native_equals_reference(small_conv(), options);
  EXPECT_EQ(asked, 1);
  const auto plain = compile(small_conv(), options), usual = compile(small_conv(), {});
  ASSERT_TRUE(plain.ok() && usual.ok());
  EXPECT_NE(plain->kernels[0].trace, usual->kernels[0].trace);
  EXPECT_TRUE(plain->kernels[0].is_tuned);
  EXPECT_FALSE(usual->kernels[0].is_tuned);
  options.schedules = [](program::Context&, const program::Program&) { return std::nullopt; };
  EXPECT_EQ(compile(small_conv(), options)->kernels[0].trace, usual->kernels[0].trace);
}

// The window along a row was written out whole, whatever its length: 23184 operations.
TEST(Compile, AWideWindowKeepsItsPreferredSchedule) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  Builder b("wide");
  const auto x = b.input("x", {DType::F32, {1, 8, 5, 44}});
  const auto w =
      b.weight("w", Tensor::lazy({DType::F32, {8, 8, 3, 39}}, {model::Fill::Law::Uniform, 0.1, 1}));
  b.output("y", b.add(Conv{{1, 1}, {1, 19, 1, 19}, {1, 1}, 1}, {x, w}));
  expect_native_equals_reference(std::move(b).finish().value());
}

TEST(Compile, ASourceOfSchedulesSeesCanonicalNames) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  Options options;
  options.schedules = [](program::Context&, const program::Program& program) {
    EXPECT_EQ(program.name, "kernel");
    EXPECT_EQ(program.parameters[0]->name, "x0");
    return std::nullopt;
  };
  EXPECT_TRUE(compile(small_conv(), options).ok());
}

TEST(Compile, SchedulesThatDoNotFitGiveWayToTheDefault) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  Options options;
  options.schedules = [](program::Context& cx, const program::Program& program) {
    return ready_schedule(cx, program, schedule::parse_trace("unroll(loop: nowhere)").value());
  };
  const auto made = compile(small_conv(), options);
  ASSERT_TRUE(made.ok()) << made.rejection().message();
  EXPECT_FALSE(made->kernels[0].is_tuned);
  EXPECT_NE(made->kernels[0].fallback.find("nowhere"), std::string::npos);
  EXPECT_EQ(made->kernels[0].trace, compile(small_conv(), {})->kernels[0].trace);
}

// 3 taps with stride 2: the phases have 2 and 1, and the output is the beginning of all phases.
// Convolutions around it keep its channels last.
Model odd_transposed(std::int64_t pad, std::int64_t groups, std::int64_t taps = 3,
                     std::int64_t channels = 48) {
  Builder b("odd");
  const auto weight = [&](const char* name, std::vector<std::int64_t> dims) {
    return b.weight(name, Tensor::lazy({DType::F32, std::move(dims)}, {Fill::Law::Normal, 0.3, 1}));
  };
  const Conv pointwise{{1, 1}, {0, 0, 0, 0}, {1, 1}, 1};
  const Value x = b.input("x", {DType::F32, {1, 3, 9, 11}});
  const Value before = b.add(pointwise, {x, weight("before", {16, 3, 1, 1})});
  const Value wide = b.add(ConvTranspose{{2, 2}, {pad, pad, pad, pad}, {1, 1}, {0, 0}, groups},
                           {before, weight("w", {16, channels / groups, taps, taps})});
  b.output("y", b.add(pointwise, {wide, weight("after", {16, channels, 1, 1})}));
  return std::move(b).finish().value();
}

TEST(Compile, TilesTransposedConvolutionsWhoseOutputIsNoMultipleOfTheStride) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  for (const std::int64_t pad : {0, 1}) {
    for (const std::int64_t groups : {1, 2}) {
      const Model model = odd_transposed(pad, groups);
      const auto compiled = compile(model);
      ASSERT_TRUE(compiled.ok()) << compiled.rejection().message();
      for (const KernelReport& kernel : compiled->kernels) {
        EXPECT_EQ(kernel.fallback, "") << pad << " " << groups << " " << kernel.symbol;
      }
      expect_native_equals_reference(model);
    }
  }
}

// 5 taps fill two phases of 3 and 2, and 10 columns fill no whole number of vectors.
TEST(Compile, TilesTransposedConvolutionsWhoseTapsAndColumnsAreOdd) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  const Model model = odd_transposed(2, 1, 5, 10);
  const auto compiled = compile(model);
  ASSERT_TRUE(compiled.ok()) << compiled.rejection().message();
  for (const KernelReport& kernel : compiled->kernels) {
    EXPECT_EQ(kernel.fallback, "") << kernel.symbol;
  }
  expect_native_equals_reference(model);
}

TEST(Compile, RefusesUnknownPassesAndEmptyTensors) {
  EXPECT_EQ(lower_model(small_conv(), {"everything"}).rejection().reason(), Reason::UnknownPass);
  Builder b("empty");
  b.output("y", b.input("x", {DType::F32, {0}}));
  EXPECT_EQ(compile(std::move(b).finish().value()).rejection().reason(), Reason::NotLowered);
}

TEST(Compile, RunningRefusesInputsThatDoNotFit) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  auto native = NativeModel::load(compile(small_conv()).value());
  ASSERT_TRUE(native.ok()) << native.rejection().message();
  ThreadPool pool(1);
  EXPECT_EQ(native->run({}, pool).rejection().reason(), Reason::WrongInputCount);
  const std::vector<Tensor> wrong{Tensor::lazy({DType::F32, {1, 3, 9, 8}}, {})};
  EXPECT_EQ(native->run(wrong, pool).rejection().reason(), Reason::ShapeMismatch);
}

TEST(Compile, CodeForAnotherMachineIsNotLoaded) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  Options options;
  options.machine = machine_named("aarch64").value();
  if (options.machine.runs_here()) GTEST_SKIP() << "this is one";
  auto compiled = compile(small_conv(), options);
  ASSERT_TRUE(compiled.ok()) << compiled.rejection().message();
  EXPECT_EQ(NativeModel::load(std::move(compiled).value()).rejection().reason(),
            Reason::Unavailable);
}

TEST(Compile, NamesAreMadeFitForC) {
  EXPECT_EQ(c_name("tiny-resnet"), "tiny_resnet");
  EXPECT_EQ(c_name("1.0/x"), "m_1_0_x");
  EXPECT_EQ(c_name(""), "model");
  EXPECT_EQ(c_name("\xc3\xa4"), "m__");
  EXPECT_EQ(c_name("_STDINT"), "m_STDINT") << "no guard of the system's headers";
  EXPECT_EQ(c_name("../../x"), "m______x");
  EXPECT_LE(c_name(std::string(100'000, 'x')).size(), 64U) << "it becomes the name of a file";
}

}  // namespace
}  // namespace cambium::compile
