// What a study holds after its writers died or the disk was full: all that was acknowledged.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "base/process.h"
#include "base/random.h"
#include "base/text.h"
#include "store/study_sound_testing.h"
#include "store/study_testing.h"
#include "store/writer_testing.h"

namespace cambium::store {
namespace {

// What a writer has said, and what must therefore be in the file.
struct Said {
  std::map<std::string, std::vector<std::uint64_t>> numbers;  // by word
  std::vector<std::string> refusals;

  void join(const Said& other) {
    for (const auto& [word, more] : other.numbers) {
      numbers[word].insert(numbers[word].end(), more.begin(), more.end());
    }
  }
};

Said said_in(const std::vector<std::string>& lines) {
  Said said;
  for (const std::string_view line : lines) {
    const std::size_t space = line.find(' ');
    const std::string word(line.substr(0, space));
    if (word == "refused") {
      said.refusals.emplace_back(line.substr(space + 1));
    } else {
      const auto number = static_cast<std::uint64_t>(parse_int(line.substr(space + 1)).value());
      said.numbers[word].push_back(number);
    }
  }
  return said;
}

ProcessOutcome run_writer(std::vector<std::string> argv, double seconds) {
  ProcessRequest request;
  request.argv = std::move(argv);
  request.limits.wall_seconds = seconds;
  request.limits.output_bytes = 8 << 20;
  const auto outcome = run_process(request);
  CAMBIUM_CHECK(outcome.ok(), outcome.rejection().message());
  EXPECT_FALSE(outcome->output_cut);
  return *outcome;
}

std::vector<std::string> lines_of(const std::string& output) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(output, '\n')) lines.emplace_back(line);
  lines.pop_back();  // what follows the last line break
  return lines;
}

std::vector<std::string> writer_from(const std::string& path, std::uint64_t first) {
  return {CAMBIUM_STUDY_WRITER, path, std::to_string(first)};
}

// As SQLite sees it, and as we do: nothing points nowhere, nothing is there in part.
void expect_sound(const std::string& path) {
  ASSERT_EQ(unsoundness(path), "");
  auto db = Connection::open(path);
  ASSERT_TRUE(db.ok());
  EXPECT_EQ(number_from(*db,
                        "SELECT count(*) FROM evaluations AS e WHERE NOT EXISTS"
                        " (SELECT * FROM metrics WHERE evaluation = e.id)"),
            0);
  // A training that is done has its curve and its weights, and one that is pending has neither.
  EXPECT_EQ(number_from(*db,
                        "SELECT count(*) FROM evaluations AS e JOIN evaluators AS v"
                        " ON v.id = e.evaluator WHERE v.name = 'accuracy' AND (state = 'done') <>"
                        " ((SELECT count(*) FROM curves WHERE evaluation = e.id) = 2 AND"
                        "  (SELECT count(*) FROM artifacts WHERE evaluation = e.id) = 1)"),
            0);
}

void expect_holds(StudyStore& store, Said said) {
  for (const std::uint64_t number : said.numbers["candidate"]) {
    ASSERT_EQ(*store.candidate(candidate_number(number).identity), candidate_number(number));
  }
  for (const char* evaluator : {"cost", "accuracy"}) {
    for (const std::uint64_t number : said.numbers[evaluator]) {
      ASSERT_EQ(*store.evaluation(key_of(number, evaluator)), evaluation_number(number, evaluator))
          << evaluator << " of " << number;
    }
  }
  for (const std::uint64_t number : said.numbers["accuracy"]) {
    ASSERT_EQ(*store.artifact(candidate_number(number).identity, "weights"),
              artifact_number(number, "weights"));
  }
  if (const auto& states = said.numbers["state"]; !states.empty()) {
    EXPECT_GE(store.state("tree-1")->value().folded,
              static_cast<std::int64_t>(*std::max_element(states.begin(), states.end())));
  }
}

TEST(StudyCrash, LosesNothingThatWasAcknowledgedInFiftyKills) {
  const ScratchFolder folder;
  const std::string path = folder / "study.db";
  Rng random(11);
  Said all;
  for (std::uint64_t round = 0; round < 50; ++round) {
    const Said said = said_in(said_before_kill(writer_from(path, round * 1'000'000), 12, random));
    all.join(said);
    expect_sound(path);
    auto store = StudyStore::open(path);
    ASSERT_TRUE(store.ok()) << store.rejection().message();
    expect_holds(*store, said);
    // Each round at most one more, which was written and not yet acknowledged.
    const auto candidates = static_cast<std::int64_t>(all.numbers["candidate"].size());
    ASSERT_GE(*store->count_candidates(), candidates);
    ASSERT_LE(*store->count_candidates(), candidates + static_cast<std::int64_t>(round) + 1);
    if (HasFailure()) FAIL() << "in round " << round;
  }
  StudyStore store = opened_study(path);
  expect_holds(store, all);
  EXPECT_GT(all.numbers["accuracy"].size(), 100U);
}

TEST(StudyCrash, LetsTwoProcessesShareAStudy) {
  const ScratchFolder folder;
  const std::string path = folder / "study.db";
  // The same candidates, so that they meet; both live until both have added some.
  Writer first(writer_from(path, 0)), second(writer_from(path, 0));
  first.hear(100);
  second.hear(100);
  const Said one = said_in(first.kill()), two = said_in(second.kill());
  expect_sound(path);
  StudyStore store = opened_study(path);
  expect_holds(store, one);
  expect_holds(store, two);
  const std::size_t both = one.numbers.at("cost").size() + two.numbers.at("cost").size();
  const WholeStudy all = whole(store);
  EXPECT_GT(both, all.candidates.size()) << "they never met";
  EXPECT_LE(all.evaluations.size(), 2 * all.candidates.size());
}

TEST(StudyCrash, DoesNotKeepAnotherProcessWaitingForOneThatWasKilled) {
  const ScratchFolder folder;
  const std::string path = folder / "study.db";
  Rng random(13);
  StudyStore store = opened_study(path);
  Said said;
  for (std::uint64_t round = 1; round < 6; ++round) {
    said.join(said_in(said_before_kill(writer_from(path, round * 1'000'000), 12, random)));
    const auto added = store.add(candidate_number(round));
    ASSERT_TRUE(added.ok()) << added.rejection().message();
  }
  expect_holds(store, said);
}

TEST(StudyCrash, MergesAllOrNothingWheneverItIsKilled) {
  const ScratchFolder folder;
  constexpr std::uint64_t kOthers = 400;
  {
    StudyStore from = opened_study(folder / "from.db");
    for (std::uint64_t i = 0; i < kOthers; ++i) {
      ASSERT_TRUE(from.add(candidate_number(i)).ok());
      ASSERT_TRUE(from.add(evaluation_number(i, "accuracy"), {artifact_number(i, "weights")}).ok());
    }
  }
  const auto unhurt =
      run_writer({CAMBIUM_STUDY_WRITER, folder / "whole.db", "merge", folder / "from.db"}, 60);
  ASSERT_TRUE(unhurt.succeeded()) << unhurt.text();
  Rng random(5);
  int merged = 0, not_merged = 0;
  // Comes down after a whole merge and goes up after none, so that there are some of both however
  // fast this machine is just now.
  double seconds = unhurt.wall_seconds;
  for (int round = 0; round < 15 || merged * not_merged == 0; ++round) {
    ASSERT_LT(round, 200) << merged << " were merged, " << not_merged << " not";
    const std::string path = folder / ("study" + std::to_string(round) + ".db");
    ASSERT_TRUE(opened_study(path).add(candidate_number(1'000'000)).ok());
    const auto outcome = run_writer({CAMBIUM_STUDY_WRITER, path, "merge", folder / "from.db"},
                                    random.uniform(0.5, 1) * seconds);
    expect_sound(path);
    StudyStore store = opened_study(path);
    const std::int64_t count = *store.count_candidates();
    ASSERT_TRUE(count == 1 || count == static_cast<std::int64_t>(kOthers) + 1) << count;
    ASSERT_EQ(whole(store).evaluations.size(), static_cast<std::size_t>(count - 1));
    EXPECT_TRUE(outcome.output.empty() || count > 1) << "it was acknowledged";
    ++(count == 1 ? not_merged : merged);
    seconds *= count == 1 ? 1.3 : 0.8;
    ASSERT_TRUE(store.merge(folder / "from.db").ok());
    ASSERT_EQ(*store.count_candidates(), static_cast<std::int64_t>(kOthers) + 1);
  }
}

// ---- a disk that is full

// Of a writer that runs until it is refused (or, with a ballast, refused twice).
void expect_kept(const std::string& path, const Said& said, const std::string& words,
                 std::size_t refusals) {
  ASSERT_EQ(said.refusals.size(), refusals);
  for (const std::string& refusal : said.refusals) {
    EXPECT_NE(refusal.find("study.db: " + words), std::string::npos) << refusal;
  }
  EXPECT_FALSE(said.numbers.at("accuracy").empty());
  expect_sound(path);
  StudyStore store = opened_study(path);
  expect_holds(store, said);
  EXPECT_TRUE(store.add(candidate_number(999'999)).ok());
}

TEST(StudyFullDisk, RefusesWhatAQuotaDoesNotHoldAndLosesNothing) {
  const ScratchFolder folder;
  const std::string path = folder / "study.db";
  // No file may grow beyond 300 kB or so.
  const auto outcome = run_writer({"sh", "-c", "ulimit -f 600; trap '' XFSZ; exec \"$@\"", "sh",
                                   CAMBIUM_STUDY_WRITER, path, "0"},
                                  60);
  ASSERT_TRUE(outcome.succeeded()) << outcome.text() << outcome.errors;
  expect_kept(path, said_in(lines_of(outcome.output)), "disk I/O error: the disk or a quota", 1);
}

TEST(StudyFullDisk, GoesOnWithoutLossOnceThereIsRoomAgain) {
  const ScratchFolder folder;
  // A disk of our own, where that is allowed; what is on it is gone with the process.
  const std::string script =
      "mkdir $1/disk && mount -t tmpfs -o size=2m none $1/disk || exit 9\n"
      "head -c 1000000 /dev/zero > $1/disk/ballast || exit 8\n"
      "$2 $1/disk/study.db 0 $1/disk/ballast || exit $?\n"
      "cp $1/disk/study.db* $1/";
  const auto outcome = run_writer({"unshare", "--map-root-user", "--mount", "sh", "-c", script,
                                   "sh", folder.path(), CAMBIUM_STUDY_WRITER},
                                  60);
  if (outcome.output.empty()) GTEST_SKIP() << "no disk can be made here: " << outcome.errors;
  ASSERT_TRUE(outcome.succeeded()) << outcome.text() << outcome.errors;
  const Said said = said_in(lines_of(outcome.output));
  expect_kept(folder / "study.db", said, "the disk is full", 2);
  // What was refused for want of room was added afterwards, by the same handle.
  const std::size_t first = outcome.output.find("refused");
  EXPECT_NE(outcome.output.find("accuracy", first), std::string::npos);
}

}  // namespace
}  // namespace cambium::store
