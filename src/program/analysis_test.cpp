#include "program/analysis.h"

#include <gtest/gtest.h>

#include "expr/text.h"
#include "program/code_size.h"
#include "program/coverage.h"
#include "program/prove.h"
#include "program/region.h"
#include "program/text.h"

namespace cambium::program {
namespace {

// A producer inside the loop of a consumer, and a reduction that a loop around both feeds.
constexpr std::string_view kText = R"(
  program p(x: f32[34, 16] input, y: f32[32, 16] output) {
    local t: f32[34, 16]
    local s: f32[16]
    for o in 8 parallel {
      for r in 6 {
        for c in 16 { block t(spatial i in 34 = 4*o + r, spatial j = c) { t[i, j] = x[i, j] } }
      }
      for i in 4 {
        for j in 16 vectorized {
          for k in 3 unrolled {
            block y(spatial i in 32 = 4*o + i, spatial j = j, reduce k = k) {
              y[i, j] += t[i + k, j] init 0.0
            }
          }
        }
      }
    }
    for m in 4 {
      for n in 16 {
        block s(spatial j = n, reduce i in 4 = m) { s[j] += x[i, j] init 0.0 }
        block u(spatial i in 4 = m, spatial j = n) { y[i, j] = s[j] }
      }
    }
  })";

class Analysis : public testing::Test {
 protected:
  Context cx_;
  Program program_ = parse(cx_, kText).value();
  std::vector<Site> sites_ = sites_of(program_);

  const Site& site(std::string_view name) const {
    for (const Site& s : sites_) {
      if (s.block->name == name) return s;
    }
    return sites_.front();
  }
  std::string text(const Side& side) {
    return expr::print(cx_.indices(), side.base) + " + " + std::to_string(side.range.lo) + ".." +
           std::to_string(side.range.hi);
  }
};

TEST_F(Analysis, KnowsWhereLocalsLive) {
  EXPECT_EQ(home_of(sites_, find_buffer(program_, "t")), find_loop(program_, "o"));
  EXPECT_EQ(home_of(sites_, find_buffer(program_, "s")), nullptr);  // m feeds its reduction
  EXPECT_EQ(home_of(sites_, find_buffer(program_, "y")), nullptr);
}

TEST_F(Analysis, KnowsWhatLoopsFeed) {
  const Feeds k = feeds_of(*find_loop(program_, "k"), *find_block(program_, "y"));
  EXPECT_TRUE(k.reduce && !k.spatial);
  const Feeds o = feeds_of(*find_loop(program_, "o"), *find_block(program_, "y"));
  EXPECT_TRUE(o.spatial && !o.reduce);
}

TEST_F(Analysis, FindsProducersAndConsumers) {
  const Buffer* t = find_buffer(program_, "t");
  EXPECT_EQ(writers_of(sites_, t), std::vector<std::size_t>{0});
  EXPECT_EQ(readers_of(sites_, t), std::vector<std::size_t>{1});
}

TEST_F(Analysis, MeasuresStrides) {
  const Block& block = *find_block(program_, "y");
  const Access read = accesses_of(cx_, *block.body)[1];
  ASSERT_EQ(read.buffer->name, "t");
  const std::vector<Expr> at = over_loops(cx_, block, read.indices);
  EXPECT_EQ(stride_of(*read.buffer, at, find_loop(program_, "o")->axis), 64);
  EXPECT_EQ(stride_of(*read.buffer, at, find_loop(program_, "k")->axis), 16);
  EXPECT_EQ(stride_of(*read.buffer, at, find_loop(program_, "j")->axis), 1);
  Expr halved = expr::div(cx_.indices(), find_loop(program_, "j")->axis, expr::Size(2));
  const Expr odd[] = {cx_.number(0), halved};
  EXPECT_EQ(stride_of(*read.buffer, odd, find_loop(program_, "j")->axis), std::nullopt);
}

TEST_F(Analysis, BoxesWhatABlockTouches) {
  const Access read = accesses_of(cx_, *site("y").block->body)[1];
  const Box under_o = box_of(cx_, site("y"), read.indices, find_loop(program_, "o"));
  EXPECT_EQ(text(under_o.sides[0]), "4*o + 0..5");
  EXPECT_EQ(text(under_o.sides[1]), "0 + 0..15");
  EXPECT_TRUE(under_o.is_exact);
  const Box under_i = box_of(cx_, site("y"), read.indices, find_loop(program_, "i"));
  EXPECT_EQ(text(under_i.sides[0]), "4*o + i + 0..2");
  const Box all = box_of(cx_, site("y"), read.indices, nullptr);
  EXPECT_EQ(text(all.sides[0]), "0 + 0..33");
  EXPECT_EQ(common_loop(site("t"), site("y")), find_loop(program_, "o"));
  EXPECT_EQ(common_loop(site("t"), site("s")), nullptr);
}

TEST_F(Analysis, CollectsGuards) {
  const Program padded = parse(cx_, R"(
    program p(x: f32[4] input, y: f32[6] output) {
      for i in 6 { block b(spatial i = i) {
        y[i] = select([1 <= i] && !([5 <= i] || x[0] < 0.0), x[i - 1], x[0]) } }
    })")
                             .value();
  const auto accesses = accesses_of(cx_, *find_block(padded, "b")->body);
  ASSERT_EQ(accesses.size(), 4u);
  std::vector<std::string> guards;
  for (Expr g : accesses[2].guards) guards.push_back(expr::print(cx_.indices(), g));
  EXPECT_EQ(guards, (std::vector<std::string>{"1 <= i", "i < 5"}));
  EXPECT_TRUE(accesses[3].guards.empty());
}

TEST_F(Analysis, ReplacesAlongOnePathOnly) {
  const Loop* r = find_loop(program_, "r");
  const Program changed = replace(cx_, program_, r, cx_.loop(r->axis, LoopKind::Unrolled, r->body));
  EXPECT_EQ(find_loop(changed, "r")->body, r->body);
  EXPECT_EQ(find_loop(changed, "i"), find_loop(program_, "i"));
  EXPECT_NE(find_loop(changed, "o"), find_loop(program_, "o"));
  const Program without = replace(cx_, program_, find_block(program_, "t"), cx_.seq({}));
  EXPECT_EQ(find_loop(without, "r"), nullptr);
  EXPECT_EQ(fresh_loop_name(cx_, program_, "r"), "r.2");
  EXPECT_EQ(fresh_block_name(cx_, program_, "fresh"), "fresh");
}

Coverage coverage(std::string_view loops_and_block) {
  Context cx;
  const Program p =
      parse(cx, "program p(y: f32[60] output) { " + std::string(loops_and_block) + " }").value();
  return coverage_of(cx, sites_of(p).front());
}

TEST(Coverage, DecidesSplitsFusesAndTails) {
  const Coverage radix = coverage(
      "for a in 3 { for b in 5 { for c in 4 { block b(spatial i in 60 = 20*a + 4*b + c) { y[i] = "
      "1.0 } } } }");
  EXPECT_EQ(radix.once, Proof::Yes);
  EXPECT_EQ(radix.full, Proof::Yes);
  const Coverage tail = coverage(
      "for a in 8 { for b in 8 { block b(spatial i in 60 = 8*a + b) if 8*a + b < 60 { y[i] = 1.0 } "
      "} }");
  EXPECT_EQ(tail.once, Proof::Yes);
  EXPECT_EQ(tail.full, Proof::Yes);
  const Coverage cut = coverage(
      "for a in 8 { for b in 8 { block b(spatial i in 60 = 8*a + b) if 8*a + b < 59 { y[i] = 1.0 } "
      "} }");
  EXPECT_EQ(cut.once, Proof::Yes);
  EXPECT_EQ(cut.full, Proof::No);
  const Coverage large = coverage(
      "for a in 400001 { for b in 8 { block b(spatial i in 3200002 = 8*a + b) if 8*a + b < 3200002 "
      "{ "
      "y[i % 60] = 1.0 } } }");
  EXPECT_EQ(large.once, Proof::Yes);
  EXPECT_EQ(large.full, Proof::Yes);
  const Coverage fused = coverage(
      "for f in 60 { block b(spatial i in 6 = f/10, spatial j in 10 = f % 10) { y[10*i + j] = 1.0 "
      "} "
      "}");
  EXPECT_EQ(fused.full, Proof::Yes);
  const Coverage halo = coverage(
      "for a in 20 { for b in 5 { block b(spatial i in 60 = 3*a + b) if 3*a + b < 60 { "
      "y[i] = 1.0 } } }");
  EXPECT_EQ(halo.once, Proof::No);
  EXPECT_EQ(halo.full, Proof::Yes);
}

TEST(Prove, BoundsOnTilesFollowFromBoundsOnElements) {
  Context cx;
  Expr t = cx.axis("t", 9), u = cx.axis("u", 32);
  const Expr element = expr::add(cx.indices(), expr::mul(cx.indices(), t, expr::Size(32)), u);
  const auto below = [&](std::int64_t n) { return expr::less(cx.indices(), t, cx.number(n)); };
  EXPECT_TRUE(only_bounds(cx, below(8), element, 0, 256));
  EXPECT_FALSE(only_bounds(cx, below(8), element, 0, 257)) << "32*8 + 0 lies below";
  EXPECT_FALSE(only_bounds(cx, below(7), element, 0, 256));
}

TEST(Prove, UsesFactsAndPoints) {
  Context cx;
  Expr i = cx.axis("i", 1000000);
  Expr j = cx.axis("j", 1000000);
  Expr k = cx.axis("k", 10);
  Expr sum = expr::add(cx.indices(), i, j);
  const Expr below = expr::less(cx.indices(), sum, cx.number(50));
  EXPECT_EQ(stays_within(cx, sum, 0, 50, std::span(&below, 1)).proof, Proof::Yes);
  EXPECT_EQ(stays_within(cx, sum, 0, 49, std::span(&below, 1)).proof, Proof::Unknown);
  Expr square = expr::mod(cx.indices(), expr::mul(cx.indices(), k, expr::Size(3)), expr::Size(7));
  EXPECT_EQ(stays_within(cx, square, 0, 7, {}).proof, Proof::Yes);
  const Within outside = stays_within(cx, square, 0, 6, {});
  EXPECT_EQ(outside.proof, Proof::No);
  EXPECT_EQ(outside.value, 6);
}

TEST(CodeSize, CountsWhatIsWrittenBehindALoopThatIsUnrolledInPart) {
  const auto size = [](const std::string& extent, const std::string& hint) {
    Context cx;
    const auto program = parse(cx, "program p(y: f32[" + extent + "] output) { for i in " + extent +
                                       " " + hint + " { block b(spatial i = i) { y[i] = 1.0 } } }");
    EXPECT_TRUE(program.ok()) << program.rejection().message();
    return written_operations(sites_of(*program), 16);
  };
  const std::int64_t one = size("1", "");
  EXPECT_EQ(size("10", ""), one);
  EXPECT_EQ(size("10", "unrolled"), 10 * one);
  EXPECT_EQ(size("10", "@unroll(4)"), (4 + 2) * one);
  EXPECT_EQ(size("10", "@unroll(6)"), 10 * one);
  EXPECT_EQ(size("10", "vectorized"), one);
}

}  // namespace
}  // namespace cambium::program
