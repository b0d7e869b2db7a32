// No kernel of the zoo falls back to plain loops or leaves a contraction without a register tile,
// which are some hundred times slower. Lowering and schedules only: code generation refuses what is
// too large, and that is counted here too.
#include <cctype>
#include <set>

#include <gtest/gtest.h>

#include "compile/calls.h"
#include "compile/layouts.h"
#include "lower/passes.h"
#include "model/zoo/zoo.h"
#include "program/canonical.h"
#include "program/clone.h"
#include "program/fingerprint.h"
#include "schedule/defaults/default_schedule.h"

namespace cambium {
namespace {

std::set<Fingerprint> seen;  // networks share kernels

void expect_schedules(const model::Model& model, const Machine& machine) {
  const auto prepared = lower::prepare(model, {});
  ASSERT_TRUE(prepared.ok()) << prepared.rejection().message();
  program::Context cx;
  const auto calls = compile::calls_of(cx, *prepared, compile::choose_layouts(*prepared));
  ASSERT_TRUE(calls.ok()) << calls.rejection().message();
  for (const program::Program& kernel : calls->kernels) {
    program::Context own;
    const program::Program named = program::canonical(own, kernel);
    if (!seen.insert(program::fingerprint_of(named)).second) continue;
    const auto made = schedule::default_schedule(own, named, machine, schedule::Default::Preferred);
    ASSERT_TRUE(made.ok()) << kernel.name << ": " << made.rejection().message();
    EXPECT_EQ(schedule::untiled_contraction(named, made->trace()), "") << kernel.name;
  }
}

class ZooKernels : public testing::TestWithParam<std::string> {};

TEST_P(ZooKernels, HaveThePreferredSchedule) {
  const auto model = model::zoo::build(GetParam());
  ASSERT_TRUE(model.ok()) << model.rejection().message();
  expect_schedules(*model, machine_named("avx512").value());
}

std::vector<std::string> networks() {
  std::vector<std::string> names;
  for (const model::zoo::ZooEntry& entry : model::zoo::entries()) names.emplace_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, ZooKernels, testing::ValuesIn(networks()), [](const auto& test) {
  std::string name = test.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace cambium
