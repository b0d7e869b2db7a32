#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/convert.h"
#include "cli/table.h"
#include "engine/catalog.h"

namespace cambium::cli {

namespace {

int run_list(bool json) {
  const std::vector<engine::ZooRow> rows = engine::zoo_rows();
  if (json) return print_document(engine::to_json(rows));
  Table table({{"model", Column::Align::Left, false},
               {"params", Column::Align::Right, false},
               {"MACs", Column::Align::Right, false},
               {"what it is", Column::Align::Left, true},
               {"origin", Column::Align::Left, true}});
  for (const engine::ZooRow& row : rows) {
    table.add({row.name, human_count(static_cast<double>(row.params)),
               human_count(static_cast<double>(row.macs)), row.description, row.origin});
  }
  return print(table.text(terminal_width()));
}

void add_zoo_list(CLI::App& zoo, Action& action) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = zoo.add_subcommand("list", "List all models with their parameters and MACs");
  command->add_flag("--json", *json, "print one JSON document (docs/schema/zoo.json)");
  command->footer("Example:\n  cambium zoo list");
  command->callback([&action, json] { action = [json] { return run_list(*json); }; });
}

void add_zoo_export(CLI::App& zoo, Action& action) {
  struct Options {
    ModelOptions model;
    std::string out;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = zoo.add_subcommand("export", "Write a built-in model to a file");
  command
      ->add_option("NAME", options->model.spec,
                   "name of the model, as `cambium zoo list` prints it")
      ->required()
      ->type_name("");
  command->add_option("OUT", options->out, "output file: FILE.onnx or FILE.cambium")
      ->required()
      ->type_name("");
  add_load_options(*command, options->model);
  command->footer(
      "Example:\n"
      "  cambium zoo export resnet18 resnet18.onnx --bind batch=8,classes=10");
  command->callback([&action, options] {
    action = [options] {
      ModelOptions from = options->model;
      from.spec = "zoo:" + from.spec;
      return convert(from, options->out);
    };
  });
}

}  // namespace

void add_zoo(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("zoo", "List and export the built-in networks");
  add_zoo_list(*command, action);
  add_zoo_export(*command, action);
  command->require_subcommand(1);
  command->footer(
      "Example:\n"
      "  cambium zoo list\n"
      "  cambium zoo export tiny-resnet tiny-resnet.onnx");
}

}  // namespace cambium::cli
