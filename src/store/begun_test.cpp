// Trials that may take the process with them: what the file says of them then.
#include <gtest/gtest.h>

#include "store/schema.h"
#include "store/store_testing.h"

namespace cambium::store {
namespace {

TuningStore begun_store(const std::string& path) {
  auto store = TuningStore::open(path);
  CAMBIUM_CHECK(store.ok(), store.rejection().message());
  return std::move(store).value();
}

TEST(BegunTrials, AreRefusedUnlessTheyEnd) {
  const ScratchFolder folder;
  const std::string path = folder / "tuning.db";
  {
    TuningStore store = begun_store(path);
    ASSERT_TRUE(store.begin(key_number(0), refused_trial(1)).ok());
    ASSERT_TRUE(store.begin(key_number(0), refused_trial(2)).ok());
    ASSERT_TRUE(store.end(key_number(0), trial_number(2).scheduled).ok());
  }
  TuningStore store = begun_store(path);
  const std::vector<Trial> trials = *store.trials(key_number(0));
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_TRUE(trials[0].is_refused());
  EXPECT_EQ(trials[0].scheduled, trial_number(1).scheduled);
  EXPECT_EQ(trials[0].trace, trial_number(1).trace);
  EXPECT_EQ(trials[0].reason, "KernelTimeout");
  EXPECT_TRUE(store.best(key_number(0), 5)->empty());
  EXPECT_EQ(store.find(trial_number(1).scheduled.text())->size(), 1U);
}

TEST(BegunTrials, GiveWayToWhatBecameOfThem) {
  const ScratchFolder folder;
  TuningStore store = begun_store(folder / "tuning.db");
  ASSERT_TRUE(store.begin(key_number(0), refused_trial(1)).ok());
  Trial result = trial_number(1);
  result.number = 77;
  const auto id = store.add(key_number(0), result);
  ASSERT_TRUE(id.ok()) << id.rejection().message();
  // The end may come late: what was recorded stays.
  ASSERT_TRUE(store.end(key_number(0), result.scheduled).ok());
  result.id = *id;
  EXPECT_EQ(*store.trials(key_number(0)), std::vector{result});
}

TEST(BegunTrials, ChangeNothingOfWhatIsKnown) {
  const ScratchFolder folder;
  TuningStore store = begun_store(folder / "tuning.db");
  ASSERT_TRUE(store.add(key_number(0), trial_number(1)).ok());
  const std::vector<Trial> before = *store.trials(key_number(0));
  ASSERT_TRUE(store.begin(key_number(0), refused_trial(1)).ok());
  EXPECT_EQ(*store.trials(key_number(0)), before);
  ASSERT_TRUE(store.end(key_number(0), trial_number(1).scheduled).ok());
  EXPECT_EQ(*store.trials(key_number(0)), before);
}

// A process that is killed from outside takes along whatever it was compiling: however many deaths
// prove nothing.
TEST(BegunTrials, AreToBeTriedAgainHoweverOftenProcessesDied) {
  const ScratchFolder folder;
  const std::string path = folder / "tuning.db";
  const auto begun = [&path] {
    TuningStore store = begun_store(path);
    const std::vector<Trial> trials = *store.trials(key_number(0));
    return !trials.empty() && trials[0].is_begun;
  };
  EXPECT_TRUE(begun_store(path).begin(key_number(0), refused_trial(1)).ok());
  for (int death = 1; death < 4; ++death) {
    EXPECT_TRUE(begun());
    EXPECT_TRUE(begun_store(path).begin(key_number(0), refused_trial(1)).ok());
  }
  // A version before this one counted to 2, and refused it then.
  EXPECT_TRUE(Connection::open(path)->execute("UPDATE trials SET begun = 2").ok());
  EXPECT_TRUE(begun());
  EXPECT_TRUE(begun_store(path).end(key_number(0), trial_number(1).scheduled).ok());
  EXPECT_FALSE(begun());
  EXPECT_EQ(*begun_store(path).count(), 0);
}

TEST(BegunTrials, StayAtHomeWhileNobodyKnowsWhatBecameOfThem) {
  const ScratchFolder folder;
  TuningStore store = begun_store(folder / "tuning.db");
  ASSERT_TRUE(store.add(key_number(0), trial_number(3)).ok());
  ASSERT_TRUE(store.begin(key_number(0), refused_trial(1)).ok());
  std::vector<std::string> lines;
  const auto write = [&lines](const std::string& line) -> Status {
    lines.push_back(line);
    return Ok{};
  };
  ASSERT_TRUE(store.export_lines(write).ok());
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find(trial_number(3).scheduled.text()), std::string::npos);
  ASSERT_TRUE(store.begin(key_number(0), refused_trial(1)).ok());
  lines.clear();
  ASSERT_TRUE(store.export_lines(write).ok());
  EXPECT_EQ(lines.size(), 1U) << "a second death says no more";
}

TEST(BegunTrials, AreOfOneKey) {
  const ScratchFolder folder;
  TuningStore store = begun_store(folder / "tuning.db");
  ASSERT_TRUE(store.begin(key_number(0), refused_trial(1)).ok());
  ASSERT_TRUE(store.end(key_number(1), trial_number(1).scheduled).ok());
  EXPECT_EQ(store.trials(key_number(0))->size(), 1U);
}

TEST(BegunTrials, CanBeWrittenToAFileOfTheFirstVersion) {
  const ScratchFolder folder;
  const std::string path = folder / "old.db";
  {
    auto db = Connection::open(path);
    Schema schema = tuning_schema();
    schema.versions = schema.versions.first(1);
    ASSERT_TRUE(db.ok() && prepare(*db, schema).ok());
    const TuningKey key = key_number(0);
    ASSERT_TRUE(Query(*db, "INSERT INTO keys VALUES(1, ?, ?, 1, ?)", key.program.text(),
                      key.machine.text(), key.codegen)
                    .run()
                    .ok());
    ASSERT_TRUE(Query(*db,
                      "INSERT INTO trials VALUES(1, 1, ?, 'unroll(loop: l0)', 'random', 3, 4, '', "
                      "'', x'', 0, 0, 0.5)",
                      fingerprint_of("old").text())
                    .run()
                    .ok());
    ASSERT_TRUE(db->execute("INSERT INTO samples VALUES(1, 0, 0, 0.5, 0.01, 8, 0.25)").ok());
  }
  TuningStore store = begun_store(path);
  ASSERT_TRUE(store.begin(key_number(0), refused_trial(1)).ok());
  const std::vector<Trial> trials = *store.trials(key_number(0));
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].scheduled, fingerprint_of("old"));
  EXPECT_EQ(trials[0].samples, (std::vector<TuningSample>{{Protocol::Rank, 0.5, 0.01, 8, 0.25}}));
  EXPECT_EQ(trials[0].strategy, "random");
  ASSERT_TRUE(store.end(key_number(0), fingerprint_of("old")).ok());
  ASSERT_TRUE(store.end(key_number(0), trial_number(1).scheduled).ok());
  EXPECT_EQ(store.trials(key_number(0))->size(), 1U) << "the old one was never begun";
}

TEST(TuningStore, KnowsAMachineByItsFingerprintAndTakesAShorterTrace) {
  const ScratchFolder folder;
  TuningStore store = begun_store(folder / "tuning.db");
  ASSERT_TRUE(store.remember(TunedMachine{fingerprint_of("m"), "{}"}).ok());
  EXPECT_EQ((**store.machine(fingerprint_of("m"))).description, "{}");
  EXPECT_EQ(*store.machine(fingerprint_of("other")), std::nullopt);
  const auto id = store.add(key_number(0), trial_number(1));
  ASSERT_TRUE(store.set_trace(*id, "shorter").ok());
  EXPECT_EQ(store.trials(key_number(0))->front().trace, "shorter");
}

}  // namespace
}  // namespace cambium::store
