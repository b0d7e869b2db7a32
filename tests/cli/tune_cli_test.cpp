// Tuning from the command line: what is found is kept, used and explained; a run that was stopped
// or killed goes on where it was.
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/machine.h"
#include "base/text.h"
#include "cli_testing.h"

namespace cambium::tests {
namespace {

// A space of thousands, and a strategy that does not think long.
constexpr const char* kOperator = "conv2d(1x16x8x8, 16, kernel 3, pad 1)";

class TuneCli : public Cli {
 protected:
  TuneCli() { ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }

  std::vector<std::string> tune(const std::string& what, int trials,
                                std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"tune",      what, "--trials", std::to_string(trials),
                                 "--threads", "1",  "--db",     path("t.db")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  // The trials of the database, by what `--export` writes.
  std::vector<nlohmann::json> trials() const {
    const ProcessOutcome outcome = run({"tune", "--db", path("t.db"), "--export", path("t.jsonl")});
    EXPECT_TRUE(outcome.succeeded()) << outcome.errors;
    std::vector<nlohmann::json> found;
    const std::string text = read_file(path("t.jsonl")).value();
    for (const std::string_view line : split(text, '\n')) {
      if (line.empty()) continue;
      const auto record = parse_json(line);
      EXPECT_TRUE(record.ok()) << line;
      if (record->contains("trial")) found.push_back((*record)["trial"]);
    }
    return found;
  }
};

#define NEEDS_LLVM() \
  if (!has_llvm()) GTEST_SKIP() << "needs LLVM"

TEST_F(TuneCli, FindsSchedulesThatCompilingUses) {
  NEEDS_LLVM();
  const std::string model = file("net.cambium", R"(cambium model 1 "layer"
%0 "x" = input : f32[24, 32]
%1 "w" = weight normal(0.5, 3) : f32[32, 48]
%2 "y" = matmul(%0, %1) : f32[24, 48]
output "y" = %2
)");
  const auto report = document(tune(model, 8), "tune");
  ASSERT_EQ(report["tasks"].size(), 1u);
  const auto& task = report["tasks"][0];
  EXPECT_EQ(task["trials"], 8);
  EXPECT_GT(task["seconds"], 0);
  EXPECT_GT(task["default_seconds"], 0);
  EXPECT_EQ(trials().size(), 8u);

  const auto made = document(
      {"compile", model, "-o", path("out"), "--db", path("t.db"), "--threads", "1"}, "compile");
  EXPECT_EQ(made["tuned"], 1);
  EXPECT_TRUE(made["slower"].empty()) << made["slower"];
  EXPECT_EQ(made["plain_loops"], 0);
  const auto without =
      document({"compile", model, "-o", path("out"), "--db", "none", "--threads", "1"}, "compile");
  EXPECT_EQ(without["tuned"], 0);
  const ProcessOutcome checked = run(
      {"run", model, "--random", "--native", "--check", "--db", path("t.db"), "--threads", "1"});
  EXPECT_TRUE(checked.succeeded()) << checked.errors;
  const auto shown = document(
      {"inspect", model, "--program", "y", "--trace", "--db", path("t.db"), "--threads", "1"},
      "programs");
  EXPECT_EQ(shown["groups"][0]["trace"], task["trace"]);
}

TEST_F(TuneCli, TunesForAnotherMachineWhoseCodeRunsHere) {
  NEEDS_LLVM();
  if (!machine_named("avx2")->runs_here()) GTEST_SKIP() << "needs AVX2";
  const std::string model = file("net.cambium", R"(cambium model 1 "layer"
%0 "x" = input : f32[24, 32]
%1 "w" = weight normal(0.5, 3) : f32[32, 48]
%2 "y" = matmul(%0, %1) : f32[24, 48]
output "y" = %2
)");
  const auto report = document(tune(model, 4, {"--machine", "avx2"}), "tune");
  EXPECT_EQ(report["machine"]["name"], "avx2");
  const auto tuned_kernels = [&](const std::string& machine) {
    return document({"compile", model, "-o", path("out"), "--db", path("t.db"), "--threads", "1",
                     "--machine", machine},
                    "compile")["tuned"];
  };
  EXPECT_EQ(tuned_kernels("avx2"), 1);
  EXPECT_EQ(tuned_kernels("aarch64"), 0);
  const char* foreign = machine_named("aarch64")->runs_here() ? "avx2" : "aarch64";
  expect_refusal(tune(model, 4, {"--machine", foreign}), {foreign, "does not run here"});
  expect_refusal(tune(model, 4, {"--machine", "mips"}), {"mips", "avx2"});
}

TEST_F(TuneCli, GoesOnAfterAKillWithoutRepeatingATrial) {
  NEEDS_LLVM();
  std::vector<nlohmann::json> before;
  for (int kill = 0; kill < 2; ++kill) {
    const std::size_t wanted = before.size() + 5;
    // Waits until so many trials have ended: then the program is at work, and has much to do.
    const std::string script =
        "\"$0\" tune \"$1\" --trials 100000 --patience 0 --threads 1 --strategy random --db \"$2\" "
        "& p=$!\n"
        "ended() { grep '\"trial\":' \"$1\" 2>/dev/null | wc -l; }\n"
        "until [ \"$(ended \"$3\")\" -ge \"$4\" ]; do\n"
        "  sleep 0.1; \"$0\" tune --db \"$2\" --export \"$3\" 2>/dev/null\n"
        "done\n"
        "kill -9 $p || exit 3; wait $p; echo status $?\n";
    ProcessRequest request{{"sh", "-c", script, CAMBIUM_PROGRAM, kOperator, path("t.db"),
                            path("seen.jsonl"), std::to_string(wanted)},
                           "",
                           {}};
    request.limits.wall_seconds = 120;
    const auto outcome = run_process(request);
    ASSERT_TRUE(outcome.ok() && outcome->succeeded()) << outcome->text() << outcome->errors;
    ASSERT_NE(outcome->output.find("status 137"), std::string::npos)
        << "it was not killed at work: " << outcome->output;
    const std::vector<nlohmann::json> now = trials();
    ASSERT_GE(now.size(), wanted);
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(now[i], before[i]) << "nothing that was recorded is lost";
    }
    before = now;
  }
  const auto in_all = static_cast<int>(before.size()) + 6;
  const auto report = document(tune(kOperator, in_all, {"--strategy", "random"}), "tune");
  EXPECT_EQ(report["tasks"][0]["reused"], before.size());
  std::set<std::string> distinct;
  const auto all = trials();
  for (const auto& trial : all) distinct.insert(trial["scheduled"].get<std::string>());
  EXPECT_EQ(all.size(), static_cast<std::size_t>(in_all));
  EXPECT_EQ(distinct.size(), all.size());
}

TEST_F(TuneCli, StopsCleanlyWhenInterruptedOrAskedToTerminate) {
  NEEDS_LLVM();
  const std::pair<std::string, std::string> ends[] = {{"INT", "exit code 130"},
                                                      {"TERM", "exit code 143"}};
  for (const auto& [signal, end] : ends) {
    const ProcessOutcome outcome =
        signalled(tune(kOperator, 100000, {"--strategy", "random", "--patience", "0"}), signal,
                  "of roofline");
    EXPECT_EQ(outcome.text(), end) << outcome.errors;
    EXPECT_NE(outcome.output.find("best ms"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.errors.find("stopped early"), std::string::npos) << outcome.errors;
    EXPECT_FALSE(trials().empty());
  }
}

// A copy of the program beside vendor libraries that take their time, or answer.
TEST_F(TuneCli, TellsWhatVendorLibrariesAreAskedAndHowItComparesWithThem) {
  NEEDS_LLVM();
  // Asked to stop once it has said that, or after a minute.
  const auto run_beside = [&](const std::string& peers, const std::string& said) {
    fs::create_directories(path("bin"));
    fs::permissions(file("bin/cambium-peers", "#!/bin/sh\n" + peers), fs::perms::owner_all);
    for (const char* name : {"cambium", "cambium-runner"}) {
      fs::copy_file(fs::path(CAMBIUM_PROGRAM).parent_path() / name, path("bin") + "/" + name,
                    fs::copy_options::skip_existing);
    }
    const std::string errors = path("errors");
    const std::string command =
        path("bin/cambium") + " tune '" + kOperator +
        "' --trials 100000 --patience 0 --threads 1 --strategy random --db " + path("t.db") +
        " 2> " + errors;
    const std::string wait = "n=0; until grep -q '" + said + "' " + errors +
                             " || [ $n -ge 300 ]; do sleep 0.2; n=$((n + 1)); done";
    ProcessRequest request{
        {"sh", "-c",
         command + " & p=$!; " + wait + "; kill -INT $p; wait $p; code=$?; cat " + errors +
             " >&2; exit $code"},
        "",
        {}};
    const auto outcome = run_process(request);
    EXPECT_TRUE(outcome.ok()) << outcome.rejection().message();
    EXPECT_EQ(outcome->text(), "exit code 130") << outcome->errors;
    return *outcome;
  };
  const ProcessOutcome slow = run_beside("sleep 600", "timing vendor");
  EXPECT_NE(slow.errors.find("timing vendor libraries: task 1 of 1"), std::string::npos)
      << slow.errors;
  EXPECT_LT(slow.wall_seconds, 300) << "it waited for them";
  const ProcessOutcome fast =
      run_beside("echo '{\"peer\": \"quick\", \"seconds\": 1e-3}'", "x quick");
  EXPECT_NE(fast.errors.find(" x quick"), std::string::npos) << fast.errors;
}

TEST_F(TuneCli, RefusesADatabaseThatCannotBeWrittenBeforeItMeasuresTheMachine) {
  NEEDS_LLVM();
  const ProcessOutcome outcome =
      run({"tune", "matmul(16x16x16)", "--db", file("there", "a file") + "/t.db"});
  EXPECT_EQ(outcome.text(), "exit code 1") << outcome.errors;
  EXPECT_NE(outcome.errors.find("there cannot be written: it is not a folder"), std::string::npos)
      << outcome.errors;
  // A folder in which files may be made, but what is there is no database of tuning records.
  const std::string text = file("text.db", "no database at all, but long enough to be read as one");
  const ProcessOutcome other = run({"tune", "matmul(16x16x16)", "--db", text});
  EXPECT_EQ(other.text(), "exit code 2") << other.errors;
  EXPECT_NE(other.errors.find("text.db"), std::string::npos) << other.errors;
  EXPECT_FALSE(fs::exists(path("cambium/ceilings.json")));
}

TEST_F(TuneCli, HasNoNumberOfTrialsWhereOnlyTimeIsGiven) {
  NEEDS_LLVM();
  const ProcessOutcome timed =
      run({"tune", "matmul(16x16x16)", "--seconds", "2", "--threads", "1", "--db", path("t.db")});
  ASSERT_TRUE(timed.succeeded()) << timed.text() << timed.errors;
  EXPECT_NE(timed.errors.find(" trials in "), std::string::npos) << timed.errors;
  EXPECT_EQ(timed.errors.find(" of 64 trials"), std::string::npos) << timed.errors;
}

TEST_F(TuneCli, ExplainsTrialsAndTraces) {
  NEEDS_LLVM();
  const auto report = document(tune("matmul(16x16x16)", 4), "tune");
  const std::string best = report["tasks"][0]["scheduled"];
  const auto fine = document({"why", best.substr(0, 12), "--db", path("t.db")}, "why");
  EXPECT_EQ(fine["trial"]["scheduled"], best);
  EXPECT_NE(fine["verdict"].get<std::string>().find("not refused"), std::string::npos);
  EXPECT_NE(fine["text"].get<std::string>().find("program kernel"), std::string::npos);

  const std::string trace = file("bad.trace",
                                 "split(loop: l0, factors: [0, 4], tail: guard) -> l0.0, l0.1\n"
                                 "unroll(loop: nowhere)\n");
  const auto wrong = document({"why", trace, "--db", path("t.db")}, "why");
  EXPECT_EQ(wrong["refused_step"], 1);
  EXPECT_NE(wrong["refusal"].get<std::string>().find("nowhere"), std::string::npos);
  EXPECT_NE(wrong["text"].get<std::string>().find("for l0.1 in 4"), std::string::npos);
  const ProcessOutcome told = run({"why", trace, "--db", path("t.db")});
  EXPECT_NE(told.output.find("->   2 unroll"), std::string::npos) << told.output;
}

TEST_F(TuneCli, MovesRecordsBetweenDatabases) {
  NEEDS_LLVM();
  ASSERT_TRUE(run(tune("softmax(8x32)", 4)).succeeded());
  const std::size_t count = trials().size();
  const ProcessOutcome taken = run({"tune", "--db", path("other.db"), "--import", path("t.jsonl")});
  EXPECT_TRUE(taken.succeeded()) << taken.errors;
  EXPECT_TRUE(run({"tune", "--db", path("other.db"), "--export", path("o.jsonl")}).succeeded());
  EXPECT_EQ(read_file(path("o.jsonl")).value(), read_file(path("t.jsonl")).value());
  EXPECT_GT(count, 0u);
  expect_refusal({"tune", "--db", path("third.db"), "--import", file("bad.jsonl", "{\n")},
                 {"bad.jsonl"});
}

TEST_F(TuneCli, MeasuresWhatTuningBringsAsADocument) {
  NEEDS_LLVM();
  if (!fs::exists(fs::path(CAMBIUM_PROGRAM).parent_path() / "cambium-bench-tune")) {
    GTEST_SKIP() << "needs vendor libraries";
  }
  const std::vector<std::string> words{"bench",          "tune",           "--quick",    "--part",
                                       "operators",      "--only",         "GMM-0",      "--db",
                                       path("bench.db"), "--results",      path("rows"), "--python",
                                       "none",           "--torch-python", "none"};
  const auto bench = document(words, "bench_tune");
  EXPECT_EQ(bench["options"]["trials"], nlohmann::json({8}));
  EXPECT_EQ(bench["options"]["threads"], nlohmann::json({1}));
  ASSERT_EQ(bench["rows"].size(), 1u);
  EXPECT_EQ(bench["rows"][0]["key"]["case"], "GMM-0");
  EXPECT_EQ(bench["rows"][0]["key"]["quick"], true);
  EXPECT_EQ(bench["rows"][0]["seed"], 1);
  EXPECT_GT(bench["rows"][0]["tuned_seconds"], 0);
  EXPECT_EQ(document(words, "bench_tune")["rows"], bench["rows"]) << "measured again";
}

TEST_F(TuneCli, ListsItsRules) {
  const ProcessOutcome outcome = run({"tune", "--list-rules"});
  EXPECT_TRUE(outcome.succeeded()) << outcome.errors;
  EXPECT_NE(outcome.output.find("parallel"), std::string::npos) << outcome.output;
}

TEST_F(TuneCli, RefusesWhatCannotBeTuned) {
  expect_refusal({"tune"}, {"give a model or an operator"});
  expect_refusal(tune("conv9d(1x2)", 1), {"neither a model nor an operator", "conv2d("});
  expect_refusal(tune(file("wire.cambium",
                           "cambium model 1 \"wire\"\n%0 \"x\" = input : f32[3]\n"
                           "output \"y\" = %0\n"),
                      1),
                 {"wire", "nothing to tune"});
  expect_refusal({"tune", "--db", path("none.db"), "--export", path("x")}, {"none.db"});
  expect_refusal({"why", "1", "--db", path("none.db")}, {"none.db", "does not exist"});
  if (!has_llvm()) return;
  EXPECT_TRUE(run(tune("matmul(8x8x8)", 1)).succeeded());
  expect_refusal({"why", "ffffffffffff", "--db", path("t.db")}, {"no trial", "ffffffffffff"});
  const auto refusal = [&](std::vector<std::string> more, const std::string& word) {
    const ProcessOutcome outcome = run(tune("matmul(8x8x8)", 1, more));
    EXPECT_EQ(outcome.text(), "exit code 2");
    EXPECT_NE(outcome.errors.find(word), std::string::npos) << outcome.errors;
  };
  refusal({"--strategy", "luck"}, "luck");
  refusal({"--without", "gravity"}, "gravity");
  refusal({"--space", "outer"}, "whole, stock");
}

}  // namespace
}  // namespace cambium::tests
