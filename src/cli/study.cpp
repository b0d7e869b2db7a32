// What is done with a study as a whole: report, merge, pack, list.
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
#include "cli/table.h"
#include "engine/search/studies.h"

namespace cambium::cli {

namespace {

constexpr Column::Align kRight = Column::Align::Right;
constexpr Column::Align kLeft = Column::Align::Left;

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
  say(fmt::format("{} candidates and {} evaluations of {} were new in {}", merged->candidates,
                  merged->evaluations, options.other, options.study));
  return kDone;
}

// A study may be too large for memory: the lines go to a file beside, which takes the place of what
// was there when it is whole.
Status pack(const StudyOptions& options) {
  CAMBIUM_REQUIRE(check_output_file(options.folder));
  std::error_code differs;
  if (std::filesystem::equivalent(options.study, options.folder, differs)) {
    return Rejection(Reason::BadOption, "-o " + quote(options.folder), "this is the study itself");
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

int run_list(const StudyOptions& options) {
  const auto listed = engine::list_study(options.study);
  if (!listed.ok()) return refuse(listed.rejection());
  if (options.json) return print_document(engine::to_json(*listed));
  say(fmt::format("{} on {}: {} candidates", listed->model, listed->data, listed->candidates));
  Table table({{"candidate", kLeft, false},
               {"accuracy", kRight, false},
               {"perplexity", kRight, false},
               {"latency", kRight, false},
               {"MACs", kRight, false},
               {"parameters", kRight, false},
               {"what", kLeft, true}});
  for (const engine::StudyRow& row : listed->rows) {
    const auto cell = [&](search::Metric metric) {
      const auto& value = row.scores.at(metric);
      if (!value) return std::string();
      return (value->is_estimate ? "~" : "") + text_of(metric, value->value);
    };
    table.add({row.candidate.substr(0, 8), cell(search::Metric::Accuracy),
               cell(search::Metric::Perplexity), cell(search::Metric::Latency),
               cell(search::Metric::Macs), cell(search::Metric::Parameters), row.title});
  }
  return print(table.text(terminal_width()));
}

using Run = int (*)(StudyOptions);

CLI::App* add_command(CLI::App& app, Action& action, const std::shared_ptr<StudyOptions>& options,
                      const char* name, const char* what, Run run) {
  CLI::App* command = app.add_subcommand(name, what);
  command->add_option("STUDY", options->study, "the file of a search")
      ->required()
      ->type_name("STUDY");
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
  command->add_option("-o,--output", options->folder, "folder")
      ->type_name("DIR")
      ->capture_default_str();
  command->footer("Example:\n  cambium report search.study -o report");
}

void add_study(CLI::App& app, Action& action) {
  CLI::App* study = app.add_subcommand("study", "List, merge and pack studies");
  study->require_subcommand(1);
  auto options = std::make_shared<StudyOptions>();
  CLI::App* list = add_command(*study, action, options, "list", "The candidates that nothing beats",
                               [](StudyOptions given) { return run_list(given); });
  list->add_flag("--json", options->json, "print one JSON document (docs/schema/study_list.json)");
  CLI::App* merge = add_command(*study, action, options, "merge",
                                "Take in all of another study of the same search",
                                [](StudyOptions given) { return run_merge(given); });
  merge->add_option("OTHER", options->other, "the study that is taken in")
      ->required()
      ->type_name("OTHER");
  CLI::App* pack = add_command(*study, action, options, "pack", "Write a study as JSON lines",
                               [](StudyOptions given) { return run_pack(given); });
  pack->add_option("-o,--output", options->folder, "file")->required()->type_name("FILE");
  study->footer(
      "Example:\n"
      "  cambium study list search.study\n"
      "  cambium study merge here.study there.study\n"
      "  cambium study pack search.study -o search.jsonl");
}

}  // namespace cambium::cli
