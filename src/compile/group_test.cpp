#include "compile/group.h"

#include <algorithm>
#include <optional>

#include "compile/calls.h"
#include "compile/compile_testing.h"
#include "compile/group_testing.h"
#include "compile/lowered_model.h"
#include "compile/weight_rows.h"
#include "lower/groups.h"
#include "lower/passes.h"
#include "program/canonical.h"
#include "program/fingerprint.h"
#include "program/text.h"

namespace cambium::compile {
namespace {

using namespace model;

NestCase case_named(const std::string& name) {
  for (NestCase& c : nest_cases()) {
    if (c.name == name) return c;
  }
  ADD_FAILURE() << name;
  return {};
}

Result<Calls> calls_for(program::Context& cx, const Model& model) {
  CAMBIUM_TRY(const Model prepared, lower::prepare(model));
  return calls_of(cx, prepared, {});
}

TEST(RewrittenNests, NativeCodeComputesWhatTheBodyDoes) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  for (const NestCase& c : nest_cases()) {
    for (const NestTail tail : {NestTail::None, NestTail::Relu, NestTail::Norm}) {
      SCOPED_TRACE(c.name + ", tail " + std::to_string(static_cast<int>(tail)));
      expect_native_equals_reference(nest_model(c, tail));
    }
  }
}

TEST(RewrittenNests, NativeCodeTakesBatchesAndShortcuts) {
  CAMBIUM_SKIP_WITHOUT_LLVM();
  for (NestCase c : nest_cases()) {
    c.batch = 3;
    SCOPED_TRACE(c.name);
    expect_native_equals_reference(nest_model(c, NestTail::Block));
  }
}

TEST(RewrittenNests, BatchNormsFoldIntoTheirWeights) {
  for (const NestCase& c : nest_cases()) {
    SCOPED_TRACE(c.name);
    const Model model = nest_model(c, NestTail::Norm);
    const Model folded = lower::prepare(model, {}, weight_rows).value();
    for (const NodePtr& node : folded.nodes()) EXPECT_EQ(node->as<BatchNorm>(), nullptr);
    const std::vector<Tensor> inputs = random_inputs(model, 5);
    expect_near(execute(model, inputs).value(), execute(folded, inputs).value(), 1e-4);
  }
}

TEST(RewrittenNests, BatchNormsStayWhereRowsMakeSeveralChannels) {
  const Model model = nest_model(case_named("group 4"), NestTail::Norm);
  const auto nobody_knows = [](const Model&, NodeId) { return std::nullopt; };
  const Model kept = lower::prepare(model, {}, nobody_knows).value();
  EXPECT_TRUE(std::any_of(kept.nodes().begin(), kept.nodes().end(),
                          [](const NodePtr& node) { return node->as<BatchNorm>() != nullptr; }));
  program::Context cx;
  EXPECT_EQ(calls_of(cx, kept, {})->calls.size(), 1u);
}

// Neither a copy, nor anything for pieces, nor what follows the nest.
TEST(RewrittenNests, OneKernelComputesANestWithWhatFollows) {
  for (NestCase c : nest_cases()) {
    for (const NestTail tail : {NestTail::Norm, NestTail::Block}) {
      for (const std::int64_t batch : {1, 3}) {
        c.batch = batch;
        SCOPED_TRACE(c.name + ", batch " + std::to_string(batch));
        const auto lowered = lower_model(nest_model(c, tail));
        ASSERT_TRUE(lowered.ok()) << lowered.rejection().message();
        ASSERT_EQ(lowered->calls.calls.size(), 1u);
        EXPECT_TRUE(lowered->calls.calls[0].rewriting.has_value());
      }
    }
  }
}

TEST(RewrittenNests, TheTraceReplaysFromTheOriginalConvolution) {
  for (const NestCase& c : nest_cases()) {
    SCOPED_TRACE(c.name);
    program::Context cx;
    const auto calls = calls_for(cx, nest_model(c, NestTail::Norm));
    ASSERT_TRUE(calls.ok()) << calls.rejection().message();
    const Rewriting& rewriting = *calls->calls[0].rewriting;
    EXPECT_NE(program::fingerprint_of(rewriting.original),
              program::fingerprint_of(calls->kernels[0]));
    const auto read = schedule::parse_trace(schedule::to_text(rewriting.trace));
    ASSERT_TRUE(read.ok()) << read.rejection().message();
    const auto again = schedule::replay(cx, rewriting.original, *read);
    ASSERT_TRUE(again.ok()) << again.rejection().message();
    EXPECT_EQ(program::to_text(cx, again->program()), program::to_text(cx, calls->kernels[0]));
  }
}

TEST(RewrittenNests, RefuseARecipeThatMakesOtherWeights) {
  for (const auto& [recipe, why] : std::vector<std::pair<const char*, const char*>>{
           {"group(outer: co, inner: ci, factor: 2)\n", "[8, 4, 3, 3] after the recipe"},
           {"partition(loop: co, points: [Co/2])\ngroup(outer: co, inner: ci, factor: 4)\n",
            "after the recipe"},
           {"group(outer: co, inner: ci, factor: 3)\n", "not divisible by 3"}}) {
    NestCase c = case_named("group 4");
    c.recipe = recipe;
    program::Context cx;
    const auto calls = calls_for(cx, nest_model(c, NestTail::Relu));
    ASSERT_FALSE(calls.ok()) << recipe;
    const std::string message = calls.rejection().message();
    EXPECT_NE(message.find("site"), std::string::npos) << message;
    EXPECT_NE(message.find(why), std::string::npos) << message;
  }
}

TEST(RewrittenNests, AreExpandedWhereTheirDocumentIsNone) {
  const Model model = nest_model(case_named("group 4"), NestTail::Relu);
  Builder b(model);
  for (const NodePtr& node : model.nodes()) {
    if (const auto* composite = node->as<Composite>()) {
      b.set_op(node->id, Composite{composite->space, "no convolution", composite->body});
    }
  }
  const Model damaged = std::move(b).finish().value();
  const Model prepared = lower::prepare(damaged).value();
  for (const NodePtr& node : prepared.nodes()) EXPECT_EQ(node->as<Composite>(), nullptr);
}

}  // namespace
}  // namespace cambium::compile
