// Native code from the command line: compile, run --native, inspect --program, machine and bench.
// Without LLVM in the build, that these say so.
#include <cstdlib>
#include <string>
#include <vector>

#include "base/machine.h"
#include "cli_testing.h"

namespace cambium::tests {
namespace {

class NativeCli : public Cli {
 protected:
  // Work that this build cannot do is not bad input.
  static void expect_failure(const std::vector<std::string>& arguments, const std::string& word) {
    const ProcessOutcome outcome = run(arguments);
    EXPECT_EQ(outcome.text(), "exit code 1") << outcome.errors;
    EXPECT_EQ(outcome.output, "");
    EXPECT_NE(outcome.errors.find(word), std::string::npos) << outcome.errors;
  }
};

#define NEEDS_LLVM() \
  if (!has_llvm()) GTEST_SKIP() << "needs LLVM"

constexpr const char* kPerceptron = R"(cambium model 1 "two layers"
%0 "x" = input : f32[4, 24]
%1 "w" = weight normal(0.5, 3) : f32[24, 33]
%2 "hidden" = matmul(%0, %1) : f32[4, 33]
%3 "y" = unary.relu(%2) : f32[4, 33]
output "y" = %3
)";

TEST_F(NativeCli, SaysThatABuildWithoutLlvmMakesNoNativeCode) {
  if (has_llvm()) GTEST_SKIP() << "has LLVM";
  expect_failure({"compile", "zoo:tiny-resnet", "-o", path("out")}, "not in this build");
  expect_failure({"run", "zoo:tiny-resnet", "--random", "--native"}, "not in this build");
  expect_failure({"inspect", "zoo:tiny-resnet", "--program", "0", "--ir"}, "not in this build");
}

// ---- compile
TEST_F(NativeCli, CompilesALibraryAndSaysWhatItTakes) {
  NEEDS_LLVM();
  const auto report = document({"compile", "zoo:tiny-resnet", "-o", path("out")}, "compile");
  EXPECT_EQ(report["machine"], "host");
  for (const auto& name : report["files"]) {
    EXPECT_TRUE(fs::exists(folder_ / ("out/" + name.get<std::string>()))) << name;
  }
  EXPECT_LE(report["kernels"], report["calls"]);
  EXPECT_GT(report["kernels"], 0);
  EXPECT_GE(report["memory"]["workspace_bytes"], report["memory"]["plan_bytes"]);
  EXPECT_GE(report["memory"]["live_bytes"], report["memory"]["pair_bytes"]);
  EXPECT_FALSE(report["slowest"].empty());
  EXPECT_TRUE(report["slower"].empty()) << report["slower"];
  EXPECT_EQ(report["plain_loops"], 0);

  const ProcessOutcome again =
      run({"compile", "zoo:tiny-resnet", "-o", path("out"), "--jobs", "1"});
  EXPECT_TRUE(again.succeeded()) << again.errors;
  EXPECT_NE(again.output.find("largest pair of live activations"), std::string::npos);
  EXPECT_NE(again.errors.find("wrote tiny_resnet.so"), std::string::npos) << again.errors;
}

TEST_F(NativeCli, CompilesTheSameWeightsForEveryNumberOfJobs) {
  NEEDS_LLVM();
  const std::string model = file("net.cambium", kPerceptron);
  for (const char* jobs : {"1", "2"}) {
    const ProcessOutcome outcome = run({"compile", model, "-o", path(jobs), "--jobs", jobs});
    ASSERT_TRUE(outcome.succeeded()) << outcome.errors;
  }
  for (const char* name : {"two_layers.weights", "two_layers.h"}) {
    EXPECT_EQ(read_file(path("1") + "/" + name).value(), read_file(path("2") + "/" + name).value());
  }
}

TEST_F(NativeCli, RefusesToCompileWithOptionsThatAreNone) {
  expect_refusal({"compile", "zoo:tiny-resnet"}, {"--output"});
  expect_refusal({"compile", "zoo:tiny-resnet", "-o", path("o"), "--machine", "avx3"},
                 {"avx3", "avx512", "aarch64"});
  expect_refusal({"compile", "zoo:tiny-resnet", "-o", path("o"), "--off", "fold"},
                 {"'fold'", "fold-constants"});
  expect_refusal({"compile", "zoo:tiny-resnt", "-o", path("o")}, {"did you mean 'tiny-resnet'?"});
  expect_refusal({"compile", "zoo:tiny-resnet", "-o", path("o"), "--jobs", "0"}, {"--jobs"});
}

TEST_F(NativeCli, AFolderThatCannotBeMadeIsSaidBeforeCompiling) {
  const std::string file_there = file("file", "");
  expect_failure({"compile", "zoo:tiny-resnet", "-o", file_there + "/out"}, "cannot be written");
}

TEST_F(NativeCli, NamesThePackageOfALinkerThatIsMissing) {
  NEEDS_LLVM();
  const std::string model = file("net.cambium", kPerceptron);
  const std::string before = std::getenv("PATH");
  ASSERT_EQ(::setenv("PATH", folder_.path().c_str(), 1), 0);
  expect_failure({"compile", model, "-o", path("out")}, "install binutils");
  ASSERT_EQ(::setenv("PATH", before.c_str(), 1), 0);
}

// ---- run --native
TEST_F(NativeCli, NativeOutputsAreThoseOfTheReferenceExecutor) {
  NEEDS_LLVM();
  for (const char* model : {"zoo:tiny-resnet", "zoo:tiny-gpt"}) {
    const auto outputs = document({"run", model, "--random", "--native", "--check"}, "outputs");
    EXPECT_EQ(outputs["executor"], "native host");
    EXPECT_LT(outputs["largest_error"], 1e-4);
  }
  for (const std::string& machine : machine_names()) {
    if (!machine_named(machine)->runs_here()) continue;
    const auto outputs = document(
        {"run", "zoo:tiny-resnet", "--random", "--native", "--check", "--machine", machine},
        "outputs");
    EXPECT_EQ(outputs["executor"], "native " + machine);
    EXPECT_LT(outputs["largest_error"], 1e-4);
  }
  const ProcessOutcome outcome =
      run({"run", "zoo:tiny-resnet", "--random", "--native", "--check", "--threads", "2"});
  EXPECT_TRUE(outcome.succeeded()) << outcome.errors;
  EXPECT_NE(outcome.errors.find("largest error"), std::string::npos) << outcome.errors;
}

TEST_F(NativeCli, NativeAccuracyIsThatOfTheReferenceExecutor) {
  NEEDS_LLVM();
  if (!has_onnx()) GTEST_SKIP() << "needs ONNX";
  if (!fs::exists("/usr/share/datasets/fashion-mnist")) GTEST_SKIP() << "needs the data set";
  const std::string model = CAMBIUM_SOURCE_DIR "/examples/fashion_mnist/classifier.onnx";
  const auto all = document({"run", model, "--data", "fashion-mnist", "--native"}, "accuracy");
  EXPECT_EQ(all["correct"], 9139);  // examples/fashion_mnist/ORIGIN.md
  EXPECT_EQ(all["executor"], "native host");
  const auto checked =
      document({"run", model, "--data", "fashion-mnist", "--limit", "100", "--native", "--check"},
               "accuracy");
  EXPECT_LT(checked["largest_error"], 1e-4);
}

TEST_F(NativeCli, RefusesToRunForeignCodeAndOptionsWithoutNative) {
  expect_refusal({"run", "zoo:tiny-resnet", "--random", "--native", "--machine", "aarch64"},
                 {"aarch64", "does not run here"});
  expect_refusal({"run", "zoo:tiny-resnet", "--random", "--machine", "host"}, {"--native"});
  expect_refusal({"run", "zoo:tiny-resnet", "--random", "--check"}, {"--native"});
}

// ---- inspect --program
TEST_F(NativeCli, ListsFusionGroups) {
  const auto programs = document({"inspect", "zoo:tiny-resnet", "--program"}, "programs");
  std::size_t nodes = 0;
  for (const auto& group : programs["groups"]) nodes += group["nodes"].size();
  EXPECT_GT(nodes, programs["groups"].size());  // something was fused
  const ProcessOutcome table = run({"inspect", "zoo:tiny-resnet", "--program"});
  EXPECT_NE(table.output.find("conv"), std::string::npos) << table.output;
}

TEST_F(NativeCli, ShowsWhatBecomesOfOneGroup) {
  const std::string model = file("net.cambium", kPerceptron);
  const ProcessOutcome lowered = run({"inspect", model, "--program", "hidden"});
  EXPECT_EQ(lowered.output.rfind("program ", 0), 0u) << lowered.output << lowered.errors;
  const auto by_number =
      document({"inspect", model, "--program", "0", "--trace", "--scheduled"}, "programs");
  const auto& group = by_number["groups"][0];
  EXPECT_EQ(group["nodes"], nlohmann::json({"hidden", "y"}));
  EXPECT_EQ(group["macs"], 4 * 24 * 33);
  EXPECT_EQ(group["scheduled"].get<std::string>().rfind("program ", 0), 0u);
  EXPECT_FALSE(group["trace"].get<std::string>().empty());
  EXPECT_FALSE(group.contains("ir"));
  NEEDS_LLVM();
  const ProcessOutcome code = run({"inspect", model, "--program", "y", "--ir", "--asm"});
  EXPECT_NE(code.output.find("# ir\n"), std::string::npos) << code.errors;
  EXPECT_NE(code.output.find("define "), std::string::npos);
  EXPECT_NE(code.output.find("# assembly\n"), std::string::npos);
  const ProcessOutcome arm =
      run({"inspect", model, "--program", "y", "--asm", "--machine", "aarch64"});
  EXPECT_NE(arm.output.find("fmla"), std::string::npos) << arm.output << arm.errors;
}

TEST_F(NativeCli, RefusesProgramsThatAreNotThere) {
  const std::string model = file("net.cambium", kPerceptron);
  expect_refusal({"inspect", model, "--program", "hiden"},
                 {"--program 'hiden'", "did you mean 'hidden'?"});
  expect_refusal({"inspect", model, "--program", "7"}, {"--program '7'", "0 to 0"});
  expect_refusal({"inspect", model, "--program", "--ir"}, {"--program NODE"});
  expect_refusal({"inspect", model, "--ir"}, {"--program"});
  expect_refusal({"inspect", model, "--program", "hidden", "--off", "x"},
                 {"'x'", "fold-constants"});
}

// ---- machine
TEST_F(NativeCli, KeepsWhatTheMachineReaches) {
  ASSERT_EQ(::setenv("XDG_CACHE_HOME", path("cache").c_str(), 1), 0);
  const auto first = document({"machine"}, "machine");
  EXPECT_EQ(first["machine"]["fingerprint"], fingerprint_of(host_machine()).text());
  EXPECT_GT(first["machine"]["ceilings"]["fma_gflops"], 0);
  EXPECT_TRUE(fs::exists(folder_ / "cache/cambium/ceilings.json"));
  EXPECT_EQ(first, document({"machine"}, "machine"));
  const ProcessOutcome again = run({"machine", "--probe"});
  EXPECT_NE(again.output.find("GFLOP/s"), std::string::npos) << again.errors;

  ASSERT_EQ(::setenv("XDG_CACHE_HOME", file("blocked", "").c_str(), 1), 0);
  expect_failure({"machine"}, "cannot be written");
  ::unsetenv("XDG_CACHE_HOME");
}

// ---- bench
// The program beside benchmarks of the test's own: a link would be resolved, so it is a copy.
TEST_F(NativeCli, RunsTheBenchmarksThatStandBesideIt) {
  const std::string program = path("cambium");
  fs::copy_file(CAMBIUM_PROGRAM, program);
  const auto run_copy = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program);
    return run_process({arguments, "", {}}).value();
  };
  const ProcessOutcome none = run_copy({"bench"});
  EXPECT_EQ(none.text(), "exit code 1");
  EXPECT_NE(none.errors.find("cambium-bench-NAME"), std::string::npos) << none.errors;

  const std::string bench = file("cambium-bench-echo", "#!/bin/sh\necho \"$@\"\nexit 7\n");
  fs::permissions(bench, fs::perms::owner_all);
  EXPECT_EQ(run_copy({"bench"}).output, "echo\n");
  const ProcessOutcome outcome = run_copy({"bench", "echo", "--quick", "a b", "--help"});
  EXPECT_EQ(outcome.text(), "exit code 7");
  EXPECT_EQ(outcome.output, "--quick a b --help\n");
  const ProcessOutcome wrong = run_copy({"bench", "ecko"});
  EXPECT_EQ(wrong.text(), "exit code 2");
  EXPECT_NE(wrong.errors.find("did you mean 'echo'?"), std::string::npos) << wrong.errors;
}

TEST_F(NativeCli, MeasuresAWholeModelAsADocument) {
  NEEDS_LLVM();
  const auto bench =
      document({"bench", "models", "--quick", "--only", "mobilenet"}, "bench_models");
  ASSERT_EQ(bench["rows"].size(), 1u);
  const auto& row = bench["rows"][0];
  EXPECT_EQ(row["case"], "zoo:mobilenet-v2");
  EXPECT_LT(row["error"], 1e-4);
  EXPECT_LT(row["memory"]["ratio"], 1.3);
  expect_refusal({"bench", "models", "--only", "alexnet"}, {"--only"});
  EXPECT_EQ(row["peers"].size(), 3u);
}

}  // namespace
}  // namespace cambium::tests
