// The hand-kept traces of bench/kernels/traces still replay, make programs that are ready, and make
// code whose inner loops do not touch the stack.
#include <gtest/gtest.h>

#include "base/file.h"
#include "codegen/codegen.h"
#include "kernels/workload.h"
#include "lower/lower.h"
#include "program/fingerprint.h"
#include "program/verify.h"
#include "schedule/trace/schedule.h"

namespace cambium::bench {
namespace {

class GoldenTrace : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    const Workload w = golden_workloads()[GetParam()];
    std::vector<model::NodeId> nodes;
    for (const model::NodePtr& node : w.model.nodes()) {
      if (node->as<model::Input>() == nullptr && node->as<model::Weight>() == nullptr) {
        nodes.push_back(node->id);
      }
    }
    auto lowered = lower::lower(cx_, w.model, nodes, w.layouts);
    ASSERT_TRUE(lowered.ok()) << lowered.rejection().message();
    program_ = lowered->program;
    const auto text = read_file(std::string(CAMBIUM_TRACES) + "/" + w.name + ".trace");
    ASSERT_TRUE(text.ok()) << text.rejection().message();
    auto trace = schedule::parse_trace(*text);
    ASSERT_TRUE(trace.ok()) << trace.rejection().message();
    trace_ = *trace;
  }

  program::Context cx_;
  program::Program program_;
  schedule::Trace trace_;
};

TEST_P(GoldenTrace, ReplaysToOneProgramThatIsReady) {
  const auto once = schedule::replay(cx_, program_, trace_);
  ASSERT_TRUE(once.ok()) << once.rejection().message();
  const auto ready = program::check(cx_, once->program(), program::Stage::Ready);
  EXPECT_TRUE(ready.ok()) << ready.rejection().message();
  const auto again = schedule::replay(cx_, program_, once->trace());
  ASSERT_TRUE(again.ok()) << again.rejection().message();
  EXPECT_EQ(program::fingerprint_of(once->program()), program::fingerprint_of(again->program()));
}

TEST_P(GoldenTrace, MakesInnerLoopsThatStayInRegisters) {
  const auto scheduled = schedule::replay(cx_, program_, trace_);
  ASSERT_TRUE(scheduled.ok()) << scheduled.rejection().message();
  const auto code =
      codegen::compile_kernel(cx_, scheduled->program(), machine_named("avx512").value());
  if (!code.ok() && code.rejection().reason() == Reason::Unavailable) {
    GTEST_SKIP() << code.rejection().message();
  }
  ASSERT_TRUE(code.ok()) << code.rejection().message();
  EXPECT_EQ(code->facts.loop_spills, 0);
}

std::string name_of_case(const testing::TestParamInfo<std::size_t>& info) {
  std::string name = golden_workloads()[info.param].name;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, GoldenTrace, testing::Range<std::size_t>(0, 5), name_of_case);

}  // namespace
}  // namespace cambium::bench
