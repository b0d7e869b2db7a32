#include "trial/tasks.h"

#include <set>

#include <gtest/gtest.h>

#include "compile/compile.h"
#include "compile/group_testing.h"
#include "compile/layouts.h"
#include "model/builder.h"
#include "model/zoo/zoo.h"
#include "program/fingerprint.h"
#include "trial/models_testing.h"

namespace cambium::trial {
namespace {

TEST(TuningTasks, AreTheProgramsThatCompilingAsksFor) {
  const auto lowered = compile::lower_model(model::zoo::build("tiny-resnet").value());
  ASSERT_TRUE(lowered.ok()) << lowered.rejection().message();
  const auto tasks = tasks_of(*lowered, 2);
  ASSERT_TRUE(tasks.ok()) << tasks.rejection().message();
  std::set<Fingerprint> asked;
  compile::Options options;
  options.schedules = [&](program::Context&, const program::Program& program) {
    asked.insert(program::fingerprint_of(program));
    return std::nullopt;
  };
  (void)compile::compile(*lowered, options);  // asks, whether or not it can make code
  double calls = 0;
  for (const TuningTask& task : *tasks) {
    EXPECT_EQ(asked.count(task.task.fingerprint), 1u) << task.task.name;
    EXPECT_EQ(task.task.threads, 2);
    EXPECT_GT(task.flops, 0) << task.task.name;
    calls += task.task.weight;
    EXPECT_EQ(program::fingerprint_of(*task.task.program), task.task.fingerprint);
    EXPECT_EQ(task.task.program->name, "kernel");
  }
  EXPECT_EQ(tasks->size(), asked.size());
  EXPECT_GT(calls, static_cast<double>(tasks->size())) << "blocks repeat";
}

TEST(TuningTasks, EachHasItsNodesAsAModel) {
  const auto lowered = compile::lower_model(model::zoo::build("tiny-resnet").value());
  ASSERT_TRUE(lowered.ok()) << lowered.rejection().message();
  const auto tasks = tasks_of(*lowered, 1);
  ASSERT_TRUE(tasks.ok());
  for (const TuningTask& task : *tasks) {
    EXPECT_FALSE(task.model.outputs().empty()) << task.task.name;
    std::size_t operators = 0;
    for (const model::NodePtr& node : task.model.nodes()) operators += node->inputs.empty() ? 0 : 1;
    EXPECT_EQ(operators, task.nodes.size()) << task.task.name;
  }
}

TEST(TuningTasks, AnOperatorIsOneTask) {
  const auto task = conv_task(8, 6, 4, true);
  ASSERT_TRUE(task.ok()) << task.rejection().message();
  EXPECT_EQ(task->flops, 2.0 * 4 * 8 * 9 * 36);
  EXPECT_EQ(task->nodes, (std::vector<std::string>{"conv", "relu"}));
  EXPECT_GT(softmax_task(4, 8)->flops, 0) << "operations, for a program without products";
}

TEST(TuningTasks, ARewrittenNestIsTunedAfterItsNeuralHalf) {
  for (const compile::NestCase& c : compile::nest_cases()) {
    SCOPED_TRACE(c.name);
    const model::Model model = compile::nest_model(c, compile::NestTail::Relu);
    const auto lowered = compile::lower_model(model);
    ASSERT_TRUE(lowered.ok()) << lowered.rejection().message();
    const auto tasks = tasks_of(*lowered, 1);
    ASSERT_TRUE(tasks.ok()) << tasks.rejection().message();
    ASSERT_EQ(tasks->size(), 1u);
    const Fingerprint tuned = tasks->front().task.fingerprint;
    EXPECT_EQ(tuned, program::fingerprint_of(lowered->calls.kernels[0]));
    EXPECT_NE(tuned, program::fingerprint_of(lowered->calls.calls[0].rewriting->original));
    EXPECT_EQ(task_of(model, compile::choose_layouts(model), 1)->task.fingerprint, tuned)
        << "as an operator of its own";
  }
}

TEST(TuningTasks, RefuseAModelWithoutWork) {
  model::Builder b("wire");
  b.output("y", b.input("x", {DType::F32, {3}}));
  const model::Model wire = std::move(b).finish().value();
  EXPECT_EQ(tasks_of(compile::lower_model(wire).value(), 1).rejection().reason(),
            Reason::NothingToTune);
  EXPECT_EQ(task_of(wire, {}, 1).rejection().reason(), Reason::NothingToTune);
}

}  // namespace
}  // namespace cambium::trial
