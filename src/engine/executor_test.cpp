#include "engine/executor.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/features.h"
#include "engine/files.h"
#include "engine/run.h"
#include "model/builder.h"

namespace cambium::engine {
namespace {

using model::Tensor;

model::Model two_outputs() {
  model::Builder b("two");
  const model::Value x = b.input("x", {DType::F32, {2}});
  b.output("first", b.add(model::Unary{model::UnaryFn::Exp}, {x}));
  b.output("second", b.add(model::Unary{model::UnaryFn::Neg}, {x}));
  return std::move(b).finish().value();
}

TEST(OutputError, IsRelativeToTheLargestValueOfItsOutput) {
  const model::Model model = two_outputs();
  const std::vector<Tensor> expected = {Tensor::of<float>({2}, {1000, 1}),
                                        Tensor::of<float>({2}, {0.5f, 0.25f})};
  const std::vector<Tensor> outputs = {Tensor::of<float>({2}, {1001, 1}),
                                       Tensor::of<float>({2}, {0.5f, 0.375f})};
  const OutputError error = compare_outputs(model, outputs, expected);
  EXPECT_EQ(error.output, "second");
  EXPECT_EQ(error.at, 1);
  EXPECT_EQ(error.largest, 0.25);
  const Status status = check_error(error);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.rejection().reason(), Reason::WrongResult);
  EXPECT_EQ(status.rejection().message(),
            "element 1 of output 'second' is wrong: 0.375, the reference executor says 0.25");
}

TEST(OutputError, TakesNansForWhatTheyAre) {
  const model::Model model = two_outputs();
  const Tensor nan = Tensor::of<float>({2}, {std::nanf(""), 1}),
               one = Tensor::of<float>({2}, {1, 1});
  EXPECT_TRUE(check_error(compare_outputs(model, {{nan, one}}, {{nan, one}})).ok());
  EXPECT_FALSE(check_error(compare_outputs(model, {{nan, one}}, {{one, one}})).ok());
  EXPECT_FALSE(check_error(compare_outputs(model, {{one, one}}, {{one, nan}})).ok());
}

TEST(Executor, NativeCodeForAnotherProcessorIsRefused) {
  const model::Model model = two_outputs();
  for (const std::string& name : machine_names()) {
    if (machine_named(name)->runs_here()) continue;
    const auto refused = native_executor(model, {name, {}, 1, {}}, 1);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.rejection().reason(), Reason::ForeignMachine);
  }
}

TEST(Executor, NativeWorkersComputeWhatTheReferenceDoes) {
  if (!require_feature("llvm").ok()) GTEST_SKIP() << "needs LLVM";
  const auto loaded = load_model("zoo:tiny-resnet");
  ASSERT_TRUE(loaded.ok());
  const std::vector<Tensor> inputs = random_inputs(loaded->model, 5);
  ThreadPool pool(2);
  const auto expected = reference_executor(loaded->model)->run(inputs, 0, pool);
  const auto native = native_executor(loaded->model, {}, 2);
  ASSERT_TRUE(native.ok()) << native.rejection().message();
  EXPECT_EQ((*native)->name(), "native host");
  for (const int worker : {0, 1}) {
    const auto outputs = (*native)->run(inputs, worker, pool);
    ASSERT_TRUE(outputs.ok());
    EXPECT_LT(compare_outputs(loaded->model, *outputs, *expected).largest, 1e-4);
  }
}

TEST(Executor, ABuildWithoutLlvmHasNoNativeCode) {
  if (require_feature("llvm").ok()) GTEST_SKIP() << "has LLVM";
  EXPECT_EQ(native_executor(two_outputs(), {}, 1).rejection().reason(), Reason::Unavailable);
}

}  // namespace
}  // namespace cambium::engine
