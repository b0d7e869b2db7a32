// Commands on a study as a whole: report, merge, pack, list.
#include <filesystem>
#include <memory>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/file_writer.h"
#include "base/outputs.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/legality_view.h"
#include "cli/table.h"
#include "engine/search/studies.h"

namespace cambium::cli {

namespace {

struct StudyOptions {
  std::string study, other, folder;
  bool json = false;
};

int run_report(const StudyOptions& options) {
  const Status writable = check_output_folder(options.folder);
  if (!writable.ok()) return refuse(writable.rejection());
  const Status written = engine::report_study(options.study, options.folder);
  if (!written.ok()) return refuse(written.rejection());
  say(fmt::format("open {}/index.html", options.folder));
  return kDone;
}

int run_merge(const StudyOptions& options) {
  const auto merged = engine::merge_studies(options.study, options.other);
  if (!merged.ok()) return refuse(merged.rejection());
  say(fmt::format("added {} candidates and {} evaluations of {} to {}", merged->candidates,
                  merged->evaluations, options.other, options.study));
  return kDone;
}

// A study may be too large for memory: the lines go to a temporary file, which replaces the output
// file when it is complete.
Status pack(const StudyOptions& options) {
  CAMBIUM_REQUIRE(check_output_file(options.folder));
  std::error_code differs;
  if (std::filesystem::equivalent(options.study, options.folder, differs)) {
    return Rejection(Reason::BadOption, "-o " + quote(options.folder),
                     "the output is the study itself");
  }
  CAMBIUM_TRY(FileWriter out, FileWriter::create(options.folder));
  Status written = Ok{};
  const Status packed = engine::pack_study(options.study, [&](const std::string& line) {
    written = out.write(line + "\n");
    return written.ok();
  });
  CAMBIUM_REQUIRE(written);
  CAMBIUM_REQUIRE(packed);
  return out.finish();
}

int run_pack(const StudyOptions& options) {
  const Status packed = pack(options);
  if (!packed.ok()) return refuse(packed.rejection());
  say(fmt::format("wrote {}", options.folder));
  return kDone;
}

// A front may hold candidates that were trained briefly beside fully trained ones.
std::string trained_text(const engine::StudyRow& row) {
  const auto epochs = study::epochs_of(row.scores);
  if (!epochs) return "";
  return fmt::format("{:g} epoch{}{}", *epochs, *epochs == 1 ? "" : "s",
                     row.is_brief ? " (brief)" : "");
}

int run_list(const StudyOptions& options) {
  const auto listed = engine::list_study(options.study);
  if (!listed.ok()) return refuse(listed.rejection());
  const auto legality = engine::legality_by_kind(options.study);
  if (!legality.ok()) return refuse(legality.rejection());
  if (options.json) {
    nlohmann::json out = engine::to_json(*listed);
    if (legality->all.judged > 0) out["legality"] = engine::to_json(*legality);
    return print_document(out);
  }
  say(fmt::format("{} on {}: {} candidates", listed->model, listed->data, listed->candidates));
  Table table({{"candidate", kLeft, false},
               {"accuracy", kRight, false},
               {"perplexity", kRight, false},
               {"trained for", kLeft, false},
               {"Fisher change", kRight, false},
               {"latency", kRight, false},
               {"MACs", kRight, false},
               {"parameters", kRight, false},
               {"what", kLeft, true}});
  for (const engine::StudyRow& row : listed->rows) {
    const auto cell = [&](study::Metric metric) {
      const auto& value = row.scores.at(metric);
      if (!value) return std::string();
      return (value->is_estimate ? "~" : "") + text_of(metric, value->value);
    };
    table.add({study::short_id(row.identity), cell(study::Metric::Accuracy),
               cell(study::Metric::Perplexity), trained_text(row),
               cell(study::Metric::FisherChange), cell(study::Metric::Latency),
               cell(study::Metric::Macs), cell(study::Metric::Parameters), row.title});
  }
  const std::string by_kind = legality_text(*legality, terminal_width());
  return print(table.text(terminal_width()) + (by_kind.empty() ? "" : "\n" + by_kind));
}

using Run = int (*)(StudyOptions);

CLI::App* add_command(CLI::App& app, Action& action, const std::shared_ptr<StudyOptions>& options,
                      const char* name, const char* what, Run run) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("STUDY", options->study, "study file of a search")->required()->type_name("");
  command->callback([&action, options, run] { action = [options, run] { return run(*options); }; });
  return command;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  auto options = std::make_shared<StudyOptions>();
  options->folder = "report";
  CLI::App* command = add_command(app, action, options, "report",
                                  "Write a study as a web site that opens from disk",
                                  [](StudyOptions given) { return run_report(given); });
  command->add_option("-o,--output", options->folder, "output folder")
      ->type_name("DIR")
      ->capture_default_str();
  command->footer("Example:\n  cambium report search.study -o report");
}

void add_study(CLI::App& app, Action& action) {
  CLI::App* study = app.add_subcommand("study", "List, merge and pack studies");
  study->require_subcommand(1);
  auto options = std::make_shared<StudyOptions>();
  CLI::App* list =
      add_command(*study, action, options, "list", "List the original and the Pareto front",
                  [](StudyOptions given) { return run_list(given); });
  list->add_flag("--json", options->json, "print one JSON document (docs/schema/study_list.json)");
  CLI::App* merge = add_command(*study, action, options, "merge",
                                "Add everything from another study of the same model and data",
                                [](StudyOptions given) { return run_merge(given); });
  merge->add_option("OTHER", options->other, "study to add")->required()->type_name("");
  CLI::App* pack = add_command(*study, action, options, "pack", "Write a study as JSON lines",
                               [](StudyOptions given) { return run_pack(given); });
  pack->add_option("-o,--output", options->folder, "output file")->required()->type_name("FILE");
  study->footer(
      "Example:\n"
      "  cambium study list search.study\n"
      "  cambium study merge here.study there.study\n"
      "  cambium study pack search.study -o search.jsonl");
}

}  // namespace cambium::cli
