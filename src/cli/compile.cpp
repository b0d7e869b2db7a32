#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "cli/within.h"
#include "engine/native.h"
#include "engine/ranges.h"

namespace cambium::cli {

namespace {

struct CompileOptions {
  ModelOptions model;
  engine::NativeOptions native;
  std::string folder;
  bool json = false;
};

std::string slowest_text(const engine::CompileReport& report) {
  Table table({{"slowest to compile", Column::Align::Left, false},
               {"ms", Column::Align::Right, false},
               {"code", Column::Align::Right, false},
               {"MACs", Column::Align::Right, false},
               {"nodes", Column::Align::Left, true}});
  for (const compile::KernelReport& kernel : report.slowest) {
    table.add({kernel.symbol, fmt::format("{:.1f}", kernel.facts.seconds * 1e3),
               human_bytes(kernel.facts.code_bytes),
               kernel.macs == 0 ? "" : human_count(static_cast<double>(kernel.macs)),
               join(kernel.nodes, " ")});
  }
  return table.text(terminal_width());
}

std::string report_text(const engine::CompileReport& report) {
  const engine::Footprint& memory = report.footprint;
  Table table({{"", Column::Align::Left, false}, {"", Column::Align::Left, true}});
  table.add({"model", report.model});
  table.add({"machine", report.machine});
  table.add(
      {"kernels",
       fmt::format("{} for {} calls, {} of them tuned, {} of code; median {:.1f} ms to compile",
                   report.kernels, report.calls, report.tuned, human_bytes(report.code_bytes),
                   report.median_kernel_seconds * 1e3)});
  table.add({"plain loops", fmt::format("{} kernels", report.plain_loops)});
  table.add({"compiled in", fmt::format("{:.1f} s", report.seconds)});
  table.add({"weights", fmt::format("{}, in the model {}", human_bytes(memory.weight_bytes),
                                    human_bytes(memory.model_bytes))});
  table.add(
      {"workspace", fmt::format("{}, of which activations {} (at most {} alive at once)",
                                human_bytes(memory.workspace_bytes), human_bytes(memory.plan_bytes),
                                human_bytes(memory.live_bytes))});
  table.add({"memory", fmt::format("{:.2f} times the model's weights and the largest pair of live "
                                   "activations ({})",
                                   memory.ratio(), human_bytes(memory.pair_bytes))});
  return table.text(terminal_width()) + "\n" + slowest_text(report);
}

int run_compile(CompileOptions options) {
  const auto loaded = load(options.model);
  if (!loaded.ok()) return refuse(loaded.rejection());
  const auto report = [&] {
    ProgressBar bar("kernels");
    options.native.progress = [&bar](std::int64_t done, std::int64_t total) {
      bar.update(done, total);
    };
    return engine::compile_library(loaded->model, options.native, options.folder);
  }();
  if (!report.ok()) return refuse(report.rejection());
  for (const compile::KernelReport& kernel : report->slower) {
    note(fmt::format("{} is slower than it could be: {}", kernel.symbol, kernel.fallback));
  }
  say(fmt::format("wrote {} in {}", join(report->files, ", "), report->folder));
  if (options.json) return print_document(engine::to_json(*report));
  return print(report_text(*report));
}

}  // namespace

void add_compile(CLI::App& app, Action& action) {
  auto options = std::make_shared<CompileOptions>();
  CLI::App* command = app.add_subcommand(
      "compile", "Compile a model to a native library that runs without Cambium");
  add_model_options(*command, options->model);
  command
      ->add_option("-o,--output", options->folder,
                   "output folder: library, header, weights and manifest")
      ->type_name("DIR")
      ->required();
  add_machine_option(*command, options->native.machine);
  add_off_option(*command, options->native.off);
  add_schedules_option(*command, options->native.db);
  add_threads_option(*command, options->native.threads)
      ->description(
          "number of threads that the library uses; each schedule is tuned for one number of "
          "threads");
  options->native.jobs = threads_of_this_machine();
  command->add_option("--jobs", options->native.jobs, "number of kernels compiled at once")
      ->type_name("N")
      ->check(within(engine::ranges::kThreads))
      ->default_str(kAllCores);
  command->add_flag("--json", options->json, "print one JSON document (docs/schema/compile.json)");
  command->footer(
      "Writes NAME.so, NAME.h (one documented C function), NAME.weights and manifest.json;\n"
      "docs/native.md shows how a program uses them.\n\n"
      "Example:\n"
      "  cambium compile zoo:resnet18 -o resnet18\n"
      "  cambium compile net.onnx -o net --machine aarch64 --json\n"
      "  cambium tune net.onnx --threads 2 && cambium compile net.onnx -o net --threads 2");
  command->callback([&action, options] { action = [options] { return run_compile(*options); }; });
}

}  // namespace cambium::cli
