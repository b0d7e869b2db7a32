// Draws of the stock rules become native code that computes the same as the interpreter says.
#include <gtest/gtest.h>

#include "codegen/llvm/native_testing.h"
#include "schedule/rules/space.h"
#include "small_operators.h"

namespace cambium {
namespace {

class StockNative : public testing::TestWithParam<std::size_t> {};

TEST_P(StockNative, ComputesTheSame) {
  const SmallOperator op = small_operators()[GetParam()];
  const Machine machine = host_machine();
  const schedule::Space space = schedule::stock_space();
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    program::Context cx;
    const program::Program program = lowered(cx, op.model, op.layouts);
    const int threads = seed % 3 == 0 ? 2 : 1;
    const auto drawn = generate(cx, program, machine, space, {.seed = seed, .threads = threads});
    if (!drawn.ok()) continue;
    EXPECT_EQ(codegen::mismatch(cx, drawn->program(), seed, 1e-4), "") << "seed " << seed << "\n"
                                                                       << to_text(drawn->trace());
    ++compared;
  }
  EXPECT_GT(compared, 9);
}

std::string name_of_case(const testing::TestParamInfo<std::size_t>& info) {
  return small_operators()[info.param].name;
}

INSTANTIATE_TEST_SUITE_P(All, StockNative, testing::Range<std::size_t>(0, 12), name_of_case);

}  // namespace
}  // namespace cambium
