// Files that somebody has changed: tables that are gone or are none, bytes that are others. They
// are refused with their name, and nothing in them runs.
#include <filesystem>
#include <functional>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "base/random.h"
#include "store/schema.h"
#include "store/store_testing.h"
#include "store/study_testing.h"

namespace cambium::store {
namespace {

// Files of both kinds with something in every table.
std::string made_study(const ScratchFolder& folder) {
  const std::string path = folder / "whole.study";
  StudyStore store = opened_study(path);
  EXPECT_TRUE(store.set_head(study_head()).ok());
  for (std::uint64_t i = 0; i < 20; ++i) {
    EXPECT_TRUE(store.add(candidate_number(i)).ok());
    EXPECT_TRUE(store.add(evaluation_number(i, "accuracy"), {artifact_number(i, "weights")}).ok());
    EXPECT_TRUE(store.add(refused_evaluation(i, "cost", "TooSlow")).ok());
  }
  EXPECT_TRUE(store.set_state("tree-1", {3, "state"}).ok());
  return path;
}

std::string made_tuning(const ScratchFolder& folder) {
  const std::string path = folder / "whole.db";
  auto store = TuningStore::open(path);
  EXPECT_TRUE(store.ok());
  EXPECT_TRUE(store->remember(TunedProgram{fingerprint_of("p"), "name", "text"}).ok());
  EXPECT_TRUE(store->remember(TunedMachine{fingerprint_of("m"), "{}"}).ok());
  for (std::uint64_t i = 0; i < 20; ++i) {
    EXPECT_TRUE(store->add(key_number(i % 3), trial_number(i)).ok());
    EXPECT_TRUE(store->add(key_number(i % 3), refused_trial(i + 100)).ok());
  }
  return path;
}

// The last refusal of all; whatever is refused, the rest is tried too.
Status all_of(const std::vector<std::function<Status()>>& calls) {
  Status last = Ok{};
  for (const auto& call : calls) {
    if (Status done = call(); !done.ok()) last = std::move(done);
  }
  return last;
}

template <class T>
Status status_of(const Result<T>& result) {
  if (!result.ok()) return result.rejection();
  return Ok{};
}

// Everything that a command reads of a file; one refusal of all.
Status read_study(const std::string& path) {
  CAMBIUM_TRY(StudyStore store, StudyStore::open(path, Mode::Read));
  const Fingerprint one = candidate_number(3).identity;
  const auto write = [](const std::string&) -> Status { return Ok{}; };
  return all_of({
      [&] { return status_of(store.head()); },
      [&] { return status_of(store.count_candidates()); },
      [&] { return status_of(store.candidate(one)); },
      [&] { return status_of(store.candidate_named(one.text())); },
      [&] { return store.each_candidate([](const StudyCandidate&) { return true; }); },
      [&] { return store.each_evaluation([](const Evaluation&) { return true; }); },
      [&] { return status_of(store.evaluations(one)); },
      [&] { return status_of(store.evaluation(key_of(3, "accuracy"))); },
      [&] { return status_of(store.pending("")); },
      [&] { return status_of(store.artifact(one, "weights")); },
      [&] { return status_of(store.state("tree-1")); },
      [&] { return status_of(store.options("tree-1")); },
      [&] { return status_of(store.searches()); },
      [&] { return status_of(store.rejections()); },
      [&] { return store.export_lines(write); },
  });
}

Status read_tuning(const std::string& path) {
  CAMBIUM_TRY(TuningStore store, TuningStore::open(path, Mode::Read));
  const auto write = [](const std::string&) -> Status { return Ok{}; };
  return all_of({
      [&] { return status_of(store.programs()); },
      [&] { return status_of(store.program(fingerprint_of("p"))); },
      [&] { return status_of(store.machines()); },
      [&] { return status_of(store.keys()); },
      [&] { return status_of(store.count()); },
      [&] { return status_of(store.trials(key_number(0))); },
      [&] { return status_of(store.best(key_number(0), 5)); },
      [&] { return status_of(store.find("1")); },
      [&] { return store.export_lines(write); },
  });
}

struct Kind {
  const char* name;
  std::string (*make)(const ScratchFolder&);
  Status (*read)(const std::string&);
  const Schema& (*schema)();
};
constexpr Kind kKinds[] = {{"study", made_study, read_study, study_schema},
                           {"tuning", made_tuning, read_tuning, tuning_schema}};

std::vector<std::string> tables_of(const std::string& path) {
  auto db = Connection::open(path);
  std::vector<std::string> names;
  Query query(*db, "SELECT name FROM sqlite_master WHERE type = 'table'");
  while (*query.step()) names.push_back(query.text(0));
  return names;
}

// The words of a refusal that names the file; empty: it was none.
std::string refusal_in(const Status& read, const std::string& path) {
  if (read.ok()) return "";
  EXPECT_NE(read.rejection().message().find(path), std::string::npos) << read.rejection().message();
  return read.rejection().message();
}

void change(const std::string& path, const std::string& sql) {
  auto db = Connection::open(path);
  const Status done = db->execute(sql.c_str());
  ASSERT_TRUE(done.ok()) << done.rejection().message();
}

TEST(DamagedFile, QueryThatIsNotPreparedIsRefused) {
  const ScratchFolder folder;
  auto db = Connection::open(folder / "a.db");
  ASSERT_TRUE(db.ok());
  for (int i = 0; i < 2; ++i) {
    Query query(*db, "SELECT x FROM none WHERE x = ? AND y = ?", 1, std::string("text"));
    const auto row = query.step();
    ASSERT_FALSE(row.ok());
    EXPECT_NE(row.rejection().message().find("no such table"), std::string::npos)
        << row.rejection().message();
    EXPECT_EQ(query.integer(0), 0);
    EXPECT_EQ(query.text(0), "");
  }
}

TEST(DamagedFile, WithoutOneOfItsTablesIsRefused) {
  for (const Kind& kind : kKinds) {
    const ScratchFolder folder;
    const std::string whole = kind.make(folder);
    EXPECT_EQ(refusal_in(kind.read(whole), whole), "") << kind.name;
    const std::vector<std::string> tables = tables_of(whole);
    EXPECT_GE(tables.size(), 5U);
    for (const std::string& table : tables) {
      const std::string path = folder / ("without-" + table);
      std::filesystem::copy_file(whole, path);
      change(path, "DROP TABLE " + table);
      EXPECT_NE(refusal_in(kind.read(path), path).find(table), std::string::npos)
          << kind.name << " without " << table;
    }
  }
}

TEST(DamagedFile, OfANegativeVersionIsRefused) {
  for (const Kind& kind : kKinds) {
    const ScratchFolder folder;
    const std::string path = kind.make(folder);
    for (const char* version : {"-1", "-2147483648"}) {
      change(path, std::string("PRAGMA user_version = ") + version);
      EXPECT_NE(refusal_in(kind.read(path), path).find(version), std::string::npos) << kind.name;
    }
  }
}

// One that never ends when it is read.
TEST(DamagedFile, WithAViewInPlaceOfATableIsRefusedUnread) {
  for (const Kind& kind : kKinds) {
    const ScratchFolder folder;
    const std::string whole = kind.make(folder);
    for (const std::string& table : tables_of(whole)) {
      const std::string path = folder / ("view-" + table);
      std::filesystem::copy_file(whole, path);
      change(path, "ALTER TABLE " + table + " RENAME TO kept; CREATE VIEW " + table +
                       " AS WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM r)"
                       " SELECT id, id AS fingerprint, id AS name, id AS trial FROM r");
      EXPECT_NE(refusal_in(kind.read(path), path).find(table), std::string::npos)
          << kind.name << " with a view " << table;
    }
  }
}

TEST(DamagedFile, WithATriggerIsWrittenWithoutIt) {
  const ScratchFolder folder;
  const std::string path = made_study(folder);
  change(path, "CREATE TRIGGER t AFTER INSERT ON candidates BEGIN DELETE FROM evaluations; END");
  StudyStore store = opened_study(path);
  ASSERT_TRUE(store.add(candidate_number(99)).ok());
  EXPECT_EQ(store.evaluations(candidate_number(3).identity)->size(), 2U);
}

TEST(DamagedFile, OfRandomBytesIsReadOrRefused) {
  int refused = 0;
  for (const Kind& kind : kKinds) {
    const ScratchFolder folder;
    const std::string whole = *read_file(kind.make(folder));
    const std::string path = folder / "changed";
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      Rng rng(seed);
      std::string bytes = whole;
      // Behind the first 100, which say that it is a database at all.
      const std::size_t at = 100 + rng.below(bytes.size() - 300);
      for (std::size_t i = 0; i < 200; ++i) bytes[at + i] = static_cast<char>(rng.below(256));
      ASSERT_TRUE(write_file(path, bytes).ok());
      if (!refusal_in(kind.read(path), path).empty()) ++refused;
    }
  }
  EXPECT_GT(refused, 20) << "nothing was hit";
}

// As a user who may not write; the superuser becomes one.
class WithoutRights {
 public:
  WithoutRights() {
    if (::geteuid() == 0) is_changed_ = ::seteuid(65534) == 0;
  }
  ~WithoutRights() { EXPECT_TRUE(!is_changed_ || ::seteuid(0) == 0); }

 private:
  bool is_changed_ = false;
};

TEST(ReadOnlyFile, IsReadWhereItCannotBeWritten) {
  namespace fs = std::filesystem;
  for (const Kind& kind : kKinds) {
    const ScratchFolder folder;
    const std::string path = folder / "a b?c#d%e.study";
    fs::rename(kind.make(folder), path);
    for (const fs::perms of_folder : {fs::perms(0555), fs::perms(0777)}) {
      fs::permissions(path, fs::perms(0444));
      fs::permissions(folder.path(), of_folder);
      const WithoutRights user;
      EXPECT_EQ(refusal_in(kind.read(path), path), "") << kind.name;
      EXPECT_FALSE(fs::exists(path + "-wal"));
    }
    fs::permissions(folder.path(), fs::perms(0700));
  }
}

// What a writer that was killed had added stands in the log alone.
TEST(ReadOnlyFile, IsReadWithWhatIsInItsLog) {
  namespace fs = std::filesystem;
  const ScratchFolder folder;
  const std::string path = folder / "s.study";
  const std::string copied = folder / "copy.study";
  {
    StudyStore store = opened_study(path);
    ASSERT_TRUE(store.add(candidate_number(1)).ok());
    for (const char* end : {"", "-wal", "-shm"}) fs::copy_file(path + end, copied + end);
  }
  for (const char* end : {"", "-wal", "-shm"}) fs::permissions(copied + end, fs::perms(0444));
  fs::permissions(folder.path(), fs::perms(0555));
  {
    const WithoutRights user;
    auto store = StudyStore::open(copied, Mode::Read);
    ASSERT_TRUE(store.ok()) << store.rejection().message();
    EXPECT_EQ(*store->count_candidates(), 1);
  }
  fs::permissions(folder.path(), fs::perms(0700));
}

TEST(ReadOnlyFile, IsRefusedToWhoeverWouldChangeIt) {
  namespace fs = std::filesystem;
  const ScratchFolder folder;
  const std::string path = made_study(folder);
  fs::permissions(path, fs::perms(0444));
  fs::permissions(folder.path(), fs::perms(0555));
  {
    const WithoutRights user;
    const auto made = StudyStore::open(path);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.rejection().reason(), Reason::DatabaseFailed);
    auto read = StudyStore::open(path, Mode::Read);
    ASSERT_TRUE(read.ok()) << read.rejection().message();
    EXPECT_FALSE(read->add(candidate_number(77)).ok());
  }
  fs::permissions(folder.path(), fs::perms(0700));
}

TEST(ReadOnlyFile, OfAnOlderVersionIsRefused) {
  namespace fs = std::filesystem;
  const ScratchFolder folder;
  const std::string path = folder / "old.study";
  {
    auto db = Connection::open(path);
    Schema first = study_schema();
    first.versions = first.versions.first(1);
    ASSERT_TRUE(db.ok() && prepare(*db, first).ok());
  }
  fs::permissions(path, fs::perms(0444));
  fs::permissions(folder.path(), fs::perms(0555));
  {
    const WithoutRights user;
    const auto read = StudyStore::open(path, Mode::Read);
    ASSERT_FALSE(read.ok());
    EXPECT_NE(read.rejection().message().find("older version"), std::string::npos)
        << read.rejection().message();
  }
  fs::permissions(folder.path(), fs::perms(0700));
}

}  // namespace
}  // namespace cambium::store
