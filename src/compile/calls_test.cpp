#include "compile/calls.h"

#include <gtest/gtest.h>

#include "compile/layouts.h"
#include "lower/passes.h"
#include "model/builder.h"
#include "model/zoo/zoo.h"

namespace cambium::compile {
namespace {

using namespace model;

TEST(Calls, ResNetHasFewerKernelsThanCalls) {
  const Model model = lower::prepare(zoo::build("resnet18").value()).value();
  program::Context cx;
  const auto calls = calls_of(cx, model, choose_layouts(model));
  ASSERT_TRUE(calls.ok()) << calls.rejection().message();
  EXPECT_EQ(calls->calls.size(), 23u);
  EXPECT_EQ(calls->kernels.size(), 21u);  // the two blocks of the first stage are alike
  for (const Call& call : calls->calls) {
    EXPECT_EQ(call.operands.size(), calls->kernels[call.kernel].parameters.size());
  }
}

TEST(Calls, OneCopyForEveryOutputThatNoGroupWrites) {
  Builder b("m");
  const Value x = b.input("x", {DType::F32, {4}});
  const Value y = b.add(Unary{UnaryFn::Relu}, {x});
  b.output("a", y);
  b.output("b", y);
  b.output("c", x);
  const Model model = std::move(b).finish().value();
  program::Context cx;
  const auto calls = calls_of(cx, model, {});
  ASSERT_TRUE(calls.ok()) << calls.rejection().message();
  ASSERT_EQ(calls->calls.size(), 3u);
  EXPECT_EQ(calls->calls[1].operands[1].output, 1);
  EXPECT_EQ(calls->calls[2].operands[1].output, 2);
  EXPECT_EQ(calls->calls[1].kernel, calls->calls[2].kernel) << "both copy four floats";
}

}  // namespace
}  // namespace cambium::compile
