#include "data/text_loader.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "data/test_files.h"
#include "data/text_set.h"
#include "data/vocabulary.h"

namespace cambium::data {
namespace {

TEST(Vocabulary, RanksWordsByFrequencyThenByBytes) {
  const Vocabulary words = Vocabulary::of_words("b a b\nc  a b\n", 0);
  EXPECT_EQ(words.size(), 5);
  EXPECT_EQ(words.spelling(0), "<unk>");
  EXPECT_EQ(words.spelling(1), "<eos>");
  EXPECT_EQ(words.spelling(2), "b");
  EXPECT_EQ(words.spelling(3), "a");
  EXPECT_EQ(words.encode_words("a x\r\n\nc"), (std::vector<std::int32_t>{3, 0, 1, 1, 4, 1}));
}

TEST(Vocabulary, ALimitTurnsRareWordsIntoUnknownOnes) {
  const Vocabulary words = Vocabulary::of_words("b b a <unk> c", 3);
  EXPECT_EQ(words.size(), 3);
  EXPECT_EQ(words.encode_words("a b <unk>"), (std::vector<std::int32_t>{0, 2, 0, 1}));
}

std::string lines(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += "line " + std::to_string(i) + " ends\n";
  return out;
}

TEST(TextSet, CutsOneFileIntoThreeContiguousSplits) {
  const test::TempFolder folder;
  const std::string text = lines(100);
  const std::string path = folder.write("a.txt", text);
  std::string joined;
  std::vector<std::size_t> sizes;
  for (const Split split : {Split::Train, Split::Validation, Split::Test}) {
    const auto part = load_text(path, split, {});
    ASSERT_TRUE(part.ok()) << part.rejection().message();
    joined += part->bytes;
    sizes.push_back(part->size());
  }
  EXPECT_EQ(joined, text);
  EXPECT_NEAR(static_cast<double>(sizes[2]) / static_cast<double>(text.size()), 0.1, 0.01);
  EXPECT_NEAR(static_cast<double>(sizes[1]) / static_cast<double>(text.size()), 0.09, 0.01);
}

TEST(TextSet, TheWordsOfOtherSplitsAreNotInTheVocabulary) {
  const test::TempFolder folder;
  folder.write("train.txt", "one two two\n");
  folder.write("valid.txt", "two three\n");
  folder.write("test.txt", "four one\n");
  TextOptions options;
  options.level = TextLevel::Word;
  const auto train = load_text(folder.path(), Split::Train, options);
  const auto validation = load_text(folder.path(), Split::Validation, options);
  const auto held_out = load_text(folder.path(), Split::Test, options);
  ASSERT_TRUE(train.ok() && validation.ok() && held_out.ok());
  EXPECT_EQ(train->vocabulary->size(), 4);
  EXPECT_EQ(validation->words, (std::vector<std::int32_t>{2, 0, 1}));
  EXPECT_EQ(held_out->words, (std::vector<std::int32_t>{0, 3, 1}));
}

TEST(TextSet, AFolderWithoutValidTxtHasItsValidationCarvedFromTheEndOfTrain) {
  const test::TempFolder folder;
  const std::string text = lines(50);
  folder.write("train.txt", text);
  const auto train = load_text(folder.path(), Split::Train, {});
  const auto validation = load_text(folder.path(), Split::Validation, {});
  ASSERT_TRUE(train.ok() && validation.ok());
  EXPECT_EQ(train->bytes + validation->bytes, text);
  const auto held_out = load_text(folder.path(), Split::Test, {});
  ASSERT_FALSE(held_out.ok());
  EXPECT_EQ(held_out.rejection().message(), folder.path() + "/test.txt does not exist");
}

TEST(TextSet, RefusesASplitWithoutText) {
  const test::TempFolder folder;
  const std::string path = folder.write("empty.txt", "");
  EXPECT_EQ(load_text(path, Split::Train, {}).rejection().reason(), Reason::NoSamples);
  EXPECT_EQ(load_text(folder.path() + "/none", Split::Train, {}).rejection().reason(),
            Reason::NotFound);
}

TextSplit hundred_bytes() {
  TextSplit split;
  split.vocabulary = std::make_shared<const Vocabulary>(Vocabulary::of_bytes());
  for (int i = 0; i < 100; ++i) split.bytes.push_back(static_cast<char>(i + 100));
  return split;
}

TEST(TextLoader, TargetsAreTheNextTokens) {
  const auto loader = TextLoader::make(hundred_bytes(), {.batch = 4, .length = 10});
  ASSERT_TRUE(loader.ok());
  ASSERT_EQ(loader->batches(), 3);  // nine windows: the tenth would have no last target
  const TextBatch batch = loader->batch(loader->order(0), 2);
  EXPECT_EQ(batch.dims, (std::array<std::int64_t, 2>{1, 10}));
  EXPECT_EQ(batch.inputs.front(), 180);
  for (std::size_t i = 0; i < batch.inputs.size(); ++i)
    EXPECT_EQ(batch.targets[i], batch.inputs[i] + 1);
}

TEST(TextLoader, ShufflingGivesNonOverlappingWindowsFixedBySeedAndEpoch) {
  const TextLoaderOptions options{.batch = 4, .length = 10, .shuffle = true, .seed = 5};
  const auto loader = TextLoader::make(hundred_bytes(), options);
  ASSERT_TRUE(loader.ok());
  EXPECT_EQ(loader->order(3), loader->order(3));
  EXPECT_NE(loader->order(3), loader->order(4));
  std::set<std::int64_t> offsets;
  for (std::int64_t epoch = 0; epoch < 100; ++epoch) {
    std::vector<std::int64_t> starts = loader->order(epoch);
    std::sort(starts.begin(), starts.end());
    offsets.insert(starts.front());
    for (std::size_t i = 1; i < starts.size(); ++i) EXPECT_EQ(starts[i] - starts[i - 1], 10);
    EXPECT_LE(starts.back() + 10 + 1, 100);
  }
  EXPECT_EQ(offsets.size(), 10U);
}

TEST(TextLoader, RefusesWindowsThatDoNotFit) {
  EXPECT_EQ(TextLoader::make(hundred_bytes(), {.length = 100}).rejection().reason(),
            Reason::NoSamples);
  EXPECT_EQ(TextLoader::make(hundred_bytes(), {.batch = 0}).rejection().reason(),
            Reason::BadOption);
  EXPECT_TRUE(TextLoader::make(hundred_bytes(), {.length = 99, .shuffle = true}).ok());
}

}  // namespace
}  // namespace cambium::data
