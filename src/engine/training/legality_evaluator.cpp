#include "engine/training/legality_evaluator.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "engine/ranges.h"
#include "engine/search/evaluators.h"
#include "train/device.h"
#include "train/legality.h"
#include "train/trainer.h"

namespace cambium::engine {
namespace {

using nlohmann::json;

struct Asked {
  train::LegalityOptions legality;
  train::DrawOptions draws;
  bool is_mapped = true;
};

Result<Asked> asked_of(const EvaluationRequest& request) {
  const json& options = request.options;
  Asked asked;
  CAMBIUM_TRY(const std::string kind, text_option(options, "of", "total"));
  CAMBIUM_TRY(asked.legality.of, train::legality_kind(kind));
  train::VerdictOptions& verdict = asked.legality.verdict;
  CAMBIUM_TRY(verdict.most_draws,
              integer_option(options, "most_draws", verdict.most_draws, ranges::kDraws));
  CAMBIUM_TRY(verdict.draws, integer_option(options, "draws", verdict.draws, ranges::kDraws));
  verdict.draws = std::min(verdict.draws, verdict.most_draws);
  CAMBIUM_TRY(const int percent, integer_option(options, "confidence", 95, ranges::kConfidence));
  verdict.confidence = percent / 100.0;
  CAMBIUM_TRY(const std::string hooks,
              text_option(options, "hooks", std::string(name_of(asked.draws.fisher.hooks))));
  CAMBIUM_TRY(asked.draws.fisher.hooks, train::hooks_of(hooks));
  CAMBIUM_TRY(asked.draws.batch,
              integer_option(options, "batch", asked.draws.batch, ranges::kBatch));
  CAMBIUM_TRY(const std::string weights, text_option(options, "weights", "mapped"));
  if (weights != "mapped" && weights != "fresh") {
    return Rejection(Reason::BadOption, "weights",
                     "unknown '" + weights + "'; expected one of mapped, fresh");
  }
  asked.is_mapped = weights == "mapped";
  asked.draws.seed = request.key.seed;
  CAMBIUM_TRY(asked.draws.fisher.device, train::device_of(request.setting.device));
  return asked;
}

// The draws of one original under one set of options. Searches ask for the same ones again and
// again; whoever asks for others replaces them.
class Drawing {
 public:
  Drawing(std::shared_ptr<Datasets> datasets, train::FisherScore score)
      : datasets_(std::move(datasets)), score_(std::move(score)) {}

  Result<train::PairedDraws*> of(const EvaluationRequest& request,
                                 const train::DrawOptions& options) {
    const std::string key = json_text({request.options, options.seed});
    if (draws_ && setting_ == request.setting && key_ == key) return &*draws_;
    draws_.reset();
    CAMBIUM_TRY(const data::Dataset* data, datasets_->open(request.setting.data, false));
    CAMBIUM_TRY(train::Minibatches images, train::Minibatches::of(*data, options.seed));
    draws_.emplace(*request.original, std::move(images), options, score_);
    setting_ = request.setting;
    key_ = key;
    return &*draws_;
  }

 private:
  std::shared_ptr<Datasets> datasets_;
  train::FisherScore score_;
  JobSetting setting_;
  std::string key_;
  std::optional<train::PairedDraws> draws_;
};

store::StudyValue exact(double value) {
  return {value, 0, 1, false};
}

// JSON has no infinite numbers.
json number(double value) {
  return std::isfinite(value) ? json(value) : json();
}

store::Artifact layers_of(const train::Legality& found) {
  json layers = json::array();
  for (const train::LayerChange& layer : found.layers) {
    layers.push_back({{"name", layer.name},
                      {"original", layer.original},
                      {"candidate", layer.candidate},
                      {"ratio", number(layer.ratio)},
                      {"is_changed", layer.is_changed},
                      {"is_sensitive", layer.is_sensitive}});
  }
  const std::string text = pretty_json_text({{"verdict", name_of(found.verdict)},
                                             {"confidence", found.confidence},
                                             {"draws", found.draws},
                                             {"original", found.original},
                                             {"candidate", found.candidate},
                                             {"change", number(found.change())},
                                             {"low", number(std::expm1(found.total.low))},
                                             {"high", number(std::expm1(found.total.high))},
                                             {"layers", std::move(layers)}});
  const auto bytes = std::as_bytes(std::span(text));
  return {kFisherLayers, {bytes.begin(), bytes.end()}};
}

Findings findings_of(const train::Legality& found) {
  Findings findings;
  auto& values = findings.values;
  const double change = found.change();
  // d exp(mean) = exp(mean) d mean
  const double error = found.total.error * (1 + change);
  const double spread = change == 0 || !std::isfinite(error) ? 0 : error / std::abs(change);
  values["legal"] = exact(static_cast<double>(found.verdict));
  values["confidence"] = exact(found.confidence);
  values["fisher_change"] = {change, spread, found.draws, false};
  values["fisher_total"] = {found.candidate, 0, found.draws, false};
  values["draws"] = exact(found.draws);
  std::int64_t changed = 0, sensitive = 0;
  for (const train::LayerChange& layer : found.layers) {
    changed += layer.is_changed;
    sensitive += layer.is_sensitive;
  }
  values["changed_layers"] = exact(static_cast<double>(changed));
  values["sensitive_layers"] = exact(static_cast<double>(sensitive));
  if (std::isfinite(found.changed)) {
    values["changed_layers_change"] = {found.changed - 1, 0, found.draws, false};
  }
  findings.artifacts.push_back(layers_of(found));
  return findings;
}

Result<Findings> judge(const EvaluationRequest& request, Drawing& drawing) {
  if (request.original == nullptr) {
    return Rejection(Reason::BadJob, "legality needs the original beside the candidate");
  }
  CAMBIUM_TRY(const Asked asked, asked_of(request));
  train::set_threads(request.setting.threads);  // sums differ by it in their last digits
  CAMBIUM_TRY(train::PairedDraws* const draws, drawing.of(request, asked.draws));
  std::vector<model::WeightOrigin> origins;
  if (asked.is_mapped && request.origins) {
    CAMBIUM_TRY(origins, request.origins());
  }
  CAMBIUM_TRY(const train::Legality found,
              train::legality_of(request.model, origins, asked.legality, *draws));
  Findings findings = findings_of(found);
  findings.device = asked.draws.fisher.device.text();
  return findings;
}

}  // namespace

Evaluator legality_evaluator(std::shared_ptr<Datasets> datasets, train::FisherScore score) {
  const auto drawing = std::make_shared<Drawing>(std::move(datasets), std::move(score));
  return {kLegality, evaluator_version(kLegality),
          [drawing](const EvaluationRequest& request) { return judge(request, *drawing); }};
}

}  // namespace cambium::engine
