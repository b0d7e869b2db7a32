#include "tune/database.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/scratch_folder_testing.h"

namespace cambium::tune {
namespace {

class DatabaseTest : public testing::Test {
 protected:
  DatabaseTest() {
    store_ = store::TuningStore::open(folder_ / "tuning.db").value();
    machine_ = *machine_named("avx512");
    task_.name = "conv";
    task_.fingerprint = fingerprint_of("conv");
    task_.threads = 2;
  }

  Database database(const std::string& codegen = "llvm-1") {
    return Database(*store_, machine_, codegen, 7);
  }

  ScratchFolder folder_;
  std::optional<store::TuningStore> store_;
  Machine machine_;
  Task task_;
};

schedule::Trace trace_number(int number) {
  return schedule::parse_trace("split(loop: l0, factors: [0, " + std::to_string(number) +
                               "], tail: guard) -> l0.0, l0.1\n")
      .value();
}

Candidate candidate_number(int number) {
  return {trace_number(number), fingerprint_of(number), "evolution"};
}

Outcome outcome_number(int number, Result<Measurement> result) {
  return {number, candidate_number(number), std::move(result), {{1.0F, 2.0F}, 1}};
}

Measurement seconds(double value) {
  return {value, 0.01, 5, {}, 0.5};
}

TEST_F(DatabaseTest, KnowsWhatWasRecordedOldestFirst) {
  Database database = this->database();
  EXPECT_TRUE(database.known(task_)->empty());
  ASSERT_TRUE(database.record(task_, outcome_number(4, seconds(3))).ok());
  ASSERT_TRUE(
      database.record(task_, outcome_number(2, Rejection(Reason::KernelTimeout, 100))).ok());
  const std::vector<Memory::Known> known = *database.known(task_);
  ASSERT_EQ(known.size(), 2U);
  EXPECT_EQ(known[0].number, 4);
  EXPECT_EQ(known[0].candidate.scheduled, fingerprint_of(4));
  EXPECT_EQ(known[0].candidate.strategy, "evolution");
  EXPECT_EQ(schedule::to_text(known[0].candidate.trace), schedule::to_text(trace_number(4)));
  ASSERT_TRUE(known[0].measurement.has_value());
  EXPECT_EQ(known[0].measurement->value, 3);
  EXPECT_EQ(known[0].measurement->samples, 5);
  EXPECT_EQ(known[0].measurement->max_error, 0.5);
  EXPECT_EQ(known[0].measurement->machine, fingerprint_of(machine_));
  EXPECT_EQ(known[0].samples_by_comparison, 0);
  EXPECT_FALSE(known[1].measurement.has_value());

  const std::vector<store::Trial> trials = *store_->trials(database.key_of(task_));
  EXPECT_EQ(trials[0].seed, 7U);
  EXPECT_EQ(trials[0].features, (std::vector<float>{1, 2}));
  EXPECT_EQ(trials[0].rows, 1);
  EXPECT_EQ(trials[1].reason, "KernelTimeout");
  EXPECT_EQ(trials[1].detail, Rejection(Reason::KernelTimeout, 100).message());
}

TEST_F(DatabaseTest, KeepsTasksThreadsMachinesAndCodeGeneratorsApart) {
  Database database = this->database();
  ASSERT_TRUE(database.record(task_, outcome_number(4, seconds(3))).ok());
  Task other = task_;
  other.threads = 1;
  EXPECT_TRUE(database.known(other)->empty());
  other = task_;
  other.fingerprint = fingerprint_of("another");
  EXPECT_TRUE(database.known(other)->empty());
  EXPECT_TRUE(this->database("llvm-2").known(task_)->empty());
  machine_ = *machine_named("avx2");
  EXPECT_TRUE(this->database().known(task_)->empty());
  other = task_;
  other.name = "the same under another name";
  EXPECT_EQ(database.known(other)->size(), 1U);
}

TEST_F(DatabaseTest, LetsAComparisonHaveTheLastWord) {
  Database database = this->database();
  ASSERT_TRUE(database.record(task_, outcome_number(1, seconds(1))).ok());
  ASSERT_TRUE(database.record(task_, outcome_number(2, seconds(2))).ok());
  ASSERT_TRUE(database.record_comparison(task_, candidate_number(1), seconds(4)).ok());
  ASSERT_TRUE(database.record_comparison(task_, candidate_number(2), seconds(3)).ok());
  const std::vector<Memory::Known> known = *database.known(task_);
  EXPECT_EQ(known[0].measurement->value, 4);
  EXPECT_EQ(known[1].measurement->value, 3);
  EXPECT_EQ(known[1].samples_by_comparison, 5);
  const auto best = best_schedules(*store_, database.key_of(task_));
  ASSERT_TRUE(best.ok() && !best->empty());
  EXPECT_EQ(schedule::to_text(best->front().trace), schedule::to_text(trace_number(2)));
}

TEST_F(DatabaseTest, TakesTheTidiedTraceOfAFinalist) {
  Database database = this->database();
  ASSERT_TRUE(database.record(task_, outcome_number(1, seconds(1))).ok());
  const Candidate shorter{trace_number(9), fingerprint_of(1), "evolution"};
  ASSERT_TRUE(database.record_comparison(task_, shorter, seconds(4)).ok());
  const auto best = best_schedules(*store_, database.key_of(task_));
  EXPECT_EQ(schedule::to_text(best->front().trace), schedule::to_text(trace_number(9)));
}

TEST_F(DatabaseTest, KnowsWhatProcessesDiedInAndBlamesItForNothing) {
  Database database = this->database();
  ASSERT_TRUE(database.begin_build(task_, candidate_number(1), 5).ok());
  ASSERT_TRUE(database.begin_build(task_, candidate_number(2), 6).ok());
  ASSERT_TRUE(database.end_build(task_, fingerprint_of(2)).ok());
  const std::vector<Memory::Known> known = *database.known(task_);
  ASSERT_EQ(known.size(), 1U) << "one that was built but not timed is tried again";
  EXPECT_EQ(known[0].candidate.scheduled, fingerprint_of(1));
  EXPECT_EQ(known[0].number, 5);
  EXPECT_FALSE(known[0].measurement.has_value());
  const std::vector<store::Trial> trials = *store_->trials(database.key_of(task_));
  EXPECT_EQ(trials[0].reason, "CodegenFailed");
  EXPECT_NE(trials[0].detail.find("while this was compiled"), std::string::npos);
  EXPECT_TRUE(known[0].was_begun);
  ASSERT_TRUE(database.begin_build(task_, candidate_number(1), 5).ok());
  EXPECT_TRUE(database.known(task_)->front().was_begun) << "a second kill from outside";
  const Outcome died{5, candidate_number(1), Rejection(Reason::CodegenFailed, "it died")};
  ASSERT_TRUE(database.record(task_, died).ok());
  EXPECT_FALSE(database.known(task_)->front().was_begun) << "now somebody has seen it";
  EXPECT_EQ(database.known(task_)->front().reason, "CodegenFailed");
}

TEST_F(DatabaseTest, HasNoTimeOfAFinalistThatFailed) {
  Database database = this->database();
  ASSERT_TRUE(database.record(task_, outcome_number(1, seconds(1))).ok());
  ASSERT_TRUE(database.record(task_, outcome_number(2, seconds(2))).ok());
  const Rejection crash(Reason::KernelCrashed, "planted");
  ASSERT_TRUE(database.record_refusal(task_, fingerprint_of(1), crash).ok());
  EXPECT_FALSE(database.known(task_)->front().measurement.has_value());
  const auto best = best_schedules(*store_, database.key_of(task_));
  EXPECT_EQ(schedule::to_text(best->front().trace), schedule::to_text(trace_number(2)));
}

TEST_F(DatabaseTest, RefusesToCompareWhatWasNeverRecorded) {
  Database database = this->database();
  ASSERT_TRUE(this->database("llvm-2").record(task_, outcome_number(1, seconds(1))).ok());
  const Status compared = database.record_comparison(task_, candidate_number(1), seconds(4));
  ASSERT_FALSE(compared.ok());
  EXPECT_EQ(compared.rejection().reason(), Reason::DatabaseFailed);
}

// Every change of the code generator begins a new key, and the default schedule is under all.
TEST_F(DatabaseTest, ComparesUnderOneKeyOfManyThatHaveTheProgram) {
  constexpr int kKeys = 120;
  for (int i = 0; i < kKeys; ++i) {
    Database database = this->database("llvm-" + std::to_string(i));
    ASSERT_TRUE(database.record(task_, outcome_number(1, seconds(1))).ok());
  }
  Database last = database("llvm-" + std::to_string(kKeys - 1));
  const Status compared = last.record_comparison(task_, candidate_number(1), seconds(4));
  ASSERT_TRUE(compared.ok()) << compared.rejection().message();
  EXPECT_EQ(last.known(task_)->front().measurement->value, 4);
  EXPECT_EQ(database("llvm-0").known(task_)->front().measurement->value, 1);
}

TEST_F(DatabaseTest, PassesOverTracesThatCannotBeReadUntilTheyAreTriedAgain) {
  Database database = this->database();
  store::Trial old;
  old.scheduled = fingerprint_of(3);
  old.trace = "a_step_of_long_ago(loop: l0)\n";
  old.samples = {{store::Protocol::Rank, 0.5}};
  ASSERT_TRUE(store_->add(database.key_of(task_), old).ok());
  ASSERT_TRUE(database.record(task_, outcome_number(4, seconds(3))).ok());
  EXPECT_EQ(database.known(task_)->size(), 1U);
  auto best = best_schedules(*store_, database.key_of(task_));
  ASSERT_TRUE(best.ok() && !best->empty());
  EXPECT_EQ(schedule::to_text(best->front().trace), schedule::to_text(trace_number(4)));

  ASSERT_TRUE(database.record(task_, outcome_number(3, seconds(1))).ok());
  EXPECT_EQ(database.known(task_)->size(), 2U);
  best = best_schedules(*store_, database.key_of(task_));
  EXPECT_EQ(schedule::to_text(best->front().trace), schedule::to_text(trace_number(3)));
}

TEST_F(DatabaseTest, HasNoBestTraceWhereEverythingWasRefused) {
  Database database = this->database();
  ASSERT_TRUE(
      database.record(task_, outcome_number(2, Rejection(Reason::KernelTimeout, 100))).ok());
  const auto best = best_schedules(*store_, database.key_of(task_));
  ASSERT_TRUE(best.ok());
  EXPECT_TRUE(best->empty());
}

}  // namespace
}  // namespace cambium::tune
