#include "engine/inspect.h"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/synth_space.h"
#include "cli/table.h"
#include "engine/programs.h"
#include "engine/targets.h"

namespace cambium::cli {

namespace {

struct InspectOptions {
  ModelOptions model;
  std::string targets;
  bool json = false, dot = false;
  bool programs = false;
  OfModel edited;  // by `edit`
  std::string edit;
  engine::ProgramOptions program;
};

// 1x64x56x56, with the element type unless it is f32.
std::string shape(const model::TensorType& type) {
  std::string out = type.dims.empty() ? "scalar" : "";
  for (const std::int64_t dim : type.dims) out += fmt::format("{}{}", out.empty() ? "" : "x", dim);
  return type.dtype == DType::F32 ? out : fmt::format("{} {}", name_of(type.dtype), out);
}

std::string shapes(const std::vector<model::TensorType>& types) {
  std::string out;
  for (const model::TensorType& type : types) out += (out.empty() ? "" : ", ") + shape(type);
  return out;
}

std::string count(std::int64_t value) {
  return value == 0 ? "" : human_count(static_cast<double>(value));
}

std::string interface_text(const engine::Inspection& inspection) {
  Table table({{"", kLeft, false}, {"", kLeft, true}, {"", kLeft, true}});
  table.add({"model", inspection.name, inspection.structure});
  for (const auto& row : inspection.inputs) table.add({"input", row.name, row.type.text()});
  for (const auto& row : inspection.outputs) table.add({"output", row.name, row.type.text()});
  return table.text(terminal_width());
}

std::string nodes_text(const engine::Inspection& inspection) {
  Table table({{"block", kLeft, true},
               {"node", kLeft, true},
               {"op", kLeft, false},
               {"output", kLeft, false},
               {"weights", kLeft, true},
               {"field", kRight, false},
               {"MACs", kRight, false},
               {"params", kRight, false}});
  for (const engine::NodeRow& row : inspection.nodes) {
    const bool has_field = !row.receptive_field.empty() && row.op != "input";
    table.add({row.block, row.name, row.op, shapes(row.outputs), shapes(row.weights),
               has_field ? std::to_string(row.receptive_field[0]) : "", count(row.cost.macs),
               count(row.cost.params)});
  }
  return table.text(terminal_width());
}

std::string blocks_text(const engine::Inspection& inspection) {
  Table table({{"block", kLeft, true},
               {"type", kLeft, true},
               {"nodes", kRight, false},
               {"MACs", kRight, false},
               {"params", kRight, false}});
  for (const engine::BlockRow& row : inspection.blocks) {
    table.add({row.name, row.type, std::to_string(row.nodes), count(row.macs), count(row.params)});
  }
  return table.text(terminal_width());
}

std::string inspection_text(const engine::Inspection& inspection) {
  const model::Cost& totals = inspection.totals;
  std::string out = interface_text(inspection) + "\n" + nodes_text(inspection) + "\n";
  if (!inspection.blocks.empty()) out += blocks_text(inspection) + "\n";
  return out + fmt::format("total {} MACs, {} parameters; weights {}, peak activations {}\n",
                           human_count(static_cast<double>(totals.macs)),
                           human_count(static_cast<double>(totals.params)),
                           human_bytes(totals.weight_bytes), human_bytes(totals.peak_bytes));
}

std::string targets_text(const std::vector<engine::TargetRow>& targets) {
  std::string out;
  for (const engine::TargetRow& target : targets) {
    std::vector<Column> columns = {{"place", kLeft, true}};
    for (const auto& variable : target.sites[0].binding) {
      columns.push_back({variable.first, kRight, false});
    }
    Table table(columns);
    for (const engine::SiteRow& site : target.sites) {
      std::vector<std::string> cells = {site.name};
      for (const auto& variable : site.binding) cells.push_back(std::to_string(variable.second));
      cells.resize(columns.size());
      table.add(cells);
    }
    out += fmt::format("{}{}\n{}", out.empty() ? "" : "\n", terminal_text(target.relation),
                       table.text(terminal_width()));
  }
  return out;
}

std::string groups_text(const std::vector<engine::GroupRow>& rows) {
  Table table({{"group", kRight, false},
               {"kernel", kRight, false},
               {"nodes", kLeft, true},
               {"ops", kLeft, true},
               {"MACs", kRight, false},
               {"operations", kRight, false},
               {"per byte", kRight, false}});
  for (const engine::GroupRow& row : rows) {
    const double per_byte = static_cast<double>(row.operations) / static_cast<double>(row.bytes);
    table.add({std::to_string(row.number), std::to_string(row.kernel),
               row.nodes.empty() ? "(copy)" : join(row.nodes, " "), join(row.ops, " "),
               count(row.macs), count(row.operations), fmt::format("{:.2f}", per_byte)});
  }
  return table.text(terminal_width());
}

int run_programs(const model::Model& model, const InspectOptions& options) {
  const auto rows = engine::inspect_programs(model, options.program);
  if (!rows.ok()) return refuse(rows.rejection());
  if (options.json) {
    return print_document(engine::to_json(*rows, model.name(), options.program.machine));
  }
  if (options.program.which.empty()) return print(groups_text(*rows));
  std::string out;
  const auto& texts = rows->front().texts;
  for (const auto& text : texts) {
    if (texts.size() > 1)
      out += fmt::format("{}# {}\n", out.empty() ? "" : "\n", terminal_text(text.first));
    out += text.second;
  }
  return print(out);
}

int run_inspect(const InspectOptions& options) {
  const engine::ProgramOptions& program = options.program;
  const bool one_group = program.scheduled || program.trace || program.ir || program.assembly;
  if (one_group && program.which.empty()) {
    return refuse(Rejection(Reason::BadOption, "--scheduled, --trace, --ir and --asm",
                            "also name a node or a group with --program NODE"));
  }
  if (!options.edit.empty()) {
    OfModel edited = options.edited;
    edited.model = options.model;
    edited.choice.targets = options.targets;
    return explain_edits(edited, options.edit, options.json);
  }
  const auto loaded = load(options.model);
  if (!loaded.ok()) return refuse(loaded.rejection());
  if (options.programs) return run_programs(loaded->model, options);
  if (!options.targets.empty()) {
    const auto targets = engine::find_targets(loaded->model, options.targets);
    if (!targets.ok()) return refuse(targets.rejection());
    if (!options.json) return print(targets_text(*targets));
    return print_document(engine::to_json(*targets, loaded->model.name(), options.targets));
  }
  if (options.dot) return print(engine::draw(loaded->model));
  const engine::Inspection inspection = engine::inspect(loaded->model);
  if (options.json) return print_document(engine::to_json(inspection));
  return print(inspection_text(inspection));
}

void add_program_options(CLI::App& command, InspectOptions& options, CLI::Option* targets) {
  constexpr const char* kGroup = "Programs of the native code";
  engine::ProgramOptions& program = options.program;
  CLI::Option* which =
      command
          .add_option_function<std::string>(
              "--program",
              [&options](const std::string& text) {
                options.programs = true;
                options.program.which = text;
              },
              "list the fusion groups; with a node or a group number, print its lowered program")
          ->type_name("[NODE|GROUP]")
          ->expected(0, 1)
          ->excludes(targets)
          ->group(kGroup);
  const auto flag = [&](const char* name, bool& value, const char* text) {
    command.add_flag(name, value, text)->needs(which)->group(kGroup);
  };
  flag("--scheduled", program.scheduled, "print the scheduled program of that group");
  flag("--trace", program.trace, "print the steps of that group's schedule");
  flag("--ir", program.ir, "print the LLVM IR of that group");
  flag("--asm", program.assembly, "print the assembly of that group");
  add_machine_option(command, program.machine)->needs(which)->group(kGroup);
  add_off_option(command, program.off)->needs(which)->group(kGroup);
  add_schedules_option(command, program.db)->needs(which)->group(kGroup);
  add_threads_option(command, program.threads)
      ->description("number of threads; the database has schedules for each number")
      ->needs(which)
      ->group(kGroup);
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command =
      app.add_subcommand("inspect", "Print a model's nodes, shapes, costs, targets and programs");
  add_model_options(*command, options->model);
  CLI::Option* targets = command->add_option(
      "--targets", options->targets,
      "print the places that a selector matches: conv:k=3, linear:name=*qkv*, block:basic");
  targets->type_name("SELECTOR");
  CLI::Option* json = command->add_flag("--json", options->json,
                                        "print one JSON document (docs/schema: inspect.json, "
                                        "targets.json or programs.json)");
  command->add_flag("--dot", options->dot, "print the graph as Graphviz text")
      ->excludes(json)
      ->excludes(targets);
  CLI::Option* edit = command->add_option("--edit", options->edit,
                                          "show what an edit does and costs: a file with a "
                                          "document or with the JSON of a candidate, or "
                                          "a name that the space knows; --targets says where");
  edit->type_name("FILE|NAME");
  add_space(*command, options->edited.choice)->needs(edit);
  add_program_options(*command, *options, targets);
  std::string selectors = "A selector is KIND:* or KIND:KEY=VALUE,... with these kinds and keys:\n";
  for (const auto& [kind, keys] : engine::selector_forms()) {
    selectors += fmt::format("  {:<7} {}\n", kind, keys);
  }
  command->footer(
      selectors +
      "Values may be alternatives (1|3), ranges (16..64) and patterns (*qkv*). + joins selectors.\n"
      "block:basic is short for block:type=basic.\n\n"
      "Example:\n"
      "  cambium inspect zoo:resnet18\n"
      "  cambium inspect zoo:resnet18 --targets conv:k=3,groups=1\n"
      "  cambium inspect zoo:resnet18 --edit 'grouped_conv2d g=4'\n"
      "  cambium inspect zoo:resnet18 --program\n"
      "  cambium inspect zoo:resnet18 --program 0 --trace --asm\n"
      "  cambium inspect zoo:tiny-resnet --dot | dot -Tsvg > tiny-resnet.svg");
  command->callback([&action, options] { action = [options] { return run_inspect(*options); }; });
}

}  // namespace cambium::cli
