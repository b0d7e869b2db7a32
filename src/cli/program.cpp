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

namespace cambium::cli {
namespace {

// The command that the arguments got to: `cambium zoo list` is two steps down.
const CLI::App& deepest(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : path_of(*app.get_parent()) + " " + app.get_name();
}

// What the user probably meant by a word that nobody expected.
std::optional<std::string> meant(const CLI::App& command, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(each->get_name());
  }
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  return closest(word.substr(0, word.find('=')), known);
}

int refuse_arguments(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = deepest(app);
  std::string text = error.what();
  const std::vector<std::string> rest = app.remaining(true);
  if (!rest.empty()) {
    const auto near = meant(command, rest.front());
    text = fmt::format("'{}' is not expected{}", rest.front(),
                       near ? fmt::format("; did you mean '{}'?", *near) : "");
  }
  say(fmt::format("cambium: {} (see {} --help)", text, path_of(command)));
  return kBadInput;
}

int run(int argc, char** argv, const std::vector<AddCommand*>& commands) {
  CLI::App app("Finds smaller and faster networks, and runs them.", "cambium");
  Action action;
  for (AddCommand* add : commands) add(app, action);
  app.require_subcommand(1);
  app.footer(
      "Example:\n"
      "  cambium inspect zoo:resnet18\n"
      "  cambium compile zoo:resnet18 -o resnet18\n\n"
      "Exit codes: 0 done, 1 the work failed, 2 bad input, 130 or 143 stopped by Ctrl-C or "
      "SIGTERM.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const CLI::App& command = deepest(app);
    return print(
        command.help(command.get_parent() == nullptr ? "" : path_of(*command.get_parent())));
  } catch (const CLI::ParseError& error) {
    return refuse_arguments(app, error);
  }
  return code_after_interrupt(action());
}

}  // namespace

int run_program(int argc, char** argv, const std::vector<AddCommand*>& commands) {
  try {
    return run(argc, argv, commands);
  } catch (const std::bad_alloc&) {
    std::fputs("cambium: out of memory\n", stderr);
  } catch (const std::exception& error) {
    say(fmt::format("cambium: a bug: {}", error.what()));
  }
  return kFailed;
}

}  // namespace cambium::cli
