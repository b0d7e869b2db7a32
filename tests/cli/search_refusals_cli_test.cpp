// What a search says and leaves behind when it is given what it cannot work with, or when the
// machine fails it: a clear line, exit code 1 or 2, and a study that has lost nothing.
#include <string>
#include <vector>

#include "base/file.h"
#include "search_testing.h"
#include "store/sqlite.h"

namespace cambium::tests {
namespace {

class SearchRefusals : public SearchCli {
 protected:
  // It ends with 1 or 2 and its last line says all of `words`.
  static void expect_end(const ProcessOutcome& outcome, const std::vector<std::string>& words) {
    EXPECT_EQ(outcome.death, Death::Exited);
    EXPECT_TRUE(outcome.code == 1 || outcome.code == 2) << outcome.text();
    EXPECT_EQ(outcome.output, "");
    const std::size_t last = outcome.errors.rfind("cambium: ");
    ASSERT_NE(last, std::string::npos) << outcome.errors;
    for (const std::string& word : words) {
      EXPECT_NE(outcome.errors.find(word, last), std::string::npos)
          << word << " in " << outcome.errors;
    }
  }

  // A study that was begun and got nowhere.
  void begin_study() const { expect_end(run(search({"--max-macs", "1000 parsecs"})), {}); }
};

TEST_F(SearchRefusals, WhatCannotBegin) {
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

// Workers hear of files in JSON, which has no other texts: they would look for another file.
TEST_F(SearchRefusals, TextsThatAreNotUtf8) {
  const std::string odd = file("net\xff.cambium", kTwoConvolutions);
  const std::string data = "mnist:" + folder_.path(), study = path("s.study");
  expect_refusal({"search", odd, "--data", data, "--study", study}, {"model", "net\\xff", "UTF-8"});
  expect_refusal(search({"--data", "mnist:" + folder_.path() + "\xff"}), {"data", "UTF-8"});
  expect_refusal(search({"--study", path("s\xff.study")}), {"study", "UTF-8"});
  expect_refusal(search({"--name", "a\xff"}), {"name", "UTF-8"});
  expect_refusal(search({"--targets", "conv\xff"}), {"spaces.targets", "UTF-8"});
  expect_refusal(search({"--set", "rate\xff=1"}), {"settings", "UTF-8"});
  EXPECT_FALSE(fs::exists(study)) << "nothing was begun";
  EXPECT_FALSE(fs::exists(path("s\xff.study")));
  expect_refusal({"evaluate", "--scratch", path("\xff")}, {"--scratch", "UTF-8"});
}

// Jobs name the places of a candidate too.
TEST_F(SearchRefusals, PlacesWhoseNamesAreNotUtf8) {
  const auto with_odd = [&](const char* name) {
    std::string odd(kTwoConvolutions);
    odd.replace(odd.find(name), 5, "conv\xff");
    return file(std::string(name) + ".cambium", odd);
  };
  model_ = with_odd("conv2");
  expect_refusal(search(), {"conv\\xff", "UTF-8"});
  // One that no candidate changes may be called anything.
  model_ = with_odd("conv1");
  const ProcessOutcome begun =
      run(search({"--candidates", "1", "--device", "none", "--study", path("other.study")}));
  EXPECT_TRUE(begun.succeeded()) << begun.errors;
}

TEST_F(SearchRefusals, LimitsThatCannotBeReadBeforeAnythingIsMeasured) {
  for (const auto& [option, text] :
       std::vector<std::pair<std::string, std::string>>{{"--max-macs", "-1"},
                                                        {"--max-memory", "0"},
                                                        {"--max-latency", "3 parsecs"},
                                                        {"--max-perplexity", "y"},
                                                        {"--max-accuracy-drop", "x%"}}) {
    const ProcessOutcome outcome = run(search({option, text}), 20);
    expect_end(outcome, {text});
  }
}

// What would be ignored beside --resume is refused.
TEST_F(SearchRefusals, AResumeThatNamesWhatItCannotChange) {
  begin_study();
  const std::string study = path("s.study");
  expect_refusal({"search", "--resume", study}, {"MODEL", "--study"});
  for (const std::vector<std::string>& change : std::vector<std::vector<std::string>>{
           {"--seed", "3"}, {"--max-macs", "0.5x"}, {"--brief-epochs", "3"}, {"--set", "rate=1"}}) {
    expect_refusal({"search", "--resume", "--study", study, change[0], change[1]},
                   {change[0], "--name"});
  }
  expect_refusal({"search", "--only", "latency", "--study", study, "--finalists", "2"},
                 {"--finalists"});
  expect_refusal({"search", "--resume", "--only", "latency", "--study", study, "--candidates", "7"},
                 {"--candidates", "--only"});
}

TEST_F(SearchRefusals, ANameThatTheStudyDoesNotHave) {
  const auto begin = [&](const std::string& name) {
    const ProcessOutcome begun =
        run(search({"--device", "none", "--finalists", "0", "--candidates", "1", "--name", name}));
    ASSERT_TRUE(begun.succeeded()) << begun.errors;
  };
  begin("random 1");
  expect_refusal({"search", "--resume", "--study", path("s.study"), "--name", "other"},
                 {"other", "random 1"});
  // A second one: now it must be said which.
  begin("second");
  expect_refusal({"search", "--resume", "--study", path("s.study")},
                 {"several", "'random 1', 'second'"});
}

TEST_F(SearchRefusals, SpacesAndMemoryThatAreNot) {
  expect_refusal(search({"--space-option", "other.g=2"}), {"other", "coordinate"});
  expect_refusal(search({"--space-option", "coordinate.targets=conv:k=7"}), {"conv:k=7"});
  expect_refusal(search({"--worker-memory", "8 parsecs"}), {"--worker-memory", "8 parsecs"});
}

TEST_F(SearchRefusals, RulesThatWouldMakeItDependOnChance) {
  expect_end(run(search({"--stopping", "halving:1,3"}), 20), {"halving:1,3", "below-original"});
  expect_end(run(search({"--stopping", "below-original:2"}), 20), {"below-original:SHARE"});
}

TEST_F(SearchRefusals, ABudgetThatExcludesTheOriginal) {
  if (!has_torch() && !has_llvm()) GTEST_SKIP() << "nothing is evaluated here";
  expect_end(run(search({"--job-seconds", "0.001"})), {"the original itself fails", "longer than"});
  // What the original failed is not held against it.
  const auto report = document(
      search({"--job-seconds", "3600", "--candidates", "1", "--finalists", "0"}), "search");
  EXPECT_EQ(report["summary"]["folded"], 1);
}

TEST_F(SearchRefusals, DataThatDoesNotFitTheModel) {
  if (!has_torch()) GTEST_SKIP() << "needs libtorch";
  std::string small(kTwoConvolutions), narrow(kTwoConvolutions);
  const auto replace = [](std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
      text.replace(at, what.size(), by);
      at += by.size();
    }
  };
  replace(small, "[10, 1024]", "[4, 1024]");
  replace(small, "f32[10]", "f32[4]");
  replace(small, "f32[1, 10]", "f32[1, 4]");
  model_ = file("classes.cambium", small);
  expect_end(run(search({"--study", path("classes.study")})),
             {"the original itself fails", "class"});
  replace(narrow, "8, 8]", "6, 6]");
  replace(narrow, "1024", "576");
  model_ = file("size.cambium", narrow);
  expect_refusal(search({"--study", path("size.study")}), {"f32[1, 1, 6, 6]", "8x8"});
}

// Not when candidates have been trained, but before the study is begun.
TEST_F(SearchRefusals, DataWithoutATestSplitForTheFinals) {
  if (!has_torch()) GTEST_SKIP() << "needs libtorch";
  fs::remove(path("t10k-labels-idx1-ubyte"));
  expect_refusal(search(), {"test split", "t10k-labels"});
  EXPECT_TRUE(run(search({"--finalists", "0", "--study", path("brief.study")})).succeeded());
  ASSERT_TRUE(write_tiny_images(folder_.path()));
  file("t10k-images-idx3-ubyte", idx({300, 7, 8}, std::string(300 * 7 * 8, 'x')));
  expect_refusal(search(), {"test split", "7x8"});
}

TEST_F(SearchRefusals, AStudyOfAnotherModelOrOtherData) {
  begin_study();
  const std::string before = read_file(path("s.study")).value();
  std::string other(kTwoConvolutions);
  other.replace(other.find("unary.relu"), 10, "unary.tanh");
  model_ = file("other.cambium", other);
  expect_end(run(search()), {"s.study", "belongs to", "not of"});
  model_ = path("net.cambium");
  expect_end(run(search({"--data", "mnist:/elsewhere"})), {"s.study", "belongs to", "not of"});
  EXPECT_EQ(read_file(path("s.study")).value(), before) << "it is as it was";
}

TEST_F(SearchRefusals, AStudyOfAVersionThatIsNotKnown) {
  begin_study();
  {
    auto db = store::Connection::open(path("s.study"));
    ASSERT_TRUE(db.ok());
    ASSERT_TRUE(db->execute("PRAGMA user_version = 99").ok());
  }
  for (const auto& arguments :
       {search(), std::vector<std::string>{"search", "--resume", "--study", path("s.study")},
        std::vector<std::string>{"study", "list", path("s.study")}}) {
    expect_end(run(arguments), {"s.study", "version 99"});
  }
}

TEST_F(SearchRefusals, ADeviceThatIsNotThere) {
  if (!has_torch()) GTEST_SKIP() << "needs libtorch";
  expect_end(run(search({"--device", "cuda:77"})), {"accuracy", "cuda:77", "not available"});
  const auto report = document(search({"--candidates", "1", "--finalists", "0"}), "search");
  EXPECT_EQ(report["summary"]["folded"], 1) << "once there is one, it goes on";
}

TEST_F(SearchRefusals, AFullDiskAndGoesOnWhenThereIsRoom) {
  // A disk of our own, where that is allowed; what is on it is gone with the process.
  const std::string script =
      "mkdir $1/disk && mount -t tmpfs -o size=300k none $1/disk || exit 99\n"
      "out=$1; shift; \"$@\"\n"
      "code=$?; cp $out/disk/s.study* $out/ 2>/dev/null; exit $code\n";
  std::vector<std::string> argv = {"unshare", "--map-root-user", "--mount",      "sh", "-c", script,
                                   "sh",      folder_.path(),    CAMBIUM_PROGRAM};
  const auto arguments = search({"--study", path("disk/s.study")});
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  ProcessRequest request{argv, "", {}};
  request.limits.wall_seconds = 300;
  const auto full = run_process(request);
  ASSERT_TRUE(full.ok());
  if (full->code == 99 || full->errors.find("unshare") != std::string::npos) {
    GTEST_SKIP() << "no disk can be made here: " << full->errors;
  }
  expect_end(*full, {"disk"});
  const auto report = document(search(), "search");
  EXPECT_EQ(report["summary"]["folded"], 3);
}

// Neither the options of the search nor what is known of candidates.
TEST_F(SearchRefusals, LeaveTheStudyAsItWas) {
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  const ProcessOutcome begun = run(search({"--finalists", "0"}));
  ASSERT_TRUE(begun.succeeded()) << begun.errors;
  const auto expect_refused = [&](std::vector<std::string> words, const std::string& why) {
    const ProcessOutcome refused = run(words);
    EXPECT_EQ(refused.code, 2) << refused.errors;
    EXPECT_NE(refused.errors.find(why), std::string::npos) << refused.errors;
    const ProcessOutcome on =
        run({"search", "--resume", "--study", path("s.study"), "--candidates", "3"});
    EXPECT_TRUE(on.succeeded()) << why << ": " << on.errors;
  };
  auto with = [&](const std::string& option, const std::string& value) {
    std::vector<std::string> words = search({"--finalists", "0"});
    words.insert(words.end(), {option, value});
    return words;
  };
  expect_refused(with("--try", "nonsense"), "nonsense");
  expect_refused(with("--max-macs", "foo"), "foo");
  expect_refused(search({"--finalists", "0", "--device", "cdua"}), "unknown device 'cdua'");
  expect_refused(
      {"search", "--resume", "--only", "accuracy", "--device", "cdua", "--study", path("s.study")},
      "unknown device 'cdua'");
}

TEST_F(SearchRefusals, DataThatCannotBeReadIsNoCandidatesFault) {
  if (!has_torch() || !has_llvm()) GTEST_SKIP() << "needs libtorch and LLVM";
  const ProcessOutcome begun =
      run(search({"--device", "none", "--finalists", "0", "--candidates", "2"}));
  ASSERT_TRUE(begun.succeeded()) << begun.errors;
  const std::vector<std::string> complete{"search",   "--resume", "--only",  "accuracy",
                                          "--device", "cpu",      "--study", path("s.study")};
  const std::string images = path("train-images-idx3-ubyte");
  const auto whole = read_file(images);
  ASSERT_TRUE(whole.ok());
  ASSERT_TRUE(write_file(images, whole->substr(0, whole->size() / 2)).ok());
  EXPECT_FALSE(run(complete).succeeded());
  ASSERT_TRUE(write_file(images, *whole).ok());
  const ProcessOutcome completed = run(complete);
  EXPECT_TRUE(completed.succeeded()) << completed.errors;
  EXPECT_EQ(completed.errors.find("refused: "), std::string::npos) << completed.errors;
  EXPECT_EQ(completed.errors.find(" 0 evaluations"), std::string::npos) << completed.errors;
}

}  // namespace
}  // namespace cambium::tests
