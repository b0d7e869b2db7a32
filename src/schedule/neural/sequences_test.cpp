// The traces of docs/neural.md against the formulas of the paper, written out in loops.
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/random.h"
#include "program/interpret.h"
#include "program/verify.h"
#include "schedule/neural/oracle_testing.h"
#include "schedule/trace/schedule.h"

namespace cambium::schedule {
namespace {

constexpr int kC = 8, kH = 8, kK = 3;  // channels in and out, rows and columns, taps

using Values = std::vector<double>;
using Arguments = std::map<std::string, Values>;

// The text of the trace under a heading of the page.
std::string trace_of(const std::string& heading) {
  const std::string page = read_file(CAMBIUM_NEURAL_PAGE).value();
  const std::size_t title = page.find("### " + heading + "\n");
  if (title == std::string::npos) return "no heading";
  const std::size_t from = page.find("```trace\n", title) + 9;
  return page.substr(from, page.find("```", from) - from);
}

double x_at(const Values& x, int c, int h, int v) {
  if (h < 0 || h >= kH || v < 0 || v >= kH) return 0;
  return x[static_cast<std::size_t>((c * kH + h) * kH + v)];
}

// w[o, i, kh, kw] of weights with that many inputs.
double w_at(const Values& w, int ins, int o, int i, int kh, int kw) {
  return w[static_cast<std::size_t>(((o * ins + i) * kK + kh) * kK + kw)];
}

template <class F>
double over_taps(const F& f) {
  double sum = 0;
  for (int kh = 0; kh < kK; ++kh) {
    for (int kw = 0; kw < kK; ++kw) sum += f(kh, kw);
  }
  return sum;
}

// y of that many channels, from a formula for one element.
Values image(int channels, const std::function<double(int, int, int)>& element) {
  Values y;
  for (int o = 0; o < channels; ++o) {
    for (int h = 0; h < kH; ++h) {
      for (int v = 0; v < kH; ++v) y.push_back(element(o, h, v));
    }
  }
  return y;
}

// Sum over inputs [from, from + ins) with row `row` of weights.
double conv(const Values& x, const Values& w, int row, int from, int ins, int h, int v) {
  double sum = 0;
  for (int i = 0; i < ins; ++i) {
    sum += over_taps([&](int kh, int kw) {
      return x_at(x, from + i, h + kh - 1, v + kw - 1) * w_at(w, ins, row, i, kh, kw);
    });
  }
  return sum;
}

struct Replayed {
  explicit Replayed(const std::string& heading) {
    ConvSpec spec;
    spec.ci = spec.co = kC;
    spec.h = spec.w = kH;
    const Program before = conv_program(cx, spec);
    const std::string text = trace_of(heading);
    const Result<Trace> trace = parse_trace(text);
    if (!trace.ok()) {
      ADD_FAILURE() << heading << ": " << trace.rejection().message();
      return;
    }
    const Result<Schedule> schedule = replay(cx, before, *trace);
    if (!schedule.ok()) {
      ADD_FAILURE() << heading << ": " << schedule.rejection().message();
      return;
    }
    EXPECT_EQ(to_text(schedule->trace()), text) << heading;
    program = schedule->program();
    changes = schedule->changes();
    ratio = static_cast<double>(multiplications_of(cx, program)) /
            static_cast<double>(multiplications_of(cx, before));
    run();
  }

  void run() {
    const Status sound = program::check(cx, program, program::Stage::Scheduled);
    EXPECT_TRUE(sound.ok()) << sound.rejection().message();
    Rng rng(3);
    std::vector<program::Array> arrays;
    for (const program::Buffer* buffer : program.parameters) {
      if (buffer->role == program::Role::Output) continue;
      std::vector<float> values(static_cast<std::size_t>(buffer->elements()));
      for (float& value : values) value = static_cast<float>(rng.between(-3, 3));
      arguments[std::string(buffer->name)].assign(values.begin(), values.end());
      arrays.push_back(program::Array::of(std::move(values)));
    }
    const auto outputs = program::interpret(cx, program, arrays);
    ASSERT_TRUE(outputs.ok()) << outputs.rejection().message();
    y = (*outputs)[0].as_doubles();
  }
  const Values& x() { return arguments["x"]; }
  const Values& w(const std::string& name = "w") { return arguments[name]; }

  Context cx;
  Program program;
  std::vector<InterfaceChange> changes;
  Arguments arguments;
  Values y;
  double ratio = 0;
};

TEST(NeuralSequences, Bottleneck) {
  Replayed r("bottleneck");
  ASSERT_FALSE(r.y.empty());
  EXPECT_EQ(r.y,
            image(kC / 2, [&](int o, int h, int v) { return conv(r.x(), r.w(), o, 0, kC, h, v); }));
  EXPECT_EQ(r.ratio, 0.5);
  EXPECT_EQ(r.changes, (std::vector<InterfaceChange>{{"w", 0, 8, 4}, {"y", 1, 8, 4}}));
}

TEST(NeuralSequences, InputBottleneck) {
  Replayed r("input bottleneck");
  ASSERT_FALSE(r.y.empty());
  EXPECT_EQ(r.y,
            image(kC, [&](int o, int h, int v) { return conv(r.x(), r.w(), o, 0, kC / 2, h, v); }));
  EXPECT_EQ(r.ratio, 0.5);
  EXPECT_EQ(r.changes, (std::vector<InterfaceChange>{{"w", 1, 8, 4}}));
}

TEST(NeuralSequences, Group) {
  Replayed r("group");
  ASSERT_FALSE(r.y.empty());
  EXPECT_EQ(r.y, image(kC, [&](int o, int h, int v) {
              return conv(r.x(), r.w(), o, o / 4 * 4, 4, h, v);
            }));
  EXPECT_EQ(r.ratio, 0.5);
  EXPECT_EQ(r.changes, (std::vector<InterfaceChange>{{"w", 1, 8, 4}}));
}

TEST(NeuralSequences, Depthwise) {
  Replayed r("depthwise");
  ASSERT_FALSE(r.y.empty());
  EXPECT_EQ(r.y, image(kC, [&](int o, int h, int v) { return conv(r.x(), r.w(), o, o, 1, h, v); }));
  EXPECT_EQ(r.ratio, 1.0 / kC);
  EXPECT_EQ(r.changes, (std::vector<InterfaceChange>{{"w", 1, 8, 1}}));
}

TEST(NeuralSequences, SpatialBottleneckIsFiveSteps) {
  Replayed r("spatial bottleneck");
  ASSERT_FALSE(r.y.empty());
  EXPECT_EQ(r.y, image(kC, [&](int o, int h, int v) {
              return conv(r.x(), r.w(), o, 0, kC, h / 2 * 2, v / 2 * 2);
            }));
  EXPECT_EQ(r.ratio, 0.25);
  EXPECT_TRUE(r.changes.empty());
  EXPECT_EQ(r.program.locals.size(), 2u) << "x.pad and y.coarse: the second step adds none";
}

TEST(NeuralSequences, Sequence1AsTheReleaseReadsIt) {
  Replayed r("sequence 1, slabs");
  ASSERT_FALSE(r.y.empty());
  EXPECT_EQ(r.y, image(kC, [&](int o, int h, int v) {
              const int slab = h / 4;
              double sum = 0;
              for (int i = 0; i < kC; ++i) {
                sum += over_taps([&](int kh, int kw) {
                  const int row = h + kh - 1;
                  if (row < slab * 4 || row >= slab * 4 + 4) return 0.0;
                  return x_at(r.x(), i, row, v + kw - 1) *
                         w_at(r.w(), kC, slab * kC + o, i, kh, kw);
                });
              }
              return sum;
            }));
  EXPECT_EQ(r.ratio, 1);
  EXPECT_EQ(r.changes, (std::vector<InterfaceChange>{{"w", 0, 8, 16}}));
}

TEST(NeuralSequences, Sequence1ByTheLetter) {
  Replayed r("sequence 1, channels");
  ASSERT_FALSE(r.y.empty());
  EXPECT_EQ(r.y, image(kC, [&](int o, int h, int v) {
              return o / 4 == h / 4 ? conv(r.x(), r.w(), o, 0, kC, h, v) : 0.0;
            }));
  EXPECT_EQ(r.ratio, 0.5);
  EXPECT_TRUE(r.changes.empty());
}

TEST(NeuralSequences, Sequence2) {
  Replayed r("sequence 2");
  ASSERT_FALSE(r.y.empty());
  EXPECT_EQ(r.y, image(kC, [&](int o, int h, int v) {
              if (o < 2) return conv(r.x(), r.w(), o, 0, kC, h, v);
              return conv(r.x(), r.w("w.2"), o - 2, 2 + (o - 2) / 3 * 3, 3, h, v);
            }));
  EXPECT_EQ(r.ratio, (8 * 2 + 6 * 6 / 2.0) / 64);
  EXPECT_EQ(
      r.changes,
      (std::vector<InterfaceChange>{
          {"w", 0, 8, 2}, {"w.2", 0, 0, 6}, {"w.2", 1, 0, 3}, {"w.2", 2, 0, 3}, {"w.2", 3, 0, 3}}));
}

TEST(NeuralSequences, Sequence3) {
  Replayed r("sequence 3");
  ASSERT_FALSE(r.y.empty());
  EXPECT_EQ(r.y, image(kC, [&](int o, int h, int v) {
              if (o < 4) return conv(r.x(), r.w("w.2"), o, o / 2 * 4, 4, h, v);
              return conv(r.x(), r.w(), o - 4, (o - 4) * 2, 2, h, v);
            }));
  EXPECT_EQ(r.ratio, 0.375);
}

}  // namespace
}  // namespace cambium::schedule
