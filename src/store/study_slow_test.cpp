// A study of a hundred thousand candidates. The bounds are the promises of docs/study.md, in
// seconds of a processor, since others may be busy on the machine; what passed on the clock is
// printed too.
#include <chrono>
#include <cstdio>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "store/study_testing.h"

namespace cambium::store {
namespace {

constexpr std::uint64_t kCandidates = 100'000;
constexpr const char* kEvaluators[] = {"cost", "proxy", "latency", "accuracy"};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

rusage usage() {
  rusage of_self{};
  getrusage(RUSAGE_SELF, &of_self);
  return of_self;
}

double peak_megabytes() {
  return static_cast<double>(usage().ru_maxrss) / 1024;
}

double processor_seconds() {
  const rusage now_used = usage();
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(now_used.ru_utime) + seconds(now_used.ru_stime);
}

// From its making on; says what passed and gives the processor's seconds.
class Stopwatch {
 public:
  double stop(const char* what, double count) const {
    const double clock = now() - clock_, processor = processor_seconds() - processor_;
    std::printf("%-36s %7.2f s (processor %6.2f s) %9.0f /s   peak %.0f MB\n", what, clock,
                processor, count / clock, peak_megabytes());
    return processor;
  }

 private:
  double clock_ = now(), processor_ = processor_seconds();
};

// A document as long as that of an operator.
StudyCandidate large_candidate(std::uint64_t number) {
  StudyCandidate candidate = candidate_number(number);
  candidate.document += std::string(600, 'd');
  return candidate;
}

TEST(StudyScale, StaysResponsiveWithAHundredThousandCandidates) {
  const ScratchFolder folder;
  const std::string path = folder / "study.db";
  const Stopwatch adding;
  {
    StudyStore store = opened_study(path);
    for (std::uint64_t i = 0; i < kCandidates; ++i) {
      ASSERT_TRUE(store.add(large_candidate(i)).ok());
      for (const char* evaluator : kEvaluators) {
        ASSERT_TRUE(store
                        .add(i % 5 == 4 ? refused_evaluation(i, evaluator, "NotPromising")
                                        : evaluation_number(i, evaluator))
                        .ok());
      }
    }
  }
  EXPECT_LT(adding.stop("adding, each its own transaction", 5.0 * kCandidates),
            5.0 * kCandidates / 2000);
  std::printf("%.0f MB on disk\n", static_cast<double>(std::filesystem::file_size(path)) / 1e6);

  const double memory = peak_megabytes();
  const Stopwatch resuming;
  StudyStore store = opened_study(path);
  std::uint64_t candidates = 0, evaluations = 0;
  ASSERT_TRUE(store.each_candidate([&](const StudyCandidate&) { return ++candidates > 0; }).ok());
  ASSERT_TRUE(store.each_evaluation([&](const Evaluation&) { return ++evaluations > 0; }).ok());
  EXPECT_LT(resuming.stop("opening and reading all", 5.0 * kCandidates), 3);
  EXPECT_EQ(candidates, kCandidates);
  EXPECT_EQ(evaluations, 4 * kCandidates);
  EXPECT_LT(peak_megabytes() - memory, 50);

  const Stopwatch finding;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(store.evaluation(key_of(i * 7 % kCandidates, "accuracy"))->has_value());
  }
  EXPECT_LT(finding.stop("evaluations by key", 10'000), 2);
  const Stopwatch counting;
  EXPECT_EQ(store.rejections()->size(), 4U);
  EXPECT_TRUE(store.pending("")->empty());
  EXPECT_LT(counting.stop("rejections, and what is pending", 2), 1);

  const Stopwatch merging;
  StudyStore other = opened_study(folder / "other.db");
  EXPECT_EQ(other.merge(path)->evaluations, static_cast<std::int64_t>(4 * kCandidates));
  merging.stop("merging all", 5.0 * kCandidates);
  const Stopwatch again;
  EXPECT_EQ(other.merge(path)->evaluations, 0);
  again.stop("merging what is there", 5.0 * kCandidates);
  EXPECT_LT(peak_megabytes(), 100);
}

}  // namespace
}  // namespace cambium::store
