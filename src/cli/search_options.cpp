#include "cli/search_options.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/common.h"
#include "cli/within.h"
#include "engine/ranges.h"

namespace cambium::cli {

namespace {

using engine::SearchRun;
using engine::SearchSetup;
using search::Metric;
namespace ranges = engine::ranges;

// Of this one command, and no part of the search.
constexpr const char* kOfTheCommand[] = {"--study", "--resume", "--only",
                                         "--name",  "--json",   "--help"};

// What an option of the run is about: how far the search goes, what trains, every job.
enum class Part : std::uint8_t { Search, Trainings, Jobs };

// What a later run may change: how far it goes and on what, and what the finals are made of. All
// else is as the search was begun.
struct RunOption {
  const char* name;
  void (*take)(SearchRun& to, const SearchRun& from);
  bool (*is_same)(const SearchRun& a, const SearchRun& b);
  Part part;
  const char* changes;  // of the results; empty: nothing
};
struct FinalsOption {
  const char* name;
  void (*take)(SearchSetup& to, const SearchSetup& from);
};

template <auto kMember>
constexpr RunOption run_option(const char* name, Part part, const char* changes = "") {
  return {name, [](SearchRun& to, const SearchRun& from) { to.*kMember = from.*kMember; },
          [](const SearchRun& a, const SearchRun& b) { return a.*kMember == b.*kMember; }, part,
          changes};
}
template <auto kMember>
constexpr FinalsOption finals_option(const char* name) {
  return {name, [](SearchSetup& to, const SearchSetup& from) { to.*kMember = from.*kMember; }};
}

constexpr const char* kBits = "accuracies differ in their last digits";
constexpr const char* kDeaths = "other candidates may be refused for it";
constexpr RunOption kOfTheRun[] = {
    run_option<&SearchRun::candidates>("--candidates", Part::Search),
    run_option<&SearchRun::seconds>("--seconds", Part::Search),
    run_option<&SearchRun::workers>("--workers", Part::Trainings),
    run_option<&SearchRun::threads>("--train-threads", Part::Trainings, kBits),
    run_option<&SearchRun::device>("--device", Part::Trainings, kBits),
    run_option<&SearchRun::job_seconds>("--job-seconds", Part::Jobs, kDeaths),
    run_option<&SearchRun::memory_bytes>("--worker-memory", Part::Jobs, kDeaths)};
constexpr FinalsOption kOfTheFinals[] = {finals_option<&SearchSetup::finalists>("--finalists"),
                                         finals_option<&SearchSetup::epochs>("--epochs"),
                                         finals_option<&SearchSetup::seeds>("--seeds"),
                                         finals_option<&SearchSetup::trials>("--trials")};

template <class Rows>
bool is_one_of(const Rows& rows, const std::string& name) {
  return std::any_of(std::begin(rows), std::end(rows),
                     [&](const auto& row) { return name == row.name; });
}

bool is_of_the_command(const std::string& name) {
  return std::find(std::begin(kOfTheCommand), std::end(kOfTheCommand), name) !=
         std::end(kOfTheCommand);
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

}  // namespace

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
  setup.objectives = engine::usual_objectives(setup.data);
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

Status complete_run(SearchCommand& command) {
  if (command.worker_memory.empty()) return Ok{};
  CAMBIUM_TRY(const search::Limit limit,
              search::limit_of(Metric::Memory, command.worker_memory, {}).at("--worker-memory"));
  if (limit.bound > static_cast<double>(ranges::kBytes.high)) {
    return Rejection(Reason::BadOption, "--worker-memory", "no machine has that much");
  }
  command.runtime.run.memory_bytes = static_cast<std::int64_t>(limit.bound);
  return Ok{};
}

namespace {

// What waits for one evaluator is evaluated, and nothing else is done.
bool counts_beside_only(const SearchCommand& command, const std::string& name) {
  if (name == "--json") return false;  // there is no report
  if (is_of_the_command(name)) return true;
  return std::any_of(std::begin(kOfTheRun), std::end(kOfTheRun), [&](const RunOption& option) {
    return name == option.name && (option.part == Part::Jobs ||
                                   (option.part == Part::Trainings && command.only != "latency"));
  });
}

}  // namespace

Status check_beside_study(const SearchCommand& command) {
  for (const std::string& name : command.given) {
    if (!command.only.empty()) {
      if (counts_beside_only(command, name)) continue;
      return Rejection(Reason::BadOption, name,
                       fmt::format("--only {} evaluates what waits for that, as the search was "
                                   "begun; this does not count there",
                                   command.only));
    }
    if (is_of_the_command(name) || is_one_of(kOfTheRun, name)) continue;
    if (is_one_of(kOfTheFinals, name)) continue;
    return Rejection(Reason::BadOption, name,
                     name == "MODEL"
                         ? "--resume takes the model of the study, which --study names"
                         : "--resume goes on with a search as it was begun; begin another one with "
                           "--name to change this");
  }
  return Ok{};
}

std::string run_on(SearchCommand& command, const engine::KeptSearch& kept) {
  engine::SearchRuntime& runtime = command.runtime;
  if (!kept.command.empty()) runtime.command = kept.command;
  std::vector<std::string> changed;
  for (const RunOption& option : kOfTheRun) {
    // `auto` means the device that was chosen first: it does not go on slowly where that is gone.
    const bool is_auto = option.name == std::string_view("--device") &&
                         runtime.run.device == "auto" && kept.run.device != engine::kNoDevice;
    if (command.given.count(option.name) == 0 || is_auto) option.take(runtime.run, kept.run);
    if (*option.changes == 0 || option.is_same(runtime.run, kept.run)) continue;
    changed.push_back(fmt::format("{} ({})", option.name, option.changes));
  }
  if (changed.empty()) return "";
  return fmt::format("not as in the last run: {}; the search does not end as one in one run does",
                     join(changed, ", "));
}

std::string go_on_with(SearchCommand& command, const engine::KeptSearch& kept) {
  const SearchSetup asked = std::exchange(command.setup, kept.setup);
  command.runtime.name = kept.name;
  for (const FinalsOption& option : kOfTheFinals) {
    if (command.given.count(option.name) > 0) option.take(command.setup, asked);
  }
  return run_on(command, kept);
}

namespace {

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
      ->check(within(ranges::kInFlight))
      ->type_name("N")
      ->capture_default_str();
}

void add_goals(CLI::App& app, SearchCommand& command) {
  app.add_option("--objective", command.objectives,
                 "what the front is made of (accuracy latency, of text perplexity latency)")
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
  app.add_option("--candidates", runtime.run.candidates,
                 "proposals in all; 0: only the candidates of --try")
      ->check(within(ranges::kCandidates))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seconds", runtime.run.seconds, "stop exploring after this time")
      ->check(within(ranges::kSeconds))
      ->type_name("S");
  app.add_option("--brief-epochs", setup.brief_epochs, "of every candidate")
      ->check(within(ranges::kEpochs))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--epochs", setup.epochs, "of the best ones")
      ->check(within(ranges::kEpochs))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seeds", setup.seeds, "full trainings of each of the best")
      ->check(within(ranges::kSeeds))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--finalists", setup.finalists, "how many are trained fully and tuned")
      ->check(within(ranges::kFinalists))
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
      ->check(within(ranges::kShare))
      ->type_name("SHARE")
      ->capture_default_str();
  app.add_option("--brief-trials", setup.brief_trials, "of tuning, per kernel of every candidate")
      ->check(within(ranges::kTrials))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--trials", setup.trials, "of tuning, per kernel of the best and of the original")
      ->check(within(ranges::kTrials))
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
      ->check(within(ranges::kThreads))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--workers", runtime.run.workers, "trainings at a time")
      ->check(within(ranges::kWorkers))
      ->type_name("N")
      ->capture_default_str();
  runtime.run.threads = threads_of_this_machine();
  app.add_option("--train-threads", runtime.run.threads, "of each training")
      ->check(within(ranges::kThreads))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--device", runtime.run.device,
                 "auto, cpu, cuda, several that workers take in turn: cuda:0,cuda:1, or none: "
                 "trainings wait for --only accuracy on another machine")
      ->type_name("DEVICE")
      ->capture_default_str();
  app.add_option("--job-seconds", runtime.run.job_seconds, "that one evaluation may take")
      ->check(within(ranges::kSeconds))
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--worker-memory", command.worker_memory,
                 "that one worker may have: 8GiB; not with a GPU, whose driver reserves more")
      ->type_name("SIZE");
  app.add_flag("--json", command.json, "print one JSON document (docs/schema/search.json)");
}

}  // namespace

void add_search_options(CLI::App& app, SearchCommand& command) {
  command.runtime.study = "search.study";
  add_what(app, command);
  add_goals(app, command);
  add_effort(app, command);
  add_place(app, command);
}

void note_given(const CLI::App& app, SearchCommand& command) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() > 0) command.given.insert(option->get_name());
  }
}

}  // namespace cambium::cli
