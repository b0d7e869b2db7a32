// What comes out of a search, from the command line: the front as files, and a candidate evaluated
// again with the command that its page shows.
#include <string>
#include <vector>

#include "search_testing.h"

namespace cambium::tests {
namespace {

class ExportCli : public SearchCli {
 protected:
  std::string packed() const {
    EXPECT_TRUE(run({"study", "pack", path("s.study"), "-o", path("lines")}).succeeded());
    return read_file(path("lines")).value();
  }
};

TEST_F(ExportCli, RefusesWhatCannotBeReplayed) {
  expect_refusal({"replay", path("none.study"), "12"}, {"none.study"});
  expect_refusal({"export", path("none.study"), "front", "-o", path("out")}, {"none.study"});
}

// Classes of a folder are numbered by their names: what is exported knows those that it was
// trained on.
TEST_F(ExportCli, KnowsItsClassesByNameInEveryFolder) {
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  ASSERT_TRUE(write_image_folder(path("abc"), "abc") && write_image_folder(path("bc"), "bc"));
  const std::string model = file("color.cambium", R"(cambium model 1 "color"
%0 "x" = input : f32[1, 3, 8, 8]
%1 "w1" = weight normal(0.3, 3) : f32[4, 3, 3, 3]
%2 "conv1" = conv(%0, %1) {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1], groups = 1} : f32[1, 4, 8, 8]
%3 "w2" = weight normal(0.3, 3) : f32[4, 4, 3, 3]
%4 "conv2" = conv(%2, %3) {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1], groups = 1} : f32[1, 4, 8, 8]
%5 "flat" = reshape(%4) {dims = [1, 256]} : f32[1, 256]
%6 "w3" = weight normal(0.05, 3) : f32[3, 256]
%7 "scores" = gemm(%5, %6) {alpha = 1, beta = 1, transpose_a = false, transpose_b = true} : f32[1, 3]
output "scores" = %7
)");
  const ProcessOutcome searched =
      run({"search",         model,       "--data",          "images:" + path("abc"),
           "--targets",      "conv:in=4", "--study",         path("s.study"),
           "--device",       "cpu",       "--train-threads", "1",
           "--set",          "batch=8",   "--set",           "rate=0.02",
           "--set",          "pad=0",     "--set",           "flip=no",
           "--candidates",   "0",         "--try",           "conv2d",
           "--brief-epochs", "1",         "--epochs",        "8",
           "--trials",       "0"});
  ASSERT_TRUE(searched.succeeded()) << searched.errors;
  const ProcessOutcome exported =
      run({"export", path("s.study"), "best", "-o", path("out"), "--without-native"});
  ASSERT_TRUE(exported.succeeded()) << exported.errors;
  for (const char* name : {"out/model.cambium", "out/model.onnx"}) {
    if (!fs::exists(path(name))) continue;  // a build without ONNX
    for (const char* folder : {"abc", "bc"}) {
      const auto top1 =
          document({"run", path(name), "--data", "images:" + path(folder)}, "accuracy")["top1"];
      EXPECT_GT(top1.get<double>(), 0.9) << name << " " << folder;
    }
  }
}

TEST_F(ExportCli, WritesTheFrontAndDoesTheSameAgain) {
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  const auto report = document(
      search({"--candidates", "2", "--objective", "accuracy", "--objective", "macs"}), "search");
  ASSERT_EQ(report["finalists"].size(), 1u) << report.dump();

  const auto list = document({"study", "list", path("s.study")}, "study_list");
  ASSERT_GT(list["rows"].size(), 1u) << list.dump();
  const ProcessOutcome exported =
      run({"export", path("s.study"), "front", "-o", path("front"), "--without-native"});
  ASSERT_TRUE(exported.succeeded()) << exported.errors;
  for (std::size_t i = 1; i < list["rows"].size(); ++i) {
    const std::string id = list["rows"][i]["candidate"];
    for (const char* name : {"/README.txt", "/model.py", "/candidate.json"})
      EXPECT_TRUE(fs::exists(path("front/" + id.substr(0, 16)) + name)) << id << name;
  }

  const std::string before = packed();
  const std::string id = report["finalists"][0]["candidate"].get<std::string>().substr(0, 16);
  const auto replayed = document(
      {"replay", path("s.study"), id, "--device", "cpu", "--train-threads", "1"}, "replay");
  int trainings = 0, times = 0;
  for (const auto& each : replayed["evaluations"]) {
    EXPECT_EQ(each["again"]["state"], "done") << each;
    if (each["evaluator"] == "accuracy") {
      ++trainings;
      EXPECT_EQ(each["again"]["values"], each["recorded"]["values"]);
      EXPECT_TRUE(each["same"].get<bool>()) << each;
    } else if (each["evaluator"] == "latency") {
      ++times;
      EXPECT_GT(each["again"]["values"]["latency"]["value"].get<double>(), 0) << each;
    }
  }
  EXPECT_EQ(trainings, 2) << "briefly and fully";
  EXPECT_EQ(times, 2) << "as it comes and tuned";
  EXPECT_EQ(packed(), before) << "the study is as it was";

  // Lines that took the place of the study would be all that is left of it.
  fs::create_symlink(path("s.study"), path("also.study"));
  for (const char* name : {"s.study", "also.study", "../s.study"}) {
    fs::create_directory(path("below"));
    const std::string same = path(*name == '.' ? "below/" : "") + name;
    expect_refusal({"study", "pack", path("s.study"), "-o", same}, {"-o", "the study itself"});
  }
  EXPECT_EQ(packed(), before);

  // It ends at once, and takes its folder away.
  const std::string script =
      "\"$@\" & p=$!; n=0\n"
      "until ls \"$TMPDIR\" | grep -q cambium || [ $n -ge 3000 ]; do sleep 0.02; n=$((n + 1)); "
      "done\n"
      "kill -TERM $p; wait $p; code=$?; ls \"$TMPDIR\"; exit $code\n";
  fs::create_directory(path("scratch"));
  const auto ended =
      run_process({{"env", "TMPDIR=" + path("scratch"), "sh", "-c", script, "sh", CAMBIUM_PROGRAM,
                    "replay", path("s.study"), id, "--only", "accuracy"},
                   "",
                   {}});
  ASSERT_TRUE(ended.ok());
  EXPECT_EQ(ended->text(), "exit code 143") << ended->errors;
  EXPECT_EQ(ended->output, "");

  // As the page says it.
  const ProcessOutcome reported = run({"report", path("s.study"), "-o", path("site")});
  ASSERT_TRUE(reported.succeeded()) << reported.errors;
  const std::string page = read_file(path("site/c/" + id + ".html")).value();
  const std::string begin = "<code>cambium replay ";
  const std::size_t at = page.find(begin);
  ASSERT_NE(at, std::string::npos);
  const std::string words =
      page.substr(at + begin.size(), page.find("</code>", at) - at - begin.size());
  const auto outcome = run_process(
      {{"sh", "-c", std::string(CAMBIUM_PROGRAM) + " replay " + words + " --only accuracy"},
       "",
       {}});
  ASSERT_TRUE(outcome.ok());
  EXPECT_TRUE(outcome->succeeded()) << words << outcome->errors;
  EXPECT_NE(outcome->output.find("the same"), std::string::npos) << outcome->output;
  EXPECT_EQ(outcome->output.find("refused"), std::string::npos) << outcome->output;
}

}  // namespace
}  // namespace cambium::tests
