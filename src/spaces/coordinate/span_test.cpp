#include "spaces/coordinate/span.h"

#include <gtest/gtest.h>

#include "spaces/coordinate/document.h"

namespace cambium::spaces::coordinate {
namespace {

Fingerprint span(const char* lines) {
  const std::string binding = "A=4, B=6, s=2";
  const Problem problem = problem_of("[A]", "[B]", {&binding, 1}).value();
  const Operator op = parse(problem, std::string("operator [A] -> [B]\nout b\n") + lines).value();
  return span_of(op, problem.bindings[0]).value();
}

TEST(SpanTest, NumbersThatComeAsASumAreAsGoodAsOne) {
  EXPECT_EQ(span("sum r: A, q: B\nx r\nw1 b, r, q\n"), span("sum r: A\nx r\nw1 b, r\n"));
  EXPECT_EQ(span("sum r: A, q: B\nx r\nw1 b, q\n"), span("sum r: A\nx r\nw1 b\n"));
}

TEST(SpanTest, ReshapedWeightsAreTheSame) {
  EXPECT_EQ(span("sum r: A\nx r\nw1 b, r\n"),
            span("sum r: A/s, q: s\nx split(r, q)\nw1 high(b, s), low(b, s), q, r\n"));
}

TEST(SpanTest, WhatAWeightCannotDoIsToldApart) {
  const Fingerprint all = span("sum r: A\nx r\nw1 b, r\n");
  EXPECT_NE(all, span("sum r: A\nx r\nw1 b\n"));
  const Fingerprint by_input = span("sum r: A\nx r\nw1 r\nexpand b\n");
  EXPECT_NE(all, by_input);
  EXPECT_NE(span("sum r: A\nx r\nw1 b\n"), by_input);
  EXPECT_NE(span("sum r: A/s, q: s\nx split(r, q)\nw1 b, q\n"),
            span("sum r: A/s, q: s\nx split(r, q)\nw1 b, r\n"));
}

}  // namespace
}  // namespace cambium::spaces::coordinate
