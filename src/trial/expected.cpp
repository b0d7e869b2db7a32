#include "trial/expected.h"

#include <algorithm>
#include <utility>

#include "codegen/codegen.h"
#include "program/clone.h"
#include "program/operations.h"
#include "schedule/defaults/default_schedule.h"

namespace cambium::trial {

namespace {

// What the second version of a large program may take, once per task.
constexpr double kVersionSeconds = 60;
// Operations up to which the plain loops take half a second; beyond, the default schedule stands
// in for them, and more elements are computed by themselves to vouch for it.
constexpr std::int64_t kPlainOperations = 100'000'000, kManySamples = 1024;
// Points of blocks that the interpreter visits in about a tenth of a second.
constexpr std::int64_t kInterpreted = 2'000'000;

// Too large for the interpreter: another schedule as native code says what every element is, and
// the samples, computed by themselves, vouch for it.
Status add_second_version(Expected& expected, const Machine& machine, bool is_huge,
                          measure::Runner& runner) {
  measure::Case& test = expected.test;
  const auto with = [&](Result<schedule::Schedule> scheduled) -> Status {
    CAMBIUM_TRY(const schedule::Schedule made, std::move(scheduled));
    CAMBIUM_TRY(const codegen::ObjectCode code,
                codegen::compile_kernel(expected.cx, made.program(), machine, {"version"}));
    runner.limit_seconds(kVersionSeconds);
    CAMBIUM_TRY(const auto outputs, runner.run(code, test.buffers, test.arguments, 1));
    return measure::take_second_version(test, outputs);
  };
  // The plain loops of a long sum may lose too much to rounding; many accumulators lose less.
  const auto usual = [&] {
    return with(schedule::default_schedule(expected.cx, expected.lowered, machine));
  };
  if (is_huge) {
    const Status done = usual();
    if (done.ok()) return done;
  }
  const Status plain = with(schedule::plain_schedule(expected.cx, expected.lowered));
  const bool is_rounded = !plain.ok() && plain.rejection().reason() == Reason::WrongResult;
  return is_rounded && !is_huge ? usual() : plain;
}

}  // namespace

Result<std::unique_ptr<Expected>> make_expected(const tune::Task& task, const Machine& machine,
                                                std::uint64_t seed, measure::Runner& runner) {
  auto made = std::make_unique<Expected>();
  made->lowered = program::clone_into(made->cx, *task.program);
  measure::CaseOptions how;
  how.seed = seed;
  how.interpreted = kInterpreted;
  const bool is_huge = program::operations_of(made->lowered) > kPlainOperations;
  if (is_huge) how.samples = kManySamples;
  CAMBIUM_TRY(made->test, measure::make_case(made->cx, made->lowered, how));
  std::size_t next = 0;
  for (const program::Buffer* buffer : made->lowered.parameters) {
    made->arguments.push_back(buffer->role == program::Role::Output ? 0 : next++);
  }
  const auto& outputs = made->test.outputs;
  const bool is_whole = std::all_of(outputs.begin(), outputs.end(),
                                    [](const auto& output) { return !output.values.empty(); });
  if (!is_whole) CAMBIUM_REQUIRE(add_second_version(*made, machine, is_huge, runner));
  return made;
}

}  // namespace cambium::trial
