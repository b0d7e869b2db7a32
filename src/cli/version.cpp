#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/features.h"
#include "base/machine.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/table.h"
#include "engine/catalog.h"

namespace cambium::cli {

namespace {

int run_version(bool json) {
  if (json) return print_document(engine::version_json());
  Table table({{"", Column::Align::Left, false},
               {"", Column::Align::Left, false},
               {"", Column::Align::Left, true}});
  for (const Feature& feature : features()) {
    table.add({"  " + std::string(feature.name),
               feature.in ? std::string(feature.version) : std::string("-"),
               std::string(feature.purpose)});
  }
  const Machine machine = host_machine();
  table.add({"", "", ""});
  table.add({"machine", machine.name,
             fmt::format("{}, {}, {} cores", machine.model, name_of(machine.isa), machine.cores)});
  table.add({"native code", "", engine::code_generator()});
  return print(
      fmt::format("cambium {} ({})\n{}", version(), compiler(), table.text(terminal_width())));
}

}  // namespace

void add_version(CLI::App& app, Action& action) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "version", "Print the version, the features of this build and the machine");
  command->add_flag("--json", *json, "print one JSON document (docs/schema/version.json)");
  command->footer("Example:\n  cambium version");
  command->callback([&action, json] { action = [json] { return run_version(*json); }; });
}

}  // namespace cambium::cli
