#include "measure/check.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "program/build.h"
#include "program/random_program.h"

namespace cambium::measure {
namespace {

using namespace program;  // NOLINT(google-build-using-namespace): programs are what is tested here

Program matmul(Context& cx, std::int64_t m, std::int64_t n, std::int64_t k) {
  Builder b(cx, "matmul");
  const Mem a = b.input("a", {m, k}), w = b.constant("w", {k, n}), c = b.output("c", {m, n});
  b.block("c", {spatial("i", m), spatial("j", n), reduce("k", k)}, [&](Point p) {
    return sum(c, {p[0], p[1]}, a(p[0], p[2]) * w(p[2], p[1]));
  });
  return b.finish();
}

// The product in float, k from the back: another order than the interpreter's.
std::vector<float> product(const Case& test, std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto& a = std::get<std::vector<float>>(test.arguments[0].elements);
  const auto& w = std::get<std::vector<float>>(test.arguments[1].elements);
  std::vector<float> c;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      float total = 0;
      for (std::int64_t l = k; l > 0; --l) {
        total += a[static_cast<std::size_t>(i * k + l - 1)] *
                 w[static_cast<std::size_t>((l - 1) * n + j)];
      }
      c.push_back(total);
    }
  }
  return c;
}

TEST(Check, AcceptsAnotherOrderOfASum) {
  Context cx;
  const auto test = make_case(cx, matmul(cx, 8, 8, 512));
  ASSERT_TRUE(test.ok()) << test.rejection().message();
  const auto error = check_outputs(*test, {{Array::of(product(*test, 8, 8, 512))}});
  ASSERT_TRUE(error.ok()) << error.rejection().message();
  EXPECT_GT(*error, 0);
  EXPECT_LT(*error, 0.2);
}

TEST(Check, NoticesOneTermOfThousands) {
  Context cx;
  const auto test = make_case(cx, matmul(cx, 4, 4, 2048));
  ASSERT_TRUE(test.ok());
  std::vector<float> c = product(*test, 4, 4, 2048);
  const auto& a = std::get<std::vector<float>>(test->arguments[0].elements);
  const auto& w = std::get<std::vector<float>>(test->arguments[1].elements);
  c[5] -= a[2048 + 100] * w[400 + 1];
  const auto error = check_outputs(*test, {{Array::of(c)}});
  ASSERT_FALSE(error.ok());
  EXPECT_EQ(error.rejection().reason(), Reason::WrongResult);
  EXPECT_NE(error.rejection().message().find("element 5 of output 'c' is wrong"), std::string::npos)
      << error.rejection().message();
}

TEST(Check, RefusesNanAndInfinity) {
  Context cx;
  const auto test = make_case(cx, matmul(cx, 4, 4, 8));
  for (const float bad : {NAN, INFINITY}) {
    std::vector<float> c = product(*test, 4, 4, 8);
    c[15] = bad;
    EXPECT_FALSE(check_outputs(*test, {{Array::of(c)}}).ok());
  }
}

TEST(Check, AllowsNoErrorWhereWholeNumbersAreExact) {
  Context cx;
  CaseOptions options;
  options.is_whole = true;
  const auto test = make_case(cx, matmul(cx, 4, 4, 64), options);
  ASSERT_TRUE(test.ok());
  EXPECT_TRUE(test->is_exact);
  std::vector<float> c = product(*test, 4, 4, 64);
  EXPECT_EQ(*check_outputs(*test, {{Array::of(c)}}), 0);
  c[3] = std::nextafter(c[3], 1e9f);
  EXPECT_EQ(check_outputs(*test, {{Array::of(c)}}).rejection().reason(), Reason::WrongResult);
}

TEST(Check, SamplesWhatIsTooLargeToInterpret) {
  Context cx;
  CaseOptions options;
  options.interpreted = 1000;
  options.samples = 8;
  auto test = make_case(cx, matmul(cx, 32, 32, 64), options);
  ASSERT_TRUE(test.ok());
  EXPECT_TRUE(test->outputs[0].values.empty());
  std::vector<float> c = product(*test, 32, 32, 64);
  EXPECT_TRUE(check_outputs(*test, {{Array::of(c)}}).ok());
  std::vector<float> unsampled_wrong = c;
  std::size_t place = 1;
  while (std::count(test->outputs[0].sampled.begin(), test->outputs[0].sampled.end(), place) > 0) {
    ++place;
  }
  unsampled_wrong[place] += 1;
  EXPECT_TRUE(check_outputs(*test, {{Array::of(unsampled_wrong)}}).ok());
  // With another version as witness every element counts, and the points say who is right.
  ASSERT_TRUE(take_second_version(*test, {{Array::of(c)}}).ok());
  EXPECT_EQ(check_outputs(*test, {{Array::of(unsampled_wrong)}}).rejection().reason(),
            Reason::WrongResult);
  EXPECT_TRUE(check_outputs(*test, {{Array::of(c)}}).ok());
  std::vector<float> wrong_witness = c;
  wrong_witness[0] += 1;
  EXPECT_EQ(take_second_version(*test, {{Array::of(wrong_witness)}}).rejection().reason(),
            Reason::WrongResult);
}

TEST(Check, BoundsBluntlyWhatCannotBeSampled) {
  Context cx;
  CaseOptions options;
  options.sample_budget = 10;
  const auto test = make_case(cx, matmul(cx, 8, 8, 64), options);
  ASSERT_TRUE(test.ok());
  EXPECT_TRUE(test->outputs[0].sampled.empty());
  std::vector<float> c = product(*test, 8, 8, 64);
  EXPECT_TRUE(check_outputs(*test, {{Array::of(c)}}).ok());
  c[9] += 0.3f;
  EXPECT_EQ(check_outputs(*test, {{Array::of(c)}}).rejection().reason(), Reason::WrongResult);
}

TEST(Check, KeepsIndicesInsideWhatTheyIndex) {
  Context cx;
  Builder b(cx, "embed");
  const Mem ids = b.input("ids", {64}, DType::I64);
  const Mem table = b.constant("table", {5, 3});
  const Mem y = b.output("y", {64, 3});
  b.block("y", {spatial("i", 64), spatial("j", 3)}, [&](Point p) {
    const Scalar at[] = {ids(p[0]).s, value(p[1]).s};
    return assign(y, {p[0], p[1]}, Val{&cx, cx.gather(table.buffer, at)});
  });
  const auto test = make_case(cx, b.finish());
  ASSERT_TRUE(test.ok()) << test.rejection().message();
  const auto& drawn = std::get<std::vector<std::int64_t>>(test->arguments[0].elements);
  EXPECT_EQ(*std::max_element(drawn.begin(), drawn.end()), 4);
  EXPECT_EQ(*std::min_element(drawn.begin(), drawn.end()), 0);
}

TEST(Check, TakesPositiveInputsWhereOthersGiveNan) {
  Context cx;
  Builder b(cx, "root");
  const Mem x = b.input("x", {64}), y = b.output("y", {64});
  b.block("y", {spatial("i", 64)}, [&](Point p) {
    return assign(y, {p[0]}, apply(UnaryFn::Log, apply(UnaryFn::Sqrt, x(p[0]))));
  });
  const auto test = make_case(cx, b.finish());
  ASSERT_TRUE(test.ok());
  for (const double value : test->outputs[0].values) EXPECT_FALSE(std::isnan(value));
}

TEST(Check, RefusesAScheduledProgramAsItsOwnWitness) {
  Context cx;
  Rejection rejection(Reason::Unsound);
  bool is_refused = false;
  for (std::uint64_t seed = 0; seed < 20 && !is_refused; ++seed) {
    const auto test = make_case(cx, scheduled_program(cx, random_formula(seed), seed));
    is_refused = !test.ok();
    if (is_refused) rejection = test.rejection();
  }
  ASSERT_TRUE(is_refused);
  EXPECT_EQ(rejection.reason(), Reason::WrongArgument);
}

TEST(Check, TheSameSeedGivesTheSameCase) {
  Context cx;
  const Program program = matmul(cx, 4, 4, 8);
  const auto one = make_case(cx, program), two = make_case(cx, program);
  EXPECT_EQ(one->outputs[0].values, two->outputs[0].values);
  EXPECT_EQ(one->outputs[0].sampled, two->outputs[0].sampled);
}

// Points against the interpreter: the same values, and bounds that hold for float arithmetic.
TEST(Points, AgreeWithTheInterpreterAndBoundItsRounding) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Context cx;
    const RandomFormula formula = random_formula(seed);
    const Program program = plain_program(cx, formula);
    Rng rng(seed);
    std::vector<Array> arguments;
    for (const Buffer* buffer : program.parameters) {
      if (buffer->role == Role::Output) continue;
      std::vector<float> values(static_cast<std::size_t>(buffer->elements()));
      for (float& v : values) v = static_cast<float>(rng.uniform(-1, 1));
      Array array{buffer->dtype, values};
      if (buffer->dtype == DType::F64) {
        array.elements = std::vector<double>(values.begin(), values.end());
      }
      arguments.push_back(array);
    }
    const auto exact = interpret(cx, program, arguments, Precision::Double);
    const auto stored = interpret(cx, program, arguments);
    ASSERT_TRUE(exact.ok()) << exact.rejection().message();
    auto points = Points::of(program, arguments);
    ASSERT_TRUE(points.ok()) << points.rejection().message();
    for (std::int64_t i = 0; i < exact->at(0).size(); ++i) {
      const auto estimate = points->at(0, i);
      ASSERT_TRUE(estimate.has_value());
      const double expected = exact->at(0).as_doubles()[static_cast<std::size_t>(i)];
      const double rounded = stored->at(0).as_doubles()[static_cast<std::size_t>(i)];
      ASSERT_NEAR(estimate->value, expected, 1e-9 * std::max(1.0, std::abs(expected))) << seed;
      ASSERT_LE(std::abs(rounded - expected), estimate->error) << seed;
    }
  }
}

// One function after the other: what the interpreter rounds stays within the bound.
TEST(Points, BoundEveryFunction) {
  int tried = 0;
  for (int fn = 0; fn <= static_cast<int>(UnaryFn::Not); ++fn) {
    const auto f = static_cast<UnaryFn>(fn);
    if (f == UnaryFn::Not || f == UnaryFn::IsNan) continue;
    Context cx;
    Builder b(cx, "unary");
    const Mem x = b.input("x", {200}), y = b.output("y", {200});
    b.block("y", {spatial("i", 200)},
            [&](Point p) { return assign(y, {p[0]}, apply(f, x(p[0]) * 1.7 + 0.3) * x(p[0])); });
    const Program program = b.finish();
    const auto test = make_case(cx, program);
    ASSERT_TRUE(test.ok()) << test.rejection().message();
    const auto stored = interpret(cx, program, test->arguments);
    const auto error = check_outputs(*test, *stored);
    EXPECT_TRUE(error.ok()) << name_of(f) << ": " << error.rejection().message();
    ++tried;
  }
  EXPECT_GT(tried, 20);
}

TEST(Points, GiveUpWhatCostsTooMuch) {
  Context cx;
  const Program program = matmul(cx, 4, 4, 1000);
  CaseOptions options;
  options.samples = 2;  // the ends: others are not known yet
  const auto test = make_case(cx, program, options);
  EXPECT_FALSE(test->points->at(0, 1, 100).has_value());
  EXPECT_TRUE(test->points->at(0, 1).has_value());
}

}  // namespace
}  // namespace cambium::measure
