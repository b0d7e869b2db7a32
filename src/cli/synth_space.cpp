#include "cli/synth_space.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/text.h"
#include "cli/table.h"
#include "engine/search/studies.h"

namespace cambium::cli {
namespace {

std::string human(std::int64_t count) {
  return human_count(static_cast<double>(count));
}

std::string report_text(const engine::EditReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.about.size(); ++i) {
    const spaces::Description& about = report.about[i];
    text += terminal_text(about.title) + "\n";
    if (!about.equation.empty()) text += "\n" + about.equation + "\n";
    text += "\n" + report.edits.candidate.edits[i].document + "\n";
  }
  Table table({{"place", Column::Align::Left, true},
               {"MACs before", kRight, false},
               {"MACs", kRight, false},
               {"params before", kRight, false},
               {"params", kRight, false}});
  const auto add = [&](const std::string& place, std::int64_t macs_before, std::int64_t macs,
                       std::int64_t parameters_before, std::int64_t parameters) {
    table.add({place, std::to_string(macs_before), std::to_string(macs),
               std::to_string(parameters_before), std::to_string(parameters)});
  };
  for (const engine::EditedSite& site : report.sites) {
    add(site.site + (site.is_edited ? "" : " (behind an edit)"), site.macs_before, site.macs,
        site.parameters_before, site.parameters);
  }
  add("the whole model", report.macs_before, report.edits.macs, report.parameters_before,
      report.edits.parameters);
  text += "\n" + table.text(terminal_width());
  if (report.unedited.empty()) return text;
  Table others({{"left alone", Column::Align::Left, true}, {"why", Column::Align::Left, true}});
  for (const engine::UneditedSite& each : report.unedited) others.add({each.site, each.why});
  return text + "\n" + others.text(terminal_width());
}

enum class Shows { Edits, AllTargets };

Result<engine::EditReport> report_of(const OfModel& options, const std::string& what, Shows shows) {
  CAMBIUM_TRY(const SpaceOfModel made, make_space(options.model, options.choice));
  return engine::explain_edits(made.spaces, made.model, what,
                               shows == Shows::AllTargets ? made.targets : std::string());
}

int print_report(const OfModel& options, const std::string& what, Shows shows, bool json) {
  const auto report = report_of(options, what, shows);
  if (!report.ok()) return refuse(report.rejection());
  if (json) return print_document(engine::to_json(*report));
  return print(report_text(*report));
}

}  // namespace

void add_model_of_space(CLI::App& command, OfModel& options) {
  command
      .add_option(kModelOption, options.model.spec,
                  "model to edit with any space, instead of shapes: zoo:NAME, FILE.onnx or "
                  "FILE.cambium")
      ->type_name("MODEL");
  add_space_options(command, options.choice);
}

int propose_edits(const OfModel& options, const engine::ProposeOptions& how, bool is_random,
                  bool json) {
  const auto made = make_space(options.model, options.choice);
  if (!made.ok()) return refuse(made.rejection());
  std::vector<engine::ProposedEdits> all;  // of a JSON document
  int code = kDone;
  const auto use = [&](const engine::ProposedEdits& each) {
    if (json) {
      all.push_back(each);
    } else {
      code = print(fmt::format("{}  {:>7} MACs  {:>7} parameters  {}\n",
                               study::short_id(each.identity), human(each.macs),
                               human(each.parameters), each.title));
    }
    return code == kDone;
  };
  const auto propose = is_random ? engine::sample_edits : engine::list_edits;
  const auto summary = propose(*made->spaces.front(), made->model, how, use);
  if (!summary.ok()) return refuse(summary.rejection());
  if (json) return print_document(engine::to_json(all, *summary));
  note(fmt::format("{}{} proposals, {} more could not be applied; {:.2f} s",
                   summary->is_all ? "all " : "", summary->proposed, summary->illegal,
                   summary->seconds));
  return code;
}

int count_edits(const OfModel& options, std::size_t most, bool json) {
  const auto made = make_space(options.model, options.choice);
  if (!made.ok()) return refuse(made.rejection());
  const auto count = engine::count_edits(*made->spaces.front(), made->model, most);
  if (!count.ok()) return refuse(count.rejection());
  if (json) return print_document(engine::count_json(*count));
  return print(std::to_string(*count) + "\n");
}

int explain_edits(const OfModel& options, const std::string& what, bool json) {
  return print_report(options, what, Shows::Edits, json);
}

int why_edits(const OfModel& options, const std::string& what, bool json) {
  return print_report(options, what, Shows::AllTargets, json);
}

Result<std::string> drawing_of(const OfModel& options, const std::string& what) {
  CAMBIUM_TRY(const engine::EditReport report, report_of(options, what, Shows::Edits));
  for (const spaces::Description& about : report.about) {
    if (!about.drawing.empty()) return about.drawing;
  }
  return Rejection(Reason::BadOption, "WHAT", "the space has no drawing of this edit");
}

}  // namespace cambium::cli
