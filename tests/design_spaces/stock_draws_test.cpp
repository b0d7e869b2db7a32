// Whatever the stock rules draw computes what the lowered program computes. How many draws are
// refused is printed: a space that refuses much wastes a search.
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "base/random.h"
#include "program/interpret.h"
#include "program/text.h"
#include "schedule/rules/multi_level_tiling.h"
#include "schedule/rules/space.h"
#include "small_operators.h"

namespace cambium {
namespace {

using Values = std::vector<double>;

std::vector<program::Array> arguments_of(const program::Program& program) {
  std::vector<program::Array> arguments;
  Rng rng(11);
  for (const program::Buffer* buffer : program.parameters) {
    if (buffer->role == program::Role::Output) continue;
    std::vector<float> values(static_cast<std::size_t>(buffer->elements()));
    for (float& v : values) v = static_cast<float>(rng.between(-16, 16)) / 8;
    arguments.push_back(program::Array::of(std::move(values)));
  }
  return arguments;
}

Result<Values> run(program::Context& cx, const program::Program& program, std::uint64_t shuffle) {
  CAMBIUM_TRY(const program::Interpreter code,
              program::Interpreter::compile(cx, program, program::Precision::Double));
  CAMBIUM_TRY(const std::vector<program::Array> outputs, code.run(arguments_of(program), shuffle));
  return outputs[0].as_doubles();
}

class StockDraws : public testing::TestWithParam<std::size_t> {
 protected:
  // Compares draws with the lowered program; how many were refused.
  int refused(const schedule::Space& space, int draws) {
    const Machine machine = machine_named("avx512").value();
    int count = 0;
    for (int draw = 1; draw <= draws; ++draw) {
      program::Context cx;
      const program::Program program = lowered(cx, op_.model, op_.layouts);
      const auto seed = static_cast<std::uint64_t>(draw);
      const int threads = draw % 3 == 0 ? 2 : 1;
      const auto drawn = generate(cx, program, machine, space, {.seed = seed, .threads = threads});
      if (!drawn.ok()) {
        ++count;
        std::printf("%s seed %d: %s\n", op_.name.c_str(), draw,
                    drawn.rejection().message().c_str());
        continue;
      }
      compare(cx, program, *drawn, seed);
      if (HasFatalFailure()) return count;
    }
    return count;
  }

  const SmallOperator op_ = small_operators()[GetParam()];

 private:
  static void compare(program::Context& cx, const program::Program& before,
                      const schedule::Schedule& drawn, std::uint64_t seed) {
    const auto wanted = run(cx, before, seed);
    const auto found = run(cx, drawn.program(), seed);
    ASSERT_TRUE(wanted.ok()) << wanted.rejection().message();
    ASSERT_TRUE(found.ok()) << found.rejection().message() << to_text(drawn.trace())
                            << program::to_text(cx, drawn.program());
    ASSERT_EQ(found->size(), wanted->size());
    for (std::size_t i = 0; i < wanted->size(); ++i) {
      ASSERT_NEAR((*found)[i], (*wanted)[i], 1e-9 * (1 + std::fabs((*wanted)[i])))
          << "seed " << seed << "\n"
          << to_text(drawn.trace());
    }
  }
};

TEST_P(StockDraws, ComputeWhatTheLoweredProgramComputes) {
  constexpr int kDraws = 60;
  const int count = refused(schedule::stock_space(), kDraws);
  std::printf("%s: %d of %d draws refused\n", op_.name.c_str(), count, kDraws);
  EXPECT_LT(10 * count, kDraws);
}

TEST_P(StockDraws, StayRightWithAnyRuleLeftOut) {
  for (const schedule::Rule& rule : schedule::stock_space().rules) {
    const auto fewer = schedule::without(schedule::stock_space(), {rule.name});
    ASSERT_TRUE(fewer.ok()) << fewer.rejection().message();
    EXPECT_LE(refused(*fewer, 8), 1) << "without " << rule.name;
  }
}

TEST_P(StockDraws, StayRightWithTilesThatDoNotDivide) {
  schedule::Space space = schedule::stock_space();
  for (schedule::Rule& rule : space.rules) {
    if (rule.name == "multi-level-tiling") {
      rule = schedule::multi_level_tiling_rule({.perfect = false});
    }
  }
  constexpr int kDraws = 30;
  const int count = refused(space, kDraws);
  std::printf("%s, imperfect: %d of %d draws refused\n", op_.name.c_str(), count, kDraws);
  EXPECT_LT(10 * count, kDraws);
}

std::string name_of_case(const testing::TestParamInfo<std::size_t>& info) {
  return small_operators()[info.param].name;
}

INSTANTIATE_TEST_SUITE_P(All, StockDraws, testing::Range<std::size_t>(0, 12), name_of_case);

}  // namespace
}  // namespace cambium
