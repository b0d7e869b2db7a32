// Evaluator: one measurement of a candidate's model, by name and version, as a worker does it. What
// it refuses is a result. Made by latency.h here and by engine/training/evaluators.h.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/range.h"
#include "base/result.h"
#include "engine/search/job_lines.h"
#include "model/model.h"
#include "store/study.h"

namespace cambium::engine {

struct EvaluationRequest {
  const model::Model& model;  // the base with the candidate's edits
  const store::EvaluationKey& key;
  const JobSetting& setting;
  const nlohmann::json& options;  // of the key, an object
  // The original's curve under the same options; empty for the original itself.
  const std::vector<double>& reference;
  bool is_original = false;
  const model::Model* original = nullptr;  // the base, to be measured side by side with
};

// Of the evaluators that need libtorch, told here for builds without it: jobs name it.
inline constexpr const char* kTrainingVersion = "4";

// What the study calls the model with the weights of a full training.
inline constexpr const char* kTrainedModel = "model.cambium";

struct Findings {
  std::optional<Rejection> refused;  // with whatever was found until then
  std::map<std::string, store::StudyValue> values;
  std::vector<store::CurvePoint> curve;
  std::vector<store::Artifact> artifacts;
  std::string device;  // that trained; empty: none did
};

struct Evaluator {
  std::string name, version;
  std::function<Result<Findings>(const EvaluationRequest&)> evaluate;
};

// A field of the options, or what it is without. Refuses BadJob for another type, and for a number
// out of its range.
Result<int> integer_option(const nlohmann::json& options, const char* name, int otherwise,
                           const Range<int>& range);
Result<std::int64_t> integer_option(const nlohmann::json& options, const char* name,
                                    std::int64_t otherwise, const Range<std::int64_t>& range);
Result<bool> flag_option(const nlohmann::json& options, const char* name);  // 1 or 0; 0 without
Result<std::string> text_option(const nlohmann::json& options, const char* name,
                                const std::string& otherwise);

}  // namespace cambium::engine
