// Shared parts of the command lines of benchmarks.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/common.h"

namespace cambium::bench {

// Parses the arguments. Returns the exit code if the program must end: after --help, or after a bad
// argument.
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

// Whether the name contains a text of --only; true if --only is not given.
inline bool is_wanted(const std::string& name, const std::vector<std::string>& only) {
  return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& part) {
           return name.find(part) != std::string::npos;
         });
}

}  // namespace cambium::bench
