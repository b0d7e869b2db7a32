#include "spaces/loopnest/nest.h"

#include <gtest/gtest.h>

#include "program/walk.h"

namespace cambium::spaces::loopnest {
namespace {

using model::Conv;
using model::Ints;

Conv conv(std::int64_t stride, std::int64_t pad, std::int64_t groups) {
  Conv conv;
  conv.strides = {stride, stride};
  conv.pads = {pad, pad, pad, pad};
  conv.dilations = {1, 1};
  conv.groups = groups;
  return conv;
}

TEST(Nest, NamesTheSizesOfItsNormalForm) {
  program::Context cx;
  const Result<Nest> nest = nest_of(cx, conv(2, 1, 2), {8, 3, 3, 3}, {1, 6, 10, 14});
  ASSERT_TRUE(nest.ok()) << nest.rejection().message();
  EXPECT_EQ(nest->sizes.of("G"), 2);
  EXPECT_EQ(nest->sizes.of("Co"), 4);
  EXPECT_EQ(nest->sizes.of("Ci"), 3);
  EXPECT_EQ(nest->sizes.of("H"), 5);
  EXPECT_EQ(nest->sizes.of("W"), 7);
  EXPECT_EQ(nest->sizes.of("KH"), 3);
  EXPECT_EQ(nest->original.outs, 8);
  EXPECT_EQ(nest->original.ins, 6);
}

TEST(Nest, HasTheDataThenTheFilterThenTheResult) {
  program::Context cx;
  const Result<Nest> nest = nest_of(cx, conv(1, 0, 1), {4, 6, 1, 1}, {1, 6, 5, 5});
  ASSERT_TRUE(nest.ok()) << nest.rejection().message();
  ASSERT_EQ(nest->program.parameters.size(), 3U);
  EXPECT_EQ(nest->program.parameters[0]->role, program::Role::Input);
  EXPECT_EQ(nest->program.parameters[1]->role, program::Role::Constant);
  EXPECT_EQ(nest->program.parameters[2]->role, program::Role::Output);
  EXPECT_NE(program::find_block(nest->program, nest->block), nullptr);
}

TEST(Nest, ReadsTheConvolutionOfAForm) {
  program::Context cx;
  const lower::NestForm form{conv(1, 1, 1), {4, 6, 3, 3}, "depthwise(outer: co, inner: ci)"};
  const Result<Nest> nest = nest_of(cx, form, {2, 6, 5, 5});
  ASSERT_TRUE(nest.ok()) << nest.rejection().message();
  EXPECT_EQ(nest->sizes.of("N"), 2);
}

TEST(Nest, RefusesAnInputThatDoesNotFit) {
  program::Context cx;
  EXPECT_FALSE(nest_of(cx, conv(1, 1, 1), {4, 6, 3, 3}, {1, 5, 5, 5}).ok());
}

}  // namespace
}  // namespace cambium::spaces::loopnest
