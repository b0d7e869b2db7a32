// Training from the command line: results as documents, resuming, refusals, exit codes.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli_testing.h"
#include "tiny_images_testing.h"

namespace cambium::tests {
namespace {

constexpr const char* kModel = R"(cambium model 1 "linear"
%0 "x" = input : f32[1, 1, 8, 8]
%1 "flat" = reshape(%0) {dims = [1, 64]} : f32[1, 64]
%2 "w" = weight normal(0.05, 3) : f32[10, 64]
%3 "b" = weight constant(0) : f32[10]
%4 "scores" = gemm(%1, %2, %3) {alpha = 1, beta = 1, transpose_a = false, transpose_b = true} : f32[1, 10]
output "scores" = %4
)";

#define NEEDS_TORCH() \
  if (!require_feature("torch").ok()) GTEST_SKIP() << "needs libtorch"

class TrainCli : public Cli {
 protected:
  TrainCli() {
    EXPECT_TRUE(write_tiny_images(folder_.path()));
    model_ = file("net.cambium", kModel);
  }

  std::vector<std::string> train(std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"train",     model_, "--data",   "mnist:" + folder_.path(),
                                 "--threads", "1",    "--device", "cpu",
                                 "--batch",   "32",   "--epochs", "2"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  std::string model_;
};

TEST_F(TrainCli, GivesTheAccuracyOfSeveralSeedsWithTheirSpread) {
  NEEDS_TORCH();
  const auto report = document(train({"--seeds", "2", "--test"}), "train");
  ASSERT_EQ(report["runs"].size(), 2u);
  double sum = 0;
  for (const auto& run : report["runs"]) {
    EXPECT_EQ(run["ending"], "finished");
    EXPECT_EQ(run["epochs"].size(), 2u);
    EXPECT_GT(run["test"]["top1"], 0.8);
    sum += run["test"]["top1"].get<double>();
  }
  EXPECT_NE(report["runs"][0]["seed"], report["runs"][1]["seed"]);
  EXPECT_NEAR(report["test"]["mean"].get<double>(), sum / 2, 1e-12);
  EXPECT_EQ(report["recipe"], "gray");
  EXPECT_EQ(report["settings"]["batch"], "32");
}

TEST_F(TrainCli, GivesTogetherWhatSeedsGiveOneByOne) {
  NEEDS_TORCH();
  const auto alone = document(train({"--seeds", "2"}), "train");
  const auto together = document(train({"--seeds", "2", "--together", "2"}), "train");
  EXPECT_EQ(together["together"], 2);
  EXPECT_GT(together["samples_per_second"], 0);
  ASSERT_EQ(together["runs"].size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(together["runs"][i]["seed"], alone["runs"][i]["seed"]);
    EXPECT_EQ(together["runs"][i]["best"], alone["runs"][i]["best"]);
  }
  const ProcessOutcome told = run(train({"--seeds", "2", "--together", "2"}));
  EXPECT_NE(told.errors.find("seed 2, epoch 1 of 2: loss "), std::string::npos) << told.errors;
  EXPECT_NE(told.output.find("2 trainings, 2 at a time: "), std::string::npos) << told.output;
  expect_refusal(train({"--seeds", "2", "--together", "2", "--kernel-time", "--from-scratch"}),
                 {"together"});
}

TEST_F(TrainCli, WritesALinePerEpochAndATable) {
  NEEDS_TORCH();
  const ProcessOutcome outcome = run(train());
  EXPECT_TRUE(outcome.succeeded()) << outcome.errors;
  EXPECT_NE(outcome.errors.find("epoch 1 of 2: loss "), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.errors.find("epoch 2 of 2: loss "), std::string::npos) << outcome.errors;
  EXPECT_NE(outcome.output.find("validation top-1"), std::string::npos) << outcome.output;
  EXPECT_EQ(outcome.output.find("test top-1"), std::string::npos) << "only with --test";
}

TEST_F(TrainCli, GoesOnFromACheckpointWithTheSameResult) {
  NEEDS_TORCH();
  const auto whole = document(train(), "train");
  std::vector<std::string> timed =
      train({"--checkpoint", path("run.checkpoint"), "--seconds", "0.000001"});
  const auto part = document(timed, "train");
  EXPECT_EQ(part["runs"][0]["ending"], "out of time");
  const auto rest = document(train({"--checkpoint", path("run.checkpoint")}), "train");
  EXPECT_EQ(rest["runs"][0]["best"], whole["runs"][0]["best"]);
  EXPECT_EQ(rest["runs"][0]["last"], whole["runs"][0]["last"]);
  expect_refusal(train({"--checkpoint", path("run.checkpoint"), "--rate", "0.3", "--from-scratch"}),
                 {"run.checkpoint", "another training"});
}

TEST_F(TrainCli, SaysThatItGoesOnWithOtherThreads) {
  NEEDS_TORCH();
  const auto goes_on = [&](const std::string& threads) {
    std::vector<std::string> words = train({"--checkpoint", path("run.checkpoint")});
    *std::next(std::find(words.begin(), words.end(), "--threads")) = threads;
    const ProcessOutcome outcome = run(words);
    EXPECT_TRUE(outcome.succeeded()) << outcome.errors;
    return outcome.errors;
  };
  EXPECT_EQ(goes_on("1").find("run.checkpoint"), std::string::npos);
  EXPECT_EQ(goes_on("1").find("run.checkpoint"), std::string::npos) << "as it was begun";
  const std::string words = goes_on("2");
  EXPECT_NE(words.find("run.checkpoint: the checkpoint was written with 1 threads on cpu"),
            std::string::npos)
      << words;
}

TEST_F(TrainCli, KeepsWhatItHasWhenInterruptedAndSaysSoByItsExitCode) {
  NEEDS_TORCH();
  const std::string checkpoint = path("run.checkpoint"), trained = path("trained.cambium");
  std::vector<std::string> endless =
      train({"--checkpoint", checkpoint, "-o", trained, "--from-scratch"});
  std::replace(endless.begin(), endless.end(), std::string("2"), std::string("1000000"));
  std::size_t epochs = 0;
  const std::pair<std::string, std::string> ends[] = {{"INT", "exit code 130"},
                                                      {"TERM", "exit code 143"}};
  for (const auto& [signal, end] : ends) {
    const ProcessOutcome outcome =
        signalled(endless, signal, "epoch " + std::to_string(epochs + 2) + " of");
    EXPECT_EQ(outcome.text(), end) << outcome.errors;
    EXPECT_NE(outcome.errors.find("continues from " + checkpoint), std::string::npos)
        << outcome.errors;
    EXPECT_TRUE(run({"inspect", trained}).succeeded());
    // The rest of an epoch, and no time for more: it goes on from where it was.
    std::vector<std::string> timed = endless;
    timed.insert(timed.end(), {"--seconds", "0.000001"});
    const auto report = document(timed, "train");
    EXPECT_GE(report["runs"][0]["epochs"].size(), epochs + 2);
    epochs = report["runs"][0]["epochs"].size();
  }
}

TEST_F(TrainCli, SaysWhatAStoppingRuleSaved) {
  NEEDS_TORCH();
  const std::vector<std::string> stopped =
      train({"--seeds", "2", "--stopping", "milestones:1=1.01"});
  const auto report = document(stopped, "train");
  for (const auto& run : report["runs"]) EXPECT_EQ(run["ending"], "stopped early");
  EXPECT_EQ(report["epochs_saved"], 2);
  const ProcessOutcome told = run(stopped);
  EXPECT_NE(told.output.find("ended 2 of 2 trainings early and saved 2 of 4 epochs"),
            std::string::npos)
      << told.output;
}

TEST_F(TrainCli, DrawsWeightsAsAsked) {
  NEEDS_TORCH();
  const auto usual = document(train({"--rate", "0"}), "train");
  const auto other = document(train({"--rate", "0", "--initialization", "lecun"}), "train");
  EXPECT_EQ(usual["initialization"], "kaiming-out");
  EXPECT_EQ(other["initialization"], "lecun");
  EXPECT_NE(other["runs"][0]["best"]["loss"], usual["runs"][0]["best"]["loss"]);
}

TEST_F(TrainCli, WritesTheTrainedModel) {
  NEEDS_TORCH();
  const auto report = document(train({"-o", path("trained.cambium"), "--test"}), "train");
  const auto again = document(
      {"run", path("trained.cambium"), "--data", "mnist:" + folder_.path(), "--threads", "1"},
      "accuracy");
  EXPECT_NEAR(again["top1"].get<double>(), report["runs"][0]["test"]["top1"].get<double>(), 1e-9);
  // Going on from it begins where it was.
  const auto kept =
      document({"train", path("trained.cambium"), "--data", "mnist:" + folder_.path(), "--threads",
                "1", "--device", "cpu", "--keep-weights", "--rate", "0", "--epochs", "1", "--test"},
               "train");
  EXPECT_EQ(kept["runs"][0]["test"]["top1"], report["runs"][0]["test"]["top1"]);
}

constexpr const char* kThreeColors = R"(cambium model 1 "color"
%0 "x" = input : f32[1, 3, 8, 8]
%1 "flat" = reshape(%0) {dims = [1, 192]} : f32[1, 192]
%2 "w" = weight normal(0.05, 3) : f32[3, 192]
%3 "scores" = gemm(%1, %2) {alpha = 1, beta = 1, transpose_a = false, transpose_b = true} : f32[1, 3]
output "scores" = %3
)";

// Classes of a folder are numbered by their names: of another one, those that it shares keep
// theirs.
TEST_F(TrainCli, KnowsItsClassesByNameInEveryFolder) {
  NEEDS_TORCH();
  const auto write_folder = [&](const std::string& folder, const std::string& classes) {
    EXPECT_TRUE(write_image_folder(path(folder), classes));
    return "images:" + path(folder);
  };
  const std::string model = file("color.cambium", kThreeColors);
  const std::string trained = path("trained.cambium");
  const auto report = document({"train", model, "--data", write_folder("abc", "abc"), "--threads",
                                "1", "--device", "cpu", "--batch", "8", "--epochs", "8", "--set",
                                "pad=0", "--set", "flip=no", "--test", "-o", trained},
                               "train");
  EXPECT_GT(report["runs"][0]["test"]["top1"], 0.9);
  const auto top1 = [&](const std::string& data) {
    return document({"run", trained, "--data", data, "--threads", "1"}, "accuracy")["top1"]
        .get<double>();
  };
  EXPECT_GT(top1("images:" + path("abc")), 0.9);
  EXPECT_GT(top1(write_folder("bc", "bc")), 0.9) << "b and c keep their numbers";
  expect_refusal({"run", trained, "--data", write_folder("bcd", "bcd"), "--threads", "1"},
                 {"class 'd' has no training images"});
  // Nor does it train on what it cannot judge.
  fs::create_directories(path("abc/test/d"));
  fs::copy_file(path("bcd/test/d/1.pgm"), path("abc/test/d/1.pgm"));
  expect_refusal({"train", model, "--data", "images:" + path("abc"), "--threads", "1", "--device",
                  "cpu", "--from-scratch", "--test"},
                 {"class 'd' has no training images"});
}

TEST_F(TrainCli, ExitsWithOneWhenItDiverges) {
  NEEDS_TORCH();
  const ProcessOutcome outcome =
      run(train({"--law", "constant", "--rate", "1e6", "--set", "warmup=0"}));
  EXPECT_EQ(outcome.text(), "exit code 1") << outcome.errors;
  EXPECT_NE(outcome.errors.find("diverged at step "), std::string::npos) << outcome.errors;
}

// Of a later seed too, before the first one trains.
TEST_F(TrainCli, RefusesACheckpointOfOtherClassesBeforeItTrains) {
  NEEDS_TORCH();
  ASSERT_TRUE(write_image_folder(path("xyz"), "xyz"));
  const std::vector<std::string> words{"train",
                                       file("color.cambium", kThreeColors),
                                       "--data",
                                       "images:" + path("xyz"),
                                       "--threads",
                                       "1",
                                       "--device",
                                       "cpu",
                                       "--epochs",
                                       "1",
                                       "--set",
                                       "pad=0",
                                       "--from-scratch",
                                       "--seeds",
                                       "2",
                                       "--checkpoint",
                                       path("ck")};
  const ProcessOutcome trained = run(words);
  ASSERT_TRUE(trained.succeeded()) << trained.errors;
  ASSERT_TRUE(fs::remove(path("ck.seed1")));
  for (const char* part : {"xyz/train/", "xyz/test/"}) {
    fs::rename(path(std::string(part) + "z"), path(std::string(part) + "w"));
  }
  expect_refusal(words, {"ck.seed2", "classes"});
  EXPECT_FALSE(fs::exists(path("ck.seed1"))) << "nothing was trained";
}

TEST_F(TrainCli, RefusesBadInput) {
  NEEDS_TORCH();
  const std::string net = "--from-scratch";
  expect_refusal(train({net, "--optimizer", "adam"}), {"optimizer", "adamw"});
  expect_refusal(train({net, "--set", "epoch=3"}), {"epochs"});
  expect_refusal(train({net, "--set", "epochs"}), {"NAME=VALUE"});
  expect_refusal(train({net, "--recipe", "grey"}), {"gray"});
  expect_refusal(train({net, "--stopping", "sometimes"}), {"halving"});
  expect_refusal(train({net, "--initialization", "kaiming"}), {"kaiming-out"});
  expect_refusal(train({net, "-o", path("model.txt")}), {"model.txt"});
  expect_refusal(train({net, "--set", "batch=0"}), {"batch", "not 0"});
  expect_refusal(
      {"train", "zoo:tiny-resnet", "--data", "mnist:" + folder_.path(), "--device", "cpu"},
      {"28", "8"});
  expect_refusal({"train", model_, "--data", "nothing", "--from-scratch"}, {"nothing"});
  std::string nine = kModel;  // classes
  for (const char* from : {"f32[10, 64]", "f32[10]", "f32[1, 10]"}) {
    const std::size_t at = nine.find(from);
    nine.replace(nine.find("10", at), 2, "9");
  }
  const std::string data = "mnist:" + folder_.path();
  expect_refusal({"train", file("nine.cambium", nine), "--data", data, net},
                 {"output 'scores'", "10 classes"});
  file("train-labels-idx1-ubyte", idx({300}, std::string(300, '\x0b')));
  expect_refusal(train({net}), {"label", "11"});
}

// What would be refused at the end is refused before the first epoch.
TEST_F(TrainCli, RefusesBeforeItTrainsWhatItCouldNotFinish) {
  NEEDS_TORCH();
  const auto expect_early = [&](const std::vector<std::string>& more, const std::string& end,
                                const std::string& words) {
    const ProcessOutcome outcome = run(train(more));
    EXPECT_EQ(outcome.text(), end) << outcome.errors;
    EXPECT_EQ(outcome.errors.find("epoch"), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.errors.find(words), std::string::npos) << outcome.errors;
  };
  expect_early({"-o", path("none/trained.cambium")}, "exit code 1", "none/trained.cambium");
  expect_early({"-o", path("none/trained.onnx")}, "exit code 1", "none/trained.onnx");
  expect_early({"--checkpoint", path("none/c")}, "exit code 1", "none/c cannot be written");
  // What is written has a longer name until it is whole.
  const std::string longest(245, 'x');
  expect_early({"-o", path(longest + ".onnx")}, "exit code 1", "File name too long");
  expect_early({"--checkpoint", path(longest + "chk")}, "exit code 1", "File name too long");
  fs::create_directories(path("c.seed2"));
  expect_early({"--seeds", "2", "--checkpoint", path("c")}, "exit code 1", "c.seed2");
  file("d.seed2", "something");
  expect_early({"--seeds", "2", "--checkpoint", path("d")}, "exit code 2", "d.seed2");
  // The test split: other images, then labels of classes that there are not, then none.
  file("t10k-images-idx3-ubyte", idx({300, 4, 4}, std::string(4800, '\x01')));
  expect_early({"--test"}, "exit code 2", "f32[1, 1, 4, 4]");
  file("t10k-images-idx3-ubyte", idx({299, 8, 8}, std::string(299 * 64, '\x01')));
  expect_early({"--test"}, "exit code 2", "300 labels for 299 images");
  file("t10k-labels-idx1-ubyte", idx({299}, std::string(299, '\x0b')));
  expect_early({"--test"}, "exit code 2", "label");
  fs::remove(path("t10k-labels-idx1-ubyte"));
  expect_early({"--test"}, "exit code 2", "t10k-labels-idx1-ubyte");
  EXPECT_TRUE(run(train()).succeeded()) << "nobody asks for the test split here";
}

// A folder that goes away while it trains takes the checkpoint with it, and nothing else.
TEST_F(TrainCli, KeepsTheWeightsWhenSomethingFailsAfterTraining) {
  NEEDS_TORCH();
  fs::create_directories(path("gone"));
  std::vector<std::string> endless = train(
      {"--checkpoint", path("gone/c"), "-o", path("trained.cambium"), "--from-scratch", "--json"});
  std::replace(endless.begin(), endless.end(), std::string("2"), std::string("1000000"));
  const std::string script =
      "errors=$1; gone=$2; shift 2\n"
      "\"$@\" 2> \"$errors\" & p=$!\n"
      "n=0; until grep -q 'epoch 1 of' \"$errors\" || [ $n -ge 600 ]; do sleep 0.1; n=$((n + 1)); "
      "done\n"
      "mv \"$gone\" \"$gone.else\"; wait $p; code=$?; cat \"$errors\" >&2; exit $code\n";
  ProcessRequest request{
      {"sh", "-c", script, "sh", path("errors"), path("gone"), CAMBIUM_PROGRAM}, "", {}};
  request.argv.insert(request.argv.end(), endless.begin(), endless.end());
  request.limits.wall_seconds = 120;
  const auto outcome = run_process(request);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->text(), "exit code 1") << outcome->errors;
  EXPECT_NE(outcome->errors.find("gone/c cannot be written"), std::string::npos) << outcome->errors;
  EXPECT_TRUE(parse_json(outcome->output).ok()) << "the report is there: " << outcome->output;
  EXPECT_TRUE(run({"inspect", path("trained.cambium")}).succeeded());
}

TEST_F(TrainCli, SaysThatABatchTakesMoreMemoryThanThereIs) {
  NEEDS_TORCH();
  const std::string wide = file("wide.cambium", R"(cambium model 1 "wide"
%0 "x" = input : f32[1, 1, 8, 8]
%1 "w" = weight normal(0.3, 3) : f32[67108864, 1, 3, 3]
%2 "conv" = conv(%0, %1) {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1], groups = 1} : f32[1, 67108864, 8, 8]
%3 "mean" = reduce.mean(%2) {axes = [2, 3], keep = false} : f32[1, 67108864]
%4 "v" = weight normal(0.05, 4) : f32[10, 67108864]
%5 "scores" = gemm(%3, %4) {alpha = 1, beta = 1, transpose_a = false, transpose_b = true} : f32[1, 10]
output "scores" = %5
)");
  const ProcessOutcome outcome =
      run({"train", wide, "--data", "mnist:" + folder_.path(), "--device", "cpu"});
  EXPECT_EQ(outcome.text(), "exit code 1") << outcome.errors;
  EXPECT_NE(outcome.errors.find("a batch of 128 of model 'wide' needs "), std::string::npos)
      << outcome.errors;
}

TEST_F(TrainCli, SaysThatThereIsNoGpu) {
  NEEDS_TORCH();
  const ProcessOutcome outcome =
      run({"train", model_, "--data", "mnist:" + folder_.path(), "--device", "cuda:99"});
  EXPECT_EQ(outcome.text(), "exit code 1") << outcome.errors;
  EXPECT_NE(outcome.errors.find("cuda:99"), std::string::npos) << outcome.errors;
}

}  // namespace
}  // namespace cambium::tests
