// A candidate evaluated once more, from the document and under the keys that a study holds: the
// same data, options, fidelity and seed, whatever command found it. The study is not changed.
// Refuses NoSuchCandidate, a candidate of which no worker has evaluated anything, and what the
// study refuses. Called by `cambium replay`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "engine/search/kept.h"
#include "store/study.h"

namespace cambium::engine {

struct ReplayOptions {
  std::string only;  // an evaluator; empty: all that workers have
  // What trains: the same device and number of threads give the same bits. Without a value as the
  // search had it that found the candidate, and where its study does not say, `otherwise`.
  std::optional<std::string> device;
  std::optional<int> threads;
  SearchRun otherwise;
  std::string db;            // of tuned schedules; empty: STUDY.tuning
  std::string machine_file;  // where the ceilings of this machine are kept
};

struct Replayed {
  store::Evaluation recorded, again;

  // Whether everything came out as it was, to the last bit. Times never do.
  bool is_same() const {
    return recorded.state == again.state && recorded.reason == again.reason &&
           recorded.values == again.values;
  }
};
struct ReplayReport {
  std::string identity, title;
  std::vector<Replayed> evaluations;  // in the order of the study
};

// The line of a job to that of its result (job_lines.h), as a worker answers it.
using AnswerJob = std::function<std::string(const std::string& line)>;
Result<ReplayReport> replay_candidate(const std::string& study, const std::string& candidate,
                                      const ReplayOptions& options, const AnswerJob& answer);
nlohmann::json to_json(const ReplayReport& report);

}  // namespace cambium::engine
