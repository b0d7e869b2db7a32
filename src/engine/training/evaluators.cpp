#include "engine/training/evaluators.h"

#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "engine/class_names.h"
#include "engine/ranges.h"
#include "engine/search/evaluators.h"
#include "engine/search/stopping.h"
#include "engine/training/datasets.h"
#include "engine/training/legality_evaluator.h"
#include "engine/training/train.h"
#include "model/text.h"
#include "train/initialize.h"
#include "train/minibatches.h"
#include "train/proxies.h"

namespace cambium::engine {
namespace {

Status check_reference(const EvaluationRequest& request, const std::string& rule) {
  CAMBIUM_REQUIRE(check_stopping(rule));
  const bool compares = rule.rfind("below-original", 0) == 0 || rule.rfind("curve", 0) == 0;
  if (compares && !request.is_original && request.reference.empty()) {
    return Rejection(Reason::BadJob, "a training under rule '" + rule + "' needs 'reference'");
  }
  return Ok{};
}

// The curve as rules take it: more is better.
train::Curve scores_of(const std::vector<double>& curve, bool is_text) {
  train::Curve scores = curve;
  for (double& score : scores) score = is_text && score > 0 ? 1 / score : score;
  return scores;
}

Result<TrainingOptions> training_options(const EvaluationRequest& request) {
  const nlohmann::json& given = request.options;
  TrainingOptions options;
  options.data = request.setting.data;
  options.seed = request.key.seed;
  CAMBIUM_TRY(options.recipe, text_option(given, "recipe", ""));
  CAMBIUM_TRY(options.stopping, text_option(given, "stopping", "none"));
  CAMBIUM_REQUIRE(check_reference(request, options.stopping));
  CAMBIUM_TRY(options.tests, flag_option(given, "test"));
  options.device = request.setting.device;
  options.threads = request.setting.threads;
  if (const auto set = given.find("set"); set != given.end()) {
    if (!set->is_object()) return Rejection(Reason::BadJob, "option 'set' must be an object");
    for (const auto& [name, value] : set->items()) {
      options.settings.emplace_back(
          name, value.is_string() ? value.get<std::string>() : json_text(value));
    }
  }
  options.settings.emplace_back("epochs", fmt::format("{:.0f}", request.key.fidelity));
  return options;
}

store::StudyValue value_of(double value) {
  return {value, 0, 1, false};
}

Result<Findings> train_candidate(const EvaluationRequest& request, Datasets& datasets) {
  CAMBIUM_TRY(TrainingOptions options, training_options(request));
  CAMBIUM_TRY(const bool keeps, flag_option(request.options, "keep"));
  CAMBIUM_TRY(const data::Dataset* data, datasets.open(options.data, options.tests));
  options.reference = scores_of(request.reference, data->is_text());
  CAMBIUM_TRY(const TrainingReport report, train_model(request.model, *data, options, {}));
  if (report.failed) return *report.failed;
  const SeedReport& run = report.runs.front();
  const train::TrainReport& training = run.training;
  const char* const name = report.is_text ? "perplexity" : "accuracy";
  const auto quality = [&](const train::Quality& of) {
    return report.is_text ? of.perplexity : of.top1;
  };
  Findings findings;
  findings.device = report.device;
  double seconds = 0;
  for (const train::Epoch& epoch : training.epochs) {
    seconds += epoch.seconds;
    findings.curve.push_back({static_cast<double>(epoch.number),
                              epoch.validation ? quality(*epoch.validation) : 0, epoch.loss,
                              seconds});
  }
  if (training.ending == train::Ending::Diverged ||
      training.ending == train::Ending::StoppedEarly || !training.best) {
    findings.refused = Rejection(Reason::NotPromising, "training",
                                 training.why.empty() ? "it has no validation" : training.why);
    return findings;
  }
  findings.values[name] = value_of(quality(*training.best));
  if (run.test) findings.values[std::string("test_") + name] = value_of(quality(*run.test));
  if (keeps) {
    const std::string text = model::to_text(training.model) + classes_comment(report.classes);
    const auto bytes = std::as_bytes(std::span(text));
    findings.artifacts.push_back({kTrainedModel, {bytes.begin(), bytes.end()}});
  }
  return findings;
}

Result<Findings> score_candidate(const EvaluationRequest& request, Datasets& datasets) {
  CAMBIUM_TRY(const std::string name, text_option(request.options, "proxy", "fisher"));
  CAMBIUM_TRY(const std::int64_t batch,
              integer_option(request.options, "batch", std::int64_t{64}, ranges::kBatch));
  CAMBIUM_TRY(const train::Proxy* proxy, train::proxy_named(name));
  CAMBIUM_TRY(const train::Device device, train::device_of(request.setting.device));
  // Whatever the job before it ran with: sums differ by it in their last digits.
  train::set_threads(request.setting.threads);
  CAMBIUM_TRY(const data::Dataset* data, datasets.open(request.setting.data, false));
  CAMBIUM_TRY(train::Minibatches images, train::Minibatches::of(*data, request.key.seed));
  std::vector<train::ProxyBatch> batches;
  for (std::int64_t i = 0; i < proxy->batches; ++i) {
    CAMBIUM_TRY(train::ProxyBatch taken, images.take(batch));
    batches.push_back(std::move(taken));
  }
  train::InitializeOptions fresh;
  fresh.seed = request.key.seed;
  const model::Model model = train::initialized(request.model, fresh);
  CAMBIUM_TRY(const double score, proxy->score(model, batches, device));
  Findings findings;
  findings.device = device.text();
  findings.values[name] = value_of(score);
  return findings;
}

}  // namespace

std::vector<Evaluator> training_evaluators() {
  const auto datasets = std::make_shared<Datasets>();
  return {{kAccuracy, evaluator_version(kAccuracy),
           [datasets](const EvaluationRequest& request) {
             return train_candidate(request, *datasets);
           }},
          {kProxy, evaluator_version(kProxy),
           [datasets](const EvaluationRequest& request) {
             return score_candidate(request, *datasets);
           }},
          legality_evaluator(datasets, train::fisher_potential)};
}

}  // namespace cambium::engine
