// Reads the command line of a benchmark. Gives the exit code when there is nothing left to do:
// after
// --help, or when an argument is bad.
#pragma once

#include <optional>

#include <CLI/CLI.hpp>

#include "cli/common.h"

namespace cambium::bench {

inline std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return cli::kBadInput;
  }
  return std::nullopt;
}

}  // namespace cambium::bench
