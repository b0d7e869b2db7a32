// All lowerings of random operators compute what the equation says.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include <gtest/gtest.h>

#include "model/recognize/recognize.h"
#include "model/reference/execute.h"
#include "model/text.h"
#include "program/interpret.h"
#include "program/text.h"
#include "program/verify.h"
#include "spaces/coordinate/evaluate.h"
#include "spaces/coordinate/lowering/decompose.h"
#include "spaces/coordinate/lowering/program.h"
#include "spaces/coordinate/lowering/tiny_operator_testing.h"
#include "spaces/coordinate/lowering/weighted_testing.h"

namespace cambium::spaces::coordinate {
namespace {

constexpr std::int64_t kMostPoints = 30'000;

// Small whole numbers: sums of products are exact in float, only averages round.
std::vector<double> numbers(Rng& rng, const std::vector<CoordinateIndex>& axes, const Extents& e) {
  std::int64_t count = 1;
  for (const CoordinateIndex c : axes) count *= e.of(c);
  std::vector<double> out;
  for (std::int64_t i = 0; i < count; ++i) {
    out.push_back(static_cast<double>(rng.between(-3, 3)));
  }
  return out;
}

std::int64_t points_of(const BoundOperator& op) {
  std::int64_t points = 1, data = 1;
  for (std::size_t c = 0; c < op.outputs + op.reductions; ++c) points *= op.coordinates[c].domain;
  for (const std::int64_t extent : op.input_shape()) data *= extent;
  return std::max(points, data);
}

void expect_equal(const std::vector<double>& expected, const std::vector<double>& got,
                  const std::string& what) {
  ASSERT_EQ(expected.size(), got.size()) << what;
  double largest = 1;
  for (const double v : expected) largest = std::max(largest, std::fabs(v));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(expected[i], got[i], 1e-4 * largest) << "element " << i << "\n" << what;
  }
}

model::Tensor tensor(const std::vector<CoordinateIndex>& axes, const Extents& e,
                     const std::vector<double>& values) {
  model::Ints dims;
  for (const CoordinateIndex c : axes) dims.push_back(e.of(c));
  return model::Tensor::of<float>(dims, {values.begin(), values.end()});
}

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

std::optional<Case> random_case(std::uint64_t seed) {
  Rng rng = Rng(seed).split("data");
  Case out;
  out.op = TinyOperator(seed).make();
  const expr::Binding none;
  out.extents = extents_of(out.op, none).value();
  if (points_of(out.extents.inside) > kMostPoints) return std::nullopt;
  out.stages = stages_of(out.op, {&none, 1}).value();
  out.x = numbers(rng, out.op.data, out.extents);
  for (const auto& weight : out.op.weights) {
    out.weights.push_back(numbers(rng, weight, out.extents));
  }
  return out;
}

constexpr std::uint64_t kCases = 3000;

TEST(LoweringProperty, DecompositionComputesTheEquationBeforeAndAfterRecognition) {
  int ran = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const std::optional<Case> c = random_case(seed);
    if (!c) continue;
    const auto model = decompose(c->op, c->stages, c->extents);
    ASSERT_TRUE(model.ok()) << seed << ": " << model.rejection().message();
    const model::Tensor x = tensor(c->op.data, c->extents, c->x);
    std::vector<model::Tensor> inputs{x}, weights;
    for (std::size_t w = 0; w < c->weights.size(); ++w) {
      weights.push_back(tensor(c->op.weights[w], c->extents, c->weights[w]));
      inputs.push_back(weights.back());
    }
    const std::vector<double> expected = c->expected();
    const std::string what = "seed " + std::to_string(seed) + "\n" + model::to_text(*model);
    expect_equal(expected, model::execute(*model, inputs).value()[0].to_doubles(), what);
    if (HasFatalFailure()) return;
    const model::Model known = model::recognize(with_weights(*model, weights)).model;
    expect_equal(expected, model::execute(known, {&x, 1}).value()[0].to_doubles(),
                 what + "\nrecognized:\n" + model::to_text(known));
    if (HasFatalFailure()) return;
    ++ran;
  }
  EXPECT_GT(ran, static_cast<int>(kCases / 2));
}

TEST(LoweringProperty, ProgramComputesTheEquation) {
  int ran = 0, unproved = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const std::optional<Case> c = random_case(seed);
    if (!c) continue;
    program::Context cx;
    const program::Program program = program_of(cx, "p", c->op, c->stages, c->extents).value();
    const std::string what = "seed " + std::to_string(seed) + "\n" + program::to_text(cx, program);
    const Status sound = program::check(cx, program, program::Stage::Lowered);
    if (!sound.ok()) {
      ASSERT_EQ(sound.rejection().reason(), Reason::NotProved)
          << sound.rejection().message() << "\n"
          << what;
      ++unproved;
    }
    std::vector<program::Array> arguments{
        program::Array::of(std::vector<float>(c->x.begin(), c->x.end()))};
    for (const auto& w : c->weights) {
      arguments.push_back(program::Array::of(std::vector<float>(w.begin(), w.end())));
    }
    const auto got = program::interpret(cx, program, arguments);
    ASSERT_TRUE(got.ok()) << got.rejection().message() << "\n" << what;
    expect_equal(c->expected(), (*got)[0].as_doubles(), what);
    if (HasFatalFailure()) return;
    ++ran;
  }
  std::printf("%d programs, of %d not every access is proved\n", ran, unproved);
  EXPECT_GT(ran, static_cast<int>(kCases / 2));
  EXPECT_LT(unproved, ran / 20);
}

// Synthesis asks for the MACs of every operator that it makes.
TEST(LoweringProperty, FewestMacsAreThoseOfTheStagesAndFoundInMicroseconds) {
  const std::vector<expr::Binding> bindings(4);
  std::vector<double> times;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const Operator op = TinyOperator(seed).make();
    const auto start = std::chrono::steady_clock::now();
    const double macs = fewest_macs(op, bindings).value();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    times.push_back(took.count());
    const std::vector<Stage> stages = stages_of(op, bindings).value();
    ASSERT_EQ(macs, 4.0 * static_cast<double>(cost_of(op, stages, bindings[0]).value().macs))
        << "seed " << seed;
  }
  std::sort(times.begin(), times.end());
  std::printf("fewest MACs at 4 bindings: median %.1f us, one in a hundred above %.1f us\n",
              times[times.size() / 2], times[times.size() * 99 / 100]);
  EXPECT_LT(times[times.size() / 2], 1000);  // a hundred times what it takes alone
}

}  // namespace
}  // namespace cambium::spaces::coordinate
