#include "engine/why.h"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "cli/commands.h"
#include "cli/common.h"

namespace cambium::cli {

namespace {

struct WhyOptions {
  std::string what, db, program;
  bool json = false;
};

std::string explanation_text(const engine::Explanation& e) {
  std::string text = terminal_text(e.verdict) + "\n";
  text += fmt::format("\nprogram {} ({})\n", terminal_text(e.program), e.program_fingerprint);
  if (e.id > 0) {
    text += fmt::format("trial {} ({}), number {} of its search, by {}, for {} thread{}\n", e.id,
                        e.scheduled, e.number, terminal_text(e.strategy), e.threads,
                        e.threads == 1 ? "" : "s");
  }
  text += "\nsteps:\n";
  for (std::size_t i = 0; i < e.steps.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i);
    const char* const mark = number == e.refused_step ? "->" : "  ";
    text += fmt::format("{} {:3} {}\n", mark, i + 1, terminal_text(e.steps[i]));
  }
  text += e.refused_step >= 0 ? "\nthe program before the refused step:\n"
                              : "\nthe resulting program:\n";
  return text + e.before;
}

int run_why(const WhyOptions& options) {
  const auto explanation = engine::explain(options.what, options.db, options.program);
  if (!explanation.ok()) return refuse(explanation.rejection());
  if (options.json) return print_document(engine::to_json(*explanation));
  return print(explanation_text(*explanation));
}

}  // namespace

void add_why(CLI::App& app, Action& action) {
  auto options = std::make_shared<WhyOptions>();
  CLI::App* command = app.add_subcommand("why", "Explain why a schedule was refused");
  command
      ->add_option("WHAT", options->what,
                   "number of a trial, first digits of a schedule's fingerprint as `cambium tune` "
                   "prints it, or a file with a trace")
      ->type_name("TRIAL|TRACE")
      ->required();
  add_db_option(*command, options->db);
  command
      ->add_option(
          "--program", options->program,
          "for a trace: the program to replay it on, by the first characters of its name or "
          "fingerprint, or a file as `cambium export` writes it; default: the program of the "
          "database on which the trace gets furthest")
      ->type_name("PROGRAM|FILE");
  command->add_flag("--json", options->json, "print one JSON document (docs/schema/why.json)");
  command->footer(
      "Replays the steps on the program from the database, or from a file. Prints the step that "
      "was refused, the\n"
      "reason, and the loops before that step. For a crash or a wrong result, prints what was\n"
      "recorded.\n\n"
      "Example:\n"
      "  cambium why 3fa9c1d2\n"
      "  cambium why my.trace --program conv1\n"
      "  cambium why traces/conv1.trace --program traces/conv1.program");
  command->callback([&action, options] { action = [options] { return run_why(*options); }; });
}

}  // namespace cambium::cli
