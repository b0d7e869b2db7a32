#include "compile/constant_part.h"

#include <gtest/gtest.h>

#include "program/interpret.h"
#include "program/text.h"
#include "program/verify.h"

namespace cambium::compile {
namespace {

using program::Array;

std::vector<float> numbers(std::size_t count) {
  std::vector<float> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<float>(i % 17) - 8);
  return all;
}

std::vector<std::string> names_of(std::span<const program::Buffer* const> buffers) {
  std::vector<std::string> names;
  for (const program::Buffer* b : buffers) names.emplace_back(b->name);
  return names;
}

// A product whose weights are packed into panels of 4 columns, of which the last has a hole.
constexpr const char* kPacked = R"(
program p(x: f32[2, 3] input, w: f32[3, 6] constant, b: f32[6] constant, y: f32[2, 6] output) {
  local w.packed: f32[2, 3, 4]
  local b.twice: f32[6]
  for k in 3 {
    for n in 6 {
      block pack(spatial k = k, spatial n = n) { w.packed[n / 4, k, n % 4] = w[k, n] }
    }
  }
  for m in 6 {
    block twice(spatial m = m) { b.twice[m] = b[m] + b[m] }
  }
  for i in 2 {
    for j in 6 {
      block init(spatial i = i, spatial j = j) { y[i, j] = b.twice[j] }
      for l in 3 {
        block mul(spatial i = i, spatial j = j, reduce l = l) {
          y[i, j] += x[i, l] * w.packed[j / 4, l, j % 4]
        }
      }
    }
  }
})";

TEST(ConstantPart, PackingAndArithmeticOnWeightsAreDoneOnce) {
  program::Context cx;
  const program::Program whole = program::parse(cx, kPacked).value();
  const ConstantPart part = split_constant_part(cx, whole);
  ASSERT_TRUE(part.load);
  EXPECT_EQ(names_of(part.load->parameters),
            (std::vector<std::string>{"w", "b", "w.packed", "b.twice"}));
  EXPECT_EQ(names_of(part.run.parameters),
            (std::vector<std::string>{"x", "y", "w.packed", "b.twice"}));
  EXPECT_EQ(part.packed, 2u);
  EXPECT_TRUE(part.run.locals.empty());
  for (const program::Program& p : {*part.load, part.run}) {
    const Status sound = program::check(cx, p, program::Stage::Scheduled);
    EXPECT_TRUE(sound.ok()) << sound.rejection().message() << program::to_text(cx, p);
  }

  const Array x = Array::of(numbers(6)), w = Array::of(numbers(18)), b = Array::of(numbers(6));
  const auto expected = program::interpret(cx, whole, std::vector{x, w, b});
  ASSERT_TRUE(expected.ok()) << expected.rejection().message();
  const auto packed = program::interpret(cx, *part.load, std::vector{w, b});
  ASSERT_TRUE(packed.ok()) << packed.rejection().message();
  const auto actual = program::interpret(cx, part.run, std::vector{x, (*packed)[0], (*packed)[1]});
  ASSERT_TRUE(actual.ok()) << actual.rejection().message();
  EXPECT_EQ((*actual)[0].as_doubles(), (*expected)[0].as_doubles());
}

TEST(ConstantPart, WhatAnInputTouchesStays) {
  program::Context cx;
  const program::Program whole = program::parse(cx, R"(
program p(x: f32[4] input, w: f32[4] constant, y: f32[4] output) {
  local a: f32[4]
  local b: f32[4]
  for i in 4 { block a(spatial i = i) { a[i] = w[i] } }
  for j in 4 { block more(spatial j = j) { a[j] = x[j] } }
  for k in 4 { block b(spatial k = k) { b[k] = a[k] } }
  for l in 4 { block y(spatial l = l) { y[l] = b[l] } }
})")
                                     .value();
  const ConstantPart part = split_constant_part(cx, whole);
  EXPECT_FALSE(part.load);
  EXPECT_EQ(part.run.root, whole.root);
  EXPECT_EQ(part.run_parameters, (std::vector<Source>{{false, 0}, {false, 1}, {false, 2}}));
}

TEST(ConstantPart, AConstantThatBothReadStaysInBoth) {
  program::Context cx;
  const program::Program whole = program::parse(cx, R"(
program p(x: f32[4] input, w: f32[4] constant, y: f32[4] output) {
  local r: f32[4]
  for i in 4 { block r(spatial i = i) { r[i] = w[3 - i] } }
  for l in 4 { block y(spatial l = l) { y[l] = x[l] * r[l] + w[l] } }
})")
                                     .value();
  const ConstantPart part = split_constant_part(cx, whole);
  EXPECT_EQ(names_of(part.run.parameters), (std::vector<std::string>{"x", "w", "y", "r"}));
  EXPECT_EQ(part.run_parameters,
            (std::vector<Source>{{false, 0}, {false, 1}, {false, 2}, {true, 0}}));
}

}  // namespace
}  // namespace cambium::compile
