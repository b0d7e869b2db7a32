#include <gtest/gtest.h>

#include "base/file.h"
#include "program/build.h"
#include "schedule/schedule.h"
#include "schedule/step_testing.h"

namespace cambium::schedule {
namespace {

// The program of docs/transformations.md, with the code that it shows.
Program example(Context& cx) {
  program::Builder b(cx, "dense_relu");
  const program::Mem x = b.input("x", {14, 8}), w = b.constant("w", {8, 16});
  const program::Mem y = b.output("y", {14, 16}), t = b.local("t", {14, 16});
  using program::reduce;
  using program::spatial;
  b.block("dense", {spatial("i", 14), spatial("j", 16), reduce("k", 8)}, [&](program::Point p) {
    return sum(t, {p[0], p[1]}, x(p[0], p[2]) * w(p[2], p[1]));
  });
  b.block("relu", {spatial("i", 14), spatial("j", 16)}, [&](program::Point p) {
    return assign(y, {p[0], p[1]}, apply(program::BinaryFn::Max, b.number(0), t(p[0], p[1])));
  });
  return b.finish();
}

std::string page() {
  return read_file(CAMBIUM_TRANSFORMATIONS_PAGE).value();
}

// The text between the fences of the first block of that language at or after `from`.
std::string fenced(const std::string& text, const std::string& language) {
  const std::string fence = "```" + language + "\n";
  const std::size_t begin = text.find(fence) + fence.size();
  return text.substr(begin, text.find("```", begin) - begin);
}

TEST(TransformationsPage, ShowsWhatItsTraceMakes) {
  Context cx;
  const Program before = example(cx);
  const auto trace = parse_trace(fenced(page(), "trace"));
  ASSERT_TRUE(trace.ok()) << trace.rejection().message();
  const auto schedule = replay(cx, before, *trace);
  ASSERT_TRUE(schedule.ok()) << schedule.rejection().message();
  EXPECT_EQ(fenced(page(), "trace"), to_text(schedule->trace()));
  EXPECT_EQ(fenced(page(), "program"), program::to_text(cx, before));
  const std::string after = program::to_text(cx, schedule->program());
  EXPECT_NE(page().find("```program\n" + after + "```"), std::string::npos) << after;
  EXPECT_TRUE(same_results(cx, before, schedule->program()));
  const auto ready = program::check(cx, schedule->program(), program::Stage::Ready);
  EXPECT_TRUE(ready.ok()) << ready.rejection().message();
}

// The name of a step and its fields, as the page lists them.
template <class S>
std::string row_of() {
  S step{};
  std::string fields;
  S::fields(step, [&](std::string_view name, const auto&) {
    fields += (fields.empty() ? "" : ", ") + std::string(name);
  });
  return "| `" + std::string(S::kName) + "` | " + fields + " |";
}

template <class Steps, std::size_t i = 0>
void expect_rows(const std::string& text) {
  if constexpr (i < std::variant_size_v<Steps>) {
    const std::string row = row_of<std::variant_alternative_t<i, Steps>>();
    EXPECT_NE(text.find(row), std::string::npos) << row;
    expect_rows<Steps, i + 1>(text);
  }
}

TEST(TransformationsPage, ListsAllSteps) {
  expect_rows<Preserving>(page());
  expect_rows<Neural>(page());
}

TEST(SamplingPage, ListsAllSamplers) {
  expect_rows<Sampling>(read_file(CAMBIUM_SAMPLING_PAGE).value());
}

TEST(SamplingPage, ShowsATraceThatReplays) {
  Context cx;
  const std::string text = fenced(read_file(CAMBIUM_SAMPLING_PAGE).value(), "trace");
  const Program before = example(cx);
  const auto schedule = replay(cx, before, parse_trace(text).value());
  ASSERT_TRUE(schedule.ok()) << schedule.rejection().message();
  EXPECT_EQ(to_text(schedule->trace()), text);
  EXPECT_TRUE(same_results(cx, before, schedule->program()));
}

}  // namespace
}  // namespace cambium::schedule
