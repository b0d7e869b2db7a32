// Jobs and results of evaluations as JSON lines (docs/schema/job.json, job_result.json): what
// `cambium evaluate` reads and prints, and what the pool of workers says and hears. A job carries
// all that a worker needs. Refuses BadJob.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "search/executor.h"

namespace cambium::engine {

// What a worker must know beside the candidate.
struct JobSetting {
  std::string model;                                      // as `load_model` takes it
  std::vector<std::pair<std::string, std::string>> bind;  // sizes of it, by name
  std::string data;             // as src/data/spec.h spells data sets; may be empty
  std::string spaces;           // JSON: what spaces are made of (spaces.h)
  std::string db;               // of tuned schedules; may be empty
  std::string machine_file;     // where what this machine reaches is kept
  std::string device = "auto";  // that trains
  int threads = 1;              // that train

  friend bool operator==(const JobSetting&, const JobSetting&) = default;
};

std::string job_line(const search::Job& job, const JobSetting& setting);
struct ReadJob {
  search::Job job;
  JobSetting setting;
};
Result<ReadJob> parse_job(std::string_view line);

// Artifacts go through files in `folder`, which the reader takes away: weights do not fit lines.
Result<std::string> result_line(const search::JobResult& result, const std::string& folder);
// Refuses BadJob, and what reading an artifact refuses.
Result<search::JobResult> parse_result(std::string_view line);
// Whether the line is meant as the result of that job, be it well formed or not: talk strays to
// standard output too.
bool is_result_of(std::string_view line, std::int64_t id);

}  // namespace cambium::engine
