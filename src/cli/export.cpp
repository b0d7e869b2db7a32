// Exports candidates of a study for use elsewhere: one, the best, or the whole Pareto front.
#include "engine/search/export.h"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/escape.h"
#include "base/outputs.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/within.h"
#include "engine/ranges.h"
#include "engine/search/studies.h"

namespace cambium::cli {

namespace {

struct ExportCommand {
  std::string study, candidate, folder;
  engine::ExportOptions options;
  bool without_native = false;
};

int export_one(const ExportCommand& command, const std::string& candidate,
               const std::string& folder) {
  const auto report = engine::export_candidate(command.study, candidate, folder, command.options);
  if (!report.ok()) return refuse(report.rejection());
  say(fmt::format("{} {}", study::short_id(report->identity), report->title));
  for (const auto& [what, why] : report->left_out)
    note(fmt::format("{} was not written: {}", what, why));
  if (!report->is_trained)
    note("its new weights are not trained: the study has no full training of this candidate");
  for (const engine::ExportedFile& file : report->files) {
    if (const int printed = print(terminal_text(folder + "/" + file.name) + "\n"); printed != kDone)
      return printed;
  }
  return kDone;
}

int run_export(ExportCommand command) {
  command.options.native = !command.without_native;
  const Status writable = check_output_folder(command.folder);
  if (!writable.ok()) return refuse(writable.rejection());
  if (command.candidate != "front") return export_one(command, command.candidate, command.folder);
  const auto front = engine::front_of_study(command.study);
  if (!front.ok()) return refuse(front.rejection());
  for (const Fingerprint& candidate : *front) {
    const std::string folder =
        (std::filesystem::path(command.folder) / study::long_id(candidate)).string();
    if (const int done = export_one(command, candidate.text(), folder); done != kDone) return done;
  }
  return kDone;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  auto command = std::make_shared<ExportCommand>();
  CLI::App* sub = app.add_subcommand(
      "export", "Write candidates of a study as ONNX, PyTorch source and native code");
  sub->add_option("STUDY", command->study, "study file of a search")->required()->type_name("");
  sub->add_option("CANDIDATE", command->candidate,
                  "first digits of a candidate's id; best: the fastest within the limits; front: "
                  "the whole Pareto front (`cambium study list`), each candidate in its own folder")
      ->required()
      ->type_name("");
  sub->add_option("-o,--output", command->folder, "output folder")->required()->type_name("DIR");
  sub->add_option("--threads", command->options.threads,
                  "number of threads that the native code uses")
      ->check(within(engine::ranges::kThreads))
      ->type_name("N")
      ->capture_default_str();
  sub->add_flag("--without-native", command->without_native, "do not build the native library");
  sub->footer(
      "README.txt in the folder describes each file.\n\n"
      "Example:\n"
      "  cambium export search.study best -o faster\n"
      "  cambium export search.study front -o front --without-native");
  sub->callback([&action, command] { action = [command] { return run_export(*command); }; });
}

}  // namespace cambium::cli
