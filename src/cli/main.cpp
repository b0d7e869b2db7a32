// The program. Below here nothing reads options, the environment or global state.
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/table.h"

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
  std::string text = printable(error.what());
  const std::vector<std::string> rest = app.remaining(true);
  if (!rest.empty()) {
    const auto near = meant(command, rest.front());
    text = fmt::format("'{}' is not expected{}", printable(rest.front()),
                       near ? fmt::format("; did you mean '{}'?", *near) : "");
  }
  fmt::print(stderr, "cambium: {} (see {} --help)\n", text, path_of(command));
  return kBadInput;
}

int run(int argc, char** argv) {
  CLI::App app("Finds smaller and faster networks, and runs them.", "cambium");
  Action action;
  add_inspect(app, action);
  add_run(app, action);
  add_compile(app, action);
  add_convert(app, action);
  add_zoo(app, action);
  add_tune(app, action);
  add_why(app, action);
  add_bench(app, action);
  add_machine(app, action);
  add_version(app, action);
  app.require_subcommand(1);
  app.footer(
      "Example:\n"
      "  cambium inspect zoo:resnet18\n"
      "  cambium compile zoo:resnet18 -o resnet18\n\n"
      "Exit codes: 0 done, 1 the work failed, 2 bad input.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const CLI::App& command = deepest(app);
    return print(
        command.help(command.get_parent() == nullptr ? "" : path_of(*command.get_parent())));
  } catch (const CLI::ParseError& error) {
    return refuse_arguments(app, error);
  }
  return action();
}

}  // namespace
}  // namespace cambium::cli

int main(int argc, char** argv) {
  try {
    return cambium::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("cambium: out of memory\n", stderr);
  } catch (const std::exception& error) {
    fmt::print(stderr, "cambium: a bug: {}\n", error.what());
  }
  return cambium::cli::kFailed;
}
