#include "engine/run.h"

#include <limits>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/outputs.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/within.h"
#include "engine/accuracy.h"

namespace cambium::cli {

namespace {

struct RunOptions {
  ModelOptions model;
  std::string data;
  std::vector<double> mean, deviation;
  std::int64_t limit = 0;
  std::vector<std::string> inputs;
  bool random = false;
  std::string folder;
  int threads = 1;
  bool native = false, check = false;
  std::string machine = "host", db;
  bool json = false;
};

std::string numbers(const std::vector<double>& values) {
  std::string out;
  for (const double value : values) out += fmt::format("{}{:.6g}", out.empty() ? "" : ", ", value);
  return out;
}

// Shows the progress of compiling while it exists.
class Native {
 public:
  explicit Native(const RunOptions& options) {
    if (!options.native) return;
    wanted_.emplace();
    wanted_->machine = options.machine;
    wanted_->jobs = options.threads;
    wanted_->db = options.db;
    wanted_->threads = options.threads;
    wanted_->progress = [this](std::int64_t done, std::int64_t total) {
      if (!bar_) bar_ = std::make_unique<ProgressBar>("kernels");
      bar_->update(done, total);
      if (done == total) bar_.reset();
    };
  }
  const std::optional<engine::NativeOptions>& wanted() const { return wanted_; }

 private:
  std::unique_ptr<ProgressBar> bar_;
  std::optional<engine::NativeOptions> wanted_;
};

void say_error(const engine::OutputError& error) {
  say(fmt::format(
      "largest error: {:.2g} of the largest value of output '{}' (element {}: {:.6g}, reference "
      "executor: {:.6g})",
      error.largest, error.output, error.at, error.value, error.expected));
}

int run_data(const engine::Loaded& loaded, const RunOptions& options) {
  const Native native(options);
  engine::AccuracyOptions measuring;
  measuring.data = options.data;
  measuring.mean = options.mean;
  measuring.deviation = options.deviation;
  measuring.classes = loaded.classes;
  measuring.limit = options.limit;
  measuring.threads = options.threads;
  measuring.native = native.wanted();
  measuring.check = options.check;
  const auto measured = [&] {
    ProgressBar bar("images");
    measuring.progress = [&bar](std::int64_t done, std::int64_t total) { bar.update(done, total); };
    return engine::measure_accuracy(loaded.model, measuring);
  }();
  if (!measured.ok()) return refuse(measured.rejection());
  if (options.json) return print_document(engine::to_json(*measured, loaded.model.name()));
  if (options.native) say(fmt::format("compiled in {:.1f} s", measured->compile_seconds));
  say(fmt::format("{} images in {:.1f} s ({}), normalized with mean {} and deviation {}",
                  measured->images, measured->seconds, measured->executor, numbers(measured->mean),
                  numbers(measured->deviation)));
  if (measured->error) say_error(*measured->error);
  return print(fmt::format("top-1 {:.2f} % ({} of {} test images of {})\n", measured->top1() * 100,
                           measured->correct, measured->images, terminal_text(measured->data)));
}

std::string outputs_text(const std::vector<engine::OutputRow>& rows) {
  Table table({{"output", Column::Align::Left, true},
               {"type", Column::Align::Left, true},
               {"min", Column::Align::Right, false},
               {"max", Column::Align::Right, false},
               {"mean", Column::Align::Right, false},
               {"NaN", Column::Align::Right, false},
               {"first elements", Column::Align::Left, true},
               {"file", Column::Align::Left, true}});
  for (const engine::OutputRow& row : rows) {
    table.add({row.name, row.type.text(), fmt::format("{:.6g}", row.low),
               fmt::format("{:.6g}", row.high), fmt::format("{:.6g}", row.mean),
               row.nans == 0 ? "" : std::to_string(row.nans), numbers(row.head), row.file});
  }
  return table.text(terminal_width());
}

// NAME=FILE, or FILE alone for a model with one input.
Result<std::map<std::string, std::string>> parse_files(const std::vector<std::string>& inputs) {
  std::map<std::string, std::string> files;
  for (const std::string& input : inputs) {
    const std::size_t equals = input.find('=');
    std::string name = equals == std::string::npos ? "" : input.substr(0, equals);
    std::string file = equals == std::string::npos ? input : input.substr(equals + 1);
    if (!files.emplace(std::move(name), std::move(file)).second) {
      return Rejection(Reason::BadOption, "--input " + quote(input), "this input appears twice");
    }
  }
  return files;
}

struct Ran {
  engine::RunOutcome outcome;
  std::vector<engine::OutputRow> rows;
};

Result<Ran> run_tensors(const engine::Loaded& loaded, const RunOptions& options) {
  std::vector<model::Tensor> inputs;
  if (options.random) {
    inputs = engine::random_inputs(loaded.model, options.model.seed);
  } else {
    CAMBIUM_TRY(const auto files, parse_files(options.inputs));
    CAMBIUM_TRY(inputs, engine::read_inputs(loaded.model, files));
  }
  const Native native(options);
  CAMBIUM_TRY(
      engine::RunOutcome outcome,
      engine::run_model(loaded.model, inputs, {options.threads, native.wanted(), options.check}));
  std::vector<engine::OutputRow> rows;
  for (const engine::NamedTensor& output : outcome.outputs) {
    rows.push_back(engine::summarize(output));
  }
  if (!options.folder.empty()) {
    CAMBIUM_REQUIRE(engine::write_outputs(outcome.outputs, options.folder, rows));
  }
  return Ran{std::move(outcome), std::move(rows)};
}

int run_run(const RunOptions& options) {
  if ((options.data.empty() ? 0 : 1) + (options.inputs.empty() ? 0 : 1) +
          (options.random ? 1 : 0) !=
      1) {
    return refuse(
        Rejection(Reason::BadOption, "run", "give exactly one of --data, --input and --random"));
  }
  if (!options.folder.empty()) {
    const Status writable = check_output_folder(options.folder);
    if (!writable.ok()) return refuse(writable.rejection());
  }
  const auto loaded = load(options.model);
  if (!loaded.ok()) return refuse(loaded.rejection());
  if (!options.data.empty()) return run_data(*loaded, options);
  const auto ran = run_tensors(*loaded, options);
  if (!ran.ok()) return refuse(ran.rejection());
  if (ran->outcome.error) say_error(*ran->outcome.error);
  if (options.json) {
    return print_document(engine::to_json(ran->rows, ran->outcome, loaded->model.name()));
  }
  return print(outputs_text(ran->rows));
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      app.add_subcommand("run", "Run a model and print its accuracy or its outputs");
  add_model_options(*command, options->model);
  command->get_option("--seed")->description(
      "random seed of --random and of the weights of a zoo model");
  constexpr const char* kWhat = "Input (exactly one of these)";
  command
      ->add_option(
          "--data", options->data,
          std::string("print the top-1 accuracy on the test images of a data set: ") + kImageSets)
      ->type_name("SET")
      ->group(kWhat);
  command
      ->add_option("--input", options->inputs,
                   "print the outputs for this input, a .npy or .pb file; may be repeated")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false)
      ->group(kWhat);
  command->add_flag("--random", options->random, "print the outputs for random inputs")
      ->group(kWhat);
  command
      ->add_option("--mean", options->mean,
                   "mean of each channel; default: the usual one of the data set")
      ->type_name("X,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--std", options->deviation,
                   "standard deviation of each channel; default: the usual one of the data set")
      ->type_name("X,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--limit", options->limit,
                   "number of test images, from the first on; default: all")
      ->type_name("N")
      ->check(within(Range<std::int64_t>{1, std::numeric_limits<std::int64_t>::max()}));
  command
      ->add_option("-o,--output", options->folder, "folder to write the outputs to, as .npy files")
      ->type_name("DIR");
  CLI::Option* native = command->add_flag(
      "--native", options->native,
      "compile the model and run the native code instead of the reference executor");
  add_machine_option(*command, options->machine)->needs(native);
  add_schedules_option(*command, options->db)->needs(native);
  command
      ->add_flag("--check", options->check,
                 "compare every output with the reference executor's; refuse wrong outputs")
      ->needs(native);
  add_threads_option(*command, options->threads);
  command->add_flag("--json", options->json,
                    "print one JSON document (docs/schema: accuracy.json or outputs.json)");
  command->footer(
      "Pixels are scaled to 0..1. Then the mean is subtracted, and the difference is divided by "
      "the\n"
      "standard deviation.\n\n"
      "Example:\n"
      "  cambium run examples/fashion_mnist/classifier.onnx --data fashion-mnist\n"
      "  cambium run net.onnx --input image=x.npy -o outputs\n"
      "  cambium run net.onnx --input image=x.npy --native --check\n"
      "  cambium run zoo:tiny-gpt --random --seed 7 --json");
  command->callback([&action, options] { action = [options] { return run_run(*options); }; });
}

}  // namespace cambium::cli
