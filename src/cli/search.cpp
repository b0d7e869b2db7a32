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
#include "cli/search_options.h"
#include "cli/search_view.h"

namespace cambium::cli {

namespace {

using search::SearchProgress;

int finish(const SearchCommand& command, const search::SearchReport& report) {
  const SearchProgress& last = report.last;
  say(fmt::format("{}; {} of {} candidates in {}{}", summary_text(last), last.folded, last.planned,
                  duration_text(last.seconds), own_text(report)));
  say(best_text(last) + "; " + refusals_text(last));
  if (report.was_stopped) {
    note(fmt::format("stopped; `{}` goes on",
                     resume_text(command.runtime.study, command.runtime.name)));
  }
  for (const search::RefusedGiven& refused : report.refused_given) {
    note(fmt::format("candidate {} of --try was refused by {}: {}",
                     refused.identity.text().substr(0, 8), refused.evaluator, refused.detail));
  }
  if (report.is_exhausted) note("the spaces have no further candidates");
  if (const std::string words = without_winner(report, command.setup); !words.empty()) note(words);
  if (command.json) {
    return print_document(engine::to_json(report, command.setup, command.runtime.study));
  }
  return print(report_text(report, command.setup, terminal_width()));
}

std::vector<std::string> own_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (!words.empty()) words[0] = "cambium";
  return words;
}

// The setup and how it runs: as the study keeps it, or as the command line says. What is to be said
// of it when it has begun; empty: nothing.
Result<std::string> prepare(SearchCommand& command) {
  const engine::SearchRuntime& runtime = command.runtime;
  if (command.resume) {
    CAMBIUM_TRY(const engine::KeptSearch kept,
                engine::kept_search(runtime.study, runtime.name, runtime.run));
    return go_on_with(command, kept);
  }
  CAMBIUM_REQUIRE(complete_setup(command));
  // The same command once more goes on too. What is wrong with a study is told where it is begun.
  const std::string name =
      runtime.name.empty() ? engine::default_name(command.setup) : runtime.name;
  const auto kept = engine::kept_search(runtime.study, name, runtime.run);
  return kept.ok() ? run_on(command, *kept) : std::string();
}

// What waits is evaluated as the search would have done it; what it left to another machine, by
// what this one has. The words are those of `run_on`.
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
    say(fmt::format("{} evaluations by {} completed in {}", *done, command.only, runtime.study));
    return kDone;
  }
  const auto changed = prepare(command);
  if (!changed.ok()) return refuse(changed.rejection());
  if (command.setup.model.empty() || command.setup.data.empty()) {
    return refuse(Rejection(Reason::BadOption, "search", "name a model and --data"));
  }
  // Said when it has begun: what is refused is one line.
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

}  // namespace

void add_search(CLI::App& app, Action& action) {
  auto command = std::make_shared<SearchCommand>();
  CLI::App* sub = app.add_subcommand(
      "search", "Find a model that is smaller or faster at nearly the same accuracy");
  add_search_options(*sub, *command);
  sub->footer(
      "Candidates pass legality and limits, a quick latency and a brief training; the best are\n"
      "trained fully and tuned, as is the original. All of it is in the study as it happens: a\n"
      "search that was stopped or killed goes on with --resume. Ctrl-C stops cleanly.\n\n"
      "Beside --resume, the command line may change how far the search goes and where it runs\n"
      "(--candidates, --seconds, --workers, --train-threads, --device, --job-seconds,\n"
      "--worker-memory) and the finals (--finalists, --epochs, --seeds, --trials). Without them\n"
      "they are as they were in the last run. Whatever else it names is refused. The same command\n"
      "once more, without --resume, goes on in the same way.\n\n"
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
