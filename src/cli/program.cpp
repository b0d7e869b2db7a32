#include "cli/program.h"

#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/text.h"
#include "cli/common.h"
#include "cli/interrupt.h"
#include "cli/option_table.h"

namespace cambium::cli {
namespace {

// The command that the arguments name: `cambium zoo list` is two steps down.
const CLI::App& deepest(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : path_of(*app.get_parent()) + " " + app.get_name();
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!each->get_group().empty()) names.push_back(each->get_name());
  }
  return names;
}

// The command or option that the user probably meant by an unexpected word.
std::optional<std::string> meant(const CLI::App& command, const std::string& word) {
  std::vector<std::string> known = commands_of(command);
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  return closest(word.substr(0, word.find('=')), known);
}

std::string text_of(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  const std::vector<std::string> commands = commands_of(command);
  const std::vector<std::string> rest = app.remaining(true);
  if (rest.empty()) {
    const bool lacks_command = error.get_name() == "RequiredError" && !commands.empty();
    return lacks_command ? "name a command: " + join(commands, ", ") : error.what();
  }
  const std::string& word = rest.front();
  const char* const what = word.rfind('-', 0) == 0 ? "unknown option"
                           : commands.empty()      ? "unexpected argument"
                                                   : "unknown command";
  const auto near = meant(command, word);
  return fmt::format("{} '{}'{}", what, word,
                     near ? fmt::format("; did you mean '{}'?", *near) : "");
}

int refuse_arguments(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = deepest(app);
  say(fmt::format("cambium: {} (see {} --help)", text_of(app, command, error), path_of(command)));
  return kBadInput;
}

// Every command that parses its own options can print them as Markdown; the pages of docs/ contain
// these tables, and tests/cli compares them.
void add_markdown_help(CLI::App& app) {
  if (!app.get_prefix_command()) {
    app.set_help_all_flag("--help-markdown", "Print the options as a Markdown table")->group("");
  }
  for (CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    add_markdown_help(*each);
  }
}

std::string help_of(const CLI::App& command) {
  return command.help(command.get_parent() == nullptr ? "" : path_of(*command.get_parent()));
}

void add_commands(CLI::App& app, Action& action, const std::vector<CommandGroup>& groups) {
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->label("OPTIONS", "options");
  for (const CommandGroup& group : groups) {
    for (AddCommand* add : group.commands) {
      add(app, action);
      CLI::App* added = app.get_subcommands([](const CLI::App*) { return true; }).back();
      if (!added->get_group().empty()) added->group(group.title);
    }
  }
  add_markdown_help(app);
}

int run(int argc, char** argv, const ProgramText& text, const std::vector<CommandGroup>& groups) {
  CLI::App app(text.summary, text.name);
  Action action;
  add_commands(app, action, groups);
  app.require_subcommand(1);
  app.footer(
      "`cambium COMMAND --help` explains a command and ends with an example.\n\n"
      "Example:\n"
      "  cambium search net.onnx --data images:photos --max-accuracy-drop 1% --study net.study\n"
      "  cambium report net.study -o report\n"
      "  cambium export net.study best -o faster\n\n"
      "Exit codes: 0 done; 1 the work failed; 2 bad input; 130 or 143 stopped by Ctrl-C or "
      "SIGTERM.");
  if (argc < 2) return print(help_of(app));
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return print(help_of(deepest(app)));
  } catch (const CLI::CallForAllHelp&) {
    return print(option_table(deepest(app)));
  } catch (const CLI::ParseError& error) {
    return refuse_arguments(app, error);
  }
  return code_after_interrupt(action());
}

}  // namespace

int run_program(int argc, char** argv, const ProgramText& text,
                const std::vector<CommandGroup>& groups) {
  try {
    return run(argc, argv, text, groups);
  } catch (const std::bad_alloc&) {
    std::fputs("cambium: out of memory\n", stderr);
  } catch (const std::exception& error) {
    say(fmt::format("cambium: a bug: {}", error.what()));
  }
  return kFailed;
}

}  // namespace cambium::cli
