#include <gtest/gtest.h>

#include "base/file.h"
#include "program/build.h"
#include "program/text.h"
#include "program/verify.h"

namespace cambium::program {
namespace {

// The worked example of docs/program.md, with the code that it shows.
Program example(Context& cx) {
  Builder b(cx, "conv_relu");
  const Mem x = b.input("x", {8, 8});
  const Mem w = b.constant("w", {3, 3});
  const Mem y = b.output("y", {8, 8});
  const Mem t = b.local("t", {8, 8});
  b.block("conv", {spatial("i", 8), spatial("j", 8), reduce("r", 3), reduce("s", 3)}, [&](Point p) {
    const Ix row = p[0] + p[2] - 1, column = p[1] + p[3] - 1;
    const Val in = select(within(row, 0, 8) && within(column, 0, 8), x(row, column), b.number(0));
    return sum(t, {p[0], p[1]}, in * w(p[2], p[3]));
  });
  b.block("relu", {spatial("i", 8), spatial("j", 8)}, [&](Point p) {
    return assign(y, {p[0], p[1]}, apply(BinaryFn::Max, b.number(0), t(p[0], p[1])));
  });
  return b.finish();
}

TEST(ProgramDocs, ShowWhatTheExamplePrints) {
  Context cx;
  const Program program = example(cx);
  const std::string page = read_file(CAMBIUM_PROGRAM_PAGE).value();
  EXPECT_NE(page.find("```program\n" + to_text(cx, program) + "```"), std::string::npos)
      << to_text(cx, program);
  const auto sound = check(cx, program, Stage::Lowered);
  EXPECT_TRUE(sound.ok()) << sound.rejection().message();
}

std::string_view name_of(Stage stage) {
  constexpr std::string_view kNames[] = {"Lowered", "Scheduled", "Ready"};
  return kNames[static_cast<std::size_t>(stage)];
}

TEST(ProgramDocs, ListTheRules) {
  const std::string page = read_file(CAMBIUM_PROGRAM_PAGE).value();
  for (const Rule& rule : rules()) {
    const std::string row =
        "| `" + std::string(rule.name) + "` | " + std::string(name_of(rule.from)) + " | " +
        std::string(name_of(rule.until)) + " | " + std::string(rule.text) + " |\n";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace cambium::program
