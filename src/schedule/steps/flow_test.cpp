// Whole sequences of steps, as the built-in schedules and a search write them.
#include "expr/simplify.h"
#include "expr/text.h"
#include "program/analysis.h"
#include "schedule/steps/annotate.h"
#include "schedule/steps/cache.h"
#include "schedule/steps/compute_at.h"
#include "schedule/steps/decompose_reduction.h"
#include "schedule/steps/loop_kinds.h"
#include "schedule/steps/merge_iterators.h"
#include "schedule/steps/partition.h"
#include "schedule/steps/reorder.h"
#include "schedule/steps/set_layout.h"
#include "schedule/steps/split.h"
#include "schedule/steps/step_testing.h"

namespace cambium::schedule {
namespace {

constexpr std::string_view kConv = R"(
  program conv(x: f32[1, 7, 7, 4] input, w: f32[3, 3, 4, 32] constant, b: f32[32] constant, y: f32[1, 7, 7, 32] output) {
    local x.pad: f32[1, 9, 9, 4]
    local t: f32[1, 7, 7, 32]
    for n in 1 { for h in 9 { for v in 9 { for c in 4 {
      block pad(spatial n = n, spatial h = h, spatial v = v, spatial c = c) {
        x.pad[n, h, v, c] = select([1 <= h && h < 8 && (1 <= v && v < 8)], x[n, h - 1, v - 1, c], 0.0)
      }
    } } } }
    for n.2 in 1 { for oh in 7 { for ow in 7 { for oc in 32 { for kh in 3 { for kw in 3 { for ic in 4 {
      block conv(spatial n = n.2, spatial oh = oh, spatial ow = ow, spatial oc = oc, reduce kh = kh, reduce kw = kw, reduce ic = ic) {
        t[n, oh, ow, oc] += x.pad[n, oh + kh, ow + kw, ic] * w[kh, kw, ic, oc] init 0.0
      }
    } } } } } } }
    for n.3 in 1 { for oh.2 in 7 { for ow.2 in 7 { for oc.2 in 32 {
      block relu(spatial n = n.3, spatial oh = oh.2, spatial ow = ow.2, spatial oc = oc.2) {
        y[n, oh, ow, oc] = max(0.0, t[n, oh, ow, oc] + b[oc])
      }
    } } } }
  })";

// What a block reads of a buffer, over the loops around it.
std::string over_loops_text(Context& cx, const Program& program, std::string_view block,
                            std::string_view buffer) {
  std::string text;
  for (const auto& site : program::sites_of(program)) {
    if (site.block->name != block) continue;
    for (const auto& access : program::accesses_of(cx, *site.block->body)) {
      if (access.buffer->name != buffer) continue;
      for (program::Expr e : program::over_loops(cx, *site.block, access.indices)) {
        text +=
            (text.empty() ? "" : ", ") + expr::print(cx.indices(), expr::simplify(cx.indices(), e));
      }
      return text;
    }
  }
  return "none";
}

// A tile of `rows` pixels by two vectors of 8 channels of a convolution, with packed weights.
void tile(Subject& s, std::int64_t rows) {
  s.apply(MergeIterators{"conv", {"oh", "ow"}});
  const std::string p = s.apply(MergeIterators{"relu", {"oh", "ow"}})[0];
  s.apply(SetLayout{"t", {"d0", "7*d1 + d2", "d3"}});
  const Names packed = s.apply(CacheRead{"conv", "w"});
  s.apply(SetLayout{packed[1], {"d3 / 16", "d0", "d1", "d2", "d3 % 16"}});
  const Names ps = s.apply(Split{p, {0, rows}, Tail::Guard});
  const Names js = s.apply(Split{"oc.2", {0, 2, 8}, Tail::Guard});
  s.apply(Reorder{{js[0], ps[0], ps[1], js[1], js[2]}});
  const Names loops = s.apply(ComputeAt{"conv", ps[0]});  // p, oc, kh, kw, ic
  ASSERT_EQ(loops.size(), 5U);
  const Names oc = s.apply(Split{loops[1], {0, 8}, Tail::Exact});
  s.apply(Reorder{{loops[2], loops[3], loops[4], loops[0], oc[0], oc[1]}});
  const Names init = s.apply(DecomposeReduction{"conv", loops[2]});  // block, p, oc, oc
  ASSERT_EQ(init.size(), 4U);
  for (const std::string& loop : {loops[0], oc[0], ps[1], js[1], init[1], init[2]})
    s.apply(Unroll{loop});
  for (const std::string& loop : {oc[1], js[2], init[3]}) s.apply(Vectorize{loop});
  s.apply(Annotate{Part::Buffer, "t", "space", "register"});
  s.apply(Parallel{js[0]});
  EXPECT_EQ(over_loops_text(s.context(), s.program(), "conv", "t"),
            "0, " + loops[0] + ", 8*" + oc[0] + " + " + oc[1]);
  EXPECT_EQ(
      over_loops_text(s.context(), s.program(), "conv", packed[1]),
      js[0] + ", " + loops[2] + ", " + loops[3] + ", " + loops[4] + ", 8*" + oc[0] + " + " + oc[1]);
  EXPECT_EQ(over_loops_text(s.context(), s.program(), "relu", "t"),
            "n.3, " + ps[1] + ", 8*" + js[1] + " + " + js[2]);
  if (49 % rows != 0) s.apply(Partition{ps[0], {49 / rows}});
  const auto ready = program::check(s.context(), s.program(), program::Stage::Ready);
  EXPECT_TRUE(ready.ok()) << ready.rejection().message() << "\n" << s.text();
}

TEST(Flow, MakesARegisterTileOfAConvolution) {
  Subject s(kConv);
  tile(s, 7);
}

TEST(Flow, MakesARegisterTileWithATail) {
  Subject s(kConv);
  tile(s, 6);
  EXPECT_EQ(s.text().find(" if "), std::string::npos) << s.text();  // the tail has its own loops
}

}  // namespace
}  // namespace cambium::schedule
