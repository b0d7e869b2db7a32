#include "schedule/rules/parallel_vectorize_unroll.h"

#include "schedule/rules/factor_reduction.h"
#include "schedule/rules/multi_level_tiling.h"
#include "schedule/rules/rule_testing.h"
#include "schedule/rules/sites.h"
#include "schedule/rules/write_cache.h"

namespace cambium::schedule {
namespace {

using program::LoopKind;

const std::string kUnroll = "parallel-vectorize-unroll/t/unroll";

// The product in tiles of 2x16 under the second level, its result collected there.
void make_tile(RuleSubject& s, std::int64_t lanes = 16) {
  s.want("multi-level-tiling/t/i", {{3, 2, 1, 2}, ""});
  s.want("multi-level-tiling/t/j", {{32 / lanes, 1, 1, lanes}, ""});
  s.want("multi-level-tiling/t/k", {{5, 2}, ""});
  s.want("write-cache/t/level", {{2}, "level 2"});
  ASSERT_EQ(s.apply(multi_level_tiling_rule(), "t"), std::nullopt);
  ASSERT_EQ(s.apply(write_cache_rule(), "t"), std::nullopt);
}

std::vector<LoopKind> kinds_around(const RuleSubject& s, const std::string& block) {
  std::vector<LoopKind> kinds;
  for (const program::Loop* loop : site_of(s.program(), block).loops) {
    if (loop->extent() > 1) kinds.push_back(loop->how);
  }
  return kinds;
}

TEST(ParallelVectorizeUnroll, VectorizesTheInnermostTileAndUnrollsWithinTheBudget) {
  RuleSubject s(kProduct);
  make_tile(s);
  s.want(kUnroll, {{1}, "16"});
  ASSERT_EQ(s.apply(parallel_vectorize_unroll_rule(), "y"), std::nullopt);
  ASSERT_EQ(s.apply(parallel_vectorize_unroll_rule(), "t"), std::nullopt);
  // i.0 j.0 i.1 | k.0 | k.1 | i.3 j.3: 2 copies of i.3, 4 with k.1, 20 with k.0.
  EXPECT_EQ(kinds_around(s, "t"),
            (std::vector{LoopKind::Serial, LoopKind::Serial, LoopKind::Serial, LoopKind::Serial,
                         LoopKind::Unrolled, LoopKind::Unrolled, LoopKind::Vectorized}))
      << s.text();
}

TEST(ParallelVectorizeUnroll, KeepsASmallTileInRegisters) {
  RuleSubject s(kProduct);
  make_tile(s);
  ASSERT_EQ(s.apply(parallel_vectorize_unroll_rule(), "y"), std::nullopt);
  ASSERT_EQ(s.apply(parallel_vectorize_unroll_rule(), "t"), std::nullopt);
  EXPECT_TRUE(s.has("@space(\"register\")")) << s.text();
}

TEST(ParallelVectorizeUnroll, LeavesTheTileInMemoryWithoutABudget) {
  RuleSubject s(kProduct);
  make_tile(s);
  s.want(kUnroll, {{0}, "0"});
  ASSERT_EQ(s.apply(parallel_vectorize_unroll_rule(), "t"), std::nullopt);
  EXPECT_FALSE(s.has("register"));
  EXPECT_FALSE(s.has("unrolled")) << s.text();
}

TEST(ParallelVectorizeUnroll, DoesNotVectorizeAcrossGaps) {
  RuleSubject s(R"(
    program p(a: f32[12, 10] input, b: f32[32, 10] input, t: f32[12, 32] output) {
      for i in 12 { for j in 32 { for k in 10 {
        block t(spatial i = i, spatial j = j, reduce k = k) { t[i, j] += a[i, k] * b[j, k] init 0.0 }
      } } }
    })");
  s.want("multi-level-tiling/t/j", {{2, 1, 1, 16}, ""});
  ASSERT_EQ(s.apply(multi_level_tiling_rule(), "t"), std::nullopt);
  ASSERT_EQ(s.apply(parallel_vectorize_unroll_rule(), "t"), std::nullopt);
  EXPECT_FALSE(s.has("vectorized")) << s.text();
}

TEST(ParallelVectorizeUnroll, SharesAsManyLoopsAsThreadsHaveChunks) {
  RuleSubject s(kProduct, 2);
  make_tile(s);
  ASSERT_EQ(s.apply(parallel_vectorize_unroll_rule(), "y"), std::nullopt);
  const program::Loop* outermost = site_of(s.program(), "y").loops.front();
  EXPECT_EQ(outermost->how, LoopKind::Parallel);
  EXPECT_EQ(outermost->extent(), 12) << "3 * 2 * 2 of at most 32\n" << s.text();
}

TEST(ParallelVectorizeUnroll, SharesPartialResultsWithinALoopOfOneIteration) {
  RuleSubject s(R"(
    program p(x: f32[1, 4096] input, y: f32[1] output) {
      for i in 1 { for j in 4096 {
        block y(spatial i = i, reduce j = j) { y[i] += x[i, j] init 0.0 }
      } }
    })",
                2);
  s.want("rfactor/y/part", {{1}, "outer"});
  s.want("rfactor/y/terms", {{64, 64}, ""});
  ASSERT_EQ(s.apply(rfactor_rule(), "y"), std::nullopt);
  ASSERT_EQ(s.apply(parallel_vectorize_unroll_rule(), "y.part"), std::nullopt);
  EXPECT_TRUE(s.has("in 64 parallel @grain(2)")) << s.text();
}

TEST(ParallelVectorizeUnroll, SharesNothingWithOneThread) {
  RuleSubject s(kProduct);
  make_tile(s);
  ASSERT_EQ(s.apply(parallel_vectorize_unroll_rule(), "y"), std::nullopt);
  EXPECT_FALSE(s.has("parallel"));
}

TEST(ParallelVectorizeUnroll, HasNothingToDoWithoutLoops) {
  RuleSubject s("program p(x: f32[1] input, y: f32[1] output) { block y() { y[0] = x[0] } }");
  EXPECT_EQ(s.apply(parallel_vectorize_unroll_rule(), "y"), Reason::NothingToDo);
}

}  // namespace
}  // namespace cambium::schedule
