#include <vector>

#include <CLI/CLI.hpp>

#include "base/escape.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "engine/bench_programs.h"

namespace cambium::cli {

namespace {

int run_bench(std::vector<std::string> words) {
  const std::string folder = own_folder();
  if (words.empty()) {
    std::string text;
    for (const std::string& name : engine::bench_names(folder)) text += terminal_text(name) + "\n";
    if (!text.empty()) return print(text);
  }
  const auto path = engine::find_bench(folder, words.empty() ? "" : words[0]);
  if (!path.ok()) return refuse(path.rejection());
  words.erase(words.begin());
  return become(*path, words);
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("bench", "Run a benchmark: bench NAME [ARGUMENTS]");
  command->prefix_command();
  command->footer(
      "Benchmarks are the programs cambium-bench-NAME beside this one. They get all arguments "
      "after\n"
      "NAME. Without a name, this command lists the benchmarks.\n\n"
      "Example:\n"
      "  cambium bench\n"
      "  cambium bench models --quick --json");
  command->callback(
      [&action, command] { action = [words = command->remaining()] { return run_bench(words); }; });
}

}  // namespace cambium::cli
