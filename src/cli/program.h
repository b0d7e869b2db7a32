// A program with commands: parses the arguments, reports what is wrong with them, and runs the
// command they name. Called by main.
#pragma once

#include <vector>

#include "cli/commands.h"

namespace cambium::cli {

using AddCommand = void(CLI::App& app, Action& action);

// Commands under one heading of the help.
struct CommandGroup {
  const char* title;
  std::vector<AddCommand*> commands;
};

struct ProgramText {
  const char* name;
  const char* summary;  // the first lines of the help, before the list of commands
};

// Returns the exit code. Without arguments it prints the help.
int run_program(int argc, char** argv, const ProgramText& text,
                const std::vector<CommandGroup>& groups);

}  // namespace cambium::cli
