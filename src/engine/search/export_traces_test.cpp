#include "engine/search/export_traces.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/features.h"
#include "base/file.h"
#include "base/scratch_folder_testing.h"
#include "base/text.h"
#include "codegen/codegen.h"
#include "compile/group_testing.h"
#include "compile/kernels.h"
#include "engine/machines.h"
#include "engine/tune.h"
#include "engine/tuned.h"
#include "program/canonical.h"
#include "program/clone.h"
#include "program/fingerprint.h"
#include "program/text.h"
#include "schedule/rules/space.h"
#include "store/tuning_store.h"

namespace cambium::engine {
namespace {

namespace fs = std::filesystem;

// What the trace in the folder makes of the program beside it.
program::Program replayed(program::Context& cx, const std::string& stem) {
  const auto text = read_file(stem + ".program");
  const auto trace = schedule::parse_trace(read_file(stem + ".trace").value());
  EXPECT_TRUE(trace.ok()) << trace.rejection().message();
  const auto original = program::parse(cx, text.value());
  EXPECT_TRUE(original.ok()) << original.rejection().message();
  const auto made = schedule::replay(cx, *original, *trace);
  EXPECT_TRUE(made.ok()) << made.rejection().message();
  return made.ok() ? made->program() : *original;
}

// Buffers, loops and blocks under canonical names. Inside of blocks, the order of summands depends
// on the names that they had.
std::string skeleton(program::Context& cx, const program::Program& program) {
  const std::string text = program::to_text(cx, program::canonical(cx, program));
  std::string kept;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view words = trim(line);
    for (const std::string_view begin : {"for ", "local ", "block "}) {
      if (words.starts_with(begin)) kept += std::string(line) + "\n";
    }
  }
  return kept;
}

TEST(ExportedTraces, ReplayFromTheOriginalConvolutionToTheKernel) {
  for (const compile::NestCase& c : compile::nest_cases()) {
    SCOPED_TRACE(c.name);
    const ScratchFolder folder;
    const model::Model model = compile::nest_model(c, compile::NestTail::Norm);
    const auto all = export_traces(model, {}, folder / "traces");
    ASSERT_TRUE(all.ok()) << all.rejection().message();
    ASSERT_EQ(all->size(), 1u);
    EXPECT_EQ(all->front().node, "site");
    program::Context cx;
    const program::Program made = replayed(cx, folder / "traces/" + all->front().stem);

    const auto lowered = compile::lower_model(model);
    ASSERT_TRUE(lowered.ok());
    compile::Options how;
    const auto kernel =
        compile::make_kernel(program::canonical(*lowered->cx, lowered->calls.kernels[0]), "k", how);
    if (!kernel.ok()) continue;  // a build without a code generator
    EXPECT_EQ(program::to_text(cx, made),
              program::to_text(*kernel->scheduled.cx, kernel->scheduled.schedule.program()));
    const auto compiled = compile::make_kernel(lowered->calls.kernels[0], "k", how);
    ASSERT_TRUE(compiled.ok());
    EXPECT_EQ(skeleton(cx, made), skeleton(cx, compiled->scheduled.schedule.program()))
        << "compiling makes the same code under other names";
  }
}

// Compiling has found the schedule, and nothing is compiled again to learn it.
TEST(ExportedTraces, EndInTheScheduleThatCompilingReports) {
  const ScratchFolder folder;
  const model::Model model = compile::nest_model(compile::nest_cases()[0], compile::NestTail::Relu);
  const auto lowered = compile::lower_model(model);
  ASSERT_TRUE(lowered.ok());
  for (const schedule::Default which : {schedule::Default::VectorLoops, schedule::Default::Plain}) {
    compile::KernelReport kernel;
    kernel.by_default = which;
    const std::vector<compile::KernelReport> compiled(lowered->calls.calls.size(), kernel);
    const auto all = export_traces(model, {}, folder / "traces", compiled);
    ASSERT_TRUE(all.ok()) << all.rejection().message();
    program::Context cx;
    const program::Program made = replayed(cx, folder / "traces/" + all->front().stem);
    const auto want = compile::scheduled_by(
        program::canonical(*lowered->cx, lowered->calls.kernels[0]), host_machine(), which);
    ASSERT_TRUE(want.ok()) << want.rejection().message();
    EXPECT_EQ(program::to_text(cx, made), program::to_text(*want->cx, want->schedule.program()));
  }
}

// Both ways to learn the schedules agree.
TEST(ExportedTraces, AreTheSameWithAndWithoutNativeCode) {
  if (!require_feature("llvm").ok()) GTEST_SKIP() << "needs LLVM";
  const ScratchFolder folder;
  for (const compile::NestCase& c : compile::nest_cases()) {
    SCOPED_TRACE(c.name);
    const model::Model model = compile::nest_model(c, compile::NestTail::Norm);
    const auto compiled = compile_model(model, {});
    ASSERT_TRUE(compiled.ok()) << compiled.rejection().message();
    const auto after = export_traces(model, {}, folder / "after", compiled->kernels);
    const auto alone = export_traces(model, {}, folder / "alone");
    ASSERT_TRUE(after.ok() && alone.ok());
    EXPECT_EQ(read_file(folder / "after/" + after->front().stem + ".trace").value(),
              read_file(folder / "alone/" + alone->front().stem + ".trace").value());
  }
}

TEST(ExportedTraces, EndInTheTunedLoopHalf) {
  if (!require_feature("llvm").ok()) GTEST_SKIP() << "needs LLVM";
  const ScratchFolder folder;
  const model::Model model = compile::nest_model(compile::nest_cases()[0], compile::NestTail::Relu);
  const TuningTask task = tasks_of(model, {}, 1)->front();
  program::Context cx;
  const program::Program named = program::clone_into(cx, *task.task.program);
  const auto tuned =
      schedule::generate(cx, named, host_machine(), schedule::whole_space(), {.seed = 7});
  ASSERT_TRUE(tuned.ok()) << tuned.rejection().message();
  store::Trial trial;
  trial.scheduled = program::fingerprint_of(tuned->program());
  trial.trace = schedule::to_text(tuned->trace());
  trial.strategy = "test";
  trial.samples = {{store::Protocol::Rank, 1e-6, 0.01, 8, 0}};
  const std::string db = folder / "tuned.db";
  auto store = store::TuningStore::open(db);
  ASSERT_TRUE(store.ok());
  ASSERT_TRUE(store
                  ->add({task.task.fingerprint, fingerprint_of(host_machine()), 1,
                         codegen::version(host_machine())},
                        trial)
                  .ok());
  NativeOptions options;
  options.db = db;
  const auto all = export_traces(model, options, folder / "traces");
  ASSERT_TRUE(all.ok()) << all.rejection().message();
  const std::string stem = folder / "traces/" + all->front().stem;
  EXPECT_TRUE(read_file(stem + ".trace").value().ends_with(trial.trace));
  EXPECT_EQ(program::fingerprint_of(replayed(cx, stem)), trial.scheduled);
}

TEST(ExportedTraces, OfAModelWithoutRewrittenNestsAreNone) {
  const ScratchFolder folder;
  compile::NestCase c = compile::nest_cases()[0];
  const model::Model expanded = model::expanded(compile::nest_model(c, compile::NestTail::None));
  EXPECT_TRUE(export_traces(expanded, {}, folder / "traces")->empty());
  EXPECT_FALSE(fs::exists(folder / "traces"));
}

}  // namespace
}  // namespace cambium::engine
