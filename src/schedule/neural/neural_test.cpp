#include <algorithm>

#include <gtest/gtest.h>

#include "program/text.h"
#include "program/walk.h"
#include "schedule/neural/oracle_testing.h"
#include "schedule/trace/schedule.h"

namespace cambium::schedule {
namespace {

// A convolution, the steps applied to it, and the table of what it must compute.
struct Subject {
  explicit Subject(const ConvSpec& spec)
      : schedule(cx, conv_program(cx, spec)), table(spec), first(schedule.program()) {}

  Names apply(const Step& step) {
    Result<Names> made = schedule.apply(step);
    if (!made.ok()) {
      ADD_FAILURE() << to_text(step) << ": " << made.rejection().message() << "\n" << text();
      return Names(16, "?");
    }
    return *made;
  }
  Reason refusal(const Step& step) {
    const std::string before = text();
    const Result<Names> made = schedule.apply(step);
    EXPECT_EQ(text(), before);
    return made.ok() ? Reason::Unavailable : made.rejection().reason();
  }
  // Loops of conv, these first and the others behind them.
  void outermost(const Names& loops) {
    Names order = loops;
    for (const program::Site& site : program::sites_of(schedule.program())) {
      if (site.block->name != "conv") continue;
      for (const program::Loop* loop : site.loops) {
        const std::string name(loop->name());
        if (std::find(order.begin(), order.end(), name) == order.end()) order.push_back(name);
      }
    }
    apply(Reorder{order});
  }
  std::string difference() {
    const std::string found = schedule::difference(cx, schedule.program(), table, 11);
    return found.empty() ? found : found + "\n" + text();
  }
  double multiplied() {
    return static_cast<double>(multiplications_of(cx, schedule.program())) /
           static_cast<double>(multiplications_of(cx, first));
  }
  std::vector<InterfaceChange> changes() { return schedule.changes(); }
  std::string text() { return program::to_text(cx, schedule.program()); }
  TablePart& part(std::size_t i = 0) { return table.parts()[i]; }

  Context cx;
  Schedule schedule;
  ConvTable table;
  Program first;
};

std::vector<ConvSpec> specs() {
  ConvSpec plain, last, strided, pointwise, batch;
  last.channels_last = true;
  strided.stride = 2;
  strided.ci = 8;
  pointwise.k = 1;
  pointwise.pad = 0;
  batch.n = 2;
  batch.tail = ConvTail::BiasRelu;
  return {plain, last, strided, pointwise, batch};
}

class EachConv : public ::testing::TestWithParam<int> {
 protected:
  ConvSpec spec() const { return specs()[static_cast<std::size_t>(GetParam())]; }
};
INSTANTIATE_TEST_SUITE_P(Convolutions, EachConv, ::testing::Range(0, 5));

TEST_P(EachConv, IsWhatTheTableSaysBeforeAnyStep) {
  Subject s(spec());
  EXPECT_EQ(s.difference(), "");
}

TEST_P(EachConv, LosesOutputChannelsWhenSomebodyAcceptsIt) {
  Subject s(spec());
  s.outermost({"co"});
  EXPECT_EQ(s.refusal(Bottleneck{"co", 2, false}), Reason::ChangesInterface);
  s.apply(Bottleneck{"co", 2, true});
  s.table.bottleneck(s.part(), "co", 2);
  EXPECT_EQ(s.difference(), "");
  EXPECT_EQ(s.multiplied(), 0.5);
}

TEST_P(EachConv, InterchangeAndBottleneckIsInputBottleneck) {
  Subject s(spec());
  s.outermost({"ci"});
  s.apply(Bottleneck{"ci", 4});
  s.table.bottleneck(s.part(), "ci", 4);
  EXPECT_EQ(s.difference(), "");
  EXPECT_EQ(s.multiplied(), 0.25);
  ASSERT_EQ(s.changes().size(), 1u);
  EXPECT_EQ(s.changes()[0].buffer, "w");
  EXPECT_EQ(s.changes()[0].before, spec().ci);
  EXPECT_EQ(s.changes()[0].after, spec().ci / 4);
}

TEST_P(EachConv, GroupsSliceBothChannels) {
  Subject s(spec());
  s.outermost({"co", "ci"});
  const Names made = s.apply(Group{"co", "ci", 2});
  s.table.group(s.part(), "co", "ci", 2, 0, made[0]);
  EXPECT_EQ(s.difference(), "");
  EXPECT_EQ(s.multiplied(), 0.5);
}

TEST_P(EachConv, SlabsHaveTheirOwnWeightsAndBorders) {
  Subject s(spec());
  if (spec().out_h() * spec().stride != spec().h) {
    GTEST_SKIP() << "the output is smaller than the slabs of the input would make it";
  }
  const Names rows = s.apply(Split{"oh", {0, spec().out_h() / 3}, Tail::Exact});
  s.table.split(s.part(), "oh", rows, spec().out_h() / 3);
  s.outermost({rows[0]});
  s.apply(GroupSlabs{rows[0]});
  s.table.group_slabs(s.part(), rows[0]);
  EXPECT_EQ(s.difference(), "");
  EXPECT_EQ(s.multiplied(), 1);
}

TEST_P(EachConv, SlabsShareOutTheChannelsByTheText) {
  ConvSpec six = spec();
  six.co = 6;
  Subject s(six);
  const Names rows = s.apply(Split{"oh", {0, six.out_h() / 3}, Tail::Exact});
  s.table.split(s.part(), "oh", rows, six.out_h() / 3);
  s.outermost({rows[0], "co"});
  s.apply(GroupChannels{rows[0], "co"});
  s.table.group_channels(s.part(), rows[0], "co");
  EXPECT_EQ(s.difference(), "");
  EXPECT_NEAR(s.multiplied(), 1.0 / 3, 1e-12);
}

TEST(Neural, MergedPixelsDoNotStandInTheWayOfChannels) {
  Subject s(ConvSpec{});
  s.apply(MergeIterators{"conv", {"oh", "ow"}});
  s.outermost({"co", "ci"});
  const Names made = s.apply(Group{"co", "ci", 2});
  s.table.group(s.part(), "co", "ci", 2, 0, made[0]);
  EXPECT_EQ(s.difference(), "");
}

TEST(Neural, ABottleneckNeedsNobodysWordWhereTheConsumerShrinksWithIt) {
  ConvSpec spec;
  spec.tail = ConvTail::SecondConv;
  Subject s(spec);
  s.apply(Bottleneck{"co", 2, false});
  s.table.bottleneck(s.part(), "co", 2);
  EXPECT_EQ(s.difference(), "");
  EXPECT_EQ(s.changes(), (std::vector<InterfaceChange>{{"w", 0, 4, 2}, {"w2", 1, 4, 2}}));
}

TEST(Neural, DepthwiseIsOneGroupPerChannel) {
  for (const ConvSpec& spec : specs()) {
    if (spec.co != spec.ci) continue;
    Subject s(spec);
    s.outermost({"co", "ci"});
    const Names made = s.apply(Depthwise{"co", "ci"});
    s.table.depthwise(s.part(), "co", "ci", made[0]);
    EXPECT_EQ(s.difference(), "");
    EXPECT_EQ(s.multiplied(), 0.25);
  }
}

}  // namespace
}  // namespace cambium::schedule
