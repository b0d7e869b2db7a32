#include "engine/tuning_tasks.h"

#include <set>

#include <gtest/gtest.h>

#include "compile/compile.h"
#include "engine/files.h"
#include "engine/operators.h"
#include "model/builder.h"
#include "program/fingerprint.h"
#include "program/text.h"

namespace cambium::engine {
namespace {

TEST(TuningTasks, AreTheProgramsThatCompilingAsksFor) {
  const model::Model model = load_model("zoo:tiny-resnet")->model;
  const auto tasks = tasks_of(model, {}, 2);
  ASSERT_TRUE(tasks.ok()) << tasks.rejection().message();
  std::set<Fingerprint> asked;
  compile::Options options;
  options.schedules = [&](const program::Program& program) {
    asked.insert(program::fingerprint_of(program));
    return std::nullopt;
  };
  (void)compile::compile(model, options);  // asks, whether or not it can make code
  double calls = 0;
  for (const TuningTask& task : *tasks) {
    EXPECT_EQ(asked.count(task.task.fingerprint), 1u) << task.task.name;
    EXPECT_EQ(task.task.threads, 2);
    EXPECT_GT(task.flops, 0) << task.task.name;
    calls += task.task.weight;
    program::Context cx;
    const auto parsed = program::parse(cx, task.task.program);
    ASSERT_TRUE(parsed.ok()) << parsed.rejection().message();
    EXPECT_EQ(program::fingerprint_of(*parsed), task.task.fingerprint);
    EXPECT_EQ(parsed->name, "kernel");
  }
  EXPECT_EQ(tasks->size(), asked.size());
  EXPECT_GT(calls, static_cast<double>(tasks->size())) << "blocks repeat";
}

TEST(TuningTasks, EachHasItsNodesAsAModel) {
  const model::Model model = load_model("zoo:tiny-resnet")->model;
  const auto tasks = tasks_of(model, {}, 1);
  ASSERT_TRUE(tasks.ok());
  for (const TuningTask& task : *tasks) {
    EXPECT_FALSE(task.model.outputs().empty()) << task.task.name;
    std::size_t operators = 0;
    for (const model::NodePtr& node : task.model.nodes()) operators += node->inputs.empty() ? 0 : 1;
    EXPECT_EQ(operators, task.nodes.size()) << task.task.name;
  }
}

TEST(TuningTasks, AnOperatorIsOneTask) {
  const auto parsed = parse_operator("conv2d(1x8x6x6, 4, kernel 3, bias, relu)");
  ASSERT_TRUE(parsed.ok());
  const auto task = task_of(parsed->model, parsed->layouts, 1);
  ASSERT_TRUE(task.ok()) << task.rejection().message();
  EXPECT_EQ(task->flops, 2.0 * 4 * 8 * 9 * 16);
  EXPECT_EQ(task->nodes, (std::vector<std::string>{"conv", "relu"}));
  const auto plain = parse_operator("softmax(4x8)");
  EXPECT_GT(task_of(plain->model, plain->layouts, 1)->flops, 0) << "operations where nothing sums";
}

TEST(TuningTasks, RefuseAModelWithoutWork) {
  model::Builder b("wire");
  b.output("y", b.input("x", {DType::F32, {3}}));
  const model::Model wire = std::move(b).finish().value();
  EXPECT_EQ(tasks_of(wire, {}, 1).rejection().reason(), Reason::NothingToTune);
  EXPECT_EQ(task_of(wire, {}, 1).rejection().reason(), Reason::NothingToTune);
}

}  // namespace
}  // namespace cambium::engine
