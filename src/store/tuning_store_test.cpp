#include "store/tuning_store.h"

#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "store/store_testing.h"
#include "store/tuning_lines.h"

namespace cambium::store {
namespace {

TuningStore opened(const std::string& path) {
  auto store = TuningStore::open(path);
  CAMBIUM_CHECK(store.ok(), store.rejection().message());
  return std::move(store).value();
}

std::vector<std::string> exported(TuningStore& store) {
  std::vector<std::string> lines;
  const Status done = store.export_lines([&lines](const std::string& line) -> Status {
    lines.push_back(line);
    return Ok{};
  });
  EXPECT_TRUE(done.ok());
  return lines;
}

Result<std::int64_t> import(TuningStore& store, const std::vector<std::string>& lines) {
  std::size_t at = 0;
  return store.import_lines([&]() -> std::optional<std::string> {
    return at < lines.size() ? std::optional(lines[at++]) : std::nullopt;
  });
}

// What only the store knows is left out.
std::vector<Trial> without_ids(std::vector<Trial> trials) {
  for (Trial& trial : trials) trial.id = 0;
  return trials;
}

TEST(TuningStore, GivesBackWhatWasAddedAlsoAfterClosing) {
  const ScratchFolder folder;
  const std::string path = folder / "tuning.db";
  const std::vector<Trial> want = {trial_number(5), refused_trial(2), trial_number(1)};
  const TunedProgram program{key_number(0).program, "conv1", "program kernel() {\n}\n"};
  {
    TuningStore store = opened(path);
    for (const Trial& trial : want) ASSERT_TRUE(store.add(key_number(0), trial).ok());
    ASSERT_TRUE(store.remember(program).ok());
    ASSERT_TRUE(store.remember(TunedMachine{key_number(0).machine, "{}"}).ok());
    EXPECT_EQ(without_ids(*store.trials(key_number(0))), want);
  }
  TuningStore store = opened(path);
  EXPECT_EQ(without_ids(*store.trials(key_number(0))), want);
  EXPECT_EQ(*store.count(), 3);
  EXPECT_EQ(*store.keys(), std::vector{key_number(0)});
  EXPECT_EQ(**store.program(program.fingerprint), program);
  EXPECT_EQ(*store.program(fingerprint_of("none")), std::nullopt);
  EXPECT_EQ(*store.programs(), std::vector{program});
  EXPECT_EQ(store.machines()->size(), 1U);
}

TEST(TuningStore, KeepsTheLastDescriptionOfAMachine) {
  const ScratchFolder folder;
  TuningStore store = opened(folder / "tuning.db");
  const Fingerprint machine = fingerprint_of("m");
  ASSERT_TRUE(store.remember(TunedMachine{machine, "not probed"}).ok());
  ASSERT_TRUE(store.remember(TunedMachine{machine, "probed"}).ok());
  EXPECT_EQ(*store.machines(), (std::vector{TunedMachine{machine, "probed"}}));
}

TEST(TuningStore, TellsKeysApartByEachOfTheirParts) {
  const ScratchFolder folder;
  TuningStore store = opened(folder / "tuning.db");
  std::vector<TuningKey> keys(5, key_number(0));
  keys[1].program = fingerprint_of("other");
  keys[2].machine = fingerprint_of("other");
  keys[3].threads = 2;
  keys[4].codegen = "llvm-2";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Trial trial = trial_number(0);
    trial.number = static_cast<std::int64_t>(i);
    ASSERT_TRUE(store.add(keys[i], trial).ok());
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto trials = store.trials(keys[i]);
    ASSERT_EQ(trials->size(), 1U);
    EXPECT_EQ(trials->front().number, static_cast<std::int64_t>(i));
  }
  EXPECT_TRUE(store.trials(key_number(9))->empty());
  EXPECT_TRUE(store.best(key_number(9), 5)->empty());
}

TEST(TuningStore, JoinsSamplesOfOneScheduledProgramInItsFirstRow) {
  const ScratchFolder folder;
  TuningStore store = opened(folder / "tuning.db");
  Trial first = trial_number(1);
  first.features.clear();
  first.rows = 0;
  Trial again = trial_number(1);
  again.strategy = "random";
  again.number = 99;
  again.trace = "split(...)";
  const auto id = store.add(key_number(0), first);
  EXPECT_EQ(*store.add(key_number(0), again), *id);
  const std::vector<Trial> trials = *store.trials(key_number(0));
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].samples.size(), 2U);
  EXPECT_EQ(trials[0].strategy, "evolution");
  EXPECT_EQ(trials[0].number, 1);
  EXPECT_EQ(trials[0].trace, "split(...)");
  EXPECT_EQ(trials[0].features, again.features);
  EXPECT_EQ(trials[0].rows, 2);
}

TEST(TuningStore, ForgetsARefusalOnceItIsMeasuredAndKeepsATimeThatIsRefusedLater) {
  const ScratchFolder folder;
  TuningStore store = opened(folder / "tuning.db");
  ASSERT_TRUE(store.add(key_number(0), refused_trial(1)).ok());
  EXPECT_TRUE(store.trials(key_number(0))->front().is_refused());
  EXPECT_TRUE(store.best(key_number(0), 5)->empty());
  ASSERT_TRUE(store.add(key_number(0), trial_number(1)).ok());
  ASSERT_TRUE(store.add(key_number(0), refused_trial(1)).ok());
  EXPECT_EQ(without_ids(*store.best(key_number(0), 5)), std::vector{trial_number(1)});
}

TEST(TuningStore, NeverGivesForTheBestWhatWasRefusedAfterItWasMeasured) {
  const ScratchFolder folder;
  TuningStore store = opened(folder / "tuning.db");
  const auto id = store.add(key_number(0), trial_number(1));
  ASSERT_TRUE(store.add_samples(*id, {{Protocol::Compare, 1}}).ok());
  ASSERT_TRUE(store.refuse(*id, "WrongResult", "an element is off").ok());
  EXPECT_TRUE(store.best(key_number(0), 5)->empty());
  const Trial trial = store.trials(key_number(0))->front();
  EXPECT_TRUE(trial.is_refused());
  EXPECT_EQ(trial.reason, "WrongResult");
}

// A search that was stopped before it compared what it had found.
TEST(TuningStore, GivesWhatIsSurelyFasterBeforeAnOldWinner) {
  const ScratchFolder folder;
  TuningStore store = opened(folder / "tuning.db");
  const auto add = [&](std::uint64_t number, double rank, double spread, double compared) {
    Trial trial = trial_number(number);
    trial.samples = {{Protocol::Rank, rank, spread, 8, 0}};
    if (compared > 0) trial.samples.push_back({Protocol::Compare, compared, 0.01, 8, 0});
    ASSERT_TRUE(store.add(key_number(0), trial).ok());
  };
  add(0, 10, 0.02, 4);  // other protocols give other numbers
  add(1, 9.8, 0.02, 0);
  EXPECT_EQ(store.best(key_number(0), 1)->front().number, 0) << "by less than they spread";
  add(2, 9, 0.02, 0);
  const std::vector<Trial> best = *store.best(key_number(0), 9);
  ASSERT_EQ(best.size(), 3u);
  EXPECT_EQ(best[0].number, 2);
  EXPECT_EQ(best[1].number, 0);
  EXPECT_EQ(best[2].number, 1);
}

TEST(Trial, TakesTheMedianOfTheStrongestProtocol) {
  Trial trial;
  EXPECT_TRUE(std::isinf(trial.seconds()));
  trial.samples = {{Protocol::Rank, 1}, {Protocol::Rank, 9}, {Protocol::Rank, 2}};
  EXPECT_EQ(trial.seconds(), 2);
  trial.samples.push_back({Protocol::Rank, 3});
  EXPECT_EQ(trial.seconds(), 2.5);
  trial.samples.push_back({Protocol::Compare, 7});
  EXPECT_EQ(trial.seconds(), 7);
}

TEST(TuningStore, GivesTheFastestFirstAndThoseThatWereComparedBeforeAll) {
  const ScratchFolder folder;
  TuningStore store = opened(folder / "tuning.db");
  std::vector<std::int64_t> ids;
  for (const double seconds : {5.0, 3.0, 4.0, 1.0}) {
    Trial trial = trial_number(ids.size());
    trial.samples = {{Protocol::Rank, seconds, 0.9}};  // any of them may be the fastest
    ids.push_back(*store.add(key_number(0), trial));
  }
  ASSERT_TRUE(store.add(key_number(0), refused_trial(9)).ok());
  const auto order = [&store](std::int64_t count) {
    std::vector<std::int64_t> numbers;
    const std::vector<Trial> best = *store.best(key_number(0), count);
    for (const Trial& trial : best) numbers.push_back(trial.number);
    return numbers;
  };
  EXPECT_EQ(order(10), (std::vector<std::int64_t>{3, 1, 2, 0}));
  EXPECT_EQ(order(2), (std::vector<std::int64_t>{3, 1}));
  ASSERT_TRUE(store.add_samples(ids[0], {{Protocol::Compare, 2.5}}).ok());
  ASSERT_TRUE(store.add_samples(ids[1], {{Protocol::Compare, 2.0}}).ok());
  EXPECT_EQ(order(10), (std::vector<std::int64_t>{1, 0, 3, 2}));
}

TEST(TuningStore, RefusesSamplesOfATrialThatIsNotThere) {
  const ScratchFolder folder;
  TuningStore store = opened(folder / "tuning.db");
  const Status added = store.add_samples(17, {{Protocol::Compare, 1}});
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.rejection().reason(), Reason::DatabaseFailed);
  EXPECT_EQ(*store.count(), 0);
}

TEST(TuningStore, FindsATrialByItsIdOrTheBeginningOfItsFingerprint) {
  const ScratchFolder folder;
  TuningStore store = opened(folder / "tuning.db");
  for (std::uint64_t i = 0; i < 50; ++i)
    ASSERT_TRUE(store.add(key_number(i), trial_number(i)).ok());
  const std::vector<Trial> trials = *store.trials(key_number(30));
  const std::string name = trials[0].scheduled.text();
  for (std::string what : {std::to_string(trials[0].id), name, name.substr(0, 12)}) {
    const auto found = store.find(what);
    ASSERT_EQ(found->size(), 1U) << what;
    EXPECT_EQ(found->front().trial, trials[0]);
    EXPECT_EQ(found->front().key, key_number(30));
  }
  for (const char* what : {"", "99999", "no such", "' OR 1=1", "99999999999999999999999999"}) {
    EXPECT_TRUE(store.find(what)->empty()) << what;
  }
}

TEST(TuningStore, TakesRecordsFromSeveralHandlesAtOnce) {
  const ScratchFolder folder;
  const std::string path = folder / "tuning.db";
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&path, t] {
      TuningStore store = opened(path);  // all four may be the one that makes the file
      for (std::uint64_t i = 0; i < 50; ++i) {
        const auto added = store.add(key_number(0), trial_number(t < 2 ? i : t * 1000 + i));
        EXPECT_TRUE(added.ok()) << added.rejection().message();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  TuningStore store = opened(path);
  EXPECT_EQ(*store.count(), 150);
  std::size_t samples = 0;
  const std::vector<Trial> trials = *store.trials(key_number(0));
  for (const Trial& trial : trials) samples += trial.samples.size();
  EXPECT_EQ(samples, 200U);
}

// A file of one machine: trials under two keys, some refused, some compared.
void fill(TuningStore& store, std::uint64_t machine) {
  ASSERT_TRUE(store.remember(TunedProgram{fingerprint_of("p"), "conv", "program ..."}).ok());
  ASSERT_TRUE(store.remember(TunedMachine{key_number(machine).machine, "{}"}).ok());
  for (std::uint64_t i = 0; i < 20; ++i) {
    TuningKey key = key_number(machine);
    key.threads = 1 + static_cast<int>(i % 2);
    const auto id = store.add(key, i % 5 == 0 ? refused_trial(i) : trial_number(i));
    ASSERT_TRUE(id.ok());
    if (i % 7 == 1) {
      // Two equal samples, as a clock of few digits gives them.
      const TuningSample sample{Protocol::Compare, 0.5, 0, 3, 0};
      ASSERT_TRUE(store.add_samples(*id, {sample, sample}).ok());
    }
  }
}

TEST(TuningStore, ImportsWhatItExports) {
  const ScratchFolder folder;
  TuningStore from = opened(folder / "from.db");
  fill(from, 0);
  TuningStore to = opened(folder / "to.db");
  EXPECT_EQ(*import(to, exported(from)), 20);
  EXPECT_EQ(exported(to), exported(from));
  EXPECT_EQ(*import(to, exported(from)), 0);
  EXPECT_EQ(exported(to), exported(from));
  TuningKey key = key_number(0);
  EXPECT_EQ(without_ids(*to.best(key, 9)), without_ids(*from.best(key, 9)));
}

TEST(TuningStore, JoinsTheFilesOfTwoMachinesWithoutDuplicates) {
  const ScratchFolder folder;
  TuningStore one = opened(folder / "one.db");
  TuningStore two = opened(folder / "two.db");
  fill(one, 1);
  fill(two, 2);
  Trial known_to_both = trial_number(3);
  ASSERT_TRUE(two.add(key_number(1), known_to_both).ok());
  known_to_both.samples = {{Protocol::Compare, 0.25, 0.01, 5, 0.5}};
  ASSERT_TRUE(two.add(key_number(1), known_to_both).ok());
  EXPECT_EQ(*import(one, exported(two)), 21);
  EXPECT_EQ(*import(one, exported(two)), 0);
  EXPECT_EQ(*import(two, exported(one)), 20);
  EXPECT_EQ(*one.count(), 41);
  EXPECT_EQ(*two.count(), 41);
  EXPECT_EQ(one.machines()->size(), 2U);
  EXPECT_EQ(one.programs()->size(), 1U);
  EXPECT_EQ(one.keys()->size(), 4U);
  EXPECT_EQ(one.best(key_number(1), 1)->front().seconds(),
            two.best(key_number(1), 1)->front().seconds());
}

Trial trial_refused_as(std::uint64_t number, const char* reason) {
  Trial trial = refused_trial(number);
  trial.reason = reason;
  return trial;
}

// A kernel that one machine found to be wrong, and another measured before anybody knew.
TEST(TuningStore, RefusesWhatEitherFileFoundToBeWrongWhicheverComesFirst) {
  for (const char* reason : {"WrongResult", "KernelCrashed", "GuardTouched", "OutputUntouched"}) {
    const ScratchFolder folder;
    TuningStore knows = opened(folder / "knows.db"), older = opened(folder / "older.db");
    const auto id = knows.add(key_number(0), trial_number(1));
    ASSERT_TRUE(older.add(key_number(0), trial_number(1)).ok());
    ASSERT_TRUE(older.add(key_number(0), trial_number(2)).ok());
    ASSERT_TRUE(knows.refuse(*id, reason, "found when it was compared").ok());
    const std::vector<std::string> refusal = exported(knows), samples = exported(older);
    ASSERT_TRUE(import(knows, samples).ok());
    ASSERT_TRUE(import(older, refusal).ok());
    for (TuningStore* store : {&knows, &older}) {
      const std::vector<Trial> trials = *store->trials(key_number(0));
      ASSERT_EQ(trials.size(), 2U);
      EXPECT_TRUE(trials[0].is_refused()) << reason;
      EXPECT_EQ(trials[0].reason, reason);
      EXPECT_EQ(trials[0].detail, "found when it was compared");
      EXPECT_EQ(without_ids(*store->best(key_number(0), 5)), std::vector{trial_number(2)});
    }
    EXPECT_EQ(exported(knows), exported(older));
    TuningStore fresh = opened(folder / "fresh.db");
    std::vector<std::string> both = samples;
    both.insert(both.end(), refusal.begin(), refusal.end());
    ASSERT_TRUE(import(fresh, both).ok());
    EXPECT_EQ(exported(fresh), exported(older));
  }
}

TEST(TuningStore, TakesSamplesOverARefusalOfTheMoment) {
  for (const char* reason : {"KernelTimeout", "CodegenFailed", "KernelMemory"}) {
    const ScratchFolder folder;
    TuningStore refuses = opened(folder / "refuses.db"), measured = opened(folder / "measured.db");
    ASSERT_TRUE(refuses.add(key_number(0), trial_refused_as(1, reason)).ok());
    ASSERT_TRUE(measured.add(key_number(0), trial_number(1)).ok());
    const std::vector<std::string> refusal = exported(refuses);
    ASSERT_TRUE(import(refuses, exported(measured)).ok());
    ASSERT_TRUE(import(measured, refusal).ok());
    EXPECT_EQ(without_ids(*refuses.best(key_number(0), 5)), std::vector{trial_number(1)}) << reason;
    EXPECT_EQ(without_ids(*measured.best(key_number(0), 5)), std::vector{trial_number(1)});
    ASSERT_TRUE(
        import(measured, {to_line(KeyedTrial{key_number(0), trial_refused_as(1, "WrongResult")})})
            .ok());
    EXPECT_TRUE(measured.best(key_number(0), 5)->empty());
  }
}

TEST(TuningStore, FindsARowByItsKeyHoweverManyKeysHaveItsProgram) {
  const ScratchFolder folder;
  TuningStore store = opened(folder / "tuning.db");
  constexpr std::uint64_t kKeys = 150;  // find() gives a hundred
  std::vector<std::int64_t> ids;
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    ids.push_back(*store.add(key_number(i), trial_number(1)));
  }
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    EXPECT_EQ(**store.id_of(key_number(i), trial_number(1).scheduled), ids[i]);
  }
  EXPECT_EQ(*store.id_of(key_number(0), trial_number(2).scheduled), std::nullopt);
  EXPECT_EQ(*store.id_of(key_number(kKeys), trial_number(1).scheduled), std::nullopt);
}

TEST(TuningStore, LeavesTheFileAsItWasWhenALineIsBad) {
  const ScratchFolder folder;
  TuningStore from = opened(folder / "from.db");
  TuningStore to = opened(folder / "to.db");
  fill(from, 0);
  fill(to, 1);
  const std::vector<std::string> before = exported(to);
  std::vector<std::string> lines = exported(from);
  lines[9] = lines[9].substr(0, lines[9].size() / 2);
  const auto imported = import(to, lines);
  ASSERT_FALSE(imported.ok());
  EXPECT_EQ(imported.rejection().reason(), Reason::BadRecord);
  EXPECT_EQ(imported.rejection().number(0), 10);
  EXPECT_EQ(exported(to), before);
  EXPECT_TRUE(to.add(key_number(5), trial_number(1)).ok());
}

TEST(TuningStore, StopsExportingWhereTheWriterRefuses) {
  const ScratchFolder folder;
  TuningStore store = opened(folder / "tuning.db");
  fill(store, 0);
  int written = 0;
  const Status done = store.export_lines([&written](const std::string&) -> Status {
    if (++written == 5) return Rejection(Reason::Unwritable, "out", "the disk is full");
    return Ok{};
  });
  EXPECT_FALSE(done.ok());
  EXPECT_EQ(written, 5);
  EXPECT_TRUE(store.add(key_number(5), trial_number(1)).ok());
}

}  // namespace
}  // namespace cambium::store
