// Evaluator: one measurement of a candidate's model, with a name and a version. A refusal is a
// result, too. Workers run evaluators; evaluators.h lists all of them.
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
#include "model/weight_origin.h"
#include "store/study.h"

namespace cambium::engine {

struct EvaluationRequest {
  const model::Model& model;  // the original with the candidate's edits
  const store::EvaluationKey& key;
  const JobSetting& setting;
  const nlohmann::json& options;  // of the key, an object
  // The curve of the original under the same options; empty for the original itself.
  const std::vector<double>& reference;
  bool is_original = false;
  const model::Model* original = nullptr;  // to measure side by side with
  // From which weights of the original those of the candidate start (spaces/origins.h). Most
  // evaluators do not ask. Empty: nothing is known.
  std::function<Result<std::vector<model::WeightOrigin>>()> origins = {};
};

// Names of artifacts: the fully trained model; the scores of the layers behind a verdict on
// legality, as JSON.
inline constexpr const char* kTrainedModel = "model.cambium";
inline constexpr const char* kFisherLayers = "fisher_layers.json";

struct Findings {
  std::optional<Rejection> refused;  // with the values measured before the refusal
  std::map<std::string, store::StudyValue> values;
  std::vector<store::CurvePoint> curve;
  std::vector<store::Artifact> artifacts;
  std::string device;  // that trained; empty: nothing was trained
};

struct Evaluator {
  std::string name, version;
  std::function<Result<Findings>(const EvaluationRequest&)> evaluate;
};

// A field of the options, or its default. Refuses (BadJob) another type and a number out of range.
Result<int> integer_option(const nlohmann::json& options, const char* name, int otherwise,
                           const Range<int>& range);
Result<std::int64_t> integer_option(const nlohmann::json& options, const char* name,
                                    std::int64_t otherwise, const Range<std::int64_t>& range);
Result<bool> flag_option(const nlohmann::json& options,
                         const char* name);  // 1 or 0; the default is 0
// The fidelity of an evaluator that counts trials of tuning. Refuses (BadJob) what is no such
// number.
Result<std::int64_t> trials_of(double fidelity);
Result<std::string> text_option(const nlohmann::json& options, const char* name,
                                const std::string& otherwise);

}  // namespace cambium::engine
