// Replay: evaluates a candidate again, with its document and the keys from the study: the same
// data, options, fidelity and seed. Does not change the study. Refuses NoSuchCandidate, a candidate
// that no worker has evaluated, and what the study refuses. Called by `cambium replay`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/fingerprint.h"
#include "base/result.h"
#include "engine/search/kept.h"
#include "store/study.h"

namespace cambium::engine {

struct ReplayOptions {
  std::string only;  // an evaluator; empty: all evaluators of workers
  // Device and threads of trainings: the same ones give the same bits. Without a value, those of
  // the search that found the candidate, or `otherwise` if the study does not have them.
  std::optional<std::string> device;
  std::optional<int> threads;
  SearchRun otherwise;
  std::string db;            // tuned schedules; empty: STUDY.tuning
  std::string machine_file;  // the ceilings of this machine
};

struct Replayed {
  store::Evaluation recorded, again;

  // Whether all values are equal to the last bit. Times never are.
  bool is_same() const {
    return recorded.state == again.state && recorded.reason == again.reason &&
           recorded.values == again.values;
  }
};
struct ReplayReport {
  Fingerprint identity;
  std::string title;
  std::vector<Replayed> evaluations;  // in the order of the study
};

// Answers the line of a job with the line of its result (job_lines.h), as a worker does.
using AnswerJob = std::function<std::string(const std::string& line)>;
Result<ReplayReport> replay_candidate(const std::string& study, const std::string& candidate,
                                      const ReplayOptions& options, const AnswerJob& answer);
nlohmann::json to_json(const ReplayReport& report);

}  // namespace cambium::engine
