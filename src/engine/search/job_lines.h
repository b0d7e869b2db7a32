// Jobs and results of evaluations as JSON lines (docs/schema/job.json, job_result.json). `cambium
// evaluate` reads jobs and prints results; the pool of workers does the reverse. A job holds
// everything that a worker needs. Refuses BadJob.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "search/executor.h"

namespace cambium::engine {

// Everything that a worker must know beside the candidate.
struct JobSetting {
  std::string model;                                      // as `load_model` takes it
  std::vector<std::pair<std::string, std::string>> bind;  // its symbolic sizes, by name
  std::string data;             // as src/data/spec.h spells data sets; may be empty
  std::string spaces;           // JSON: the settings of the spaces (spaces.h)
  std::string db;               // tuned schedules; may be empty
  std::string machine_file;     // the ceilings of this machine
  std::string device = "auto";  // for training
  int threads = 1;              // for training

  friend bool operator==(const JobSetting&, const JobSetting&) = default;
};

std::string job_line(const search::Job& job, const JobSetting& setting);
struct ReadJob {
  search::Job job;
  JobSetting setting;
};
Result<ReadJob> parse_job(std::string_view line);

// Artifacts are passed as files in `folder`, which the reader removes: weights do not fit into
// lines.
Result<std::string> result_line(const search::JobResult& result, const std::string& folder);
// Refuses BadJob, and what reading an artifact refuses.
Result<search::JobResult> parse_result(std::string_view line);
// Whether the line is a result of that job, well formed or not. Libraries may print other lines.
bool is_result_of(std::string_view line, std::int64_t id);

}  // namespace cambium::engine
