#include "train/checkpoint_file.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder_testing.h"

namespace cambium::train {
namespace {

constexpr Fingerprint kTraining{1, 2};

model::Tensor tensor_of(std::vector<float> values) {
  return model::Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}

CheckpointFile small_checkpoint() {
  CheckpointFile out;
  out.head.training = kTraining;
  out.head.classes = {3, 4};
  out.head.threads = 6;
  out.head.device = "cuda:1";
  out.head.epoch = 2;
  out.head.index = 5;
  out.head.loss_sum = 7.5;
  out.head.first_loss = std::numeric_limits<double>::quiet_NaN();
  out.head.seconds = 1.25;
  for (std::int64_t number = 1; number <= 2; ++number) {
    Epoch epoch;
    epoch.number = number;
    epoch.loss = 0.5;
    epoch.validation = Quality{40, 0.25, 0.9125, 1, 0};
    out.head.epochs.push_back(epoch);
  }
  out.head.best_epoch = 2;
  out.now = {tensor_of({1, 2, 3}), tensor_of({4})};
  out.best = {tensor_of({1, 2, 2}), tensor_of({3})};
  out.remembered = {model::Tensor::of<std::int64_t>({1}, {9})};
  return out;
}

std::string written() {
  return checkpoint_bytes(small_checkpoint());
}

Result<CheckpointFile> read(const std::string& bytes) {
  return parse_checkpoint(bytes, kTraining);
}

// One plain line, and not what a library threw.
void expect_refused(const Result<CheckpointFile>& read, std::size_t at) {
  ASSERT_FALSE(read.ok()) << at;
  EXPECT_EQ(read.rejection().reason(), Reason::BadRecord) << at;
  const std::string message = read.rejection().message();
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_EQ(message.find("exception"), std::string::npos) << message;
}

// A file with any head, and the sum that belongs to it.
std::string signed_file(const std::string& rest) {
  return checkpoint_line(rest) + rest;
}

// As the version before wrote it: one line, and a sum over the tensors alone.
std::string of_format_2() {
  const std::string content = written();
  const std::size_t second = content.find('\n') + 1;
  const std::size_t third = content.find('\n', second) + 1;
  const std::string tensors = content.substr(third);
  const auto sum = Fingerprint::of_bytes(std::as_bytes(std::span(tensors.data(), tensors.size())));
  return R"({"format":"cambium checkpoint 2","sum":")" + sum.text() + "\"," +
         content.substr(second + 1, third - second - 1) + tensors;
}

TEST(CheckpointFiles, ReadWhatWasWritten) {
  const auto file = read(written());
  ASSERT_TRUE(file.ok()) << file.rejection().message();
  const CheckpointHead& head = file->head;
  EXPECT_EQ(head.training, kTraining);
  EXPECT_EQ(head.classes, (Fingerprint{3, 4}));
  EXPECT_EQ(head.threads, 6);
  EXPECT_EQ(head.device, "cuda:1");
  EXPECT_EQ(head.epoch, 2);
  EXPECT_EQ(head.index, 5);
  EXPECT_EQ(head.loss_sum, 7.5);
  EXPECT_TRUE(std::isnan(head.first_loss));
  EXPECT_EQ(head.best_epoch, 2);
  ASSERT_EQ(head.epochs.size(), 2U);
  EXPECT_EQ(head.epochs[1].validation->top1, 0.9125);
  ASSERT_EQ(file->now.size(), 2U);
  EXPECT_EQ(file->now[0].to_doubles(), (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(file->averaged.empty());
  EXPECT_EQ(file->remembered[0].to_ints(), model::Ints{9});
  EXPECT_EQ(file->note, "");
}

TEST(CheckpointFiles, AreNamedWhenTheyAreRefused) {
  const ScratchFolder folder;
  const std::string path = folder / "training.checkpoint";
  ASSERT_TRUE(write_checkpoint(small_checkpoint(), path).ok());
  EXPECT_TRUE(read_checkpoint(path, kTraining).ok());
  ASSERT_TRUE(write_file(path, written() + "more").ok());
  EXPECT_EQ(read_checkpoint(path, kTraining).rejection().message(),
            path + ": line 1: the file is damaged");
}

TEST(CheckpointFiles, AreRefusedWhenAnyByteIsDamaged) {
  const std::string whole = written();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {1, 2, 0x20, 0xff}) {
      std::string content = whole;
      content[at] = static_cast<char>(content[at] ^ change);
      expect_refused(read(content), at);
    }
  }
}

TEST(CheckpointFiles, AreRefusedWhenTheyAreCutOrGoOn) {
  const std::string whole = written();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    expect_refused(read(whole.substr(0, size)), size);
  }
  expect_refused(read(whole + "x"), whole.size());
}

TEST(CheckpointFiles, OfAnotherTrainingAreRefused) {
  const auto other = parse_checkpoint(written(), {1, 3});
  expect_refused(other, 0);
  EXPECT_NE(other.rejection().message().find("another training"), std::string::npos);
}

// The sum is right, and yet nobody who trains wrote this.
TEST(CheckpointFiles, ThatNoTrainingWritesAreRefused) {
  const std::string whole = written();
  const std::string rest = whole.substr(whole.find('\n') + 1);
  ASSERT_TRUE(read(signed_file(rest)).ok());
  const std::pair<std::string, std::string> changes[] = {
      {R"("best_epoch":2)", R"("best_epoch":3)"},
      {R"("best_epoch":2)", R"("best_epoch":-1)"},
      {R"("best_epoch":2)", R"("best_epoch":0)"},
      {R"("best_epoch":2)", R"("best_epoch":18446744073709551615)"},
      {R"("epoch":2)", R"("epoch":1)"},
      {R"("epoch":2)", R"("epoch":2.5)"},
      {R"("epoch":2)", R"("epoc":2)"},
      {R"("index":5)", R"("index":-5)"},
      {R"("number":1)", R"("number":2)"},
      {R"("top1":0.9125)", R"("top1":1.5)"},
      {R"("top1":0.9125)", R"("top1":"0.9")"},
      {R"("validation":{)", R"("validation":[],"x":{)"},
      {R"("epochs":[)", R"("epochs":{"a":[)"},
      {R"("dims":[3])", R"("dims":[4611686018427387904])"},
      {R"("dims":[3])", R"("dims":[-3])"},
      {R"("dims":[3])", R"("dims":[1e30])"},
      {R"("dims":[3])", R"("dims":[2])"},
      {R"("dims":[3])", R"("dims":3)"},
      {R"("dtype":"f32")", R"("dtype":"f33")"},
      {R"("dtype":"f32")", R"("dtype":7)"},
      {R"("stopped":"")", R"("stopped":null)"},
      {R"("training":"0)", R"("training":"x)"},
      {R"("classes":"0)", R"("classes":"x)"},
      {R"("threads":6)", R"("threads":"6")"},
      {R"("device":"cuda:1")", R"("device":1)"},
  };
  for (const auto& [from, to] : changes) {
    std::string changed = rest;
    const std::size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    SCOPED_TRACE(to);
    expect_refused(read(signed_file(changed)), at);
  }
  for (const char* head : {"", "\n", "[]\n", "7\n", "null\n", "{}\n"}) {
    expect_refused(read(signed_file(head)), 0);
  }
}

// Files of this format that were written before are not known to have been made in another way.
TEST(CheckpointFiles, MayNotSayHowTheyWereMade) {
  std::string rest = written();
  rest = rest.substr(rest.find('\n') + 1);
  for (const std::string member : {R"("threads":6,)", R"("device":"cuda:1",)"}) {
    const std::size_t at = rest.find(member);
    ASSERT_NE(at, std::string::npos) << member;
    rest.erase(at, member.size());
  }
  const auto file = read(signed_file(rest));
  ASSERT_TRUE(file.ok()) << file.rejection().message();
  EXPECT_EQ(file->head.threads, 0);
  EXPECT_EQ(file->head.device, "");
}

TEST(CheckpointFiles, OfTheVersionBeforeAreReadWithANote) {
  const auto file = read(of_format_2());
  ASSERT_TRUE(file.ok()) << file.rejection().message();
  EXPECT_EQ(file->head.epochs[1].validation->top1, 0.9125);
  EXPECT_EQ(file->head.classes, Fingerprint{}) << "it did not say";
  EXPECT_NE(file->note.find("older version"), std::string::npos);
}

// Its sum does not cover the head: what is changed there may be believed, but never crashes.
TEST(CheckpointFiles, OfTheVersionBeforeAreReadOrRefusedInOnePlainLine) {
  const std::string whole = of_format_2();
  const std::size_t tensors = whole.find('\n') + 1;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {1, 2, 0x20, 0xff}) {
      std::string content = whole;
      content[at] = static_cast<char>(content[at] ^ change);
      const auto file = read(content);
      if (!file.ok()) {
        expect_refused(file, at);
        continue;
      }
      EXPECT_LT(at, tensors) << "these are covered";
      EXPECT_LE(file->head.best_epoch, file->head.epoch);
    }
  }
}

}  // namespace
}  // namespace cambium::train
