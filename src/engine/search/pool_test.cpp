#include "engine/search/pool.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/scratch_folder_testing.h"
#include "search/testing/toy_search.h"

namespace cambium::engine {
namespace {

class Pool : public ::testing::Test {
 protected:
  WorkerKind kind(int workers) const {
    WorkerKind kind;
    kind.argv = {CAMBIUM_FAKE_WORKER, folder_.path()};
    kind.evaluators = {{"accuracy", {"v1", {}}}};
    kind.workers = workers;
    kind.seconds = kLimit;
    return kind;
  }

  // A pool whose clock stands still: a job has all the time it needs, until the limit of all that
  // run is over.
  LocalPool pool_of(int workers) {
    return LocalPool({}, {kind(workers)}, {}, [this] { return clock_; });
  }
  void pass_the_limit() { clock_ += kLimit + 1; }

  void wait_for_file(const std::string& name) const {
    while (!std::filesystem::exists(folder_ / name)) ::usleep(1000);
  }

  static search::Job job(std::int64_t id, const std::string& what,
                         const std::string& evaluator = "accuracy") {
    search::Job job;
    job.id = id;
    job.key.evaluator = evaluator;
    job.key.options = what;
    return job;
  }

  static std::map<std::int64_t, store::Evaluation> all(LocalPool& pool, std::size_t count) {
    std::map<std::int64_t, store::Evaluation> results;
    for (int i = 0; i < 600 && results.size() < count; ++i) {
      if (auto result = pool.wait(0.1)) results.emplace(result->id, result->evaluation);
    }
    return results;
  }

  static constexpr double kLimit = 60;  // for a job, in seconds
  ScratchFolder folder_;
  double clock_ = 0;
};

TEST_F(Pool, KeepsAWorkerWarmOverManyJobs) {
  LocalPool pool({}, {kind(1)}, {});
  for (int i = 0; i < 5; ++i) pool.submit(job(i, "answer"));
  const auto results = all(pool, 5);
  ASSERT_EQ(results.size(), 5u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(results.at(i).values.at("served").value, i + 1);
  EXPECT_EQ(pool.deaths(), 0);
}

TEST_F(Pool, StaysOnTheDeviceThatWasChosenFirst) {
  LocalPool pool({}, {kind(1)}, {});
  std::vector<std::string> heard;
  pool.on_device([&](const std::string& device) { heard.push_back(device); });
  for (const int id : {0, 1}) {
    pool.submit(job(id, "device"));
    const auto result = pool.wait(60);
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(result->evaluation.values.at("was auto").value, id == 0 ? 1 : 0);
    EXPECT_EQ(result->device, "cuda:0");
  }
  EXPECT_EQ(heard, std::vector<std::string>{"cuda:0"});
}

TEST_F(Pool, RunsAsManyJobsAtOnceAsItHasWorkers) {
  LocalPool pool({}, {kind(3)}, {});
  for (int i = 0; i < 9; ++i) pool.submit(job(i, "slow"));
  std::set<double> processes;
  for (const auto& [id, evaluation] : all(pool, 9)) {
    processes.insert(evaluation.values.at("process").value);
  }
  EXPECT_EQ(processes.size(), 3u);
}

TEST_F(Pool, RecordsWhatDiesOfItsOwnAndGoesOn) {
  LocalPool pool({}, {kind(2)}, {});
  pool.submit(job(0, "answer"));
  pool.submit(job(1, "crash"));
  pool.submit(job(2, "answer"));
  pool.submit(job(3, "exit"));
  pool.submit(job(4, "answer"));
  const auto results = all(pool, 5);
  ASSERT_EQ(results.size(), 5u);
  EXPECT_EQ(results.at(1).reason, "WorkerDied");
  EXPECT_NE(results.at(1).detail.find("SIGSEGV"), std::string::npos) << results.at(1).detail;
  EXPECT_EQ(results.at(3).reason, "WorkerDied");
  EXPECT_NE(results.at(3).detail.find("I give up"), std::string::npos) << results.at(3).detail;
  for (const int good : {0, 2, 4}) {
    EXPECT_EQ(results.at(good).state, store::EvaluationState::Done);
  }
  EXPECT_EQ(pool.deaths(), 4) << "each was tried twice";
}

TEST_F(Pool, TriesAJobOnceMoreWhoseWorkerDied) {
  LocalPool pool({}, {kind(2)}, {});
  pool.submit(job(0, "crash once"));
  const auto results = all(pool, 1);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results.at(0).state, store::EvaluationState::Done);
  EXPECT_EQ(pool.deaths(), 1);
}

TEST_F(Pool, EndsAJobThatTakesTooLong) {
  LocalPool pool = pool_of(1);
  pool.submit(job(0, "hang"));
  pool.submit(job(1, "answer"));
  EXPECT_FALSE(pool.wait(0.05).has_value());
  pass_the_limit();
  const auto results = all(pool, 2);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results.at(0).reason, "WorkerDied");
  EXPECT_NE(results.at(0).detail.find("longer than"), std::string::npos);
  EXPECT_EQ(results.at(1).state, store::EvaluationState::Done);
}

// ---- what neighbours do to each other

TEST_F(Pool, TriesOnceMoreAloneWhatHadTooLittleMemoryBesideOthers) {
  LocalPool pool = pool_of(2);
  pool.submit(job(0, "busy"));
  wait_for_file("slow");
  pool.submit(job(1, "large"));
  wait_for_file("beside");
  std::ofstream(folder_ / "let go") << "x";
  const auto results = all(pool, 2);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results.at(1).state, store::EvaluationState::Done) << results.at(1).detail;
  EXPECT_EQ(pool.deaths(), 0);
}

TEST_F(Pool, TriesOnceMoreAloneWhatHadTooLittleTimeBesideOthers) {
  LocalPool pool = pool_of(2);
  pool.submit(job(0, "busy"));
  wait_for_file("slow");
  pool.submit(job(1, "patient"));
  wait_for_file("beside");
  std::ofstream(folder_ / "let go") << "x";
  EXPECT_TRUE(all(pool, 1).contains(0));
  pass_the_limit();
  const auto results = all(pool, 1);
  ASSERT_TRUE(results.contains(1));
  EXPECT_EQ(results.at(1).state, store::EvaluationState::Done) << results.at(1).detail;
  EXPECT_EQ(pool.deaths(), 1);
}

TEST_F(Pool, TriesNothingAgainThatHadTheMachineForItself) {
  std::ofstream(folder_ / "slow") << "x";  // whatever is in its way, it is no neighbour
  LocalPool pool = pool_of(2);
  pool.submit(job(0, "large"));
  EXPECT_EQ(all(pool, 1).at(0).reason, "NotEnoughMemory");
  pool.submit(job(1, "patient"));
  pass_the_limit();
  EXPECT_EQ(all(pool, 1).at(1).reason, "WorkerDied");
  EXPECT_EQ(pool.deaths(), 1);
}

TEST_F(Pool, HoldsWorkersToTheirMemory) {
  WorkerKind small = kind(1);
  small.memory_bytes = std::int64_t{300} << 20;
  LocalPool limited({}, {small}, {}), free({}, {kind(1)}, {});
  for (LocalPool* pool : {&limited, &free}) pool->submit(job(0, "hungry"));
  EXPECT_EQ(all(limited, 1).at(0).reason, "WorkerDied");
  EXPECT_EQ(all(free, 1).at(0).state, store::EvaluationState::Done);
}

// Whoever proposes candidates takes the processor too.
TEST_F(Pool, MeasuresOnlyWhileTheCallerWaits) {
  WorkerKind timing = kind(1);
  timing.evaluators = {{"latency", {"v1", {}}}};
  timing.is_alone = true;
  LocalPool pool({}, {kind(1), timing}, {});
  const auto has_begun = [&] { return std::filesystem::exists(folder_ / "stamp"); };
  pool.submit(job(0, "answer"));
  pool.submit(job(1, "stamp", "latency"));
  ASSERT_EQ(pool.wait(60)->id, 0);
  ::usleep(300'000);
  EXPECT_FALSE(has_begun()) << "the caller has not waited since";
  ASSERT_EQ(pool.wait(60)->id, 1);
  EXPECT_TRUE(has_begun());
}

TEST_F(Pool, DealsDevicesToWorkersInTurn) {
  JobSetting setting;
  setting.device = "cuda:0,cuda:1";
  LocalPool pool(setting, {kind(4)}, {});
  for (int i = 0; i < 4; ++i) pool.submit(job(i, "device"));
  std::multiset<std::string> devices;
  for (int i = 0; i < 4; ++i) {
    const auto result = pool.wait(60);
    ASSERT_TRUE(result.has_value());
    devices.insert(result->device);
  }
  EXPECT_EQ(devices, (std::multiset<std::string>{"cuda:0", "cuda:0", "cuda:1", "cuda:1"}));
}

TEST_F(Pool, TakesAnAnswerThatCannotBeReadForOne) {
  LocalPool pool({}, {kind(1)}, {});
  pool.submit(job(3, "no number"));
  const auto result = pool.wait(60);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->evaluation.reason, "BadJob");
  pool.submit(job(4, "answer"));
  EXPECT_EQ(all(pool, 1).at(4).state, store::EvaluationState::Done);
}

TEST_F(Pool, MeasuresWithNothingBesideIt) {
  WorkerKind timing = kind(1);
  timing.evaluators = {{"latency", {"v1", {}}}};
  timing.is_alone = true;
  LocalPool pool({}, {kind(2), timing}, {});
  // Two slow ones, one that must wait for both, one that must wait for that.
  const auto begin = std::chrono::steady_clock::now();
  pool.submit(job(0, "slow"));
  pool.submit(job(1, "slow"));
  pool.submit(job(2, "slow", "latency"));
  pool.submit(job(3, "slow"));
  ASSERT_EQ(all(pool, 4).size(), 4u);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(taken.count(), 0.6);
}

TEST_F(Pool, BringsArtifactsAndRefusalsAndIgnoresTalk) {
  LocalPool pool({}, {kind(1)}, {});
  pool.submit(job(5, "artifact"));
  const auto brought = pool.wait(60);
  ASSERT_TRUE(brought.has_value());
  ASSERT_EQ(brought->artifacts.size(), 1u);
  EXPECT_EQ(brought->artifacts[0].name, "weights");
  EXPECT_EQ(brought->artifacts[0].bytes,
            (std::vector<std::byte>{std::byte{1}, std::byte{0}, std::byte{255}}));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "files are taken away";
  EXPECT_EQ(brought->evaluation.curve, (std::vector<store::CurvePoint>{{1, 0.5, 2.25, 10}}));
  pool.submit(job(6, "refuse"));
  pool.submit(job(7, "talk"));
  const auto results = all(pool, 2);
  EXPECT_EQ(results.at(6).state, store::EvaluationState::Refused);
  EXPECT_EQ(results.at(6).detail, "no \"good\"");
  EXPECT_EQ(results.at(7).state, store::EvaluationState::Done);
}

TEST_F(Pool, SaysWhyAnEvaluatorIsNotHere) {
  LocalPool pool({}, {kind(1)}, {{"latency", "this build has no LLVM"}});
  EXPECT_TRUE(pool.offer("accuracy").ok());
  const auto absent = pool.offer("latency");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.rejection().reason(), Reason::Unavailable);
  EXPECT_NE(absent.rejection().message().find("no LLVM"), std::string::npos);
}

TEST_F(Pool, AMissingProgramIsAResult) {
  WorkerKind missing = kind(1);
  missing.argv = {"/nowhere/worker"};
  LocalPool pool({}, {missing}, {});
  pool.submit(job(0, "answer"));
  const auto results = all(pool, 1);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results.at(0).reason, "NotFound");
}

TEST_F(Pool, ForgetsWhatWasCancelled) {
  LocalPool pool({}, {kind(1)}, {});
  pool.submit(job(0, "hang"));
  pool.submit(job(1, "answer"));
  pool.cancel();
  EXPECT_FALSE(pool.wait(0.05).has_value());
  pool.submit(job(2, "answer"));
  const auto result = pool.wait(60);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->id, 2);
}

// A search whose workers lose their device on the way.
class LostDevice : public Pool, public ::testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(All, LostDevice, ::testing::Values("lost", "deadly"));

TEST_P(LostDevice, EndsTheSearchWhichGoesOnOnceItIsBack) {
  search::testing::ToySearch bench("toy-blocks");
  search::SearchOptions options = search::testing::toy_options("random", 30);
  options.funnel.explore = {search::testing::toy_stage("accuracy", 2)};
  options.funnel.explore[0].options = GetParam();
  options.funnel.finals.clear();
  {
    LocalPool pool({}, {kind(2)}, {});
    const auto failed = bench.run(options, pool);
    ASSERT_FALSE(failed.ok());
    const bool is_told = std::string(GetParam()) == "lost";
    EXPECT_EQ(failed.rejection().reason(), is_told ? Reason::Unavailable : Reason::WorkerDied);
    EXPECT_NE(failed.rejection().message().find(is_told ? "cuda:0" : "SIGABRT"), std::string::npos)
        << failed.rejection().message();
  }
  EXPECT_TRUE(bench.study->rejections()->empty()) << "no candidate is held responsible";
  std::ofstream(folder_ / "back") << "x";
  LocalPool pool({}, {kind(2)}, {});
  const auto report = bench.run(options, pool);
  ASSERT_TRUE(report.ok()) << report.rejection().message();
  EXPECT_EQ(report->last.folded, 30);
}

TEST(JobLines, RoundTrip) {
  search::Job job;
  job.id = 12;
  job.key = {fingerprint_of("c"), "accuracy", "v2", "{\"epochs\":2}", 2.5, 7, fingerprint_of("m")};
  job.candidate = "{\"edits\":[\"a\\nb\"]}";
  job.reference = {0.25, 1.0 / 3};
  const JobSetting setting{"zoo:resnet18", {{"classes", "10"}}, "cifar10", "[]",
                           "tuned.db",     "machine.json",      "cuda:1",  3};
  const auto read = parse_job(job_line(job, setting));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->job.id, job.id);
  EXPECT_EQ(read->job.key, job.key);
  EXPECT_EQ(read->job.candidate, job.candidate);
  EXPECT_EQ(read->job.reference, job.reference);
  EXPECT_EQ(read->setting, setting);
}

// They are kept as they are or refused, never cut.
TEST(JobLines, RefusesNumbersThatDoNotFit) {
  search::Job job;
  job.id = 7777;
  job.key = {fingerprint_of("c"), "accuracy", "v2", "{}", 2.5, 8888, fingerprint_of("m")};
  JobSetting setting;
  setting.threads = 99;
  const std::string line = job_line(job, setting);
  const auto reads = [&](const std::string& field, const std::string& number) {
    const std::size_t begin = line.find("\"" + field + "\":") + field.size() + 3;
    const std::size_t end = line.find_first_of(",}", begin);
    return parse_job(line.substr(0, begin) + number + line.substr(end));
  };
  ASSERT_TRUE(parse_job(line).ok());
  for (const char* id : {"18446744073709551615", "9223372036854775808"}) {
    EXPECT_FALSE(reads("id", id).ok()) << id;
  }
  for (const char* seed : {"-1", "-9223372036854775808"}) {
    EXPECT_FALSE(reads("seed", seed).ok()) << seed;
  }
  for (const char* threads : {"4294967297", "18446744073709551615", "-4294967295"}) {
    EXPECT_FALSE(reads("threads", threads).ok()) << threads;
  }
  const auto largest = reads("seed", "18446744073709551615");
  ASSERT_TRUE(largest.ok()) << largest.rejection().message();
  EXPECT_EQ(largest->job.key.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(reads("id", "-9223372036854775808")->job.id, std::numeric_limits<std::int64_t>::min());
}

TEST(JobLines, RefusesWhatIsNoJob) {
  for (const char* line : {"", "[]", "{}", "{\"id\": \"x\"}", "{\"id\": 1, \"key\": 3}"}) {
    const auto read = parse_job(line);
    ASSERT_FALSE(read.ok()) << line;
    EXPECT_EQ(read.rejection().reason(), Reason::BadJob);
  }
}

}  // namespace
}  // namespace cambium::engine
