// sample_report STUDY FOLDER COUNT: a study of made-up candidates and its report; where the study
// is there already, only the report. COUNT -1: a study in which nothing happened yet. What the
// browser test looks at, and what is measured.
#include <chrono>
#include <filesystem>
#include <iostream>

#include <sys/resource.h>

#include "base/text.h"
#include "report/report.h"
#include "report/report_testing.h"

namespace {

using cambium::Result;
using cambium::Status;

Status make(const std::string& path, const std::string& folder, std::int64_t count) {
  const bool is_there = std::filesystem::exists(path);
  CAMBIUM_TRY(auto study, cambium::store::StudyStore::open(path));
  if (!is_there && count >= 0) {
    cambium::report::fill(study, count);
    // One whose title would run if it could, on the front by its accuracy.
    cambium::report::SampleStudy sample(study, 2);
    const auto hostile = sample.candidate(count, cambium::report::kHostile);
    auto training = sample.evaluation(hostile, "accuracy", 12);
    training.values["accuracy"] = {0.925, 0.002, 1, false};
    training.curve = {{1, 0.7, 1.1, 6}, {6, 0.9, 0.4, 36}, {12, 0.925, 0.3, 72}};
    sample.add(training);
    auto latency = sample.evaluation(hostile, "latency", 16);
    latency.values["latency"] = {2.7e-3, 0.01, 20, false};
    sample.add(latency);
  }
  const auto begin = std::chrono::steady_clock::now();
  CAMBIUM_REQUIRE(
      cambium::report::write_report(study, folder, cambium::report::sample_options(path)));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::cout << "report: " << took.count() << " s, peak " << usage.ru_maxrss / 1024 << " MiB\n";
  return cambium::Ok{};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "sample_report STUDY FOLDER COUNT\n";
    return 2;
  }
  const auto count = cambium::parse_int(argv[3], -1, 10'000'000);
  const Status made = count.ok() ? make(argv[1], argv[2], *count) : Status(count.rejection());
  if (!made.ok()) std::cerr << made.rejection().message() << '\n';
  return made.ok() ? 0 : 1;
}
