#include "data/dataset.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "data/image_loader.h"
#include "data/test_files.h"

namespace cambium::data {
namespace {

using test::idx;
using test::ramp;

std::string refusal(std::string_view spec) {
  const auto parsed = parse_spec(spec);
  return parsed.ok() ? "" : parsed.rejection().message();
}

TEST(Spec, ParsesWhatItPrints) {
  for (const std::string text :
       {"fashion-mnist", "fashion-mnist:/other", "mnist:a/b", "cifar10:C:/x", "cifar100:.",
        "text:a.txt,level=word,vocab=1000", "images:d,size=32", "fashion-mnist,train=10000",
        "images:d,size=32,train=5"}) {
    const auto spec = parse_spec(text);
    ASSERT_TRUE(spec.ok()) << text << ": " << spec.rejection().message();
    EXPECT_EQ(spec->text(), text);
    EXPECT_EQ(*parse_spec(spec->text()), *spec);
  }
  EXPECT_EQ(parse_spec("fashion-mnist")->path, kFashionMnistFolder);
}

TEST(Spec, SuggestsTheNearestNameOrOption) {
  EXPECT_EQ(refusal("fasion-mnist"),
            "unknown data set 'fasion-mnist'; did you mean fashion-mnist?");
  EXPECT_EQ(refusal("zzz"),
            "unknown data set 'zzz'; expected one of fashion-mnist, mnist, cifar10, "
            "cifar100, text, images");
  EXPECT_EQ(refusal("text:a,lvel=word"), "lvel: is not an option of text; did you mean level?");
  EXPECT_EQ(refusal("mnist:d,size=3"), "size: is not an option of mnist; expected one of train");
}

TEST(Spec, RefusesMissingPathsAndBadValues) {
  EXPECT_EQ(refusal("cifar10"), "cifar10: needs a path: cifar10:PATH");
  EXPECT_EQ(refusal("text:a,level=char"), "level: expected byte or word, found 'char'");
  EXPECT_EQ(refusal("images:a,size"), "size: needs a value: size=VALUE");
  for (const char* bad : {"images:a,size=0", "images:a,size=x", "images:a,size=99999",
                          "text:a,vocab=-1", "", ":", ",", "images:a,,size=3"})
    EXPECT_NE(refusal(bad), "") << bad;
  EXPECT_EQ(parse_spec("nothing").rejection().reason(), Reason::UnknownDataset);
}

void write_mnist(const test::TempFolder& folder) {
  std::string labels;
  for (int i = 0; i < 100; ++i) labels.push_back(static_cast<char>(i % 10));
  folder.write("train-images-idx3-ubyte", idx({100, 2, 2}, ramp(400)));
  folder.write("train-labels-idx1-ubyte", idx({100}, labels));
  folder.write("t10k-images-idx3-ubyte", idx({10, 2, 2}, ramp(40)));
  folder.write("t10k-labels-idx1-ubyte", idx({10}, labels.substr(0, 10)));
}

TEST(Dataset, OpenedForSearchItRefusesTheTestSplit) {
  const test::TempFolder folder;
  write_mnist(folder);
  ThreadPool pool(2);
  const auto data = open_dataset("mnist:" + folder.path());
  ASSERT_TRUE(data.ok()) << data.rejection().message();
  const auto sealed = data->images(Split::Test, pool);
  ASSERT_FALSE(sealed.ok());
  EXPECT_EQ(sealed.rejection().reason(), Reason::SplitSealed);
  EXPECT_NE(sealed.rejection().message().find("the test split is sealed, because the data set "
                                              "was opened for search"),
            std::string::npos);
  const auto open = open_dataset("mnist:" + folder.path(), {.access = Access::Evaluation});
  const auto images = open->images(Split::Test, pool);
  ASSERT_TRUE(images.ok()) << images.rejection().message();
  EXPECT_EQ(images->size(), 10U);
}

TEST(Dataset, TrainAndValidationShareOneCopyAndNoSample) {
  const test::TempFolder folder;
  write_mnist(folder);
  ThreadPool pool(1);
  const auto data = open_dataset("mnist:" + folder.path());
  const auto train = data->images(Split::Train, pool);
  const auto validation = data->images(Split::Validation, pool);
  ASSERT_TRUE(train.ok() && validation.ok());
  EXPECT_EQ(train->set, validation->set);
  EXPECT_EQ(train->size(), 90U);
  EXPECT_EQ(validation->size(), 10U);
  std::vector<std::uint32_t> both;
  std::set_intersection(train->members.begin(), train->members.end(), validation->members.begin(),
                        validation->members.end(), std::back_inserter(both));
  EXPECT_TRUE(both.empty());
}

TEST(Dataset, TakesFewerToTrainOfEachClassItsShare) {
  const test::TempFolder folder;
  write_mnist(folder);
  ThreadPool pool(1);
  const auto all = open_dataset("mnist:" + folder.path());
  const auto some = open_dataset("mnist:" + folder.path() + ",train=30");
  const auto train = some->images(Split::Train, pool).value();
  EXPECT_EQ(train.size(), 30U);
  std::map<std::int32_t, int> classes;
  for (const std::uint32_t member : train.members) ++classes[train.set->labels[member]];
  for (const auto& [label, count] : classes) EXPECT_EQ(count, 3) << label;
  const auto whole = all->images(Split::Train, pool).value();
  EXPECT_TRUE(std::includes(whole.members.begin(), whole.members.end(), train.members.begin(),
                            train.members.end()));
  EXPECT_EQ(some->images(Split::Validation, pool)->members,
            all->images(Split::Validation, pool)->members);
  EXPECT_EQ(
      open_dataset("mnist:" + folder.path() + ",train=1000")->images(Split::Train, pool)->size(),
      90U);
}

TEST(Dataset, RefusesSplitsAndKindsThatItDoesNotHave) {
  const test::TempFolder folder;
  write_mnist(folder);
  const std::string text = folder.write("a.txt", std::string(1000, 'a'));
  ThreadPool pool(1);
  const auto images = open_dataset("mnist:" + folder.path(), {.validation = {.share = 0}});
  EXPECT_EQ(images->images(Split::Validation, pool).rejection().reason(), Reason::NoSuchSplit);
  EXPECT_EQ(images->text(Split::Train).rejection().reason(), Reason::WrongDataKind);
  const auto words = open_dataset("text:" + text);
  ASSERT_TRUE(words.ok());
  EXPECT_TRUE(words->is_text());
  EXPECT_TRUE(words->text(Split::Train).ok());
  EXPECT_EQ(words->text(Split::Test).rejection().reason(), Reason::SplitSealed);
  EXPECT_EQ(words->images(Split::Train, pool).rejection().reason(), Reason::WrongDataKind);
  EXPECT_EQ(words->normalization(pool).rejection().reason(), Reason::WrongDataKind);
  EXPECT_EQ(open_dataset("mnist:/does/not/exist").rejection().reason(), Reason::NotFound);
  EXPECT_EQ(
      open_dataset("mnist:" + folder.path(), {.validation = {.share = 1}}).rejection().reason(),
      Reason::BadOption);
}

TEST(Dataset, NamesTheClassesOfAFolderAlone) {
  const test::TempFolder folder;
  write_mnist(folder);
  for (const char* name : {"train/bee/1.pgm", "train/ant/1.pgm"})
    folder.write(name, "P5 2 2 255\n" + ramp(4));
  ThreadPool pool(1);
  EXPECT_EQ(open_dataset("images:" + folder.path())->named_classes(pool),
            (std::vector<std::string>{"ant", "bee"}));
  EXPECT_TRUE(open_dataset("mnist:" + folder.path())->named_classes(pool).empty());
}

TEST(Dataset, RealFashionMnistIsWholeAndNormalizedByItsConstants) {
  if (!std::filesystem::exists(kFashionMnistFolder))
    GTEST_SKIP() << "needs Debian's package dataset-fashion-mnist";
  ThreadPool pool(2);
  const auto data = open_dataset("fashion-mnist",
                                 {.access = Access::Evaluation, .validation = {.share = 1.0 / 12}});
  ASSERT_TRUE(data.ok()) << data.rejection().message();
  const auto train = data->images(Split::Train, pool);
  ASSERT_TRUE(train.ok()) << train.rejection().message();
  EXPECT_EQ(train->size(), 55000U);
  EXPECT_EQ(data->images(Split::Validation, pool)->size(), 5000U);
  const auto held_out = data->images(Split::Test, pool);
  ASSERT_TRUE(held_out.ok()) << held_out.rejection().message();
  EXPECT_EQ(held_out->size(), 10000U);
  EXPECT_EQ(held_out->label(0), 9);  // an ankle boot
  EXPECT_EQ(held_out->set->class_names[9], "Ankle boot");
  const Normalization measured = measure_normalization(*train);
  const auto stated = data->normalization(pool);
  EXPECT_NEAR(measured.mean[0], stated->mean[0], 1e-3);
  EXPECT_NEAR(measured.deviation[0], stated->deviation[0], 1e-3);
}

}  // namespace
}  // namespace cambium::data
