// What neural steps refuse, and how far a bottleneck of output channels reaches.
#include <gtest/gtest.h>

#include "program/analysis.h"
#include "program/text.h"
#include "program/verify.h"
#include "schedule/neural/oracle_testing.h"
#include "schedule/trace/schedule.h"

namespace cambium::schedule {
namespace {

struct Tried {
  explicit Tried(std::string_view text) : schedule(cx, program::parse(cx, text).value()) {}
  explicit Tried(const ConvSpec& spec) : schedule(cx, conv_program(cx, spec)) {}

  Tried& then(const Step& step) {
    const Result<Names> made = schedule.apply(step);
    EXPECT_TRUE(made.ok()) << made.rejection().message();
    return *this;
  }
  // "Reason: what is in the message"; the program must be as it was.
  std::string refusal(const Step& step) {
    const program::Stmt before = schedule.program().root;
    const Result<Names> made = schedule.apply(step);
    EXPECT_EQ(schedule.program().root == before, !made.ok());
    if (made.ok()) return "done";
    return std::string(name_of(made.rejection().reason())) + ": " + made.rejection().message();
  }
  std::string text() { return program::to_text(cx, schedule.program()); }
  bool is_sound() {
    const Status sound = program::check(cx, schedule.program(), program::Stage::Scheduled);
    EXPECT_TRUE(sound.ok()) << sound.rejection().message() << "\n" << text();
    return sound.ok();
  }

  Context cx;
  Schedule schedule;
};

#define EXPECT_REFUSED(tried, reason, words, ...)                    \
  do {                                                               \
    const std::string found = (tried).refusal(__VA_ARGS__);          \
    EXPECT_EQ(found.rfind(name_of(Reason::reason), 0), 0u) << found; \
    EXPECT_NE(found.find(words), std::string::npos) << found;        \
  } while (false)

constexpr std::string_view kColumnsFirst = R"(
program matmul(a: f32[4, 6] input, w: f32[6, 8] constant, c: f32[4, 8] output) {
  for j in 8 { for k in 6 { for i in 4 {
    block mm(spatial j = j, reduce k = k, spatial i = i) { c[i, j] += a[i, k] * w[k, j] init 0.0 }
  } } }
})";

ConvSpec pointwise() {
  ConvSpec spec;
  spec.k = 1;
  spec.pad = 0;
  return spec;
}

TEST(NeuralRefusals, NamesAndOrder) {
  Tried t(ConvSpec{});
  EXPECT_REFUSED(t, UnknownName, "nix", Bottleneck{"nix", 2});
  EXPECT_REFUSED(t, UnknownName, "nix", Group{"co", "nix", 2});
  EXPECT_REFUSED(t, UnknownName, "nix", Depthwise{"nix", "ci"});
  EXPECT_REFUSED(t, UnknownName, "nix", GroupSlabs{"nix"});
  EXPECT_REFUSED(t, UnknownName, "nix", GroupChannels{"oh", "nix"});
  EXPECT_REFUSED(t, NotOutermost, "ci", Bottleneck{"ci", 2});
  EXPECT_REFUSED(t, NotOutermost, "ci", Group{"co", "ci", 2});
  EXPECT_REFUSED(t, NotNested, "'c'", Group{"co", "c", 2});
  EXPECT_REFUSED(t, NotOutermost, "oh", GroupSlabs{"oh"});
  EXPECT_REFUSED(t, NotOutermost, "oh", GroupChannels{"oh", "co"});
}

TEST(NeuralRefusals, Numbers) {
  Tried t(pointwise());
  EXPECT_REFUSED(t, BadFactors, "2 or more", Bottleneck{"co", 1, true});
  EXPECT_REFUSED(t, NotDivisible, "4", Bottleneck{"co", 3, true});
  t.then(Reorder{{"co", "ci", "oh", "ow"}});
  EXPECT_REFUSED(t, BadFactors, "2 or more", Group{"co", "ci", 1});
  EXPECT_REFUSED(t, BadFactors, "skip", Group{"co", "ci", 2, 4});
  EXPECT_REFUSED(t, NotDivisible, "'co'", Group{"co", "ci", 3});
  EXPECT_REFUSED(t, NotDivisible, "'ci'", Group{"co", "ci", 2, 1});
  ConvSpec one = pointwise();
  one.co = one.ci = 1;
  Tried single(one);
  single.then(Reorder{{"co", "ci", "oh", "ow"}});
  EXPECT_REFUSED(single, BadFactors, "one channel", Depthwise{"co", "ci"});
  ConvSpec wide = pointwise();
  wide.co = 8;
  Tried unequal(wide);
  unequal.then(Reorder{{"co", "ci", "oh", "ow"}});
  EXPECT_REFUSED(unequal, NotDivisible, "8", Depthwise{"co", "ci"});
  Tried slabs(pointwise());
  slabs.then(Reorder{{"oh", "co"}});
  EXPECT_REFUSED(slabs, NotDivisible, "'co'", GroupChannels{"oh", "co"});
  slabs.then(Split{"oh", {1, 6}, Tail::Exact}).then(Reorder{{"oh.0", "co", "oh.1"}});
  EXPECT_REFUSED(slabs, BadFactors, "one slab", GroupChannels{"oh.0", "co"});
  EXPECT_REFUSED(slabs, BadFactors, "one slab", GroupSlabs{"oh.0"});
}

// Every neural step on every pair of loops, each as it is or split so that one part has a single
// iteration: done and sound, or refused.
void try_all_steps(const ConvSpec& spec) {
  Names loops;
  {
    const Tried whole(spec);
    for (const program::Site& site : program::sites_of(whole.schedule.program())) {
      if (site.block->name != "conv") continue;
      for (const program::Loop* loop : site.loops) loops.emplace_back(loop->name());
    }
  }
  const auto one = [&](const std::string& outer, const std::string& inner, int splits,
                       const Step& step) {
    Tried t(spec);
    Names order;
    for (const std::string& loop : {outer, inner}) {
      const program::Loop* found = program::find_loop(t.schedule.program(), loop);
      const std::int64_t extent = found->extent();
      if (splits == 1) t.then(Split{loop, {1, extent}, Tail::Exact});
      if (splits == 2) t.then(Split{loop, {extent, 1}, Tail::Exact});
      order.push_back(splits == 0 ? loop : loop + ".0");
    }
    for (const std::string& loop : loops) {
      if (loop == outer || loop == inner) continue;
      order.push_back(loop);
    }
    if (splits != 0) order.insert(order.end(), {outer + ".1", inner + ".1"});
    t.then(Reorder{order});
    if (t.schedule.apply(step).ok()) t.is_sound();
  };
  const char* const ends[] = {"", ".0", ".0"};
  for (int splits = 0; splits < 3; ++splits) {
    for (const std::string& a : loops) {
      for (const std::string& b : loops) {
        if (a == b) continue;
        const std::string outer = a + ends[splits], inner = b + ends[splits];
        for (const Step& step : std::vector<Step>{
                 Bottleneck{outer, 2, true}, Bottleneck{outer, 1, true}, Group{outer, inner, 2},
                 Group{outer, inner, 1, 1}, Depthwise{outer, inner}, GroupSlabs{outer},
                 GroupChannels{outer, inner}}) {
          one(a, b, splits, step);
        }
      }
    }
  }
}

TEST(NeuralRefusals, LoopsOfOneIterationCrashNoStep) {
  ConvSpec small;
  small.h = small.w = 4;
  small.ci = small.co = 2;
  std::vector<ConvSpec> specs(5, small);
  specs[0].co = 1;
  specs[1].ci = 1;
  specs[2].h = specs[2].k = 1, specs[2].pad = 0;
  specs[3].k = 1, specs[3].pad = 0;
  specs[4].ci = specs[4].co = specs[4].h = specs[4].w = specs[4].k = 1, specs[4].pad = 0;
  for (const ConvSpec& spec : specs) try_all_steps(spec);
}

TEST(NeuralRefusals, RolesOfLoops) {
  Tried t(ConvSpec{});
  t.then(Reorder{{"kh", "co", "oh"}});
  EXPECT_REFUSED(t, NotAContraction, "'kh' does not count output channels", Group{"kh", "co", 3});
  t.then(Reorder{{"co", "kh"}});
  EXPECT_REFUSED(t, NotAContraction, "'kh' does not count input channels", Group{"co", "kh", 3});
  EXPECT_REFUSED(t, NotAContraction, "'co' does not count rows", GroupSlabs{"co"});
  EXPECT_REFUSED(t, NotAContraction, "'co' does not count rows", GroupChannels{"co", "kh"});
  t.then(Reorder{{"oh", "kh", "co"}});
  EXPECT_REFUSED(t, NotAContraction, "'kh' does not count output channels",
                 GroupChannels{"oh", "kh"});
  Tried padded(ConvSpec{});
  padded.then(Split{"oh", {0, 4}, Tail::Guard}).then(Reorder{{"oh.0", "co"}});
  EXPECT_REFUSED(padded, NotAContraction, "predicate", GroupSlabs{"oh.0"});
  ConvSpec valid;
  valid.pad = 0;
  Tried narrow(valid);
  narrow.then(Reorder{{"oh", "co"}});
  EXPECT_REFUSED(narrow, NotAContraction, "4 slabs of 1 rows are not the 6", GroupSlabs{"oh"});
  Tried fused{kColumnsFirst};
  fused.then(Fuse{{"j", "k"}});
  EXPECT_REFUSED(fused, NotAContraction, "both a kept", Bottleneck{"j.k", 2, true});
}

TEST(NeuralRefusals, WhatIsNoContraction) {
  const auto body = [](std::string value, std::string sign = "+=", std::string init = "0.0") {
    return "program p(a: f32[4, 6] input, b: f32[6, 8] input, w: f32[6, 8] constant, c: f32[4, 8] "
           "output) { for j in 8 { for k in 6 { for i in 4 { block mm(spatial j = j, reduce k = k, "
           "spatial i = i) { c[i, j] " +
           sign + " " + value + " init " + init + " } } } } }";
  };
  const Bottleneck step{"j", 2, true};
  Tried maximum(body("a[i, k] * w[k, j]", "max="));
  EXPECT_REFUSED(maximum, NotAContraction, "not a sum that starts at 0", step);
  Tried from_one(body("a[i, k] * w[k, j]", "+=", "1.0"));
  EXPECT_REFUSED(from_one, NotAContraction, "not a sum that starts at 0", step);
  Tried sums(body("a[i, k] + w[k, j]"));
  EXPECT_REFUSED(sums, NotAContraction, "does not sum products", step);
  Tried inputs(body("a[i, k] * b[k, j]"));
  EXPECT_REFUSED(inputs, NotAContraction, "by one constant", step);
  Tried squares(body("w[k, j] * w[k, j]"));
  EXPECT_REFUSED(squares, NotAContraction, "by one constant", step);
  Tried backwards(body("a[i, k] * w[k, -1*j + 7]"));
  EXPECT_REFUSED(backwards, NotAContraction, "weights are not read in order", step);
  Tried unweighted(R"(
program p(a: f32[4, 6] input, w: f32[8] constant, c: f32[4, 8] output) {
  for k in 6 { for j in 8 { for i in 4 {
    block mm(reduce k = k, spatial j = j, spatial i = i) { c[i, j] += a[i, k] * w[j] init 0.0 }
  } } }
})");
  EXPECT_REFUSED(unweighted, NotAContraction, "'k' does not move", Bottleneck{"k", 2});
  Tried shared(R"(
program p(a: f32[4] input, w: f32[8] constant, c: f32[4, 8] output, d: f32[8] output) {
  for j in 8 {
    for i in 4 { block mm(spatial j = j, spatial i = i) { c[i, j] = a[i] * w[j] } }
    block copy(spatial j = j) { d[j] = w[j] }
  }
})");
  EXPECT_REFUSED(shared, NotAContraction, "shares loop 'j'", step);
}

TEST(NeuralRefusals, TargetsThatAreNotItsOwn) {
  Tried two(pointwise());
  two.then(Partition{"co", {2}});
  EXPECT_REFUSED(two, NotAContraction, "another block writes", Bottleneck{"co", 2, true});
  Tried reversed(R"(
program p(a: f32[4, 6] input, w: f32[6, 8] constant, c: f32[4, 8] output) {
  for j in 8 { for k in 6 { for i in 4 {
    block mm(spatial j = j, reduce k = k, spatial i = i) {
      c[i, -1*j + 7] += a[i, k] * w[k, j] init 0.0
    }
  } } }
})");
  EXPECT_REFUSED(reversed, NotAContraction, "not written in order", Bottleneck{"j", 2, true});
}

// conv to t, then `tail`, which reads t[o] along dimension 0.
std::string followed_by(const std::string& parameters, const std::string& tail) {
  return "program p(x: f32[6] input, w: f32[8, 6] constant, " + parameters +
         ") { local t: f32[8] for o in 8 { for i in 6 { block mm(spatial o = o, reduce i = i) { "
         "t[o] += x[i] * w[o, i] init 0.0 } } } " +
         tail + " }";
}

TEST(NeuralConsumers, ShrinkTogetherUpToAContraction) {
  Tried chain(
      "program p(x: f32[6] input, w: f32[8, 6] constant, b: f32[8] constant, "
      "v: f32[3, 8] constant, y: f32[3] output) { local t: f32[8] local u: f32[8] "
      "for o in 8 { for i in 6 { block mm(spatial o = o, reduce i = i) { "
      "t[o] += x[i] * w[o, i] init 0.0 } } } "
      "for c in 8 { block relu(spatial c = c) { u[c] = max(0.0, t[c] + b[c]) } } "
      "for r in 3 { for c.2 in 8 { block mv(spatial r = r, reduce c = c.2) { "
      "y[r] += u[c] * v[r, c] init 0.0 } } } }");
  EXPECT_EQ(chain.refusal(Bottleneck{"o", 4}), "done");
  EXPECT_EQ(chain.schedule.changes(),
            (std::vector<InterfaceChange>{{"w", 0, 8, 2}, {"b", 0, 8, 2}, {"v", 1, 8, 2}}));
  EXPECT_TRUE(chain.is_sound());
}

TEST(NeuralConsumers, AreRefusedWhereTheyCannotShrink) {
  const Bottleneck step{"o", 2, true};
  Tried residual(followed_by("r: f32[8] input, y: f32[8] output",
                             "for c in 8 { block add(spatial c = c) { y[c] = t[c] + r[c] } }"));
  EXPECT_REFUSED(residual, ChangesInterface, "'r'", step);
  Tried output(
      followed_by("y: f32[8] output", "for c in 8 { block copy(spatial c = c) { y[c] = t[c] } }"));
  EXPECT_REFUSED(output, ChangesInterface, "'y'", Bottleneck{"o", 2});
  Tried total(followed_by("y: f32[1] output",
                          "for z in 1 { for c in 8 { block total(spatial z = z, reduce c = c) { "
                          "y[z] += t[c] init 0.0 } } }"));
  EXPECT_REFUSED(total, NotConsumer, "without weights", step);
  Tried twice(
      followed_by("y: f32[8] output",
                  "for c in 8 { block twice(spatial c = c) { y[c] = t[c] + t[-1*c + 7] } }"));
  EXPECT_REFUSED(twice, NotConsumer, "in several places", step);
  Tried reversed(followed_by("y: f32[8] output",
                             "for c in 8 { block turn(spatial c = c) { y[c] = t[-1*c + 7] } }"));
  EXPECT_REFUSED(reversed, NotConsumer, "by a loop that it shares", step);
  Tried moved(followed_by("b: f32[9] constant, y: f32[8] output",
                          "for c in 8 { block add(spatial c = c) { y[c] = t[c] + b[c + 1] } }"));
  EXPECT_REFUSED(moved, NotConsumer, "'b' does not move", step);
  Tried guarded(
      followed_by("y: f32[8] output", "for c in 8 { block copy(spatial c = c) { y[c] = t[c] } }"));
  guarded.then(Split{"c", {0, 3}, Tail::Guard});
  EXPECT_REFUSED(guarded, NotConsumer, "predicate", step);
  Tried pieces(
      followed_by("y: f32[8] output", "for c in 8 { block copy(spatial c = c) { y[c] = t[c] } }"));
  pieces.then(Partition{"c", {4}});
  EXPECT_REFUSED(pieces, NotConsumer, "by a loop that it shares", step);
  Tried elsewhere(followed_by("b: f32[8] constant, y: f32[8] output, z: f32[8] output",
                              "for c in 8 { block add(spatial c = c) { y[c] = t[c] + b[c] } } "
                              "for d in 8 { block copy(spatial d = d) { z[d] = b[d] } }"));
  EXPECT_REFUSED(elsewhere, NotConsumer, "which would shrink", step);
}

TEST(NeuralConsumers, OfWhatStaysAloneAreLeftAlone) {
  const std::string tail =
      "for c in 4 { block square(spatial c = c) { y[c] = t[c] * t[c + 0] * r[c] } }";
  Tried kept(followed_by("r: f32[4] input, y: f32[4] output", tail));
  EXPECT_REFUSED(kept, NotConsumer, "in several places", Bottleneck{"o", 4});
  EXPECT_EQ(kept.refusal(Bottleneck{"o", 2}), "done");
  EXPECT_EQ(kept.schedule.changes(), (std::vector<InterfaceChange>{{"w", 0, 8, 4}}));
  EXPECT_TRUE(kept.is_sound());
}

TEST(NeuralConsumers, GatheringFromACoarseImageIsRefused) {
  Tried t(R"(
program p(a: f32[4, 6] input, w: f32[6, 8] constant, y: f32[4, 8] output) {
  local c: f32[4, 8]
  for i in 4 { for j in 8 { for k in 6 {
    block mm(spatial i = i, spatial j = j, reduce k = k) { c[i, j] += a[i, k] * w[k, j] init 0.0 }
  } } }
  for r in 4 { for s in 8 {
    block pick(spatial r = r, spatial s = s) { y[r, s] = gather(c, [r], [s]) }
  } }
})");
  EXPECT_REFUSED(t, NotConsumer, "gathers", Bottleneck{"i", 2});
}

TEST(NeuralConsumers, ReadACoarseImageWhereItStandsForTheirs) {
  ConvSpec spec;
  spec.tail = ConvTail::BiasRelu;
  Tried t(spec);
  t.then(Reorder{{"oh", "co"}}).then(Bottleneck{"oh", 3});
  EXPECT_NE(t.text().find("t[n, c, h/3, v]"), std::string::npos) << t.text();
  EXPECT_TRUE(t.is_sound());
}

TEST(NeuralMatmul, IsAConvolutionWithoutRows) {
  Tried t{kColumnsFirst};
  t.then(Group{"j", "k", 2});
  EXPECT_EQ(t.schedule.changes(), (std::vector<InterfaceChange>{{"w", 0, 6, 3}}));
  EXPECT_NE(t.text().find("c[i, 4*j.group + j] += a[i, 3*j.group + k] * w[k, 4*j.group + j]"),
            std::string::npos)
      << t.text();
  EXPECT_TRUE(t.is_sound());
}

}  // namespace
}  // namespace cambium::schedule
