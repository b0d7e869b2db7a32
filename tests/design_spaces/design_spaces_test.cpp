// The stock rules give the design spaces that MetaSchedule has for each operator of its table.
#include <gtest/gtest.h>

#include "base/file.h"
#include "kernels/workload.h"
#include "schedule/rules/space.h"
#include "small_operators.h"

namespace cambium {
namespace {

std::size_t design_spaces(const bench::Workload& w, const schedule::Space& space) {
  program::Context cx;
  const program::Program program = lowered(cx, w.model, w.layouts);
  return schedule::structures(cx, program, machine_named("avx512").value(), space).size();
}

TEST(DesignSpaces, AreThoseOfMetaScheduleForEveryOperator) {
  for (const bench::Workload& w : bench::operator_table()) {
    // Two reductions have three each: of softmax, and of a transposed convolution that puts out few
    // channels, where products are summed up by taps, which MetaSchedule's is not.
    const bool has_two = w.name.starts_with("SFM") || w.name == "T2D-3";
    const std::size_t wanted = has_two ? 9 : 3;
    EXPECT_EQ(design_spaces(w, schedule::stock_space()), wanted) << w.name;
  }
}

TEST(DesignSpaces, AreMadeByTheRulesThatTheirPageLists) {
  const auto page = read_file(CAMBIUM_TUNING_PAGE);
  ASSERT_TRUE(page.ok()) << page.rejection().message();
  for (const schedule::Rule& rule : schedule::stock_space().rules) {
    const std::string row = "| `" + rule.name + "` | " + rule.summary + " |";
    EXPECT_NE(page->find(row), std::string::npos) << row;
  }
}

TEST(DesignSpaces, AreFewerWithoutTheRulesThatBranch) {
  for (const bench::Workload& w : bench::operator_table()) {
    if (!w.name.ends_with("-0")) continue;
    const auto fewer = schedule::without(schedule::stock_space(), {"write-cache", "rfactor"});
    ASSERT_TRUE(fewer.ok());
    EXPECT_EQ(design_spaces(w, *fewer), 1U) << w.name;
  }
}

}  // namespace
}  // namespace cambium
