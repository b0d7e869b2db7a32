#include "store/schema.h"

#include <fstream>

#include <gtest/gtest.h>

#include "base/file.h"
#include "store/store_testing.h"

namespace cambium::store {
namespace {

// The first so many versions of a file of tests.
Schema first(std::span<const char* const> versions, std::size_t count) {
  return {0x74657374, "tests", versions.first(count)};
}

std::string refusal_of(const std::string& path, Reason reason) {
  const auto store = TuningStore::open(path);
  if (store.ok()) return "not refused";
  EXPECT_EQ(store.rejection().reason(), reason) << store.rejection().message();
  return store.rejection().message();
}

// A database with trials in it, closed.
std::string filled(const ScratchFolder& folder) {
  const std::string path = folder / "filled.db";
  auto store = TuningStore::open(path);
  for (std::uint64_t i = 0; i < 200; ++i) {
    EXPECT_TRUE(store->add(key_number(0), trial_number(i)).ok());
  }
  return path;
}

TEST(StoreSchema, BringsAnOlderVersionUpToDateAndKeepsWhatItHolds) {
  const ScratchFolder folder;
  const std::string path = folder / "a.db";
  const char* const versions[] = {"CREATE TABLE a(x)", "ALTER TABLE a ADD y DEFAULT 7"};
  {
    auto db = Connection::open(path);
    ASSERT_TRUE(db.ok() && prepare(*db, first(versions, 1)).ok());
    ASSERT_TRUE(db->execute("INSERT INTO a VALUES(3)").ok());
  }
  auto db = Connection::open(path);
  ASSERT_TRUE(db.ok());
  const Status updated = prepare(*db, first(versions, 2));
  ASSERT_TRUE(updated.ok()) << updated.rejection().message();
  Query query(*db, "SELECT x, y FROM a");
  ASSERT_TRUE(*query.step());
  EXPECT_EQ(query.integer(0), 3);
  EXPECT_EQ(query.integer(1), 7);
}

TEST(StoreSchema, UpdatesToAllOfAVersionOrToNothingOfIt) {
  const ScratchFolder folder;
  const std::string path = folder / "a.db";
  const char* const versions[] = {"CREATE TABLE a(x)", "CREATE TABLE b(x); CREATE TABLE a(x)"};
  auto db = Connection::open(path);
  ASSERT_TRUE(db.ok() && prepare(*db, first(versions, 1)).ok());
  const Status updated = prepare(*db, first(versions, 2));
  ASSERT_FALSE(updated.ok());
  EXPECT_EQ(updated.rejection().reason(), Reason::DatabaseFailed);
  EXPECT_TRUE(prepare(*db, first(versions, 1)).ok());
  EXPECT_TRUE(db->execute("CREATE TABLE b(x)").ok());
}

TEST(StoreSchema, RefusesAFileOfANewerVersion) {
  const ScratchFolder folder;
  const std::string path = filled(folder);
  ASSERT_TRUE(Connection::open(path)->execute("PRAGMA user_version=1000").ok());
  EXPECT_NE(refusal_of(path, Reason::NewerDatabase).find("version 1000"), std::string::npos);
}

TEST(StoreSchema, RefusesWhatIsNoDatabaseAndLeavesIt) {
  const ScratchFolder folder;
  const std::string text = folder / "notes.txt";
  const std::string content(5000, 'n');
  ASSERT_TRUE(write_file(text, content).ok());
  EXPECT_NE(refusal_of(text, Reason::NotADatabase).find("give the path"), std::string::npos);
  EXPECT_EQ(*read_file(text), content);

  const std::string other = folder / "other.db";
  ASSERT_TRUE(Connection::open(other)->execute("CREATE TABLE mails(x)").ok());
  EXPECT_NE(refusal_of(other, Reason::NotADatabase).find("another program"), std::string::npos);
}

TEST(StoreSchema, TakesAnEmptyFileForANewDatabase) {
  const ScratchFolder folder;
  const std::string path = folder / "empty.db";
  ASSERT_TRUE(write_file(path, "").ok());
  EXPECT_TRUE(TuningStore::open(path).ok());
}

TEST(StoreSchema, RefusesATruncatedFileAtAnyLength) {
  const ScratchFolder folder;
  const std::string whole = *read_file(filled(folder));
  const std::string path = folder / "cut.db";
  for (const std::size_t size : {std::size_t{10}, std::size_t{100}, std::size_t{4096},
                                 whole.size() / 2, whole.size() - 4096}) {
    ASSERT_TRUE(write_file(path, whole.substr(0, size)).ok());
    const auto store = TuningStore::open(path);
    ASSERT_FALSE(store.ok()) << size << " of " << whole.size() << " bytes";
    const Reason reason = store.rejection().reason();
    EXPECT_TRUE(reason == Reason::NotADatabase || reason == Reason::DatabaseFailed) << size;
  }
  EXPECT_NE(refusal_of(path, Reason::DatabaseFailed).find(".recover"), std::string::npos);
}

TEST(StoreSchema, RefusesAFolderThatCannotBeWritten) {
  const ScratchFolder folder;
  // Even the superuser makes no files there.
  EXPECT_NE(refusal_of("/proc/tuning.db", Reason::DatabaseFailed).find("be writable"),
            std::string::npos);
  EXPECT_NE(refusal_of(folder / "none/tuning.db", Reason::DatabaseFailed).find("must exist"),
            std::string::npos);
  EXPECT_NE(refusal_of(folder / "", Reason::DatabaseFailed).find("must exist"), std::string::npos);
  EXPECT_NE(refusal_of("", Reason::DatabaseFailed).find("path of a file"), std::string::npos);
}

}  // namespace
}  // namespace cambium::store
