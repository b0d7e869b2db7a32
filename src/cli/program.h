// A program that has these commands: reads its arguments, says what is wrong with them, does what
// they ask for. Called by main.
#pragma once

#include <vector>

#include "cli/commands.h"

namespace cambium::cli {

using AddCommand = void(CLI::App& app, Action& action);

// Gives back the exit code.
int run_program(int argc, char** argv, const std::vector<AddCommand*>& commands);

}  // namespace cambium::cli
