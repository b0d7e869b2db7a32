// What the command lines of benchmarks share.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/common.h"

namespace cambium::bench {

// Gives the exit code when there is nothing left to do: after --help, or when an argument is bad.
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

// Whether --only, where it is given, has a part of the name.
inline bool is_wanted(const std::string& name, const std::vector<std::string>& only) {
  return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& part) {
           return name.find(part) != std::string::npos;
         });
}

}  // namespace cambium::bench
