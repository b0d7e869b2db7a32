#include "engine/tune.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/machine.h"
#include "base/outputs.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/interrupt.h"
#include "cli/screen.h"
#include "cli/table.h"
#include "cli/within.h"
#include "engine/machines.h"
#include "engine/native.h"
#include "engine/ranges.h"

namespace cambium::cli {

namespace {

constexpr std::int64_t kMostTrials = engine::ranges::kTrials.high;  // per task

struct TuneOptions {
  ModelOptions model;
  engine::TuningOptions tuning;
  std::vector<std::string> off;
  std::string import_path, export_path, machine = "host";
  int threads = 1;
  bool without_model = false, json = false, rules = false;
};

std::string milliseconds(double seconds) {
  return seconds > 0 ? fmt::format("{:.4g}", seconds * 1e3) : "";
}

// The speed-up; empty if one of the two times is unknown.
std::string times(double theirs, double ours) {
  return theirs > 0 && ours > 0 ? fmt::format("{:.2f}", theirs / ours) : "";
}

std::string share(double least, double seconds) {
  return least > 0 && seconds > 0 ? fmt::format("{:.0f} %", least / seconds * 100) : "";
}

std::string table_text(const engine::TuningProgress& progress, std::size_t width, bool is_last) {
  Table table({{"task", kLeft, true},
               {"calls", kRight, false},
               {"trials", kRight, false},
               {"refused", kRight, false},
               {"best ms", kRight, false},
               {"GFLOP/s", kRight, false},
               {"x default", kRight, false},
               {"of roofline", kRight, false},
               {"x vendor", kRight, false},
               {is_last ? "schedule" : "", kLeft, false}});
  for (const engine::TuningRow& row : progress.rows) {
    const std::string vendor =
        row.peer_seconds > 0 ? times(row.peer_seconds, row.seconds) : "missing";
    table.add({row.name, std::to_string(row.calls), std::to_string(row.trials),
               std::to_string(row.refused), milliseconds(row.seconds),
               row.seconds > 0 ? fmt::format("{:.1f}", row.gflops()) : "",
               times(row.default_seconds, row.seconds), share(row.roofline_seconds, row.seconds),
               vendor, is_last ? row.scheduled.substr(0, 12) : ""});
  }
  return table.text(width);
}

std::string refusals_text(const std::map<std::string, std::int64_t>& refusals) {
  std::vector<std::string> parts;
  for (const auto& entry : refusals)
    parts.push_back(fmt::format("{} {}", entry.second, entry.first));
  return parts.empty() ? "none refused" : "refused: " + join(parts, ", ");
}

std::string summary_text(const engine::TuningProgress& progress) {
  if (progress.asked.has_value()) {
    return fmt::format("timing vendor libraries: task {} of {}, {}", *progress.asked + 1,
                       progress.rows.size(), progress.now);
  }
  // With --seconds alone, no number of trials is planned.
  const std::string of =
      progress.planned < kMostTrials ? fmt::format(" of {}", progress.planned) : "";
  std::string text =
      fmt::format("{}{} trials in {}", progress.done, of, duration_text(progress.seconds));
  if (progress.seconds_left > 0)
    text += fmt::format(", {} left", duration_text(progress.seconds_left));
  const auto settled = std::count_if(progress.rows.begin(), progress.rows.end(),
                                     [](const auto& row) { return row.is_settled; });
  if (settled > 0) text += fmt::format("; {} of {} tasks settled", settled, progress.rows.size());
  return text + "; " + refusals_text(progress.refusals);
}

// One line for output without a terminal: the current task and its best time.
std::string plain_text(const engine::TuningProgress& progress) {
  std::string text = summary_text(progress);
  for (const engine::TuningRow& row : progress.rows) {
    if (row.name != progress.now || row.seconds <= 0) continue;
    text += fmt::format("; {}: {} ms, {} of roofline", row.name, milliseconds(row.seconds),
                        share(row.roofline_seconds, row.seconds));
    text += row.peer_seconds > 0
                ? fmt::format(", {} x {}", times(row.peer_seconds, row.seconds), row.peer)
                : ", vendor libraries missing";
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.emplace_back(line);
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// Keeps the current task visible if not all tasks fit.
void show(Screen& screen, engine::TuningProgress progress) {
  if (!screen.is_due()) return;
  const std::string plain = plain_text(progress);
  const std::size_t room = std::max<std::size_t>(screen.height(), 8) - 4;
  if (progress.rows.size() > room) {
    const auto now = std::find_if(progress.rows.begin(), progress.rows.end(),
                                  [&](const auto& row) { return row.name == progress.now; });
    const auto at = static_cast<std::size_t>(now - progress.rows.begin());
    const std::size_t first = std::min(at - std::min(at, room / 2), progress.rows.size() - room);
    progress.rows = {progress.rows.begin() + static_cast<std::ptrdiff_t>(first),
                     progress.rows.begin() + static_cast<std::ptrdiff_t>(first + room)};
  }
  std::vector<std::string> lines = lines_of(table_text(progress, screen.width(), false));
  lines.push_back(summary_text(progress));
  screen.draw(lines, {plain});
}

Result<std::vector<engine::TuningTask>> tasks_for(TuneOptions& options) {
  if (engine::looks_like_operator(options.model.spec)) {
    CAMBIUM_TRY(const engine::Operator parsed, engine::parse_operator(options.model.spec));
    CAMBIUM_TRY(engine::TuningTask task,
                engine::task_of(parsed.model, parsed.layouts, options.threads));
    return std::vector<engine::TuningTask>{std::move(task)};
  }
  CAMBIUM_TRY(const engine::Loaded loaded, load(options.model));
  return engine::tasks_of(loaded.model, options.off, options.threads);
}

Result<engine::TuningReport> tuned(TuneOptions& options, bool& is_left_alone) {
  const std::filesystem::path folder = std::filesystem::path(options.tuning.db).parent_path();
  CAMBIUM_REQUIRE(check_output_folder(folder.empty() ? "." : folder.string()));
  CAMBIUM_TRY(const auto tasks, tasks_for(options));
  // Checked before the machine is measured, which takes a while.
  CAMBIUM_REQUIRE(engine::check_database(options.tuning.db));
  CAMBIUM_TRY(const Machine machine,
              engine::probed_machine(options.machine, cache_folder() + "/ceilings.json"));
  options.tuning.peers = engine::find_peers();
  options.tuning.uses_model = !options.without_model;
  options.tuning.seed = options.model.seed;
  note(fmt::format("{} task{}, seed {}, database {}", tasks.size(), tasks.size() == 1 ? "" : "s",
                   options.tuning.seed, options.tuning.db));
  Screen screen;
  engine::TuningHooks hooks;
  hooks.stop = &stops_on_interrupt();
  hooks.progress = [&screen](const engine::TuningProgress& progress) { show(screen, progress); };
  hooks.abandoned = [&is_left_alone] { is_left_alone = true; };
  return engine::tune_tasks(tasks, machine, options.tuning, hooks);
}

int list_rules(const std::string& space) {
  const auto rules = engine::tuning_rules(space);
  if (!rules.ok()) return refuse(rules.rejection());
  Table table({{"rule", kLeft, false}, {"what it does", kLeft, true}});
  for (const engine::RuleRow& rule : *rules) table.add({rule.name, rule.summary});
  return print(table.text(terminal_width()));
}

int run_records(const TuneOptions& options) {
  const std::string& db = options.tuning.db;
  if (!options.import_path.empty()) {
    const auto count = engine::import_records(db, options.import_path);
    if (!count.ok()) return refuse(count.rejection());
    say(fmt::format("{} new records in {}", *count, db));
  }
  if (!options.export_path.empty()) {
    const Status written = engine::export_records(db, options.export_path);
    if (!written.ok()) return refuse(written.rejection());
    say(fmt::format("wrote {}", options.export_path));
  }
  return kDone;
}

std::string settled_text(const engine::TuningReport& report) {
  const auto& rows = report.last.rows;
  const auto settled =
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.is_settled; });
  if (settled == 0) return "";
  return fmt::format(
      "{} of {} tasks ended early, after {} trials (at least half of their trials) without a gain "
      "of 1 % "
      "(--patience 0 spends the whole budget)",
      settled, rows.size(), report.options.patience);
}

int tune_and_show(TuneOptions& options, bool& is_left_alone) {
  const auto report = tuned(options, is_left_alone);
  if (!report.ok()) return refuse(report.rejection());
  if (!report->model_note.empty() && !options.without_model) {
    note("the cost model does not learn: " + report->model_note);
  }
  if (report->quality.has_value()) {
    note(fmt::format(
        "on programs that it has not learned from, the cost model's order has a rank correlation "
        "of {:.2f} (analytic model: {:.2f}); the best of its top 8 is within {:.0f} % of the "
        "fastest",
        report->quality->rank_correlation, report->quality->draft_correlation,
        100 * (1 - report->quality->best_of_top_8)));
  }
  if (const auto settled = settled_text(*report); !settled.empty()) note(settled);
  if (report->was_stopped) note("stopped early; the database holds the best schedules so far");
  if (options.json) return print_document(engine::to_json(*report, options.model.spec));
  say(summary_text(report->last));
  return print(table_text(report->last, terminal_width(), true));
}

int run_tune(TuneOptions options) {
  if (options.rules) return list_rules(options.tuning.space);
  if (!options.import_path.empty() || !options.export_path.empty()) return run_records(options);
  if (options.model.spec.empty()) {
    return refuse(Rejection(Reason::BadOption, "tune", "give a model or an operator"));
  }
  bool is_left_alone = false;
  const int code = tune_and_show(options, is_left_alone);
  if (!is_left_alone) return code;
  // A thread hangs in the compiler and must not see objects that are destroyed with the process.
  note("compiling a schedule hung; the next run compiles it once more, alone");
  std::fflush(nullptr);
  std::_Exit(code_after_interrupt(code));
}

std::string footer() {
  std::string text = "Operators:\n";
  for (const engine::OperatorForm& form : engine::operator_forms()) {
    text += fmt::format("  {}\n      {}\n", form.example, form.summary);
  }
  return text +
         "\nThe database gets every result at once, and `cambium compile` uses the best. The same "
         "command\n"
         "continues where it was stopped or killed. Ctrl-C stops cleanly.\n\n"
         "Example:\n"
         "  cambium tune zoo:resnet18 --seconds 900\n"
         "  cambium tune 'conv2d(1x256x14x14, 256, kernel 3, pad 1)' --trials 64 --threads 1\n"
         "  cambium tune zoo:resnet18 --machine avx2\n"
         "  cambium tune --list-rules\n"
         "  cambium tune zoo:mobilenet-v2 --without winograd --json\n"
         "  cambium tune --export records.jsonl";
}

}  // namespace

void add_tune(CLI::App& app, Action& action) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* command = app.add_subcommand(
      "tune", "Search for fast schedules of a model or an operator, and store them");
  engine::TuningOptions& tuning = options->tuning;
  command
      ->add_option(
          "WHAT", options->model.spec,
          "model (zoo:NAME, FILE.onnx or FILE.cambium), or an operator in one line (`cambium tune "
          "--help` lists the forms)")
      ->type_name("MODEL|OPERATOR");
  add_load_options(*command, options->model);
  command->get_option("--seed")->description(
      "random seed of the search and of the weights of a zoo model");
  command
      ->add_option("--trials", tuning.trials,
                   "schedules to try per task, on average; with --seconds alone, as many as fit")
      ->type_name("N")
      ->check(within(Range<std::int64_t>{1, kMostTrials}))
      ->capture_default_str();
  command->add_option("--seconds", tuning.seconds, "time limit in seconds; default: none")
      ->type_name("S")
      ->check(within(engine::ranges::kSeconds));
  command
      ->add_option(
          "--patience", tuning.patience,
          "end a task early when this many trials, and at least half of its trials, brought "
          "no gain of 1 %; 0: spend the whole budget")
      ->type_name("N")
      ->check(within(engine::ranges::kTrials))
      ->capture_default_str();
  tuning.jobs = threads_of_this_machine();
  command->add_option("--jobs", tuning.jobs, "number of threads that search and compile")
      ->type_name("N")
      ->check(within(engine::ranges::kThreads))
      ->default_str(kAllCores);
  add_threads_option(*command, options->threads)
      ->description("number of threads that a run of the model uses; schedules are tuned for it");
  add_machine_option(*command, options->machine)
      ->description("machine to tune for; its code must run here: " + join(machine_names(), ", "));
  add_db_option(*command, tuning.db);
  command
      ->add_option("--strategy", tuning.strategy,
                   "search strategy: " + join(engine::tuning_strategies(), ", "))
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option("--space", tuning.space,
                   "set of rules that make schedules: " + join(engine::tuning_spaces(), ", ") +
                       " (the rules of the MetaSchedule paper)")
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option("--without", tuning.without,
                   "rule to leave out (--list-rules lists them); may be repeated. Schedules that "
                   "other runs recorded with this rule are neither retried nor reported")
      ->type_name("RULE")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--no-model", options->without_model, "search without the learned cost model");
  add_off_option(*command, options->off);
  command->add_flag("--list-rules", options->rules, "only list the rules of the space");
  command
      ->add_option("--export", options->export_path,
                   "only write the database to this file, as JSON lines")
      ->type_name("FILE");
  command
      ->add_option("--import", options->import_path,
                   "only add the records of this file of JSON lines to the database")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "print one JSON document (docs/schema/tune.json)");
  command->footer(footer());
  command->callback([&action, options, command] {
    const bool only_time = options->tuning.seconds > 0 && command->count("--trials") == 0;
    if (only_time) options->tuning.trials = kMostTrials;
    action = [options] { return run_tune(*options); };
  });
}

}  // namespace cambium::cli
