#include "engine/search/search.h"

#include <fstream>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/commit.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/interrupt.h"
#include "cli/legality_view.h"
#include "cli/search_options.h"
#include "cli/search_view.h"
#include "cli/settings_text.h"
#include "engine/search/space_list.h"
#include "engine/search/studies.h"

namespace cambium::cli {

namespace {

using search::SearchProgress;

int finish(const SearchCommand& command, const search::SearchReport& report) {
  const SearchProgress& last = report.last;
  say(fmt::format("{}; {} of {} candidates in {}{}", summary_text(last), last.folded, last.planned,
                  duration_text(last.seconds), own_text(report)));
  say(best_text(last) + "; " + refusals_text(last));
  if (report.was_stopped) {
    note("stopped; to continue: " + resume_text(command.runtime.study, command.runtime.name));
  }
  for (const search::RefusedGiven& refused : report.refused_given) {
    note(fmt::format("candidate {} of --try was refused by {}: {}",
                     study::short_id(refused.identity), refused.evaluator, refused.detail));
  }
  if (report.is_exhausted) note("the strategy has nothing more to propose");
  for (const std::string& remark : report.remarks) note(remark);
  if (const std::string words = front_text(report); !words.empty()) note(words);
  if (const std::string words = without_winner(report, command.setup); !words.empty()) note(words);
  // Of the whole study, so that a search in several runs ends like one in a single run.
  const auto legality = engine::legality_by_kind(command.runtime.study);
  if (!legality.ok()) return refuse(legality.rejection());
  if (command.json) {
    nlohmann::json out = engine::to_json(report, command.setup, command.runtime.study);
    if (legality->all.judged > 0) out["legality"] = engine::to_json(*legality);
    return print_document(out);
  }
  const std::string by_kind = legality_text(*legality, terminal_width());
  return print(report_text(report, command.setup, terminal_width()) +
               (by_kind.empty() ? "" : "\n" + by_kind));
}

std::vector<std::string> own_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (!words.empty()) words[0] = "cambium";
  return words;
}

// Takes the setup and the settings of the run from the study or from the command line. Returns a
// note to print when the search begins; empty if there is none.
Result<std::string> prepare(SearchCommand& command) {
  const engine::SearchRuntime& runtime = command.runtime;
  if (command.resume) {
    CAMBIUM_TRY(const engine::KeptSearch kept,
                engine::kept_search(runtime.study, runtime.name, runtime.run));
    return go_on_with(command, kept);
  }
  CAMBIUM_REQUIRE(complete_setup(command));
  // The same command without --resume continues the search too. A broken study is reported when the
  // search begins.
  const std::string name =
      runtime.name.empty() ? engine::default_name(command.setup) : runtime.name;
  const auto kept = engine::kept_search(runtime.study, name, runtime.run);
  return kept.ok() ? run_on(command, *kept) : std::string();
}

// Pending evaluations run with the search's settings; evaluations that the search left to another
// machine run on a device of this one. Returns the note of `run_on`.
Result<std::string> run_as_before(SearchCommand& command) {
  const engine::SearchRuntime& runtime = command.runtime;
  CAMBIUM_TRY(engine::KeptSearch kept,
              runtime.name.empty() ? engine::first_search(runtime.study, runtime.run)
                                   : engine::kept_search(runtime.study, runtime.name, runtime.run));
  if (kept.run.device == engine::kNoDevice) kept.run.device = runtime.run.device;
  return run_on(command, kept);
}

int run_search(SearchCommand command) {
  engine::SearchRuntime& runtime = command.runtime;
  runtime.programs = own_folder();
  runtime.machine_file = cache_folder() + "/ceilings.json";
  runtime.commit = std::string(commit());
  runtime.command = own_command();
  if (const Status complete = complete_run(command); !complete.ok()) {
    return refuse(complete.rejection());
  }
  if (command.resume || !command.only.empty()) {
    if (const Status fits = check_beside_study(command); !fits.ok()) {
      return refuse(fits.rejection());
    }
  }
  SearchView view;
  search::SearchHooks hooks;
  hooks.stop = &stops_on_interrupt();
  hooks.progress = [&view](const SearchProgress& now) { view.show(now); };
  if (!command.only.empty()) {
    const auto as_before = run_as_before(command);
    if (!as_before.ok()) return refuse(as_before.rejection());
    if (!as_before->empty()) note(*as_before);
    const auto done = engine::complete_search(runtime, command.only, hooks);
    if (!done.ok()) return refuse(done.rejection());
    say(fmt::format("completed {} evaluations by {} in {}", *done, command.only, runtime.study));
    return kDone;
  }
  const auto changed = prepare(command);
  if (!changed.ok()) return refuse(changed.rejection());
  if (command.setup.model.empty() || command.setup.data.empty()) {
    return refuse(Rejection(Reason::BadOption, "search", "give a MODEL and --data"));
  }
  // Printed once the search has begun, so that a refusal stays one line.
  bool has_begun = false;
  hooks.progress = [&](const SearchProgress& now) {
    if (!std::exchange(has_begun, true)) {
      note(fmt::format("study {}, strategy {}, seed {}", runtime.study, command.setup.strategy.name,
                       command.setup.strategy.seed));
      if (!changed->empty()) note(*changed);
    }
    view.show(now);
  };
  const auto report = engine::run_search(command.setup, runtime, hooks);
  if (!report.ok()) return refuse(report.rejection());
  return finish(command, *report);
}

std::string spaces_text() {
  std::string text;
  for (const spaces::SpaceKind& kind : engine::space_kinds()) {
    text += settings_text(fmt::format("Options of the space {}, for --space-option", kind.name),
                          kind.options());
  }
  return text;
}

std::string strategies_text() {
  std::string text;
  for (const std::string& name : search::strategy_names()) {
    text += settings_text(fmt::format("Options of the strategy {}, for --strategy-option", name),
                          search::strategy_settings(name));
  }
  return text;
}

}  // namespace

void add_search(CLI::App& app, Action& action) {
  auto command = std::make_shared<SearchCommand>();
  CLI::App* sub = app.add_subcommand(
      "search", "Find a model that is smaller or faster at nearly the same accuracy");
  add_search_options(*sub, *command);
  sub->footer(
      std::string(
          "Every candidate passes the limits, a quick latency and a brief training. Then the best\n"
          "candidates and the original are fully trained and tuned. The study file holds all "
          "results "
          "at\n"
          "every moment: a search that was stopped or killed continues with --resume. Ctrl-C "
          "stops\n"
          "cleanly.\n\n"
          "With --resume, the command line may change the size of the search and how it runs\n"
          "(--candidates, --seconds, --workers, --train-threads, --device, --job-seconds,\n"
          "--worker-memory) and the finals (--finalists, --epochs, --seeds, --trials). Omitted "
          "ones "
          "are\n"
          "as in the last run. All other options are refused. The same command without --resume\n"
          "continues the search too.\n\n"
          "To list the models: cambium zoo list. To see which operators a selector matches:\n"
          "cambium inspect MODEL --targets SELECTOR. docs/search.md explains the search.\n\n") +
      spaces_text() + strategies_text() +
      "Example:\n"
      "  cambium search zoo:tiny-resnet --data fashion-mnist --max-accuracy-drop 1% --candidates "
      "50\n"
      "  cambium search --resume --study search.study\n"
      "  cambium search --resume --only latency --study search.study");
  sub->callback([&action, command, sub] {
    note_given(*sub, *command);
    action = [command] { return run_search(*command); };
  });
}

}  // namespace cambium::cli
