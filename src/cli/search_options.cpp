#include "cli/search_options.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/common.h"
#include "cli/within.h"
#include "engine/ranges.h"
#include "engine/search/evaluators.h"

namespace cambium::cli {

namespace {

using engine::SearchRun;
using engine::SearchSetup;
using study::Metric;
namespace ranges = engine::ranges;

// Options of this command only, not of the search.
constexpr const char* kOfTheCommand[] = {"--study", "--resume", "--only",
                                         "--name",  "--json",   "--help"};

// The subject of a run option: the size of the search, the trainings, or every job.
enum class Part : std::uint8_t { Search, Trainings, Jobs };

// The settings that a later run may change: the size of the search, how it runs, and the finals.
// All others stay as in the first run.
struct RunOption {
  const char* name;
  void (*take)(SearchRun& to, const SearchRun& from);
  bool (*is_same)(const SearchRun& a, const SearchRun& b);
  Part part;
  const char* changes;  // its effect on the results; empty if there is none
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

constexpr const char* kBits = "changes the last digits of accuracies";
constexpr const char* kDeaths = "may refuse other candidates";
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
  CAMBIUM_TRY(setup.spaces, settings_of(command.spaces));
  setup.objectives = engine::usual_objectives(setup.data);
  if (!command.objectives.empty()) {
    setup.objectives.clear();
    for (const std::string& name : command.objectives) {
      const auto metric = study::metric_named(name);
      if (!metric) {
        return Rejection(
            Reason::BadOption, "--objective",
            fmt::format("unknown metric '{}'; expected one of {}", name, study::metric_names()));
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
  CAMBIUM_TRY(const study::Limit limit,
              study::limit_of(Metric::Memory, command.worker_memory, {}).at("--worker-memory"));
  if (limit.bound > static_cast<double>(ranges::kBytes.high)) {
    return Rejection(Reason::BadOption, "--worker-memory", "more memory than any machine has");
  }
  command.runtime.run.memory_bytes = static_cast<std::int64_t>(limit.bound);
  return Ok{};
}

namespace {

// Whether an option has an effect beside --only, which runs only pending evaluations.
bool counts_beside_only(const SearchCommand& command, const std::string& name) {
  if (name == "--json") return false;  // --only prints no report
  if (is_of_the_command(name)) return true;
  const engine::EvaluatorRow* const row = engine::find_evaluator(command.only);
  const bool trains = row == nullptr || row->program == engine::EvaluatorProgram::Train;
  return std::any_of(std::begin(kOfTheRun), std::end(kOfTheRun), [&](const RunOption& option) {
    return name == option.name &&
           (option.part == Part::Jobs || (option.part == Part::Trainings && trains));
  });
}

}  // namespace

Status check_beside_study(const SearchCommand& command) {
  for (const std::string& name : command.given) {
    if (!command.only.empty()) {
      if (counts_beside_only(command, name)) continue;
      return Rejection(Reason::BadOption, name,
                       fmt::format("not with --only {}, which runs the pending jobs with the "
                                   "search's own settings",
                                   command.only));
    }
    if (is_of_the_command(name) || is_one_of(kOfTheRun, name)) continue;
    if (is_one_of(kOfTheFinals, name)) continue;
    return Rejection(Reason::BadOption, name,
                     name == "MODEL"
                         ? "not with --resume, which takes the model from the study of --study"
                         : "not with --resume, which continues the search with its own settings; "
                           "to change this, start another search with --name");
  }
  return Ok{};
}

std::string run_on(SearchCommand& command, const engine::KeptSearch& kept) {
  engine::SearchRuntime& runtime = command.runtime;
  if (!kept.command.empty()) runtime.command = kept.command;
  std::vector<std::string> changed;
  for (const RunOption& option : kOfTheRun) {
    // `auto` means the device that was chosen first: a search does not continue slowly without its
    // GPU.
    const bool is_auto = option.name == std::string_view("--device") &&
                         runtime.run.device == "auto" && kept.run.device != engine::kNoDevice;
    if (command.given.count(option.name) == 0 || is_auto) option.take(runtime.run, kept.run);
    if (*option.changes == 0 || option.is_same(runtime.run, kept.run)) continue;
    changed.push_back(fmt::format("{} ({})", option.name, option.changes));
  }
  if (changed.empty()) return "";
  return fmt::format(
      "changed since the last run: {}; the results will differ from those of one "
      "uninterrupted run",
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

template <std::size_t kCount>
CLI::Validator one_of(const char* const (&names)[kCount]) {
  return CLI::IsMember(std::vector<std::string>(std::begin(names), std::end(names)))
      .description("");
}

void add_what(CLI::App& app, SearchCommand& command) {
  engine::SearchSetup& setup = command.setup;
  app.add_option("MODEL", setup.model, kModelHelp)->type_name("");
  app.add_option("--data", setup.data, kTrainingSets)->type_name("SET");
  app.add_option("--bind", command.bind, "value of a free size of the model; may be repeated")
      ->type_name("NAME=N");
  add_space_options(app, command.spaces);
  app.add_option(
         "--try", command.tries,
         "your own candidate, which always reaches the finals: a file with an operator or with the "
         "JSON of a candidate, or a name such as 'grouped_conv2d g=4' (`cambium synth known` lists "
         "the names)")
      ->type_name("OPERATOR");
  app.add_option("--strategy", setup.strategy.name,
                 "search strategy: " + join(search::strategy_names(), ", "))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--strategy-option", command.strategy_options,
                 "option of the strategy (docs/strategies.md), such as exploration=0.7")
      ->type_name("NAME=VALUE");
  app.add_option("--seed", setup.strategy.seed, "random seed")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--in-flight", setup.strategy.in_flight,
                 "number of candidates evaluated at once; changes the result of a seeded search")
      ->check(within(ranges::kInFlight))
      ->type_name("N")
      ->capture_default_str();
}

void add_goals(CLI::App& app, SearchCommand& command) {
  app.add_option("--objective", command.objectives,
                 "metrics of the Pareto front: " + study::metric_names() +
                     "; default: accuracy and latency, for text perplexity and latency")
      ->type_name("METRIC");
  app.add_option(
         "--reward", command.reward,
         "what the strategy maximizes above the required accuracy: ratio (speed-up in latency), "
         "macs (fewer MACs) or accuracy")
      ->check(CLI::IsMember({"ratio", "macs", "accuracy"}).description(""))
      ->type_name("KIND")
      ->capture_default_str();
  app.add_option("--max-accuracy-drop", command.accuracy_drop,
                 "largest loss of accuracy against the original, in points: 1%")
      ->type_name("P");
  app.add_option("--max-perplexity", command.perplexity,
                 "largest perplexity: a multiple of the original's (1.05x) or a number")
      ->type_name("LIMIT");
  app.add_option("--max-macs", command.macs,
                 "most multiply-accumulates: a share of the original's (0.5x) or a number")
      ->type_name("LIMIT");
  app.add_option("--max-latency", command.latency,
                 "largest latency: a share of the original's (0.5x) or a time (3ms)")
      ->type_name("LIMIT");
  app.add_option("--max-parameters", command.parameters,
                 "most parameters: a share of the original's (0.5x) or a number")
      ->type_name("LIMIT");
  app.add_option("--max-memory", command.memory,
                 "most memory: a share of the original's (0.5x) or a size (20MB)")
      ->type_name("LIMIT");
  app.add_option(
         "--max-activations", command.activations,
         "limit on the total size of activations in training: a multiple of the original's (3x) or "
         "a size; larger candidates train very slowly")
      ->type_name("LIMIT")
      ->capture_default_str();
}

void add_effort(CLI::App& app, SearchCommand& command) {
  engine::SearchSetup& setup = command.setup;
  engine::SearchRuntime& runtime = command.runtime;
  app.add_option("--candidates", runtime.run.candidates,
                 "total number of candidates that the strategy proposes; 0: only those of --try")
      ->check(within(ranges::kCandidates))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seconds", runtime.run.seconds,
                 "time limit of exploration in each run, in seconds; default: none")
      ->check(within(ranges::kSeconds))
      ->type_name("S");
  app.add_option("--brief-epochs", setup.brief_epochs,
                 "epochs of brief training per candidate; 0: only finalists are trained")
      ->check(within(ranges::kBriefEpochs))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--epochs", setup.epochs, "epochs of full training per finalist")
      ->check(within(ranges::kEpochs))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seeds", setup.seeds, "full trainings per finalist, each with its own seed")
      ->check(within(ranges::kSeeds))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--finalists", setup.finalists,
                 "number of candidates that are fully trained and tuned")
      ->check(within(ranges::kFinalists))
      ->type_name("N")
      ->capture_default_str();
  app.add_option(
         "--recipe", setup.recipe,
         "training recipe (`cambium train --help` lists the recipes); default: by model and data")
      ->type_name("NAME");
  app.add_option(
         "--set", command.set,
         "setting that overrides the recipe, such as rate=0.1 (`cambium train --help` lists them)")
      ->type_name("NAME=VALUE");
  app.add_option("--stopping", setup.stopping,
                 "rule that stops brief trainings early: none, below-original:SHARE or "
                 "milestones:EPOCH=ACCURACY,...")
      ->type_name("RULE")
      ->capture_default_str();
  app.add_option("--proxy", setup.proxy,
                 "training-free score that filters candidates before brief training: fisher, ... "
                 "(docs/proxies.md lists them)")
      ->type_name("NAME");
  app.add_option("--least-proxy", setup.least_proxy,
                 "smallest score of --proxy, as a share of the original's")
      ->check(within(ranges::kShare))
      ->type_name("SHARE")
      ->capture_default_str();
  app.add_option("--legality", setup.legality,
                 "refuses candidates whose Fisher Potential falls below the original's: that of "
                 "the whole network (total), or that of any changed layer (layers); default: none")
      ->check(one_of(engine::kLegalities))
      ->type_name("KIND")
      ->capture_default_str();
  app.add_option("--legality-hooks", setup.legality_hooks,
                 "values that Fisher Potential is computed from: the results of convolutions, the "
                 "activations after them, or the ends of blocks (block-outputs), as in the "
                 "program of the paper's authors")
      ->check(one_of(engine::kLegalityHooks))
      ->type_name("KIND")
      ->capture_default_str();
  app.add_option("--legality-draws", setup.legality_draws,
                 "most draws of weights and images for one verdict of --legality; 1: the sign of a "
                 "single draw decides")
      ->check(within(ranges::kDraws))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--quick-latency", setup.quick_latency,
                 "quick latency of every candidate: of the whole model (model), or the sum of the "
                 "times of its kernels (kernels), each of which is timed once for all candidates; "
                 "the strategy compose sums kernels")
      ->check(one_of(engine::kQuickLatencies))
      ->type_name("KIND")
      ->capture_default_str();
  app.add_option(
         "--brief-trials", setup.brief_trials,
         "tuning trials per kernel for the quick latency of every candidate; 0: default schedules")
      ->check(within(ranges::kTrials))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--trials", setup.trials,
                 "tuning trials per kernel of the finalists and of the original")
      ->check(within(ranges::kTrials))
      ->type_name("N")
      ->capture_default_str();
}

void add_place(CLI::App& app, SearchCommand& command) {
  engine::SearchRuntime& runtime = command.runtime;
  app.add_option("--study", runtime.study, "study file; holds all results of the search")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--name", runtime.name,
                 "name of this search within the study; default: strategy and seed")
      ->type_name("NAME");
  app.add_flag("--resume", command.resume,
               "continue a search of the study with its original settings");
  app.add_option("--only", command.only,
                 "only run the pending evaluations by one evaluator: " + engine::evaluator_list())
      ->type_name("EVALUATOR");
  app.add_option("--threads", command.setup.threads, "number of threads that the native code uses")
      ->check(within(ranges::kThreads))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--workers", runtime.run.workers, "number of trainings at once")
      ->check(within(ranges::kWorkers))
      ->type_name("N")
      ->capture_default_str();
  runtime.run.threads = threads_of_this_machine();
  app.add_option("--train-threads", runtime.run.threads, "number of threads per training")
      ->check(within(ranges::kThreads))
      ->type_name("N")
      ->default_str(kAllCores);
  app.add_option(
         "--device", runtime.run.device,
         "device that trains: auto, cpu, cuda or cuda:N; several (cuda:0,cuda:1) are used in "
         "turn; none leaves trainings to --only accuracy on another machine")
      ->type_name("DEVICE")
      ->capture_default_str();
  app.add_option("--job-seconds", runtime.run.job_seconds,
                 "time limit of one evaluation, in seconds")
      ->check(within(ranges::kSeconds))
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--worker-memory", command.worker_memory,
                 "memory limit of one worker, such as 8GiB; default: none. Do not set it for "
                 "training on a GPU: the driver alone reserves more")
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
