// Random schedules of everything that the zoo is made of, as machine code: what the interpreter
// says is what the processor does.
#include <iostream>
#include <map>

#include <gtest/gtest.h>

#include "codegen/llvm/native_testing.h"
#include "program/text.h"
#include "program/verify.h"
#include "sequence.h"
#include "zoo_cases.h"

namespace cambium {
namespace {

constexpr std::uint64_t kUsual = 200;
constexpr double kTolerance = 1e-4;  // single precision, functions of the own library

struct Counts {
  std::uint64_t done = 0, run = 0;
  std::map<std::string, std::uint64_t> passed_over;  // why no code was made
};

// Empty: all is well, also if the back-end refuses by name what it may refuse.
std::string native_difference(program::Context& cx, const program::Program& program,
                              std::span<const program::Array> arguments, Counts& counts) {
  for (const program::Violation& found : program::violations(cx, program, program::Stage::Ready)) {
    if (found.rule->name != "inits-decomposed" && found.rule->name != "unroll-bounded")
      return found.rejection.message();
    ++counts.passed_over[std::string(found.rule->name)];
    return "";
  }
  const auto code = codegen::compile_kernel(cx, program, host_machine());
  if (!code.ok()) {
    const Reason reason = code.rejection().reason();
    if (reason != Reason::NotInRegisters && reason != Reason::CodeTooLarge)
      return code.rejection().message();
    ++counts.passed_over[std::string(name_of(reason))];
    return "";
  }
  ++counts.run;
  const auto wanted = program::interpret(cx, program, arguments);
  if (!wanted.ok()) return wanted.rejection().message();
  for (const int threads : {0, 2}) {
    const auto found = codegen::run_native(program, *code, arguments, threads);
    if (!found.ok()) return found.rejection().message();
    const std::string words = codegen::difference(*found, *wanted, kTolerance);
    if (!words.empty()) return words + (threads == 0 ? "" : ", with threads");
  }
  return "";
}

TEST(ZooNative, RandomSchedulesRunAsTheyAreInterpreted) {
  const auto cases = zoo_operators();
  ASSERT_TRUE(cases.ok()) << cases.rejection().message();
  const auto groups = zoo_groups();
  ASSERT_TRUE(groups.ok()) << groups.rejection().message();
  Counts counts;
  StepCounts steps;
  // Sequences of their own: the seeds are behind those of the property test.
  for (std::uint64_t count = sequences_asked(kUsual); counts.done < count; ++counts.done) {
    const std::uint64_t turn = counts.done / 2;
    const bool is_group = counts.done % 2 == 1;
    const std::vector<ZooCase>& all = is_group ? *groups : *cases;
    const ZooCase& given = all[turn % all.size()];
    const std::uint64_t seed = 1'000'000'000 + counts.done;
    program::Context cx;
    const auto start = lowered_in_turn(cx, given, turn + turn / all.size());
    ASSERT_TRUE(start.ok()) << given.name << ": " << start.rejection().message();
    schedule::Schedule schedule(cx, *start);
    const auto arguments = whole_arguments(*start, seed);
    ASSERT_EQ(apply_random_steps(schedule, *start, arguments, seed, steps), "") << given.name;
    decompose_inits(schedule);
    ASSERT_EQ(native_difference(cx, schedule.program(), arguments, counts), "")
        << given.name << ", sequence " << counts.done << "\n"
        << program::to_text(cx, *start) << schedule::to_text(schedule.trace())
        << program::to_text(cx, schedule.program());
  }
  std::cout << counts.done << " sequences, " << counts.run << " of them run as machine code\n";
  for (const auto& [reason, count] : counts.passed_over)
    std::cout << "  " << reason << ": " << count << "\n";
  EXPECT_GT(counts.run, counts.done / 2);
}

}  // namespace
}  // namespace cambium
