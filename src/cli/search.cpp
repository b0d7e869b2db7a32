#include "engine/search/search.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <span>
#include <thread>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/commit.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/interrupt.h"
#include "cli/search_view.h"

namespace cambium::cli {

namespace {

using search::Metric;
using search::SearchProgress;

struct SearchCommand {
  engine::SearchSetup setup;
  engine::SearchRuntime runtime;
  std::vector<std::string> bind, set, space_options, strategy_options, objectives, tries;
  std::vector<std::string> spaces = {"coordinate"};
  std::string targets = "conv:k=3,groups=1";
  std::string reward = "ratio", only, worker_memory;
  std::string accuracy_drop, perplexity, macs, latency, parameters, memory, activations = "3x";
  bool resume = false, json = false;
  std::set<std::string> given;  // options of the command line, by name
};

// What may stand beside --resume: where and how far it runs, and what the finals are made of. All
// else is as the search was begun.
constexpr const char* kOfTheRun[] = {
    "--study",      "--resume",      "--only",         "--name",   "--json",
    "--candidates", "--seconds",     "--workers",      "--device", "--train-threads",
    "--help",       "--job-seconds", "--worker-memory"};
constexpr const char* kOfTheFinals[] = {"--finalists", "--epochs", "--seeds", "--trials"};

bool is_one_of(std::span<const char* const> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<std::vector<std::pair<std::string, std::string>>> pairs_of(
    const std::vector<std::string>& words, const char* option) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Rejection(Reason::BadOption, option, fmt::format("'{}' is not NAME=VALUE", word));
    }
    pairs.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return pairs;
}

// Options of one space are named after it, `coordinate.g=2`; others are for all of them.
Result<std::vector<engine::SpaceSetting>> spaces_of(const SearchCommand& command) {
  CAMBIUM_TRY(const auto options, pairs_of(command.space_options, "--space-option"));
  std::vector<engine::SpaceSetting> settings;
  for (const std::string& space : command.spaces) {
    settings.push_back({space, command.targets, {}});
  }
  for (const auto& [name, value] : options) {
    const std::size_t dot = name.find('.');
    const std::string of = dot == std::string::npos ? "" : name.substr(0, dot);
    const std::string own = dot == std::string::npos ? name : name.substr(dot + 1);
    bool is_anyones = false;
    for (engine::SpaceSetting& setting : settings) {
      if (!of.empty() && of != setting.space) continue;
      is_anyones = true;
      if (own == "targets") {
        setting.targets = value;
      } else {
        setting.options.emplace_back(own, value);
      }
    }
    if (is_anyones) continue;
    return Rejection(
        Reason::BadOption, "--space-option " + name,
        fmt::format("the search has no space '{}'; it has {}", of, join(command.spaces, ", ")));
  }
  return settings;
}

Status complete_setup(SearchCommand& command) {
  engine::SearchSetup& setup = command.setup;
  CAMBIUM_TRY(setup.bind, pairs_of(command.bind, "--bind"));
  CAMBIUM_TRY(setup.settings, pairs_of(command.set, "--set"));
  CAMBIUM_TRY(setup.strategy.settings, pairs_of(command.strategy_options, "--strategy-option"));
  for (const std::string& word : command.tries) {
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(word, unknown)) {
      setup.tries.push_back(word);
      continue;
    }
    CAMBIUM_TRY(std::string text, read_file(word));
    setup.tries.push_back(std::move(text));
  }
  CAMBIUM_TRY(setup.spaces, spaces_of(command));
  if (!command.objectives.empty()) {
    setup.objectives.clear();
    for (const std::string& name : command.objectives) {
      const auto metric = search::metric_named(name);
      if (!metric) {
        return Rejection(Reason::BadOption, "--objective",
                         fmt::format("'{}' is none of accuracy, perplexity, latency, macs, "
                                     "parameters, memory",
                                     name));
      }
      setup.objectives.push_back(*metric);
    }
  }
  setup.reward.kind = command.reward == "accuracy" ? search::RewardOptions::Kind::Accuracy
                                                   : search::RewardOptions::Kind::Ratio;
  if (command.reward == "macs") setup.reward.cost = Metric::Macs;
  if (!command.accuracy_drop.empty()) {
    setup.limits.push_back({Metric::Accuracy, command.accuracy_drop, true});
  }
  for (const auto& [metric, text] :
       {std::pair{Metric::Perplexity, &command.perplexity}, std::pair{Metric::Macs, &command.macs},
        std::pair{Metric::Latency, &command.latency},
        std::pair{Metric::Parameters, &command.parameters},
        std::pair{Metric::Memory, &command.memory},
        std::pair{Metric::Activations, &command.activations}}) {
    if (!text->empty()) setup.limits.push_back({metric, *text, false});
  }
  return Ok{};
}

// What is named beside --resume or --only and would not count is refused, not ignored.
Status check_beside_study(const SearchCommand& command) {
  for (const std::string& name : command.given) {
    if (is_one_of(kOfTheRun, name)) continue;
    if (command.only.empty() && is_one_of(kOfTheFinals, name)) continue;
    return Rejection(Reason::BadOption, name,
                     name == "MODEL"
                         ? "--resume takes the model of the study, which --study names"
                         : "--resume goes on with a search as it was begun; begin another one with "
                           "--name to change this");
  }
  return Ok{};
}

// Goes on with a search of the study as it was begun, but for what the command line may change.
Status resume(SearchCommand& command) {
  engine::SearchRuntime& runtime = command.runtime;
  CAMBIUM_TRY(engine::KeptSearch kept, engine::kept_search(runtime.study, runtime.name));
  const engine::SearchSetup asked = std::exchange(command.setup, std::move(kept.setup));
  runtime.name = kept.name;
  if (!kept.command.empty()) runtime.command = kept.command;
  const auto is_given = [&](const char* name) { return command.given.count(name) > 0; };
  if (is_given("--finalists")) command.setup.finalists = asked.finalists;
  if (is_given("--epochs")) command.setup.epochs = asked.epochs;
  if (is_given("--seeds")) command.setup.seeds = asked.seeds;
  if (is_given("--trials")) command.setup.trials = asked.trials;
  if (!is_given("--candidates")) {
    runtime.candidates = kept.candidates.value_or(runtime.candidates);
  }
  if (!is_given("--seconds")) runtime.seconds = kept.seconds.value_or(runtime.seconds);
  return Ok{};
}

int finish(const SearchCommand& command, const search::SearchReport& report) {
  const SearchProgress& last = report.last;
  fmt::print(stderr, "{}; {} of {} candidates in {}{}\n{}; {}\n", summary_text(last), last.folded,
             last.planned, duration_text(last.seconds), own_text(report), best_text(last),
             refusals_text(last));
  if (report.was_stopped) {
    note(fmt::format("stopped; `{}` goes on",
                     resume_text(command.runtime.study, command.runtime.name)));
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

int run_search(SearchCommand command) {
  engine::SearchRuntime& runtime = command.runtime;
  runtime.programs = own_folder();
  runtime.machine_file = cache_folder() + "/ceilings.json";
  runtime.commit = std::string(commit());
  runtime.command = own_command();
  if (!command.worker_memory.empty()) {
    auto limit = search::limit_of(Metric::Memory, command.worker_memory, {});
    if (!limit.ok()) return refuse(std::move(limit).rejection().at("--worker-memory"));
    runtime.memory_bytes = static_cast<std::int64_t>(limit->bound);
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
    const auto done = engine::complete_search(runtime, command.only, hooks);
    if (!done.ok()) return refuse(done.rejection());
    fmt::print(stderr, "{} evaluations by {} completed in {}\n", *done, command.only,
               runtime.study);
    return kDone;
  }
  if (command.resume) {
    if (const Status resumed = resume(command); !resumed.ok()) return refuse(resumed.rejection());
  } else if (const Status complete = complete_setup(command); !complete.ok()) {
    return refuse(complete.rejection());
  }
  if (command.setup.model.empty() || command.setup.data.empty()) {
    return refuse(Rejection(Reason::BadOption, "search", "name a model and --data"));
  }
  // Said when it has begun: what is refused is one line.
  bool has_begun = false;
  hooks.progress = [&](const SearchProgress& now) {
    if (!std::exchange(has_begun, true)) {
      note(fmt::format("study {}, strategy {}, seed {}", runtime.study, command.setup.strategy.name,
                       command.setup.strategy.seed));
    }
    view.show(now);
  };
  const auto report = engine::run_search(command.setup, runtime, hooks);
  if (!report.ok()) return refuse(report.rejection());
  return finish(command, *report);
}

void add_what(CLI::App& app, SearchCommand& command) {
  engine::SearchSetup& setup = command.setup;
  app.add_option("MODEL", setup.model, "zoo:NAME, FILE.onnx or FILE.cambium")->type_name("MODEL");
  app.add_option("--data", setup.data, "data set, as `cambium train` takes it")->type_name("DATA");
  app.add_option("--bind", command.bind, "sizes of the model, NAME=N")->type_name("NAME=N");
  app.add_option("--targets", command.targets, "places that may be rewritten")
      ->type_name("SELECTOR")
      ->capture_default_str();
  app.add_option("--space", command.spaces,
                 "where candidates come from: " + join(engine::space_names(), ", "))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--space-option", command.space_options,
                 "of the spaces, as most-macs=0.5, or of one of several: SPACE.most-macs=0.5, "
                 "SPACE.targets=SELECTOR")
      ->type_name("[SPACE.]NAME=VALUE");
  app.add_option(
         "--try", command.tries,
         "candidates of your own, which also get to the finals: a FILE with an operator, or "
         "a name as 'grouped_conv2d g=4'")
      ->type_name("OPERATOR");
  app.add_option("--strategy", setup.strategy.name,
                 "one of " + join(search::strategy_names(), ", "))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--strategy-option", command.strategy_options, "of the strategy")
      ->type_name("NAME=VALUE");
  app.add_option("--seed", setup.strategy.seed, "of the search")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--in-flight", setup.strategy.in_flight,
                 "candidates under way at a time; a part of what makes a search the same")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("N")
      ->capture_default_str();
}

void add_goals(CLI::App& app, SearchCommand& command) {
  app.add_option("--objective", command.objectives, "what the front is made of (accuracy latency)")
      ->type_name("METRIC");
  app.add_option("--reward", command.reward,
                 "what the strategy is told: ratio (of latency), macs, accuracy")
      ->check(CLI::IsMember({"ratio", "macs", "accuracy"}).description(""))
      ->type_name("KIND")
      ->capture_default_str();
  app.add_option("--max-accuracy-drop", command.accuracy_drop, "against the original: 1%")
      ->type_name("P");
  app.add_option("--max-perplexity", command.perplexity, "1.05x of the original, or a number")
      ->type_name("LIMIT");
  app.add_option("--max-macs", command.macs, "0.5x of the original, or a number")
      ->type_name("LIMIT");
  app.add_option("--max-latency", command.latency, "0.5x, or 3ms")->type_name("LIMIT");
  app.add_option("--max-parameters", command.parameters, "0.5x, or a number")->type_name("LIMIT");
  app.add_option("--max-memory", command.memory, "0.5x, or 20MB")->type_name("LIMIT");
  app.add_option("--max-activations", command.activations,
                 "what training moves; more takes ages to train")
      ->type_name("LIMIT")
      ->capture_default_str();
}

void add_effort(CLI::App& app, SearchCommand& command) {
  engine::SearchSetup& setup = command.setup;
  engine::SearchRuntime& runtime = command.runtime;
  const auto positive = CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}).description("");
  app.add_option("--candidates", runtime.candidates, "proposals in all")
      ->check(positive)
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seconds", runtime.seconds, "stop exploring after this time")->type_name("S");
  app.add_option("--brief-epochs", setup.brief_epochs, "of every candidate")
      ->check(positive)
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--epochs", setup.epochs, "of the best ones")
      ->check(positive)
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seeds", setup.seeds, "full trainings of each of the best")
      ->check(CLI::Range(1, 100).description(""))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--finalists", setup.finalists, "how many are trained fully and tuned")
      ->check(CLI::Range(0, 1000).description(""))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--recipe", setup.recipe, "of trainings, as `cambium train` has them")
      ->type_name("NAME");
  app.add_option("--set", command.set, "what differs from the recipe")->type_name("NAME=VALUE");
  app.add_option("--stopping", setup.stopping,
                 "rule that ends brief trainings early: below-original:SHARE, "
                 "milestones:EPOCH=ACCURACY,...")
      ->type_name("RULE")
      ->capture_default_str();
  app.add_option("--proxy", setup.proxy,
                 "a measure without training before the brief one: fisher, ...")
      ->type_name("NAME");
  app.add_option("--least-proxy", setup.least_proxy, "share of the original's that it takes")
      ->type_name("SHARE")
      ->capture_default_str();
  app.add_option("--brief-trials", setup.brief_trials, "of tuning, per kernel of every candidate")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--trials", setup.trials, "of tuning, per kernel of the best and of the original")
      ->type_name("N")
      ->capture_default_str();
}

void add_place(CLI::App& app, SearchCommand& command) {
  engine::SearchRuntime& runtime = command.runtime;
  app.add_option("--study", runtime.study, "the file that holds everything")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--name", runtime.name,
                 "of this search, where several share a study (strategy and seed)")
      ->type_name("NAME");
  app.add_flag("--resume", command.resume, "go on with a search of the study as it was begun");
  app.add_option("--only", command.only, "evaluate what waits for this: latency, accuracy")
      ->type_name("EVALUATOR");
  app.add_option("--threads", command.setup.threads, "that the native code runs on")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--workers", runtime.workers, "trainings at a time")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N")
      ->capture_default_str();
  runtime.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  app.add_option("--train-threads", runtime.threads, "of each training")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--device", runtime.device,
                 "auto, cpu, cuda, several that workers take in turn: cuda:0,cuda:1, or none: "
                 "trainings wait for --only accuracy on another machine")
      ->type_name("DEVICE")
      ->capture_default_str();
  app.add_option("--job-seconds", runtime.job_seconds, "that one evaluation may take")
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--worker-memory", command.worker_memory,
                 "that one worker may have: 8GiB; not with a GPU, whose driver reserves more")
      ->type_name("SIZE");
  app.add_flag("--json", command.json, "print one JSON document (docs/schema/search.json)");
}

}  // namespace

void add_search(CLI::App& app, Action& action) {
  auto command = std::make_shared<SearchCommand>();
  command->runtime.study = "search.study";
  CLI::App* sub = app.add_subcommand(
      "search", "Find a model that is smaller or faster at nearly the same accuracy");
  add_what(*sub, *command);
  add_goals(*sub, *command);
  add_effort(*sub, *command);
  add_place(*sub, *command);
  sub->footer(
      "Candidates pass legality and limits, a quick latency and a brief training; the best are\n"
      "trained fully and tuned, as is the original. All of it is in the study as it happens: a\n"
      "search that was stopped or killed goes on with --resume. Ctrl-C stops cleanly.\n\n"
      "Beside --resume, the command line may change how far the search goes and where it runs\n"
      "(--candidates, --seconds, --workers, --train-threads, --device, --job-seconds,\n"
      "--worker-memory) and the finals (--finalists, --epochs, --seeds, --trials). Without them\n"
      "they are as they were. Whatever else it names is refused.\n\n"
      "Example:\n"
      "  cambium search zoo:tiny-resnet --data fashion-mnist --max-accuracy-drop 1% --candidates "
      "50\n"
      "  cambium search --resume --study search.study\n"
      "  cambium search --resume --only latency --study search.study");
  sub->callback([&action, command, sub] {
    for (const CLI::Option* option : sub->get_options()) {
      if (option->count() > 0) command->given.insert(option->get_name());
    }
    action = [command] { return run_search(*command); };
  });
}

}  // namespace cambium::cli
