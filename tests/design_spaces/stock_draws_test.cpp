// Whatever the stock rules draw computes what the lowered program computes. How many draws are
// refused is printed: a space that refuses much wastes a search.
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "base/random.h"
#include "program/interpret.h"
#include "program/text.h"
#include "schedule/rules/space.h"
#include "small_operators.h"

namespace cambium {
namespace {

constexpr std::uint64_t kDraws = 60;

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

class StockDraws : public testing::TestWithParam<std::size_t> {};

TEST_P(StockDraws, ComputeWhatTheLoweredProgramComputes) {
  const SmallOperator op = small_operators()[GetParam()];
  const Machine machine = machine_named("avx512").value();
  const schedule::Space space = schedule::stock_space();
  std::uint64_t refused = 0;
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    program::Context cx;
    const program::Program program = lowered(cx, op.model, op.layouts);
    const int threads = seed % 3 == 0 ? 2 : 1;
    const auto drawn = generate(cx, program, machine, space, {.seed = seed, .threads = threads});
    if (!drawn.ok()) {
      ++refused;
      std::printf("%s seed %d: %s\n", op.name.c_str(), static_cast<int>(seed),
                  drawn.rejection().message().c_str());
      continue;
    }
    const auto wanted = run(cx, program, seed);
    const auto found = run(cx, drawn->program(), seed);
    ASSERT_TRUE(wanted.ok()) << wanted.rejection().message();
    ASSERT_TRUE(found.ok()) << found.rejection().message() << to_text(drawn->trace())
                            << program::to_text(cx, drawn->program());
    ASSERT_EQ(found->size(), wanted->size());
    for (std::size_t i = 0; i < wanted->size(); ++i) {
      ASSERT_NEAR((*found)[i], (*wanted)[i], 1e-9 * (1 + std::fabs((*wanted)[i])))
          << "seed " << seed << "\n"
          << to_text(drawn->trace());
    }
  }
  std::printf("%s: %d of %d draws refused\n", op.name.c_str(), static_cast<int>(refused),
              static_cast<int>(kDraws));
  EXPECT_LT(10 * refused, kDraws);
}

std::string name_of_case(const testing::TestParamInfo<std::size_t>& info) {
  return small_operators()[info.param].name;
}

INSTANTIATE_TEST_SUITE_P(All, StockDraws, testing::Range<std::size_t>(0, 12), name_of_case);

}  // namespace
}  // namespace cambium
