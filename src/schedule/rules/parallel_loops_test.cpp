#include <gtest/gtest.h>

#include "program/text.h"
#include "schedule/rules/small_operators_testing.h"
#include "schedule/rules/space.h"

namespace cambium::schedule {
namespace {

std::string generated(std::uint64_t seed, int threads, std::int64_t size) {
  Context cx;
  const Program program = matmul(cx, size, 64, 64);
  const Machine machine = *machine_named("avx512");
  DraftOptions options;
  options.seed = seed;
  options.threads = threads;
  options.otherwise = seed == 0 ? Otherwise::Preferred : Otherwise::Drawn;
  const auto made = generate(cx, program, machine, whole_space(), options);
  EXPECT_TRUE(made.ok()) << made.rejection().message();
  if (!made.ok()) return "";
  EXPECT_EQ(difference(cx, program, made->program()), "") << to_text(made->trace());
  return program::to_text(cx, made->program());
}

TEST(ParallelLoops, ShareTheWorkOfAnOuterLoopIfThereIsEnough) {
  EXPECT_NE(generated(0, 2, 64).find("parallel"), std::string::npos);
  EXPECT_EQ(generated(0, 1, 64).find("parallel"), std::string::npos) << "one thread";
  EXPECT_EQ(generated(0, 2, 4).find("parallel"), std::string::npos) << "too little work";
}

TEST(ParallelLoops, ShareWhicheverLoopsAreDrawn) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) generated(seed, 2, 64);
}

}  // namespace
}  // namespace cambium::schedule
