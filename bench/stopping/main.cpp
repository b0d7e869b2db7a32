// cambium-bench-stopping: trains candidates to the end and records their curves, and says what each
// stopping rule would have saved and lost on recorded curves. Reached by `cambium bench stopping`.
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "base/file.h"
#include "base/thread_pool.h"
#include "cli/common.h"
#include "cli/table.h"
#include "commit.h"
#include "data/dataset.h"
#include "engine/documents.h"
#include "model/cost.h"
#include "stopping/candidates.h"
#include "stopping/curves.h"
#include "train/initialize.h"
#include "train/trainer.h"

namespace cambium::bench {
namespace {

struct CollectOptions {
  std::string data, device = "auto", output;
  std::vector<std::string> set;
  int candidates = 24, together = 1, threads = 1;
  std::uint64_t seed = 1;
};

struct StudyOptions {
  std::string curves;
  std::vector<std::string> rules = {"curve:0.5",   "curve:0.7",   "curve:0.8",   "curve:0.9",
                                    "curve:0.95",  "halving:1,2", "halving:1,3", "halving:1,4",
                                    "halving:2,2", "halving:2,3"};
  double good = 0.1;
  int orders = 200;
  std::uint64_t seed = 1;
  bool json = false;
};

Result<train::Recipe> recipe_of(const CollectOptions& options, int channels) {
  CAMBIUM_TRY(train::Recipe recipe, train::recipe_named(channels == 1 ? "gray" : "color"));
  for (const std::string& pair : options.set) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) {
      return Rejection(Reason::BadOption, "--set", "write NAME=VALUE");
    }
    CAMBIUM_REQUIRE(train::assign(recipe, pair.substr(0, equals), pair.substr(equals + 1)));
  }
  CAMBIUM_REQUIRE(train::check(recipe));
  return recipe;
}

const char* name_of(train::Ending ending) {
  return ending == train::Ending::Finished ? "finished" : "diverged";  // nothing else ends these
}

// Every candidate with weights of its own seed, on the same data with the same recipe.
Result<std::vector<train::TrainJob>> jobs_of(const CollectOptions& options,
                                             const data::Dataset& data) {
  CAMBIUM_TRY(const train::Device device, train::device_of(options.device));
  ThreadPool pool(1);
  CAMBIUM_TRY(const data::ImageSplit images, data.images(data::Split::Train, pool));
  const data::ImageSet& set = *images.set;
  CAMBIUM_TRY(const train::Recipe recipe, recipe_of(options, set.channels));
  std::vector<train::TrainJob> jobs;
  for (int i = 0; i < options.candidates; ++i) {
    CAMBIUM_TRY(const model::Model drawn,
                candidate(options.seed, i, set.channels, set.height,
                          static_cast<std::int64_t>(set.class_names.size())));
    train::InitializeOptions fresh;
    fresh.seed = options.seed + static_cast<std::uint64_t>(i);
    train::TrainOptions training;
    training.recipe = recipe;
    training.device = device;
    training.threads = options.threads;
    training.seed = fresh.seed;
    jobs.push_back({train::initialized(drawn, fresh), &data, training});
  }
  return jobs;
}

// The curves of the trainings that have ended, written whenever another one has: hours of training
// are not to hang on the last of them.
class Record {
 public:
  Record(std::string path, const std::vector<train::TrainJob>& jobs) : path_(std::move(path)) {
    for (const train::TrainJob& job : jobs) {
      curves_.push_back({job.model.name(), model::cost_of(job.model).params, "", {}});
    }
  }

  // Told by one thread at a time.
  void take(std::size_t job, const train::Progress& progress) {
    if (progress.finished == nullptr || !progress.finished->validation) return;
    curves_[job].scores.push_back(progress.finished->validation->top1);
    if (progress.finished->number == progress.epochs) (void)end(job, train::Ending::Finished);
  }

  Status end(std::size_t job, train::Ending ending) {
    curves_[job].ending = name_of(ending);
    std::string lines;
    for (const NamedCurve& each : curves_) {
      if (!each.ending.empty()) lines += to_line(each);
    }
    return write_file(path_, lines);
  }

 private:
  std::string path_;
  std::vector<NamedCurve> curves_;
};

Result<std::string> collect(const CollectOptions& options) {
  CAMBIUM_TRY(const data::Dataset data, data::open_dataset(options.data));
  CAMBIUM_TRY(std::vector<train::TrainJob> jobs, jobs_of(options, data));
  CAMBIUM_REQUIRE(write_file(options.output, ""));
  Record record(options.output, jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].options.progress = [&record, i](const train::Progress& told) { record.take(i, told); };
  }
  const auto begun = std::chrono::steady_clock::now();
  const auto reports = train::train_together(jobs, options.together);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  double samples = 0;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (!reports[i].ok()) return reports[i].rejection();
    CAMBIUM_REQUIRE(record.end(i, reports[i]->ending));
    for (const train::Epoch& each : reports[i]->epochs) {
      samples += each.samples_per_second * each.seconds;
    }
  }
  return fmt::format("{} trainings, {} at a time: {:.0f} samples/s in all, {:.1f} s\n",
                     reports.size(), options.together, samples / seconds, seconds);
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

struct Study {
  std::size_t curves = 0, epochs = 0;
  std::vector<RuleOutcome> outcomes;
};

Result<Study> study(const StudyOptions& options) {
  CAMBIUM_TRY(const std::string lines, read_file(options.curves));
  CAMBIUM_TRY(const std::vector<NamedCurve> curves, curves_in(lines).at(options.curves));
  Study out{curves.size(), curves[0].scores.size(), {}};
  for (const std::string& rule : options.rules) {
    CAMBIUM_TRY(RuleOutcome outcome,
                outcome_of(rule, curves, options.good, options.orders, options.seed));
    out.outcomes.push_back(std::move(outcome));
  }
  return out;
}

std::string text_of(const Study& study, const StudyOptions& options) {
  constexpr auto kRightSide = cli::Column::Align::Right;
  cli::Table table({{"rule", cli::Column::Align::Left, true},
                    {"stopped", kRightSide, false},
                    {"epochs saved", kRightSide, false},
                    {"good ones lost", kRightSide, false},
                    {"best lost by", kRightSide, false}});
  for (const RuleOutcome& outcome : study.outcomes) {
    table.add({outcome.rule, percent(outcome.stopped), percent(outcome.saved),
               percent(outcome.good_lost), fmt::format("{:.4f}", outcome.best_lost)});
  }
  return fmt::format("{} curves of {} epochs, {} orders; good: the best {}\n", study.curves,
                     study.epochs, options.orders, percent(options.good)) +
         table.text(cli::terminal_width());
}

nlohmann::json json_of(const Study& study, const StudyOptions& options) {
  nlohmann::json out = engine::document("bench", 1);
  out["name"] = "stopping";
  out["commit"] = std::string(commit());
  out["options"] = {{"good", options.good}, {"orders", options.orders}, {"seed", options.seed}};
  out["curves"] = study.curves;
  out["epochs"] = study.epochs;
  out["rows"] = nlohmann::json::array();
  for (const RuleOutcome& outcome : study.outcomes) {
    out["rows"].push_back({{"rule", outcome.rule},
                           {"stopped", outcome.stopped},
                           {"saved", outcome.saved},
                           {"good_lost", outcome.good_lost},
                           {"best_lost", outcome.best_lost}});
  }
  return out;
}

int run_collect(const CollectOptions& options) {
  const auto text = collect(options);
  return text.ok() ? cli::print(*text) : cli::refuse(text.rejection());
}

int run_study(const StudyOptions& options) {
  const auto found = study(options);
  if (!found.ok()) return cli::refuse(found.rejection());
  return options.json ? cli::print_document(json_of(*found, options))
                      : cli::print(text_of(*found, options));
}

CLI::App* add_collect(CLI::App& app, CollectOptions& options) {
  CLI::App* command = app.add_subcommand("collect", "Train candidates to the end");
  command->add_option("--data", options.data, "data set with images, as `cambium train` takes it")
      ->required();
  command->add_option("--device", options.device, "device that trains: auto, cpu, cuda or cuda:N")
      ->capture_default_str();
  command->add_option("--candidates", options.candidates, "number of networks")
      ->check(CLI::Range(1, 100000).description(""))
      ->capture_default_str();
  command->add_option("--together", options.together, "number of trainings at once")
      ->check(CLI::Range(1, 1000).description(""))
      ->capture_default_str();
  command->add_option("--threads", options.threads, "threads of each training")
      ->check(CLI::Range(1, 1024).description(""))
      ->capture_default_str();
  command->add_option("--set", options.set, "setting of the recipe; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_option("--seed", options.seed, "random seed of networks and weights")
      ->capture_default_str();
  command
      ->add_option("-o,--output", options.output,
                   "output file with a line of JSON for each training")
      ->required();
  return command;
}

CLI::App* add_study(CLI::App& app, StudyOptions& options) {
  CLI::App* command = app.add_subcommand(
      "study", "Replay stopping rules on recorded curves: what they save and lose");
  command->add_option("CURVES", options.curves, "file that `collect` wrote")->required();
  command
      ->add_option("--rule", options.rules,
                   "stopping rule to replay; may be repeated; default: the usual ones")
      ->allow_extra_args(false);
  command->add_option("--good", options.good, "share of the trainings that counts as good")
      ->check(CLI::Range(0.0, 1.0).description(""))
      ->capture_default_str();
  command
      ->add_option("--orders", options.orders, "number of orders in which the curves are replayed")
      ->check(CLI::Range(1, 1000000).description(""))
      ->capture_default_str();
  command->add_flag("--json", options.json,
                    "print one JSON document (docs/schema/bench_stopping.json)");
  return command;
}

}  // namespace
}  // namespace cambium::bench

int main(int argc, char** argv) {
  using namespace cambium;
  CLI::App app{"How much training early-stopping rules save, and which good candidates they lose",
               "cambium bench stopping"};
  app.require_subcommand(1);
  bench::CollectOptions collecting;
  bench::StudyOptions studying;
  const CLI::App* collect = bench::add_collect(app, collecting);
  bench::add_study(app, studying);
  app.footer(
      "Example:\n"
      "  cambium bench stopping collect --data fashion-mnist --candidates 24 -o curves.jsonl\n"
      "  cambium bench stopping study curves.jsonl --rule curve:0.8 --rule halving:1,3");
  if (const auto code = bench::parse(app, argc, argv)) return *code;
  return collect->parsed() ? bench::run_collect(collecting) : bench::run_study(studying);
}
