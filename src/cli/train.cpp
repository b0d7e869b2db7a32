#include "engine/training/train.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/settings_text.h"
#include "cli/table.h"
#include "cli/within.h"
#include "engine/ranges.h"

namespace cambium::cli {

namespace {

struct TrainCommand {
  ModelOptions model;
  engine::TrainingOptions training;
  std::vector<std::string> set;  // NAME=VALUE
  std::string output;
  bool from_scratch = false, without_validation = false, without_replay = false, json = false;
};

std::string percent(double share) {
  return fmt::format("{:.2f} %", share * 100);
}

// "87.21 %, top-5 99.60 %", or "perplexity 12.3".
std::string quality_text(const train::Quality& quality) {
  if (quality.perplexity > 0) return fmt::format("perplexity {:.3f}", quality.perplexity);
  return fmt::format("{} (top-5 {})", percent(quality.top1), percent(quality.top5));
}

std::string epoch_text(const train::Epoch& epoch, std::int64_t epochs) {
  std::string text = fmt::format("epoch {} of {}: loss {:.4f}", epoch.number, epochs, epoch.loss);
  if (epoch.validation) text += ", validation " + quality_text(*epoch.validation);
  return text +
         fmt::format(", {:.0f} samples/s, {:.1f} s", epoch.samples_per_second, epoch.seconds);
}

// A bar with the remaining time, and below it the state of the training.
std::vector<std::string> progress_lines(const train::Progress& progress) {
  std::string state =
      fmt::format("epoch {} of {}: loss {:.4f}", progress.epoch, progress.epochs, progress.loss);
  if (progress.validation) state += ", validation " + quality_text(*progress.validation);
  state += fmt::format(", {:.0f} samples/s", progress.samples_per_second);
  return {fmt::format("{} step {} of {}, {} left", bar_text(progress.step, progress.steps),
                      progress.step, progress.steps, duration_text(progress.seconds_left)),
          std::move(state)};
}

// Finished epochs stay visible above the moving lines. Without a terminal, each epoch is a line.
class Transcript {
 public:
  // `together`: lines of several seeds are mixed, so each line names its seed.
  explicit Transcript(bool together) : together_(together) {}

  void tell(std::uint64_t seed, const train::Progress& progress) {
    if (!together_ && seed != seed_) epochs_.push_back(fmt::format("seed {}", seed));
    if (!together_ && seed != seed_ && !on_terminal_) say(fmt::format("seed {}", seed));
    seed_ = seed;
    if (progress.finished != nullptr) {
      epochs_.push_back((together_ ? fmt::format("seed {}, ", seed) : "") +
                        epoch_text(*progress.finished, progress.epochs));
      if (!on_terminal_) say(epochs_.back());
    }
    if (!on_terminal_ || !screen_.is_due()) return;
    const std::size_t room = std::max<std::size_t>(screen_.height(), 9) - 5;
    const std::size_t first = epochs_.size() - std::min(epochs_.size(), room);
    std::vector<std::string> lines(epochs_.begin() + static_cast<std::ptrdiff_t>(first),
                                   epochs_.end());
    for (std::string& line : progress_lines(progress)) lines.push_back(std::move(line));
    screen_.draw(lines, {lines.back()});
  }

 private:
  bool on_terminal_ = ::isatty(STDERR_FILENO) == 1;
  bool together_;
  std::uint64_t seed_ = ~std::uint64_t{0};
  std::vector<std::string> epochs_;
  Screen screen_;
};

std::string measure_text(const std::optional<train::Quality>& quality, bool is_text) {
  if (!quality) return "";
  return is_text ? fmt::format("{:.3f}", quality->perplexity) : percent(quality->top1);
}

std::string top5_text(const std::optional<train::Quality>& quality, bool is_text) {
  return quality && !is_text ? percent(quality->top5) : "";
}

std::string spread_text(const char* what, const engine::Spread& spread, bool is_text) {
  if (is_text) {
    return fmt::format("{}: perplexity {:.3f} +- {:.3f} ({:.3f} .. {:.3f})\n", what, spread.mean,
                       spread.deviation, spread.least, spread.most);
  }
  return fmt::format("{}: {} +- {} ({} .. {})\n", what, percent(spread.mean),
                     percent(spread.deviation), percent(spread.least), percent(spread.most));
}

std::string report_text(const engine::TrainingReport& report) {
  constexpr auto kRightSide = Column::Align::Right;
  const std::string measure = report.is_text ? "perplexity" : "top-1";
  Table table({{"seed", kRightSide, false},
               {"epochs", kRightSide, false},
               {"loss", kRightSide, false},
               {"best epoch", kRightSide, false},
               {"validation " + measure, kRightSide, false},
               {"validation top-5", kRightSide, false},
               {"test " + measure, kRightSide, false},
               {"test top-5", kRightSide, false},
               {"samples/s", kRightSide, false},
               {"seconds", kRightSide, false},
               {"", Column::Align::Left, true}});
  for (const engine::SeedReport& run : report.runs) {
    const train::TrainReport& training = run.training;
    table.add({std::to_string(run.seed), std::to_string(training.epochs.size()),
               training.epochs.empty() ? "" : fmt::format("{:.4f}", training.epochs.back().loss),
               training.best_epoch > 0 ? std::to_string(training.best_epoch) : "",
               measure_text(training.best, report.is_text),
               top5_text(training.best, report.is_text), measure_text(run.test, report.is_text),
               top5_text(run.test, report.is_text),
               fmt::format("{:.0f}", training.samples_per_second),
               fmt::format("{:.1f}", training.seconds), training.why});
  }
  std::string text = table.text(terminal_width());
  if (report.runs.size() > 1) {
    text += fmt::format("{} trainings, {} at a time: {:.0f} samples/s in all, {:.1f} s\n",
                        report.runs.size(), report.options.together, report.samples_per_second,
                        report.seconds);
    if (report.validation) text += spread_text("validation", *report.validation, report.is_text);
    if (report.test) text += spread_text("test", *report.test, report.is_text);
  }
  if (report.options.stopping != "none") {
    const auto runs = static_cast<std::int64_t>(report.runs.size());
    text += fmt::format("{} ended {} of {} trainings early and saved {} of {} epochs\n",
                        report.options.stopping, report.stopped(), runs, report.epochs_saved(),
                        runs * report.recipe.epochs);
  }
  return text;
}

// The time of a GPU step, if it was measured.
std::string step_text(const train::StepTime& step) {
  return fmt::format(
      "a step takes {:.3f} ms, its {:.0f} kernels {:.3f} ms: {} of the time is outside of kernels",
      step.seconds * 1e3, step.kernels, step.kernel_seconds * 1e3, percent(step.outside()));
}

Result<engine::TrainingReport> trained(TrainCommand& options) {
  for (const std::string& pair : options.set) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) {
      return Rejection(Reason::BadOption, "--set " + quote(pair), "write NAME=VALUE");
    }
    options.training.settings.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  if (!options.output.empty()) CAMBIUM_REQUIRE(engine::check_model_path(options.output));
  CAMBIUM_TRY(const engine::Loaded loaded, load(options.model));
  if (!options.output.empty()) {
    CAMBIUM_REQUIRE(engine::check_savable(loaded.model, options.output));
  }
  options.training.seed = options.model.seed;
  options.training.validates = !options.without_validation;
  options.training.replays = !options.without_replay;
  if (!options.training.keeps_weights && !options.from_scratch &&
      options.model.spec.rfind("zoo:", 0) != 0) {
    note("the weights are initialized at random; --keep-weights starts from those in the file");
  }
  Transcript transcript(options.training.together > 1);
  engine::TrainingHooks hooks;
  hooks.stop = &stops_on_interrupt();
  hooks.progress = [&transcript](std::uint64_t seed, const train::Progress& progress) {
    transcript.tell(seed, progress);
  };
  // Saves the model before anything else can fail. If it cannot be saved, the report is still
  // printed.
  std::optional<Rejection> unsaved;
  hooks.trained = [&](const engine::TrainingReport& made) {
    if (options.output.empty()) return;
    Status saved = engine::save_model(made.best().training.model, options.output, made.classes);
    if (!saved.ok()) unsaved = std::move(saved).rejection();
  };
  CAMBIUM_TRY(engine::TrainingReport report,
              engine::train_model(loaded.model, options.training, hooks));
  if (unsaved) report.failed = std::move(unsaved);
  if (options.training.keeps_weights && !loaded.classes.empty() && !report.classes.empty() &&
      loaded.classes != report.classes) {
    note(
        "the model was trained on other classes; its outputs now stand for the classes of this "
        "data set");
  }
  return report;
}

int run_train(TrainCommand options) {
  auto made = trained(options);
  if (!made.ok()) return refuse(made.rejection());
  const engine::TrainingReport& report = *made;
  note(fmt::format("recipe {} on {}, {} threads", report.recipe_name, report.device,
                   report.options.threads));
  bool diverged = false;
  for (const engine::SeedReport& run : report.runs) {
    if (!run.training.note.empty()) note(run.training.note);
    if (run.training.kernels) note(step_text(*run.training.kernels));
    if (!run.training.not_replayed.empty() && report.options.replays) {
      note("steps were launched kernel by kernel: " + run.training.not_replayed);
    }
    if (run.training.why.empty()) continue;
    note(fmt::format("seed {}: {}", run.seed, run.training.why));
    diverged = diverged || run.training.ending == train::Ending::Diverged;
  }
  if (stops_on_interrupt().load() && !options.training.checkpoint.empty()) {
    note("the same command continues from " + options.training.checkpoint);
  }
  const int printed = options.json ? print_document(engine::to_json(report, options.model.spec))
                                   : print(report_text(report));
  if (report.failed) return refuse(*report.failed);
  return printed == kDone && diverged ? kFailed : printed;
}

std::string footer() {
  std::string text = "Recipes:\n";
  for (const auto& recipe : engine::training_recipes()) {
    text += fmt::format("  {:<8} {}\n", recipe.first, recipe.second);
  }
  return text + "\n" + settings_text("Settings of a recipe, for --set", train::recipe_settings()) +
         "Without --recipe, the model's input and the data select gray, color or text. The\n"
         "validation split is carved out of the training split. The test split is read only with\n"
         "--test, at the end. With --checkpoint, the same command continues where it was stopped "
         "or\n"
         "killed, and gives the same result. Ctrl-C stops cleanly.\n\n"
         "Example:\n"
         "  cambium train zoo:tiny-resnet --data fashion-mnist --test\n"
         "  cambium train zoo:resnet20 --data cifar10:DIR --device cuda --precision bf16 --seeds "
         "3\n"
         "  cambium train zoo:tiny-gpt --data text:book.txt --epochs 2 -o gpt.onnx\n"
         "  cambium train net.onnx --data fashion-mnist --keep-weights --rate 0.01 --set "
         "label-smoothing=0.1";
}

// Adds an option that sets a field of the recipe.
void add_setting(CLI::App& command, const std::shared_ptr<TrainCommand>& options,
                 const std::string& name, const std::string& help, const char* type) {
  command
      .add_option_function<std::string>(
          "--" + name,
          [options, name](const std::string& value) {
            options->training.settings.emplace_back(name, value);
          },
          help)
      ->type_name(type);
}

void add_training_options(CLI::App& command, const std::shared_ptr<TrainCommand>& options) {
  engine::TrainingOptions& training = options->training;
  command.add_option("--data", training.data, kTrainingSets)->type_name("SET")->required();
  command
      .add_option(
          "--recipe", training.recipe,
          "training recipe (`cambium train --help` lists the recipes); default: by model and data")
      ->type_name("NAME");
  add_setting(command, options, "epochs", "number of epochs; default: the recipe's", "N");
  add_setting(command, options, "batch", "batch size; default: the recipe's", "N");
  add_setting(command, options, "optimizer", "optimizer: sgd, adamw or rmsprop", "NAME");
  add_setting(command, options, "rate", "peak learning rate; default: the recipe's", "X");
  add_setting(command, options, "law",
              "learning rate schedule: constant, cosine, multi-step or one-cycle", "NAME");
  add_setting(command, options, "precision", "precision of training: f32 or bf16", "NAME");
  command
      .add_option("--set", options->set,
                  "any setting of the recipe, such as warmup=0.2, ema=0.999 or cutout=8 (`cambium "
                  "train --help` lists them); may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--device", training.device, "device that trains: auto, cpu, cuda or cuda:N")
      ->type_name("NAME")
      ->capture_default_str();
  add_threads_option(command, training.threads);
  command
      .add_option("--seeds", training.seeds,
                  "number of trainings, with consecutive seeds from --seed on")
      ->type_name("K")
      ->check(within(engine::ranges::kTrainings))
      ->capture_default_str();
  command
      .add_option("--together", training.together,
                  "number of trainings at once, with --threads each; one small network does not "
                  "fill a GPU")
      ->type_name("N")
      ->check(within(engine::ranges::kTrainings))
      ->capture_default_str();
  command
      .add_option("--checkpoint", training.checkpoint,
                  "checkpoint file; written after every epoch, and read first if it exists")
      ->type_name("FILE");
  command
      .add_option("--stopping", training.stopping,
                  "early stopping rule: none, curve:THETA, milestones:EPOCH=ACCURACY,..., "
                  "halving:FIRST,ETA or below-original:SHARE (the first training counts as the "
                  "original)")
      ->type_name("RULE")
      ->capture_default_str();
  command
      .add_option("--seconds", training.seconds,
                  "time limit of each training, in seconds; default: none")
      ->type_name("S")
      ->check(within(engine::ranges::kSeconds));
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  auto options = std::make_shared<TrainCommand>();
  CLI::App* command = app.add_subcommand(
      "train", "Train a model on a data set and print its accuracy or perplexity");
  add_model_options(*command, options->model);
  command->get_option("--seed")->description(
      "random seed of the weights, the sample order and the augmentation");
  add_training_options(*command, options);
  engine::TrainingOptions& training = options->training;
  command->add_flag("--test", training.tests, "also judge the result on the test split");
  command->add_flag(
      "--no-validation", options->without_validation,
      "train on the whole training split, without validation, and keep the last weights");
  command->add_flag("--kernel-time", training.traces,
                    "on a GPU, also print the share of time outside of its kernels");
  command->add_flag("--no-replay", options->without_replay,
                    "on a GPU, launch every step anew instead of replaying a recorded one");
  CLI::Option* scratch = command->add_flag("--from-scratch", options->from_scratch,
                                           "initialize the weights at random (the default)");
  CLI::Option* keep = command
                          ->add_flag("--keep-weights", training.keeps_weights,
                                     "start from the weights of the model")
                          ->excludes(scratch);
  command
      ->add_option("--initialization", training.initialization,
                   "initialization of the weights: kaiming-out (default for images), kaiming-in, "
                   "xavier, lecun or normal02 (default for text)")
      ->type_name("NAME")
      ->excludes(keep);
  command
      ->add_flag("--zero-last-norms", training.zeroes_last_norms,
                 "start every residual block as an identity: set the scale of its last norm to 0")
      ->excludes(keep);
  command
      ->add_option("-o,--output", options->output,
                   "file for the trained model, .onnx or .cambium; with several seeds, the model "
                   "that is best on validation")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "print one JSON document (docs/schema/train.json)");
  command->footer(footer());
  command->callback([&action, options] { action = [options] { return run_train(*options); }; });
}

}  // namespace cambium::cli
