#include <cstdlib>
#include <iostream>
#include <map>

#include <gtest/gtest.h>

#include "program/interpret.h"
#include "program/random_program.h"
#include "program/text.h"
#include "program/verify.h"
#include "schedule/trace/random_step_testing.h"
#include "schedule/trace/schedule.h"

namespace cambium::schedule {
namespace {

// `make soak` asks for more.
std::uint64_t sequences() {
  const char* asked = std::getenv("CAMBIUM_SOAK_SEQUENCES");
  return asked == nullptr ? 2000 : std::strtoull(asked, nullptr, 10);
}

struct Count {
  std::uint64_t accepted = 0, refused = 0;
};
using Counts = std::map<std::string, Count>;  // by name of the step

std::string name_of(const Step& step) {
  return std::visit([](const auto& s) { return std::string(s.kName); }, step);
}

using Values = std::vector<std::vector<double>>;

Result<Values> run(Context& cx, const Program& program, const std::vector<program::Array>& inputs) {
  CAMBIUM_TRY(const program::Interpreter code, program::Interpreter::compile(cx, program));
  CAMBIUM_TRY(const std::vector<program::Array> outputs, code.run(inputs, 1));
  Values values;
  for (const program::Array& output : outputs) values.push_back(output.as_doubles());
  return values;
}

struct Start {
  Program program;
  std::vector<program::Array> inputs;
};

// A tile that a micro-kernel may do, which random formulas hardly ever make.
constexpr std::string_view kTile = R"(
  program tile(a: f64[4, 3] input, b: f64[3, 8] input, y: f64[4, 8] output) {
    local t: f64[2, 8]
    for i in 2 {
      for r.2 in 2 { for n.2 in 8 { block init(spatial r = r.2, spatial n = n.2) { t[r, n] = f64(0) } } }
      for k in 3 { for r in 2 { for v in 2 { for l in 4 {
        block t(spatial i = i, spatial r = r, spatial n in 8 = 4*v + l, reduce k = k) {
          t[r, n] += a[2*i + r, k] * b[k, n]
        }
      } } } }
      for r.3 in 2 { for n.3 in 8 {
        block y(spatial i = i, spatial r = r.3, spatial n = n.3) { y[2*i + r, n] = t[r, n] }
      } }
    }
  })";

// Windows of 3x3 over padding, which they never make.
constexpr std::string_view kWindows = R"(
  program windows(x: f64[3, 4, 2] input, w: f64[3, 3, 2, 2] constant, y: f64[3, 4, 2] output) {
    local p: f64[5, 6, 2]
    for h in 5 { for v in 6 { for c in 2 {
      block pad(spatial h = h, spatial v = v, spatial c = c) {
        p[h, v, c] = select([1 <= h && h < 4 && 1 <= v && v < 5], x[h - 1, v - 1, c], f64(0))
      }
    } } }
    for a in 3 { for b in 4 { for o in 2 { for r in 3 { for s in 3 { for k in 2 {
      block y(spatial a = a, spatial b = b, spatial o = o, reduce r = r, reduce s = s, reduce k = k) {
        y[a, b, o] += p[a + r, b + s, k] * w[r, s, k, o] init f64(0)
      }
    } } } } } }
  })";

// Two slabs of rows between zeros of their own, and two locals that hold the same.
constexpr std::string_view kSlabs = R"(
  program slabs(x: f64[8] input, w: f64[2, 3] constant, y: f64[8] output) {
    for s in 2 { for h in 4 { for k in 3 {
      block y(spatial s = s, spatial h = h, reduce k = k) {
        y[4*s + h] += select([1 <= h + k && h + k < 5], x[4*s + h + k - 1], f64(0)) * w[s, k] init f64(0)
      }
    } } }
  })";
constexpr std::string_view kTwins = R"(
  program twins(x: f64[4] input, w: f64[4] constant, y: f64[4] output) {
    local a: f64[4]
    local b: f64[4]
    for i in 4 { block a(spatial i = i) { a[i] = max(x[i], w[i]) } }
    for i.2 in 4 { block b(spatial i = i.2) { b[i] = max(x[i], w[i]) } }
    for j in 4 { block y(spatial j = j) { y[j] = a[j] + b[j] * w[j] } }
  })";

Start start_of(Context& cx, std::uint64_t seed) {
  std::vector<program::Array> inputs;
  const auto add = [&](const std::vector<double>& values) {
    inputs.push_back(program::Array::of(std::span<const double>(values)));
  };
  if (seed % 8 == 0) {
    constexpr std::string_view kSpecial[] = {kTile, kWindows, kSlabs, kTwins};
    Rng rng(seed);
    const Program program = program::parse(cx, kSpecial[seed / 8 % 4]).value();
    for (const program::Buffer* buffer : program.parameters.first(2)) {
      std::vector<double> values(static_cast<std::size_t>(buffer->elements()));
      for (double& v : values) v = static_cast<double>(rng.between(-3, 3));
      add(values);
    }
    return {program, inputs};
  }
  const program::RandomFormula formula = program::random_formula(seed);
  for (const auto& values : program::random_inputs(formula, seed)) add(values);
  // Loops are marked at random there, not always as they may be.
  const Program scheduled = program::scheduled_program(cx, formula, seed);
  const bool sound = program::check(cx, scheduled, program::Stage::Scheduled).ok();
  return {sound && seed % 2 == 1 ? scheduled : program::plain_program(cx, formula), inputs};
}

::testing::AssertionResult keeps_its_meaning(std::uint64_t seed, Counts& counts) {
  Context cx;
  const Start start = start_of(cx, seed);
  const Result<Values> wanted = run(cx, start.program, start.inputs);
  Rng rng = Rng(seed).split("steps");
  Schedule schedule(cx, start.program);
  for (std::uint64_t n = rng.below(12) + 1; n > 0; --n) {
    const Step step = random_step(schedule.program(), rng);
    const Program before = schedule.program();
    Count& count = counts[name_of(step)];
    const auto failure = [&](const std::string& what) {
      return ::testing::AssertionFailure() << "seed " << seed << ": " << what << "\n"
                                           << program::to_text(cx, before) << to_text(step) << "\n"
                                           << program::to_text(cx, schedule.program());
    };
    if (!schedule.apply(step).ok()) {
      ++count.refused;
      continue;
    }
    ++count.accepted;
    const Status sound = program::check(cx, schedule.program(), program::Stage::Scheduled);
    if (!sound.ok()) return failure(sound.rejection().message());
    const Result<Values> found = run(cx, schedule.program(), start.inputs);
    if (!found.ok()) return failure(found.rejection().message());
    if (*found != *wanted) return failure("another result");
  }
  const auto again = replay(cx, start.program, parse_trace(to_text(schedule.trace())).value());
  if (!again.ok()) return ::testing::AssertionFailure() << again.rejection().message();
  if (program::to_text(cx, again->program()) != program::to_text(cx, schedule.program())) {
    return ::testing::AssertionFailure() << "seed " << seed << ": the trace replays differently";
  }
  return ::testing::AssertionSuccess();
}

TEST(PreservingSteps, KeepWhatAProgramComputes) {
  Counts counts;
  std::uint64_t failures = 0;
  for (std::uint64_t seed = 0; seed < sequences() && failures < 5; ++seed) {
    const auto kept = keeps_its_meaning(seed, counts);
    EXPECT_TRUE(kept);
    if (!kept) ++failures;
  }
  std::cout << sequences() << " sequences\n";
  for (const auto& [name, count] : counts) {
    std::cout << "  " << name << ": " << count.accepted << " accepted, " << count.refused
              << " refused\n";
    EXPECT_GT(count.accepted, 0U) << name;
  }
}

}  // namespace
}  // namespace cambium::schedule
