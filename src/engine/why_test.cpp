#include "engine/why.h"

#include <filesystem>
#include <optional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/features.h"
#include "base/file.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/scratch_folder_testing.h"
#include "engine/machines.h"
#include "store/tuning_store.h"
#include "tune/database.h"

namespace cambium::engine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = R"(program kernel(x0: f32[8, 4] input,
                y0: f32[8] output) {
  for l0 in 8 {
    for l1 in 4 {
      block b0(spatial i0 = l0, reduce k0 = l1) {
        y0[i0] += x0[i0, k0] init 0.0
      }
    }
  }
}
)";

class Why : public testing::Test {
 protected:
  Why() {
    auto opened = store::TuningStore::open(db());
    EXPECT_TRUE(opened.ok()) << opened.rejection().message();
    store_.emplace(std::move(opened).value());
    EXPECT_TRUE(store_->remember(store::TunedProgram{key_.program, "rows", kProgram}).ok());
  }
  ~Why() override { store_.reset(); }
  std::string db() const { return folder_ / "t.db"; }

  std::int64_t add(std::uint64_t scheduled, const std::string& trace, const std::string& reason,
                   const std::string& detail = "") {
    store::Trial trial;
    trial.scheduled.high = scheduled;
    trial.trace = trace;
    trial.reason = reason;
    trial.detail = detail;
    if (reason.empty()) trial.samples = {{store::Protocol::Rank, 2e-6, 0.01, 8, 0}};
    const auto id = store_->add(key_, trial);
    EXPECT_TRUE(id.ok()) << id.rejection().message();
    return *id;
  }

  ScratchFolder folder_;
  store::TuningKey key_{{1, 2}, {3, 4}, 1, "test"};
  std::optional<store::TuningStore> store_;
};

constexpr const char* kReady = "decompose_reduction(block: b0, loop: l1) -> b0.init\n";

TEST_F(Why, NamesTheStepThatIsRefusedAndShowsTheLoopsBeforeIt) {
  const std::int64_t id =
      add(7, "split(loop: l0, factors: [0, 4], tail: guard) -> l0.0, l0.1\nvectorize(loop: l1)\n",
          "ParallelReduction", "as it was recorded");
  const auto why = explain(std::to_string(id), db());
  ASSERT_TRUE(why.ok()) << why.rejection().message();
  EXPECT_EQ(why->refused_step, 1);
  EXPECT_EQ(why->steps.size(), 2u);
  EXPECT_NE(why->refusal.find("l1"), std::string::npos) << why->refusal;
  EXPECT_NE(why->before.find("for l0.1 in 4"), std::string::npos) << why->before;
  EXPECT_NE(why->verdict.find("step 2 of 2"), std::string::npos) << why->verdict;
  EXPECT_EQ(why->program, "rows");
}

TEST_F(Why, TellsWhatIsWrongWithTheWhole) {
  const std::int64_t id = add(7, "unroll(loop: l1)\n", "InitNotDecomposed");
  const auto why = explain(std::to_string(id), db());
  ASSERT_TRUE(why.ok());
  EXPECT_EQ(why->refused_step, -1);
  EXPECT_NE(why->verdict.find("all steps apply, but"), std::string::npos) << why->verdict;
}

TEST_F(Why, TellsWhatWasRecordedOfACrash) {
  const std::int64_t id = add(7, "", "KernelCrashed", "SIGSEGV writing behind 'y0'");
  const auto parsed = explain(std::to_string(id), db());
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->reason, "KernelCrashed");
  EXPECT_EQ(parsed->detail, "SIGSEGV writing behind 'y0'");
}

// Code is made for the machine of the record, which need not be this one.
TEST_F(Why, MakesCodeForTheMachineThatTheRecordIsOf) {
  if (!require_feature("llvm").ok()) GTEST_SKIP() << "needs LLVM";
  Machine other = *machine_named("avx2");
  other.triple = "nowhere-none";
  const std::int64_t id = add(7, kReady, "KernelCrashed", "there");
  EXPECT_EQ(explain(std::to_string(id), db())->refusal, "") << "the machine is not known";
  ASSERT_TRUE(store_->remember(store::TunedMachine{key_.machine, "{}"}).ok());
  EXPECT_EQ(explain(std::to_string(id), db())->refusal, "") << "the machine cannot be read";
  ASSERT_TRUE(store_->remember(store::TunedMachine{key_.machine, json_text(json_of(other))}).ok());
  EXPECT_NE(explain(std::to_string(id), db())->refusal.find("nowhere"), std::string::npos)
      << explain(std::to_string(id), db())->refusal;
}

// The process that explains would end as the one that was tuning did.
TEST_F(Why, TellsOfACompilationThatNobodySurvivedAndDoesNotRepeatIt) {
  Machine other = *machine_named("avx2");
  other.triple = "nowhere-none";
  ASSERT_TRUE(store_->remember(store::TunedMachine{key_.machine, json_text(json_of(other))}).ok());
  tune::Task task;
  task.fingerprint = key_.program;
  tune::Database database(*store_, other, key_.codegen, 1);
  key_.machine = fingerprint_of(other);
  ASSERT_TRUE(
      database.begin_build(task, {schedule::parse_trace(kReady).value(), {7, 7}, "random"}, 3)
          .ok());
  const auto why = explain(Fingerprint{7, 7}.text(), db());
  ASSERT_TRUE(why.ok()) << why.rejection().message();
  EXPECT_EQ(why->refusal, "");
  EXPECT_EQ(why->reason, "CodegenFailed");
  EXPECT_NE(why->verdict.find("the process ended while this was compiled"), std::string::npos)
      << why->verdict;
}

TEST_F(Why, FindsATrialByTheBeginningOfItsFingerprint) {
  add(0xabcd1f0000000000, kReady, "");
  add(0xabcd200000000000, kReady, "");
  const auto one = explain("abcd1", db());
  ASSERT_TRUE(one.ok()) << one.rejection().message();
  EXPECT_NE(one->verdict.find("not refused"), std::string::npos) << one->verdict;
  EXPECT_EQ(explain("abcd", db()).rejection().reason(), Reason::BadOption) << "it begins two";
  EXPECT_EQ(explain("fedc", db()).rejection().reason(), Reason::NoSuchTrial);
}

TEST_F(Why, ReplaysATraceOnTheProgramThatItFitsFurthest) {
  ASSERT_TRUE(store_
                  ->remember(store::TunedProgram{
                      {5, 6},
                      "other",
                      "program kernel(y0: f32[2] output) {\n  for m0 in 2 {\n    "
                      "block b0(spatial i0 = m0) { y0[i0] = 1.0 }\n  }\n}\n"})
                  .ok());
  const std::string trace = folder_ / "a.trace";
  ASSERT_TRUE(write_file(trace, kReady).ok());
  const auto why = explain(trace, db());
  ASSERT_TRUE(why.ok()) << why.rejection().message();
  EXPECT_EQ(why->program, "rows");
  EXPECT_EQ(why->refused_step, -1) << why->refusal;
  EXPECT_EQ(explain(trace, db(), "other")->refused_step, 0);
  EXPECT_EQ(explain(trace, db(), "neither").rejection().reason(), Reason::NoSuchTrial);
}

TEST_F(Why, ReplaysWhatATraceDidBehindItsNeuralHalf) {
  const std::string trace = folder_ / "whole.trace";
  ASSERT_TRUE(write_file(trace, std::string("normalize(block: conv) -> n, co\n"
                                            "bottleneck(loop: co, factor: 2, accept: true)\n"
                                            "canonical_names()\n") +
                                    kReady)
                  .ok());
  const auto why = explain(trace, db());
  ASSERT_TRUE(why.ok()) << why.rejection().message();
  EXPECT_EQ(why->refused_step, -1) << why->refusal;
  EXPECT_EQ(why->steps.size(), 1u);
}

TEST_F(Why, ReplaysAWholeTraceOnTheProgramOfAFile) {
  const std::string trace = folder_ / "whole.trace", program = folder_ / "begin.program";
  ASSERT_TRUE(write_file(program, kProgram).ok());
  ASSERT_TRUE(write_file(trace, std::string("canonical_names()\n") + kReady).ok());
  const auto why = explain(trace, folder_ / "none.db", program);
  ASSERT_TRUE(why.ok()) << why.rejection().message();
  EXPECT_EQ(why->refused_step, -1) << why->refusal;
  EXPECT_EQ(why->steps.size(), 2u);
  EXPECT_EQ(why->program, program);
  ASSERT_TRUE(write_file(program, "program").ok());
  EXPECT_EQ(explain(trace, folder_ / "none.db", program).rejection().reason(), Reason::BadSyntax);
}

TEST_F(Why, RefusesADatabaseThatIsNotThere) {
  EXPECT_EQ(explain("1", folder_ / "none.db").rejection().reason(), Reason::NotFound);
}

}  // namespace
}  // namespace cambium::engine
