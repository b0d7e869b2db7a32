// One operator at one place with data, and whether its lowerings compute what direct evaluation
// says.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "model/recognize/recognize.h"
#include "model/reference/execute.h"
#include "model/text.h"
#include "program/interpret.h"
#include "program/text.h"
#include "program/verify.h"
#include "spaces/coordinate/evaluate.h"
#include "spaces/coordinate/lowering/decompose.h"
#include "spaces/coordinate/lowering/program.h"
#include "spaces/coordinate/lowering/weighted_testing.h"

namespace cambium::spaces::coordinate::testing {

struct Case {
  Operator op;
  Extents extents;
  std::vector<Stage> stages;
  std::vector<double> x;
  std::vector<std::vector<double>> weights;

  std::vector<double> expected() const {
    return evaluate<double>(extents.inside, x, weights).value();
  }
};

inline std::int64_t product(const std::vector<std::int64_t>& extents) {
  std::int64_t out = 1;
  for (const std::int64_t extent : extents) out *= extent;
  return out;
}

// How much direct evaluation has to do.
inline std::int64_t points_of(const BoundOperator& op) {
  std::int64_t points = 1;
  for (std::size_t c = 0; c < op.outputs + op.reductions; ++c) points *= op.coordinates[c].domain;
  return std::max(points, product(op.input_shape()));
}

// Data and weights are small whole numbers: sums of products are exact in float, only averages
// round.
inline Case case_of(const Operator& op, const expr::Binding& binding, std::uint64_t seed) {
  Rng rng = Rng(seed).split("data");
  const auto numbers = [&](const std::vector<std::int64_t>& shape) {
    std::vector<double> out;
    for (std::int64_t i = product(shape); i > 0; --i) {
      out.push_back(static_cast<double>(rng.between(-3, 3)));
    }
    return out;
  };
  Case out{op, extents_of(op, binding).value(), stages_of(op, {&binding, 1}).value(), {}, {}};
  out.x = numbers(out.extents.inside.input_shape());
  for (std::size_t w = 0; w < op.weights.size(); ++w) {
    out.weights.push_back(numbers(out.extents.inside.weight_shape(w)));
  }
  return out;
}

inline void expect_equal(const std::vector<double>& expected, const std::vector<double>& got,
                         const std::string& what) {
  ASSERT_EQ(expected.size(), got.size()) << what;
  double largest = 1;
  for (const double v : expected) largest = std::max(largest, std::fabs(v));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(expected[i], got[i], 1e-4 * largest) << "element " << i << "\n" << what;
  }
}

inline model::Tensor tensor(const std::vector<std::int64_t>& dims,
                            const std::vector<double>& values) {
  return model::Tensor::of<float>(dims, {values.begin(), values.end()});
}

// Before and after recognition.
inline void expect_decomposition(const Case& c) {
  const auto body = decompose(c.op, c.stages, c.extents);
  ASSERT_TRUE(body.ok()) << body.rejection().message();
  const model::Tensor x = tensor(c.extents.input, c.x);
  std::vector<model::Tensor> inputs{x}, weights;
  for (std::size_t w = 0; w < c.weights.size(); ++w) {
    weights.push_back(tensor(c.extents.inside.weight_shape(w), c.weights[w]));
    inputs.push_back(weights.back());
  }
  const std::vector<double> expected = c.expected();
  const std::string what = model::to_text(*body);
  expect_equal(expected, model::execute(*body, inputs).value()[0].to_doubles(), what);
  if (::testing::Test::HasFatalFailure()) return;
  const model::Model known = model::recognize(with_weights(*body, weights)).model;
  expect_equal(expected, model::execute(known, {&x, 1}).value()[0].to_doubles(),
               what + "\nrecognized:\n" + model::to_text(known));
}

// Sound by the verifier, and right by the interpreter.
inline void expect_program(const Case& c) {
  program::Context cx;
  const program::Program program = program_of(cx, "p", c.op, c.stages, c.extents).value();
  const std::string what = program::to_text(cx, program);
  const Status sound = program::check(cx, program, program::Stage::Lowered);
  ASSERT_TRUE(sound.ok()) << sound.rejection().message() << "\n" << what;
  std::vector<program::Array> arguments{
      program::Array::of(std::vector<float>(c.x.begin(), c.x.end()))};
  for (const auto& w : c.weights) {
    arguments.push_back(program::Array::of(std::vector<float>(w.begin(), w.end())));
  }
  const auto got = program::interpret(cx, program, arguments);
  ASSERT_TRUE(got.ok()) << got.rejection().message() << "\n" << what;
  expect_equal(c.expected(), (*got)[0].as_doubles(), what);
}

}  // namespace cambium::spaces::coordinate::testing
