// What every command says of a study or a tuning database that was damaged: one line that names the
// file, whatever is missing or overwritten, and never a signal. And what commands that only read do
// where nothing can be written.
#include <string>
#include <vector>

#include "base/random.h"
#include "search_testing.h"
#include "store/sqlite.h"
#include "store/study_store.h"
#include "store/tuning_store.h"

namespace cambium::tests {
namespace {

using Commands = std::vector<std::vector<std::string>>;

class DamagedCli : public SearchCli {
 protected:
  DamagedCli() {
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    // A search that cannot begin has said in its study what it is of.
    EXPECT_EQ(run(search({"--max-macs", "1000 parsecs"})).death, Death::Exited);
    auto study = store::StudyStore::open(path("s.study"));
    EXPECT_TRUE(study.ok());
    store::StudyCandidate candidate;
    for (std::uint64_t i = 0; i < 40; ++i) {
      candidate.identity = fingerprint_of("candidate", i);
      candidate.document = "{}";
      EXPECT_TRUE(study->add(candidate).ok());
      store::Evaluation cost;
      cost.key.candidate = candidate.identity;
      cost.key.evaluator = "cost";
      cost.values["macs"] = {static_cast<double>(i), 0, 1, false};
      EXPECT_TRUE(study->add(cost).ok());
    }
    auto tuning = store::TuningStore::open(path("t.db"));
    EXPECT_TRUE(tuning.ok());
    EXPECT_TRUE(tuning->remember(store::TunedProgram{fingerprint_of("p"), "p", "program"}).ok());
    for (std::uint64_t i = 0; i < 40; ++i) {
      store::Trial trial;
      trial.scheduled = fingerprint_of("scheduled", i);
      trial.trace = "unroll(loop: l0)\n";
      trial.samples = {{store::Protocol::Rank, 1e-3, 0.01, 10, 0.1}};
      EXPECT_TRUE(tuning->add({fingerprint_of("p"), fingerprint_of("m"), 1, "1"}, trial).ok());
    }
  }

  std::string id() const { return fingerprint_of("candidate", std::uint64_t{0}).text(); }
  Commands study_readers(const std::string& study) const {
    return {{"study", "list", study},
            {"study", "pack", study, "-o", path("lines")},
            {"report", study, "-o", path("site")},
            {"export", study, id(), "-o", path("out"), "--without-native"},
            {"export", study, "best", "-o", path("out"), "--without-native"},
            {"replay", study, id()}};
  }
  Commands study_writers(const std::string& study) const {
    return {{"study", "merge", study, path("s.study")},
            {"study", "merge", path("s.study"), study},
            {"search", "--resume", "--study", study},
            {"search", "--only", "latency", "--study", study},
            search({"--study", study})};
  }
  Commands tuning_readers(const std::string& db) const {
    Commands all{{"why", "1", "--db", db}, {"tune", "--db", db, "--export", path("t.jsonl")}};
    if (has_llvm()) {
      all.push_back({"compile", model_, "-o", path("native"), "--db", db});
      all.push_back({"run", model_, "--random", "--native", "--db", db});
      all.push_back({"inspect", model_, "--program", "conv1", "--trace", "--db", db});
    }
    return all;
  }
  Commands tuning_writers(const std::string& db) const {
    Commands all{{"tune", "--db", db, "--import", file("none.jsonl", "")}};
    if (has_llvm()) all.push_back({"tune", model_, "--trials", "1", "--db", db});
    return all;
  }

  // What is said before the work begins is no part of a refusal.
  static std::string without_notes(std::string errors) {
    while (errors.rfind("note: ", 0) == 0) errors.erase(0, errors.find('\n') + 1);
    return errors;
  }

  // One line that names the file, and exit code 1: the database fails.
  static void expect_failures(const Commands& commands, const std::string& name) {
    for (const auto& command : commands) {
      const ProcessOutcome outcome = run(command);
      SCOPED_TRACE(command[0] + " " + command[1] + ": " + outcome.errors);
      EXPECT_EQ(outcome.text(), "exit code 1");
      EXPECT_EQ(outcome.output, "");
      const std::string words = without_notes(outcome.errors);
      EXPECT_EQ(std::count(words.begin(), words.end(), '\n'), 1);
      EXPECT_EQ(words.rfind("cambium: ", 0), 0u);
      EXPECT_NE(words.find(name), std::string::npos);
    }
  }
};

std::vector<std::string> tables_in(const std::string& path) {
  auto db = store::Connection::open(path);
  std::vector<std::string> names;
  store::Query query(*db, "SELECT name FROM sqlite_master WHERE type = 'table'");
  while (*query.step()) names.push_back(query.text(0));
  return names;
}

TEST_F(DamagedCli, EveryCommandRefusesAStudyWithoutOneOfItsTables) {
  for (const std::string& table : tables_in(path("s.study"))) {
    SCOPED_TRACE(table);
    const std::string changed = path("changed.study");
    fs::copy_file(path("s.study"), changed, fs::copy_options::overwrite_existing);
    ASSERT_TRUE(store::Connection::open(changed)->execute(("DROP TABLE " + table).c_str()).ok());
    expect_failures(study_readers(changed), "changed.study");
    expect_failures(study_writers(changed), "changed.study");
  }
}

TEST_F(DamagedCli, EveryCommandRefusesATuningDatabaseWithoutOneOfItsTables) {
  for (const std::string& table : tables_in(path("t.db"))) {
    SCOPED_TRACE(table);
    const std::string changed = path("changed.db");
    fs::copy_file(path("t.db"), changed, fs::copy_options::overwrite_existing);
    ASSERT_TRUE(store::Connection::open(changed)->execute(("DROP TABLE " + table).c_str()).ok());
    expect_failures(tuning_readers(changed), "changed.db");
    expect_failures(tuning_writers(changed), "changed.db");
  }
}

// Where the bytes belong to nothing that a command reads, it does its work.
TEST_F(DamagedCli, NoCommandDiesOfRandomBytes) {
  const std::string study = read_file(path("s.study")).value();
  const std::string tuning = read_file(path("t.db")).value();
  int refused = 0;
  const auto overwrite = [](std::string bytes, std::uint64_t seed) {
    Rng rng(seed);
    const std::size_t at = 100 + rng.below(bytes.size() - 300);
    for (std::size_t i = 0; i < 200; ++i) bytes[at + i] = static_cast<char>(rng.below(256));
    return bytes;
  };
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Commands commands = study_readers(file("random.study", overwrite(study, seed)));
    const Commands more = tuning_readers(file("random.db", overwrite(tuning, seed)));
    commands.insert(commands.end(), more.begin(), more.begin() + 2);
    for (const auto& command : commands) {
      const ProcessOutcome outcome = run(command);
      SCOPED_TRACE(command[0] + " " + command[1] + ": " + outcome.errors);
      EXPECT_EQ(outcome.death, Death::Exited);
      EXPECT_LE(outcome.code, 2);
      if (outcome.code == 0) continue;
      EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1);
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
}

TEST_F(DamagedCli, WhatOnlyReadsWorksOnAReadOnlyFileSystem) {
  fs::create_directory(path("disk"));
  fs::rename(path("s.study"), path("disk/s.study"));
  fs::rename(path("t.db"), path("disk/t.db"));
  const std::string script =
      "mount --bind $1/disk $1/disk && mount -o remount,ro,bind $1/disk || exit 99\n"
      "shift; \"$@\"\n";
  const auto run_there = [&](const std::vector<std::string>& command) {
    std::vector<std::string> argv = {
        "unshare", "--map-root-user", "--mount",      "sh", "-c", script,
        "sh",      folder_.path(),    CAMBIUM_PROGRAM};
    argv.insert(argv.end(), command.begin(), command.end());
    auto outcome = run_process({argv, "", {}});
    EXPECT_TRUE(outcome.ok());
    return std::move(outcome).value();
  };
  const Commands readers = {
      {"study", "list", path("disk/s.study")},
      {"study", "pack", path("disk/s.study"), "-o", path("lines")},
      {"tune", "--db", path("disk/t.db"), "--export", path("t.jsonl")},
  };
  for (const auto& command : readers) {
    const ProcessOutcome outcome = run_there(command);
    if (outcome.code == 99 || outcome.code == 127 || outcome.errors.find("unshare:") == 0) {
      GTEST_SKIP() << "no file system of our own here: " << outcome.errors;
    }
    EXPECT_TRUE(outcome.succeeded()) << command[0] << " " << command[1] << ": " << outcome.errors;
  }
  const ProcessOutcome written =
      run_there({"study", "merge", path("disk/s.study"), path("disk/s.study")});
  EXPECT_EQ(written.text(), "exit code 1");
  EXPECT_NE(written.errors.find("s.study"), std::string::npos) << written.errors;
}

TEST_F(DamagedCli, AFolderForTemporaryFilesThatIsNotThereIsNamed) {
  Commands commands = {{"replay", path("s.study"), id()}, {"evaluate"}};
  if (has_llvm()) commands.push_back({"compile", model_, "-o", path("native"), "--db", "none"});
  for (const auto& command : commands) {
    std::vector<std::string> argv = {"env", "TMPDIR=" + path("none"), CAMBIUM_PROGRAM};
    argv.insert(argv.end(), command.begin(), command.end());
    const auto outcome = run_process({argv, "", {}});
    ASSERT_TRUE(outcome.ok());
    SCOPED_TRACE(command[0] + ": " + outcome->errors);
    EXPECT_EQ(outcome->text(), "exit code 1");
    EXPECT_EQ(outcome->errors.rfind("cambium: " + path("none"), 0), 0u);
    EXPECT_NE(outcome->errors.find("TMPDIR"), std::string::npos);
    EXPECT_EQ(std::count(outcome->errors.begin(), outcome->errors.end(), '\n'), 1);
  }
}

}  // namespace
}  // namespace cambium::tests
