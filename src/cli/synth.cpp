#include "engine/synth.h"

#include <map>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/space_options.h"
#include "cli/synth_space.h"
#include "cli/table.h"
#include "cli/within.h"
#include "engine/ranges.h"

namespace cambium::cli {

namespace {

struct Options {
  engine::SynthOptions synth;
  OfModel of_model;  // where a model is named instead of shapes
  std::string what, out;
  std::size_t most_states = 20'000'000;
  bool json = false, documents = false;
};
using Shared = std::shared_ptr<Options>;

constexpr const char* kJson =
    "print one JSON document (docs/schema: synth.json, with --model edits.json)";
constexpr const char* kShapes[] = {"--in", "--out", "--bind"};

// Shapes are named, or a model.
void check_problem(const CLI::App& command, const Options& options) {
  for (const char* name : kShapes) {
    const bool is_given = command.get_option(name)->count() > 0;
    if (options.of_model.is_asked() && is_given) throw CLI::ExcludesError(name, kModelOption);
    if (!options.of_model.is_asked() && !is_given) throw CLI::RequiredError(name);
  }
}

void add_problem(CLI::App& command, Options& options) {
  engine::SynthOptions& s = options.synth;
  auto* in = command.add_option("--in", s.input, "shape of the input: \"[N, Ci, H, W]\"");
  auto* out = command.add_option("--out", s.output, "shape of the output: \"[N, Co, H, W]\"");
  auto* bind = command.add_option(
      "--bind", s.bindings,
      "values of the variables at one place: \"N=1, Ci=64, ..., k=3\"; repeat it "
      "for each further place. Primitives may use variables that no shape names "
      "(k, g, s)");
  for (CLI::Option* option : {in, out, bind}) option->type_name("TEXT");
  bind->allow_extra_args(false);
  add_model_of_space(command, options.of_model);
}

void add_limits(CLI::App& command, Options& options) {
  auto& limits = options.synth.limits;
  const auto add = [&](const std::string& name, int& value, const std::string& what, int least,
                       int most) {
    command.add_option(name, value, what)
        ->type_name("N")
        ->capture_default_str()
        ->check(within(Range<int>{least, most}))
        ->group("Limits");
  };
  for (const engine::SynthLimit& limit : engine::synth_limits()) {
    add(limit.option, limits.*limit.limit, limit.meaning, limit.least, limit.most);
  }
  add("--max-powers", limits.coefficient_power,
      "largest power of a variable that no shape names, in the parameter of a primitive: 2 for s^2",
      0, 24);
  command
      .add_option(
          "--least-window-ratio", limits.window_ratio,
          "a window slides only along an axis at least this many times as long as the window")
      ->type_name("X")
      ->capture_default_str()
      ->check(within(engine::ranges::kShare))
      ->group("Limits");
  command.add_flag("--even-windows", options.synth.even_windows, "also allow windows of even size")
      ->group("Limits");
  command
      .add_option("--occurrences", options.synth.occurrences,
                  "how often each variable may occur in reductions and weights: \"H=0, Ci=2\"; "
                  "default: 4, but 0 for variables that are axes of both shapes")
      ->type_name("TEXT")
      ->group("Limits");
  command
      .add_flag(
          "--pad", limits.pad,
          "also allow sizes that do not divide: shapes are padded, and costs count padded sizes")
      ->group("Limits");
  command
      .add_flag("--weight-free", limits.weight_free,
                "also allow operators without weights, such as pooling")
      ->group("Limits");
  command
      .add_option(
          "--without", options.synth.without,
          "rule of canonical form to turn off (docs/spaces/rules.md lists them); may be repeated")
      ->type_name("RULE")
      ->group("Limits");
  command
      .add_flag("--exact-rules", options.synth.exact_rules,
                "use only rules that exclude no operator")
      ->group("Limits");
}

void add_budgets(CLI::App& command, Options& options) {
  engine::SynthOptions& s = options.synth;
  const auto add = [&](const char* name, std::string& value, const char* what) {
    command.add_option(name, value, what)->type_name("N|0.5x")->group("Budgets, over all places");
  };
  add("--min-macs", s.least_macs,
      "least multiply-accumulates: a number, or a share of the original's (0.5x)");
  add("--max-macs", s.most_macs, "most multiply-accumulates, in the same form");
  add("--max-parameters", s.most_parameters, "most parameters, in the same form");
  add("--max-memory", s.most_memory,
      "most bytes at the largest place: input, output, weights and results between stages");
  command
      .add_option("--original", s.original,
                  "the original for shares such as 0.5x: a name of the catalogue or a document; "
                  "default: the first operator of the catalogue with these shapes")
      ->type_name("NAME|FILE")
      ->group("Budgets, over all places");
  command.add_option("--count", s.count, "number of operators")
      ->type_name("N")
      ->capture_default_str();
}

std::string summary_text(const engine::SynthSummary& s) {
  const auto share = [&](std::uint64_t part) {
    return s.trials == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(s.trials);
  };
  return fmt::format(
      "{}{} operators of {} drawn in {} trials ({:.1f} % valid, {:.1f} % outside of the budgets, "
      "{:.1f} % dead ends; {} choices pruned by bounds); {} states of {} bytes; {:.2f} s",
      s.is_all ? "all " : "", s.distinct, s.valid, s.trials, share(s.valid), share(s.over_budget),
      share(s.dead_ends), s.pruned, s.states, s.states == 0 ? 0 : s.bytes / s.states, s.seconds);
}

using Find = Result<engine::SynthSummary> (*)(const engine::SynthOptions&, const engine::SynthUse&);

// Operators as they are found: a line each, a document each, or all in one JSON document.
int run_find(const Options& options, Find find) {
  if (options.of_model.is_asked()) {
    const engine::ProposeOptions how{options.synth.seed, options.synth.count};
    return propose_edits(options.of_model, how, find == engine::sample_operators, options.json);
  }
  std::vector<engine::SynthOperator> operators;  // of a JSON document
  int code = kDone;
  const auto summary = find(options.synth, [&](const engine::SynthOperator& op) {
    if (options.json) {
      operators.push_back(op);
      return true;
    }
    code = options.documents
               ? print(fmt::format("# {}: {} primitives, {} MACs, {} parameters\n{}\n", op.identity,
                                   op.primitives, op.macs, op.parameters, op.text))
               : print(fmt::format("{}  {:2}  {:>7} MACs  {:>7} parameters  {}\n",
                                   op.identity.substr(0, 8), op.primitives,
                                   human_count(static_cast<double>(op.macs)),
                                   human_count(static_cast<double>(op.parameters)), op.equation));
    return code == kDone;
  });
  if (!summary.ok()) return refuse(summary.rejection());
  if (options.json) return print_document(engine::to_json(operators, *summary));
  note(summary_text(*summary));
  return code;
}

void add_find(CLI::App& synth, Action& action, const char* name, const char* what, Find find,
              const char* footer) {
  auto options = std::make_shared<Options>();
  CLI::App* command = synth.add_subcommand(name, what);
  add_problem(*command, *options);
  add_budgets(*command, *options);
  add_limits(*command, *options);
  if (find == engine::sample_operators) {
    command->add_option("--seed", options->synth.seed, "random seed")
        ->type_name("N")
        ->capture_default_str();
    command
        ->add_option("--trials", options->synth.trials,
                     "largest number of trials; default: as many as it takes")
        ->type_name("N");
    command->add_flag("--by-step", options->synth.by_step,
                      "draw among all steps with equal probability; otherwise the kind of "
                      "primitive is drawn first");
    using Guide = decltype(options->synth.guide);
    command
        ->add_option(
            "--guide", options->synth.guide,
            "how far a trial looks ahead: exact (no dead ends), distance (of shapes; faster for "
            "many operators) or none")
        ->type_name("GUIDE")
        ->transform(
            CLI::CheckedTransformer(
                std::map<std::string, Guide>{
                    {"none", Guide::None}, {"distance", Guide::Distance}, {"exact", Guide::Exact}},
                CLI::ignore_case)
                .description(""));
  }
  command->add_flag("--documents", options->documents,
                    "print whole documents instead of one line each");
  command->add_flag("--json", options->json, kJson);
  command->footer(footer);
  command->callback([&action, options, find, command] {
    check_problem(*command, *options);
    action = [options, find] { return run_find(*options, find); };
  });
}

int run_count(const Options& options) {
  if (options.of_model.is_asked()) {
    return count_edits(options.of_model, options.most_states, options.json);
  }
  const auto count = engine::count_operators(options.synth, options.most_states);
  if (!count.ok()) return refuse(count.rejection());
  if (options.json) return print_document(engine::to_json(*count));
  Table table(
      {{"primitives", Column::Align::Right, false}, {"operators", Column::Align::Right, false}});
  for (std::size_t i = 0; i < count->by_primitives.size(); ++i) {
    if (count->by_primitives[i] == 0) continue;
    table.add({std::to_string(i), std::to_string(count->by_primitives[i])});
  }
  table.add({"all", std::to_string(count->operators)});
  return print(table.text(terminal_width()));
}

void add_count(CLI::App& synth, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      synth.add_subcommand("count", "Count all operators of a space, by their size");
  add_problem(*command, *options);
  add_limits(*command, *options);
  command
      ->add_option("--max-states", options->most_states, "give up counting after this many states")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--json", options->json, kJson);
  command->footer(
      "Example:\n"
      "  cambium synth count --in \"[N, Ci, H]\" --out \"[N, Co, H]\" --bind \"N=1, Ci=16, Co=16, "
      "H=8, k=3\" "
      "--max-primitives 6");
  command->callback([&action, options, command] {
    check_problem(*command, *options);
    action = [options] { return run_count(*options); };
  });
}

std::string report_text(const engine::OperatorReport& report) {
  std::string text = report.op.text;
  text += fmt::format("\nidentity  {}\ncomputes  {}\n\n{}\n", report.op.identity, report.semantic,
                      report.op.equation);
  text += fmt::format("\nin stages with the fewest MACs:\n{}\n", report.stages);
  Table table({{"place", Column::Align::Left, true},
               {"MACs", Column::Align::Right, false},
               {"parameters", Column::Align::Right, false},
               {"between stages", Column::Align::Right, false}});
  for (const engine::OperatorReport::Place& place : report.places) {
    table.add({place.binding, std::to_string(place.macs), std::to_string(place.parameters),
               std::to_string(place.intermediate)});
  }
  return text + table.text(terminal_width());
}

int run_parse(const Options& options) {
  if (options.of_model.is_asked())
    return explain_edits(options.of_model, options.what, options.json);
  const auto report = engine::explain_operator(options.what, options.synth);
  if (!report.ok()) return refuse(report.rejection());
  if (options.json) return print_document(engine::to_json(*report));
  return print(report_text(*report) + "\n" + report->loops);
}

int run_why(const Options& options) {
  if (options.of_model.is_asked()) return why_edits(options.of_model, options.what, options.json);
  const auto report = engine::explain_operator(options.what, options.synth);
  if (!report.ok()) return refuse(report.rejection());
  if (options.json) return print_document(engine::to_json(*report));
  std::string text;
  for (std::size_t i = 0; i < report->path.size(); ++i) {
    text += fmt::format("{:3} {}\n", i + 1, report->path[i]);
  }
  if (report->forbidden_by.empty()) {
    return print(
        text + fmt::format("the operator is in the space: {} primitives\n", report->op.primitives));
  }
  text += fmt::format("it is not in the space: {}\n", report->forbidden_by);
  if (!report->options_needed.empty()) {
    text += "it would be with";
    for (const std::string& word : report->options_needed) {
      const bool is_plain = word.find(' ') == std::string::npos;
      text += is_plain ? " " + word : fmt::format(" \"{}\"", word);
    }
    text += "\n";
  }
  return print(text);
}

Result<std::string> drawing_of(const Options& options) {
  if (options.of_model.is_asked()) return drawing_of(options.of_model, options.what);
  CAMBIUM_TRY(engine::OperatorReport report, engine::explain_operator(options.what, options.synth));
  return std::move(report.drawing);
}

int run_draw(const Options& options) {
  const auto drawing = drawing_of(options);
  if (!drawing.ok()) return refuse(drawing.rejection());
  if (options.out.empty()) return print(*drawing);
  const Status written = write_file(options.out, *drawing);
  return written.ok() ? kDone : refuse(written.rejection());
}

void add_about(CLI::App& synth, Action& action, const char* name, const char* what,
               int (*run)(const Options&), const char* footer) {
  auto options = std::make_shared<Options>();
  CLI::App* command = synth.add_subcommand(name, what);
  command
      ->add_option("WHAT", options->what,
                   "file with a document, - for standard input, or a name of the catalogue "
                   "(`cambium synth known`)")
      ->type_name("FILE|NAME")
      ->required();
  add_problem(*command, *options);
  add_limits(*command, *options);
  if (run == run_draw) {
    command->add_option("-o,--output", options->out, "output file; default: standard output")
        ->type_name("FILE");
  } else {
    command->add_flag("--json", options->json, kJson);
  }
  command->footer(footer);
  command->callback([&action, options, run] { action = [options, run] { return run(*options); }; });
}

int run_known(bool json) {
  const auto rows = engine::known_rows();
  if (json) return print_document(engine::to_json(rows));
  Table table({{"operator", Column::Align::Left, false},
               {"primitives", Column::Align::Right, false},
               {"shapes", Column::Align::Left, false},
               {"what it is", Column::Align::Left, true}});
  for (const engine::KnownRow& row : rows) {
    table.add({row.name, std::to_string(row.primitives), row.shapes, row.what});
  }
  return print(table.text(terminal_width()));
}

void add_known(CLI::App& synth, Action& action) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = synth.add_subcommand("known", "List the catalogue: operators with names");
  command->add_flag("--json", *json, "print one JSON document (docs/schema/synth.json)");
  command->callback([&action, json] { action = [json] { return run_known(*json); }; });
}

}  // namespace

void add_synth(CLI::App& app, Action& action) {
  CLI::App* synth =
      app.add_subcommand("synth", "Operators between shapes, and edits of a model by any space");
  synth->require_subcommand(1);
  add_find(
      *synth, action, "sample", "Draw operators at random, each once", engine::sample_operators,
      "Example:\n"
      "  cambium synth sample --in \"[N, Ci, H, W]\" --out \"[N, Co, H, W]\" \\\n"
      "    --bind \"N=1, Ci=64, Co=64, H=56, W=56, k=3, g=2, s=2\" --max-macs 0.5x --count 20");
  add_find(*synth, action, "list", "List all operators of a space, in a fixed order",
           engine::list_operators,
           "Examples:\n"
           "  cambium synth list --in \"[N, Ci, H]\" --out \"[N, Co, H]\" --bind \"N=1, Ci=16, "
           "Co=16, H=8, k=3\" "
           "--max-primitives 5 --count 100\n"
           "  cambium synth list --model zoo:resnet18 --space loopnest --count 100");
  add_count(*synth, action);
  add_known(*synth, action);
  add_about(
      *synth, action, "parse", "Check a document; print its canonical form, cost, stages and loops",
      run_parse,
      "Example:\n  cambium synth parse my.operator --bind \"N=1, Ci=64, Co=64, H=56, W=56, k=3\"");
  add_about(*synth, action, "why",
            "Print the steps to an operator, or the rule or limit that excludes it from the space",
            run_why,
            "With --model: prints what a document makes of the model, and for each target that it\n"
            "does not fit, the step, the loop and the numbers that are wrong.\n\n"
            "Examples:\n"
            "  cambium synth why conv2d\n"
            "  cambium synth why \"group 4\" --model zoo:resnet18 --space loopnest");
  add_about(*synth, action, "draw", "Draw the graph of an operator's primitives as Graphviz text",
            run_draw, "Example:\n  cambium synth draw conv2d | dot -Tsvg -o conv2d.svg");
}

}  // namespace cambium::cli
