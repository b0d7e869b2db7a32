#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"
#include "program/build.h"
#include "schedule/steps/step_testing.h"
#include "schedule/trace/schedule.h"

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

// The beginning of a step's row in the table of a page: its name and its fields.
template <class List>
std::vector<std::string> rows_of() {
  std::vector<std::string> rows;
  for_each_step<List>([&](auto step) {
    std::string fields;
    step.fields(step, [&](std::string_view name, const auto&) {
      fields += (fields.empty() ? "" : ", ") + std::string(name);
    });
    rows.push_back("| `" + std::string(step.kName) + "` | " + fields + " |");
  });
  return rows;
}

// The first two columns of all rows that begin with a name in code, in the order of the page.
std::vector<std::string> rows_in(const std::string& text) {
  std::vector<std::string> rows;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with("| `")) continue;
    rows.emplace_back(line.substr(0, line.find('|', line.find('|', 1) + 1) + 1));
  }
  return rows;
}

TEST(TransformationsPage, ListsAllStepsInTheirOrder) {
  std::vector<std::string> wanted = rows_of<Preserving>();
  for (std::string& row : rows_of<Neural>()) wanted.push_back(std::move(row));
  EXPECT_EQ(rows_in(page()), wanted);
}

TEST(SamplingPage, ListsAllSamplersInTheirOrder) {
  EXPECT_EQ(rows_in(read_file(CAMBIUM_SAMPLING_PAGE).value()), rows_of<Sampling>());
}

// A fuzzer that changes bytes does not find the name of a step.
TEST(TraceCorpus, HasEveryStep) {
  std::set<std::size_t> seen;
  for (const auto& file : std::filesystem::directory_iterator(CAMBIUM_TRACE_CORPUS)) {
    const auto trace = parse_trace(read_file(file.path().string()).value());
    ASSERT_TRUE(trace.ok()) << file.path() << ": " << trace.rejection().message();
    for (const Record& record : *trace) seen.insert(record.step.index());
  }
  for_each_step<Step>([&](const Step& step) {
    EXPECT_TRUE(seen.contains(step.index())) << to_text(step) << " is in no file";
  });
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
