#include <cstdlib>
#include <optional>

#include <fmt/core.h>

#include "arguments.h"
#include "base/file.h"
#include "engine/executor.h"
#include "engine/files.h"
#include "engine/native.h"
#include "engine/run.h"
#include "engine/tune.h"
#include "measure/timing.h"
#include "model/cost.h"
#include "peers/frameworks.h"
#include "tune/parts.h"

namespace cambium::bench {
namespace {

constexpr const char* kModels[] = {"resnet18", "resnet50", "mobilenet-v2", "bert-mini6"};
constexpr Framework kFrameworks[] = {Framework::OnnxRuntime, Framework::LibTorch, Framework::Tvm};
constexpr std::uint64_t kSeed = 1;
constexpr double kTickSeconds = 2;  // how much tuning time a kill may hide

struct Case {
  std::string name;
  int threads = 1;
  double seconds = 0;  // of tuning
  std::string db;      // of this case alone: what others found is not tuned for here

  nlohmann::json key() const {
    return {{"part", "models"}, {"case", name}, {"threads", threads}, {"seconds", seconds}};
  }
  nlohmann::json key(Framework framework) const {
    nlohmann::json with = key();
    with["peer"] = name_of(framework);
    return with;
  }
};

// The seconds that went into a database, for a run that goes on after a kill.
class Spent {
 public:
  explicit Spent(std::string path) : path_(std::move(path)) {
    const auto text = read_file(path_);
    before_ = text.ok() ? std::atof(text->c_str()) : 0;
  }
  double before() const { return before_; }
  void now_at(double seconds) {
    if (seconds - written_ < kTickSeconds) return;
    written_ = seconds;
    static_cast<void>(write_file(path_, fmt::format("{}", before_ + seconds)));
  }

 private:
  std::string path_;
  double before_ = 0, written_ = 0;
};

Result<nlohmann::json> tune_model(const model::Model& model, const Case& one,
                                  const Machine& machine, const TuneBenchOptions& options) {
  CAMBIUM_TRY(const auto tasks, engine::tasks_of(model, {}, one.threads));
  Spent spent(one.db + ".seconds");
  engine::TuningOptions tuning;
  tuning.trials = 1'000'000;  // the clock decides
  tuning.seconds = std::max(1.0, one.seconds - spent.before());
  tuning.jobs = options.jobs;
  tuning.db = one.db;
  engine::TuningHooks hooks;
  hooks.progress = [&spent](const engine::TuningProgress& at) { spent.now_at(at.seconds); };
  CAMBIUM_TRY(const engine::TuningReport report, engine::tune_tasks(tasks, machine, tuning, hooks));
  return nlohmann::json{{"seed", tuning.seed},
                        {"trials", report.last.done},
                        {"tasks", report.last.rows.size()},
                        {"tuning_seconds", spent.before() + report.last.seconds},
                        {"macs", cost_of(model).macs}};
}

// A model as native code, checked, ready to be called.
class Ready {
 public:
  static Result<Ready> make(const model::Model& model, int threads, int jobs) {
    Ready ready(model, threads, jobs);
    ThreadPool all(jobs);
    ready.inputs_ = engine::random_inputs(model, kSeed);
    CAMBIUM_TRY(ready.expected_, engine::reference_executor(model)->run(ready.inputs_, 0, all));
    return ready;
  }
  // With the schedules of a database, or the default ones where it is empty.
  Result<compile::NativeModel> compiled(const std::string& db) const {
    engine::NativeOptions how;
    how.jobs = jobs_;
    how.threads = pool_->threads();
    how.db = db;
    CAMBIUM_TRY(compile::CompiledModel code, engine::compile_model(*model_, how));
    CAMBIUM_TRY(compile::NativeModel native, compile::NativeModel::load(std::move(code)));
    CAMBIUM_TRY(const auto outputs, native.run(inputs_, *pool_));
    CAMBIUM_REQUIRE(engine::check_error(engine::compare_outputs(*model_, outputs, expected_)));
    return native;
  }
  measure::Call call(compile::NativeModel& native) const {
    return [this, &native] { static_cast<void>(native.run(inputs_, *pool_)); };
  }

 private:
  Ready(const model::Model& model, int threads, int jobs)
      : model_(&model), pool_(std::make_unique<ThreadPool>(threads)), jobs_(jobs) {}

  const model::Model* model_;
  std::unique_ptr<ThreadPool> pool_;
  int jobs_;
  std::vector<model::Tensor> inputs_, expected_;
};

nlohmann::json compare_with(Framework framework, const model::Model& model, const Case& one,
                            const measure::Call& ours, const TuneBenchOptions& options) {
  FrameworkOptions how = options.frameworks;
  how.threads = one.threads;
  how.rounds = options.quick ? 5 : 15;
  how.burst.warmup_seconds = 20e-3;
  how.tune_seconds = one.seconds;
  how.work = fmt::format("{}.tvm/{}-{}-{}s", options.results, one.name, one.threads, one.seconds);
  return json_of(compare_framework(framework, model, ours, how));
}

Status measure_one(const Case& one, const Machine& machine, const TuneBenchOptions& options,
                   Results& results) {
  const bool is_tuned = results.find(one.key()) != nullptr;
  std::vector<Framework> left;
  for (const Framework framework : kFrameworks) {
    if (results.find(one.key(framework)) == nullptr) left.push_back(framework);
  }
  if (is_tuned && left.empty()) return Ok{};
  CAMBIUM_TRY(const engine::Loaded loaded, engine::load_model("zoo:" + one.name, {{}, kSeed}));
  const model::Model& model = loaded.model;
  nlohmann::json row;
  if (!is_tuned) {
    fmt::print(stderr, "{}, {} thread(s): tuning ...\n", one.name, one.threads);
    CAMBIUM_TRY(row, tune_model(model, one, machine, options));
  }
  CAMBIUM_TRY(const Ready ready, Ready::make(model, one.threads, options.jobs));
  CAMBIUM_TRY(compile::NativeModel tuned, ready.compiled(one.db));
  if (!is_tuned) {
    CAMBIUM_TRY(compile::NativeModel usual, ready.compiled(""));
    const measure::Comparison gain = measure::compare(ready.call(tuned), ready.call(usual));
    row.update({{"seconds", gain.ours_seconds},
                {"against_default", gain.ratio},
                {"against_default_spread", gain.spread}});
    CAMBIUM_REQUIRE(results.add(one.key(), row));
  }
  for (const Framework framework : left) {
    fmt::print(stderr, "{}, {} thread(s): {} ...\n", one.name, one.threads, name_of(framework));
    CAMBIUM_REQUIRE(results.add(one.key(framework),
                                compare_with(framework, model, one, ready.call(tuned), options)));
  }
  return Ok{};
}

}  // namespace

Status bench_models(const Machine& machine, const TuneBenchOptions& options, Results& results) {
  for (const char* name : kModels) {
    if (!is_wanted(name, options.only)) continue;
    for (const int threads : options.threads) {
      const Case one{name, threads, options.seconds,
                     fmt::format("{}.{}-{}-{}s", options.db, name, threads, options.seconds)};
      const Status status = measure_one(one, machine, options, results);
      if (status.ok()) continue;
      CAMBIUM_REQUIRE(results.add(one.key(), {{"refused", status.rejection().message()}}));
    }
  }
  return Ok{};
}

std::string models_text(const Results& results) {
  std::string text;
  for (const nlohmann::json& row : results.rows()) {
    const nlohmann::json& key = row["key"];
    if (key["part"] != "models") continue;
    text += fmt::format("{:14} {} thread(s), {:.0f} s  ", key["case"].get<std::string>(),
                        key["threads"].get<int>(), key["seconds"].get<double>());
    if (row.contains("refused")) {
      text += row["refused"].get<std::string>();
    } else if (row.contains("missing")) {
      text += fmt::format("{:16} missing: {}", row["peer"].get<std::string>(),
                          row["missing"].get<std::string>());
    } else if (row.contains("peer")) {
      text +=
          fmt::format("{:16} {:.2f} ±{:.0f}% ({:.2f} ms; {} {})", row["peer"].get<std::string>(),
                      row["ratio"].get<double>(), 100 * row["spread"].get<double>(),
                      row["theirs_seconds"].get<double>() * 1e3, row["version"].get<std::string>(),
                      row["note"].get<std::string>());
    } else {
      text +=
          fmt::format("{:16} {:.2f} ms, {:.2f} of the default, {} trials of {} tasks in {:.0f} s",
                      "cambium", row["seconds"].get<double>() * 1e3,
                      row["against_default"].get<double>(), row["trials"].get<std::int64_t>(),
                      row["tasks"].get<std::int64_t>(), row["tuning_seconds"].get<double>());
    }
    text += '\n';
  }
  return text.empty()
             ? text
             : "\nWhole models: times of peers over ours (above 1: ours is faster)\n" + text;
}

}  // namespace cambium::bench
