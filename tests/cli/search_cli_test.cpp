// Searching from the command line: with the real compiler and real training at a tiny scale, and
// what bad input gets.
#include <algorithm>
#include <string>
#include <vector>

#include "cli_testing.h"
#include "tiny_images_testing.h"

namespace cambium::tests {
namespace {

constexpr const char* kTwoConvolutions = R"(cambium model 1 "tiny"
%0 "x" = input : f32[1, 1, 8, 8]
%1 "w1" = weight normal(0.3, 3) : f32[16, 1, 3, 3]
%2 "conv1" = conv(%0, %1) {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1], groups = 1} : f32[1, 16, 8, 8]
%3 "r1" = unary.relu(%2) : f32[1, 16, 8, 8]
%4 "w2" = weight normal(0.1, 4) : f32[16, 16, 3, 3]
%5 "conv2" = conv(%3, %4) {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1], groups = 1} : f32[1, 16, 8, 8]
%6 "r2" = unary.relu(%5) : f32[1, 16, 8, 8]
%7 "flat" = reshape(%6) {dims = [1, 1024]} : f32[1, 1024]
%8 "w3" = weight normal(0.05, 5) : f32[10, 1024]
%9 "b3" = weight constant(0) : f32[10]
%10 "scores" = gemm(%7, %8, %9) {alpha = 1, beta = 1, transpose_a = false, transpose_b = true} : f32[1, 10]
output "scores" = %10
)";

class SearchCli : public Cli {
 protected:
  SearchCli() {
    EXPECT_TRUE(write_tiny_images(folder_.path()));
    model_ = file("net.cambium", kTwoConvolutions);
  }

  std::vector<std::string> search(std::vector<std::string> more = {}) const {
    std::vector<std::string> all{
        "search",         model_,       "--data",          "mnist:" + folder_.path(),
        "--targets",      "conv:in=16", "--study",         path("s.study"),
        "--device",       "cpu",        "--train-threads", "1",
        "--set",          "batch=32",   "--candidates",    "3",
        "--brief-epochs", "1",          "--epochs",        "2",
        "--finalists",    "1",          "--trials",        "2",
        "--strategy",     "random",     "--space-option",  "g=2",
        "--set",          "rate=0.01"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::string model_;
};

TEST_F(SearchCli, FindsTrainsTunesReportsAndExports) {
  if (!require_feature("torch").ok() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  const auto report = document(search(), "search");
  EXPECT_EQ(report["summary"]["folded"], 3);
  ASSERT_TRUE(report["original"].contains("accuracy")) << report.dump();
  EXPECT_GT(report["original"]["latency"]["value"].get<double>(), 0);
  ASSERT_EQ(report["finalists"].size(), 1u) << report.dump();
  const auto& best = report["finalists"][0];
  EXPECT_EQ(best["refused"], "");
  EXPECT_GT(best["scores"]["latency"]["value"].get<double>(), 0);
  // All of it is in the study: again means nothing to do.
  const auto again =
      document({"search", "--resume", "--candidates", "3", "--study", path("s.study")}, "search");
  EXPECT_EQ(again["summary"]["evaluations"], 0);
  EXPECT_EQ(again["finalists"][0]["scores"], best["scores"]);
  const auto list = document({"study", "list", path("s.study")}, "study_list");
  EXPECT_EQ(list["candidates"], 4) << "the original is one";
  const std::string id = best["candidate"].get<std::string>().substr(0, 10);
  const ProcessOutcome exported = run({"export", path("s.study"), id, "-o", path("out")});
  EXPECT_TRUE(exported.succeeded()) << exported.errors;
  for (const char* name : {"model.cambium", "model.py", "model.safetensors", "candidate.json",
                           "equation.txt", "native/manifest.json"}) {
    EXPECT_TRUE(fs::exists(path("out/") + name)) << name << exported.output << exported.errors;
  }
  const ProcessOutcome checked =
      run({"run", path("out/model.cambium"), "--random", "--native", "--check"});
  EXPECT_TRUE(checked.succeeded()) << checked.errors;
  const ProcessOutcome reported = run({"report", path("s.study"), "-o", path("site")});
  EXPECT_TRUE(reported.succeeded() || reported.errors.find("libjs-vega") != std::string::npos)
      << reported.errors;
}

TEST_F(SearchCli, RefusesWhatCannotBegin) {
  expect_refusal({"search", model_, "--data", "mnist:" + folder_.path(), "--targets", "conv:k=7",
                  "--study", path("s.study")},
                 {"conv:k=7", "matches nothing"});
  expect_refusal({"search", model_, "--study", path("s.study")}, {"--data"});
  expect_refusal({"search", model_, "--data", "mnist:" + folder_.path(), "--space", "coordinat",
                  "--study", path("s.study")},
                 {"coordinat", "coordinate"});
  expect_refusal({"search", "--resume", "--study", path("none.study")}, {"none.study"});
  expect_refusal({"study", "list", model_}, {"not a database"});
  expect_refusal({"export", path("none.study"), "12", "-o", path("out")}, {"none.study"});
}

TEST_F(SearchCli, AWorkerAnswersWhatIsNoJob) {
  ProcessRequest request{{CAMBIUM_PROGRAM, "evaluate"}, "nonsense\n{}\n", {}};
  const auto outcome = run_process(request);
  ASSERT_TRUE(outcome.ok() && outcome->succeeded());
  EXPECT_EQ(std::count(outcome->output.begin(), outcome->output.end(), '\n'), 2);
  EXPECT_NE(outcome->output.find("BadJob"), std::string::npos) << outcome->output;
}

}  // namespace
}  // namespace cambium::tests
