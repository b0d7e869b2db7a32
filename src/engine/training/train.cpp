#include "engine/training/train.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/thread_pool.h"
#include "data/dataset.h"
#include "engine/documents.h"
#include "train/checkpoint_file.h"
#include "train/initialize.h"
#include "train/stopping.h"

namespace cambium::engine {

namespace {

using train::Ending;
using train::Quality;

const model::TensorType* only_input(const model::Model& model) {
  return model.inputs().size() == 1 ? &model.node(model.inputs()[0]).outputs[0] : nullptr;
}

std::string usual_recipe(const model::Model& model, const data::Dataset& data) {
  if (data.is_text()) return "text";
  const model::TensorType* input = only_input(model);
  const bool gray = input != nullptr && input->rank() == 4 && input->dims[1] == 1;
  return gray ? "gray" : "color";
}

Result<train::Recipe> recipe_for(const model::Model& model, const data::Dataset& data,
                                 const std::string& name, const TrainingOptions& options) {
  CAMBIUM_TRY(train::Recipe recipe, train::recipe_named(name));
  // The model fixes how much text it reads at once.
  const model::TensorType* input = only_input(model);
  if (data.is_text() && input != nullptr && input->rank() == 2) recipe.length = input->dims[1];
  for (const auto& setting : options.settings) {
    CAMBIUM_REQUIRE(train::assign(recipe, setting.first, setting.second));
  }
  CAMBIUM_REQUIRE(train::check(recipe));
  return recipe;
}

// Language models begin as GPT-2 does, all others as ResNets do.
const char* usual_initialization(bool is_text) {
  return is_text ? "normal02" : "kaiming-out";
}

model::Model beginning(const model::Model& model, const TrainingReport& report,
                       train::Scheme scheme, std::uint64_t seed) {
  if (report.options.keeps_weights) return model;
  return train::initialized(model, {scheme, seed, report.options.zeroes_last_norms});
}

std::optional<Spread> spread_over(const TrainingReport& report, bool tests) {
  std::vector<double> values;
  for (const SeedReport& run : report.runs) {
    const std::optional<Quality>& quality = tests ? run.test : run.training.best;
    if (quality) values.push_back(report.is_text ? quality->perplexity : quality->top1);
  }
  if (values.empty()) return {};
  return spread_of(values);
}

nlohmann::json number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

nlohmann::json quality_json(const std::optional<Quality>& quality, bool is_text) {
  if (!quality) return nullptr;
  nlohmann::json out = {{"samples", quality->samples},
                        {"loss", number(quality->loss)},
                        {"top1", quality->top1},
                        {"top5", quality->top5}};
  if (is_text) out["perplexity"] = number(quality->perplexity);
  return out;
}

nlohmann::json spread_json(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"mean", number(spread->mean)},
          {"deviation", number(spread->deviation)},
          {"least", number(spread->least)},
          {"most", number(spread->most)}};
}

const char* name_of_ending(Ending ending) {
  switch (ending) {
    case Ending::Finished: return "finished";
    case Ending::StoppedEarly: return "stopped early";
    case Ending::Diverged: return "diverged";
    case Ending::Interrupted: return "interrupted";
    case Ending::OutOfTime: return "out of time";
  }
  return "?";
}

nlohmann::json step_json(const std::optional<train::StepTime>& step) {
  if (!step) return nullptr;
  return {{"seconds", step->seconds},
          {"kernels", step->kernels},
          {"kernel_seconds", step->kernel_seconds},
          {"outside", step->outside()}};
}

nlohmann::json run_json(const SeedReport& run, bool is_text) {
  const train::TrainReport& training = run.training;
  nlohmann::json epochs = nlohmann::json::array();
  for (const train::Epoch& each : training.epochs) {
    epochs.push_back({{"number", each.number},
                      {"loss", number(each.loss)},
                      {"rate", each.rate},
                      {"validation", quality_json(each.validation, is_text)},
                      {"seconds", each.seconds},
                      {"samples_per_second", number(each.samples_per_second)}});
  }
  return {{"seed", run.seed},
          {"ending", name_of_ending(training.ending)},
          {"why", training.why},
          {"step", training.step},
          {"epochs", std::move(epochs)},
          {"best_epoch", training.best_epoch},
          {"best", quality_json(training.best, is_text)},
          {"last", quality_json(training.last, is_text)},
          {"test", quality_json(run.test, is_text)},
          {"seconds", training.seconds},
          {"samples_per_second", number(training.samples_per_second)},
          {"parameters", training.parameters},
          {"replayed", training.replayed},
          {"not_replayed", training.not_replayed},
          {"step_time", step_json(training.kernels)}};
}

// One per seed.
std::vector<train::TrainJob> jobs_of(const model::Model& model, const data::Dataset& data,
                                     const train::Device& device, train::Scheme scheme,
                                     train::StoppingRule& rule, const TrainingReport& report,
                                     const TrainingHooks& hooks) {
  const TrainingOptions& options = report.options;
  std::vector<train::TrainJob> jobs;
  for (int i = 0; i < options.seeds; ++i) {
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(i);
    train::TrainOptions training;
    training.recipe = report.recipe;
    training.device = device;
    training.threads = options.threads;
    training.seed = seed;
    training.validates = options.validates;
    training.seconds = options.seconds;
    training.stopping = &rule;
    training.interrupted = hooks.stop;
    training.replays = options.replays;
    training.traces = options.traces;
    training.checkpoint = options.checkpoint.empty() || options.seeds == 1
                              ? options.checkpoint
                              : fmt::format("{}.seed{}", options.checkpoint, seed);
    if (hooks.progress) {
      training.progress = [&hooks, seed](const train::Progress& progress) {
        hooks.progress(seed, progress);
      };
    }
    jobs.push_back({beginning(model, report, scheme, seed), &data, std::move(training)});
  }
  return jobs;
}

Status check_together(const TrainingOptions& options) {
  if (options.together < 1) return Rejection(Reason::BadOption, "together", "at least 1");
  if (options.traces && options.together > 1) {
    return Rejection(Reason::BadOption, "together",
                     "kernels are traced for one training at a time");
  }
  return Ok{};
}

// What one training would refuse only when those before it have ended, or when it has ended itself.
Status check_before(const std::vector<train::TrainJob>& jobs, const train::JudgeOptions& judging,
                    const TrainingOptions& options) {
  const train::TrainJob& first = jobs.front();
  if (options.tests) {
    CAMBIUM_REQUIRE(train::check_split(first.model, *first.data, data::Split::Test, judging));
  }
  if (jobs.size() == 1) return Ok{};
  for (const train::TrainJob& job : jobs) {
    CAMBIUM_REQUIRE(train::check_checkpoint(job.model, *job.data, job.options));
  }
  return Ok{};
}

// Refuses only where nothing was trained.
Status run_jobs(const std::vector<train::TrainJob>& jobs, TrainingReport& report) {
  const auto begun = std::chrono::steady_clock::now();
  std::vector<Result<train::TrainReport>> trained =
      train::train_together(jobs, report.options.together);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  for (std::size_t i = 0; i < trained.size(); ++i) {
    if (!trained[i].ok()) {
      if (!report.failed) report.failed = trained[i].rejection();
      continue;
    }
    SeedReport run;
    run.seed = jobs[i].options.seed;
    run.training = std::move(trained[i]).value();
    if (!report.failed) report.failed = run.training.failed;
    for (const train::Epoch& each : run.training.epochs) {
      report.samples_per_second += each.samples_per_second * each.seconds / report.seconds;
    }
    report.runs.push_back(std::move(run));
  }
  if (report.runs.empty() && report.failed) return *report.failed;
  return Ok{};
}

// Leaves out what cannot be judged.
void judge_runs(const data::Dataset& data, const train::JudgeOptions& judging,
                const TrainingHooks& hooks, TrainingReport& report) {
  for (SeedReport& run : report.runs) {
    const bool stopped = hooks.stop != nullptr && hooks.stop->load();
    if (run.training.ending == Ending::Diverged || stopped) continue;
    auto judged = train::judge(run.training.model, data, data::Split::Test, judging);
    if (judged.ok()) {
      run.test = *judged;
    } else if (!report.failed) {
      report.failed = std::move(judged).rejection();
    }
  }
}

}  // namespace

Spread spread_of(const std::vector<double>& values) {
  CAMBIUM_CHECK(!values.empty(), "a spread is of something");
  Spread out;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) out.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  if (values.size() > 1) out.deviation = std::sqrt(squares / (count - 1));
  out.least = *std::min_element(values.begin(), values.end());
  out.most = *std::max_element(values.begin(), values.end());
  return out;
}

std::int64_t TrainingReport::stopped() const {
  return std::count_if(runs.begin(), runs.end(), [](const SeedReport& run) {
    return run.training.ending == Ending::StoppedEarly;
  });
}

std::int64_t TrainingReport::epochs_saved() const {
  std::int64_t saved = 0;
  for (const SeedReport& run : runs) {
    if (run.training.ending != Ending::StoppedEarly) continue;
    saved += recipe.epochs - static_cast<std::int64_t>(run.training.epochs.size());
  }
  return saved;
}

const SeedReport& TrainingReport::best() const {
  const auto rank = [](const SeedReport& run) {
    return run.training.best ? -run.training.best->loss : -1e300;
  };
  const auto by_top1 = [&](const SeedReport& a, const SeedReport& b) {
    if (is_text || !a.training.best || !b.training.best) return rank(a) < rank(b);
    return a.training.best->top1 < b.training.best->top1;
  };
  return *std::max_element(runs.begin(), runs.end(), by_top1);
}

std::vector<std::pair<std::string, std::string>> training_recipes() {
  std::vector<std::pair<std::string, std::string>> out;
  for (const train::NamedRecipe& each : train::recipes()) out.emplace_back(each.name, each.what);
  return out;
}

Result<TrainingReport> train_model(const model::Model& model, const TrainingOptions& options,
                                   const TrainingHooks& hooks) {
  data::DataOptions access;
  if (options.tests) access.access = data::Access::Evaluation;
  CAMBIUM_TRY(const data::Dataset data, data::open_dataset(options.data, access));
  return train_model(model, data, options, hooks);
}

Result<TrainingReport> train_model(const model::Model& model, const data::Dataset& data,
                                   const TrainingOptions& options, const TrainingHooks& hooks) {
  CAMBIUM_REQUIRE(check_together(options));
  CAMBIUM_TRY(const train::Device device, train::device_of(options.device));
  CAMBIUM_TRY(const auto rule, train::stopping_rule_of(options.stopping));
  if (!options.reference.empty()) rule->learn(options.reference, true);
  TrainingReport report;
  report.options = options;
  report.data = data.spec().text();
  report.is_text = data.is_text();
  report.device = device.text();
  report.recipe_name = options.recipe.empty() ? usual_recipe(model, data) : options.recipe;
  CAMBIUM_TRY(report.recipe, recipe_for(model, data, report.recipe_name, options));
  const std::string initialization = options.initialization.empty()
                                         ? usual_initialization(report.is_text)
                                         : options.initialization;
  CAMBIUM_TRY(const train::Scheme scheme, train::scheme_of(initialization));
  if (!options.keeps_weights) report.initialization = initialization;
  const std::vector<train::TrainJob> jobs =
      jobs_of(model, data, device, scheme, *rule, report, hooks);
  const train::JudgeOptions judging{device, options.threads, 256, report.recipe.length,
                                    report.recipe.precision};
  CAMBIUM_REQUIRE(check_before(jobs, judging, options));
  CAMBIUM_REQUIRE(run_jobs(jobs, report));
  ThreadPool alone(1);
  report.classes = data.named_classes(alone);
  if (hooks.trained) hooks.trained(report);
  if (options.tests) judge_runs(data, judging, hooks, report);
  report.validation = spread_over(report, false);
  report.test = spread_over(report, true);
  return report;
}

nlohmann::json to_json(const TrainingReport& report, const std::string& model) {
  nlohmann::json out = document("train", 1);
  out["model"] = model;
  out["data"] = report.data;
  out["device"] = report.device;
  out["threads"] = report.options.threads;
  out["recipe"] = report.recipe_name;
  out["stopping"] = report.options.stopping;
  out["epochs_saved"] = report.epochs_saved();
  out["kept_weights"] = report.options.keeps_weights;
  out["initialization"] = report.initialization;
  out["zeroed_last_norms"] = report.options.zeroes_last_norms;
  nlohmann::json settings = nlohmann::json::object();
  for (const auto& setting : train::settings_of(report.recipe)) {
    settings[setting.first] = setting.second;
  }
  out["settings"] = std::move(settings);
  out["runs"] = nlohmann::json::array();
  for (const SeedReport& run : report.runs) out["runs"].push_back(run_json(run, report.is_text));
  out["together"] = report.options.together;
  out["seconds"] = report.seconds;
  out["samples_per_second"] = number(report.samples_per_second);
  out["measure"] = report.is_text ? "perplexity" : "top1";
  out["validation"] = spread_json(report.validation);
  out["test"] = spread_json(report.test);
  return out;
}

}  // namespace cambium::engine
