// What the trainer refuses before its first step: input that fits no training.
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "model/builder.h"
#include "model/zoo/zoo.h"
#include "train/torch/trainer_testing.h"

namespace cambium::train {
namespace {

TEST_F(Trainer, RefusesTheCheckpointOfAnotherTraining) {
  const data::test::TempFolder folder;
  TrainOptions with = options();
  with.recipe.epochs = 1;
  with.checkpoint = folder / "training.checkpoint";
  trained(with);
  TrainOptions other = with;
  other.recipe.epochs = 2;
  EXPECT_EQ(refusal(small_network(), other).reason(), Reason::BadRecord);
  other = with;
  other.seed = 2;
  EXPECT_EQ(refusal(small_network(), other).reason(), Reason::BadRecord);

  std::string content = read_file(with.checkpoint).value();
  content[content.size() / 2] ^= 1;
  ASSERT_TRUE(write_file(with.checkpoint, content).ok());
  const Rejection damaged = refusal(small_network(), with);
  EXPECT_EQ(damaged.reason(), Reason::BadRecord);
  EXPECT_NE(damaged.message().find("damaged"), std::string::npos);
  ASSERT_TRUE(write_file(with.checkpoint, "{}\nsomething").ok());
  EXPECT_EQ(refusal(small_network(), with).reason(), Reason::BadRecord);
  with.checkpoint = folder / "missing/training.checkpoint";
  with.progress = [](const Progress&) { FAIL() << "it trains"; };
  EXPECT_EQ(refusal(small_network(), with).reason(), Reason::Unwritable);
}

// Images of 8x8 in a folder, two of each class.
void write_classes(const data::test::TempFolder& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    for (const char* file : {"/1.pgm", "/2.pgm"}) {
      folder.write("train/" + name + file, "P5 8 8 255\n" + data::test::ramp(64));
    }
  }
}

TEST_F(Trainer, RefusesACheckpointWhoseClassesHaveOtherNumbersNow) {
  const data::test::TempFolder folder;
  write_classes(folder, {"ant", "bee", "cat"});
  TrainOptions with = options();
  with.validates = false;
  with.recipe.epochs = 1;
  with.recipe.batch = 2;
  with.checkpoint = folder / "training.checkpoint";
  const model::Model network = small_network("3, 8, 8", "3");
  const auto train_there = [&] {
    return train(network, data::open_dataset("images:" + folder.path()).value(), with);
  };
  ASSERT_TRUE(train_there().ok());
  ASSERT_TRUE(train_there().ok()) << "it goes on from there";
  std::filesystem::rename(folder / "train/ant", folder / "train/dog");
  const auto renumbered = train_there();
  ASSERT_FALSE(renumbered.ok());
  EXPECT_EQ(renumbered.rejection().reason(), Reason::BadRecord);
  EXPECT_NE(renumbered.rejection().message().find("classes"), std::string::npos);
}

TEST_F(Trainer, RefusesASplitBeforeItJudgesIt) {
  EXPECT_TRUE(
      check_split(small_network(), lines(data::Access::Evaluation), data::Split::Test, {}).ok());
  EXPECT_EQ(check_split(small_network(), lines(), data::Split::Test, {}).rejection().reason(),
            Reason::SplitSealed);
  EXPECT_EQ(check_split(small_network("1, 8, 8", "9"), lines(), data::Split::Train, {})
                .rejection()
                .reason(),
            Reason::ShapeMismatch);
}

TEST_F(Trainer, RefusesModelsThatDoNotFitTheData) {
  EXPECT_EQ(refusal(small_network("3, 8, 8"), options()).reason(), Reason::ShapeMismatch);
  EXPECT_EQ(refusal(small_network("1, 4, 16"), options()).reason(), Reason::ShapeMismatch);
  const Rejection classes = refusal(small_network("1, 8, 8", "9"), options());
  EXPECT_EQ(classes.reason(), Reason::ShapeMismatch);
  EXPECT_NE(classes.message().find("10 classes"), std::string::npos);
  const auto language = model::zoo::build("tiny-gpt");
  EXPECT_EQ(refusal(*language, options()).reason(), Reason::ShapeMismatch);
}

TEST_F(Trainer, RefusesANetworkThatMixesSamplesOfABatch) {
  model::Builder b(small_network());
  b.output("mixed", b.add(model::Softmax{0}, {small_network().outputs()[0].value}));
  const model::Model both = std::move(b).finish().value();
  const Rejection refused = refusal(both, options());
  EXPECT_EQ(refused.reason(), Reason::ShapeMismatch) << refused.message();
  EXPECT_EQ(judge(both, lines(), data::Split::Train, {}).rejection().reason(),
            Reason::ShapeMismatch);
}

TEST_F(Trainer, RefusesANetworkWithoutWeightsToTrain) {
  const auto still = model::parse_text(R"(cambium model 1 "still"
%0 "x" = input : f32[1, 1, 8, 8]
%1 "flat" = reshape(%0) {dims = [1, 64]} : f32[1, 64]
%2 "scores" = slice(%1) {starts = [0, 0], extents = [1, 10], steps = [1, 1]} : f32[1, 10]
output "scores" = %2
)");
  ASSERT_TRUE(still.ok()) << still.rejection().message();
  EXPECT_EQ(refusal(*still, options()).reason(), Reason::ShapeMismatch);
}

TEST_F(Trainer, RefusesLabelsOutOfRange) {
  lines_.folder.write("train-labels-idx1-ubyte", data::test::idx({400}, std::string(400, '\x0b')));
  EXPECT_EQ(refusal(small_network(), options()).reason(), Reason::LabelOutOfRange);
}

TEST_F(Trainer, RefusesRecipesThreadsAndBatchesThatMakeNoTraining) {
  TrainOptions with = options();
  with.recipe.epochs = 0;
  EXPECT_EQ(refusal(small_network(), with).reason(), Reason::BadOption);
  with = options();
  with.threads = 0;
  EXPECT_EQ(refusal(small_network(), with).reason(), Reason::BadOption);
  EXPECT_EQ(judge(small_network(), lines(), data::Split::Train, {.device = {}, .threads = 0})
                .rejection()
                .reason(),
            Reason::BadOption);
}

TEST_F(Trainer, RefusesABatchThatNoMemoryHolds) {
  TrainOptions with = options();
  with.recipe.batch = 1 << 20;
  // A gibibyte for every one of 360 samples.
  const auto wide = model::parse_text(R"(cambium model 1 "wide"
%0 "x" = input : f32[1, 1, 8, 8]
%1 "w" = weight normal(0.3, 3) : f32[4194304, 1, 3, 3]
%2 "conv" = conv(%0, %1) {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1], groups = 1} : f32[1, 4194304, 8, 8]
%3 "mean" = reduce.mean(%2) {axes = [2, 3], keep = false} : f32[1, 4194304]
%4 "v" = weight normal(0.05, 4) : f32[10, 4194304]
%5 "scores" = gemm(%3, %4) {alpha = 1, beta = 1, transpose_a = false, transpose_b = true} : f32[1, 10]
output "scores" = %5
)");
  ASSERT_TRUE(wide.ok()) << wide.rejection().message();
  EXPECT_EQ(refusal(*wide, with).reason(), Reason::NotEnoughMemory);
}

TEST_F(Trainer, RefusesATableWithoutRowsForAllWords) {
  lines_.folder.write("text.txt", std::string(2000, 'x'));
  const auto data = data::open_dataset("text:" + (lines_.folder / "text.txt"));
  ASSERT_TRUE(data.ok());
  const auto narrow = model::parse_text(R"(cambium model 1 "narrow"
%0 "tokens" = input : i64[1, 16]
%1 "rows" = weight normal(0.3, 3) : f32[10, 8]
%2 "looked up" = gather(%1, %0) {axis = 0} : f32[1, 16, 8]
%3 "w" = weight normal(0.3, 4) : f32[8, 256]
%4 "scores" = matmul(%2, %3) : f32[1, 16, 256]
output "scores" = %4
)");
  ASSERT_TRUE(narrow.ok()) << narrow.rejection().message();
  TrainOptions with;
  with.recipe.length = 16;
  const auto out = train(*narrow, *data, with);
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.rejection().reason(), Reason::IndexOutOfRange);
  EXPECT_NE(out.rejection().message().find("looked up"), std::string::npos);
}

}  // namespace
}  // namespace cambium::train
