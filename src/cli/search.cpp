#include "engine/search/search.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
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
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/table.h"

namespace cambium::cli {

namespace {

using search::Metric;
using search::SearchProgress;

constexpr Column::Align kRight = Column::Align::Right;
constexpr Column::Align kLeft = Column::Align::Left;

struct SearchCommand {
  engine::SearchSetup setup;
  engine::SearchRuntime runtime;
  std::vector<std::string> bind, set, space_options, strategy_options, objectives, tries;
  std::vector<std::string> spaces = {"coordinate"};
  std::string targets = "conv:k=3,groups=1";
  std::string reward = "ratio", only;
  std::string accuracy_drop, macs, latency, parameters, memory, activations = "3x";
  bool resume = false, json = false;
};

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
  CAMBIUM_TRY(const auto space_options, pairs_of(command.space_options, "--space-option"));
  for (const std::string& space : command.spaces) {
    setup.spaces.push_back({space, command.targets, space_options});
  }
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
       {std::pair{Metric::Macs, &command.macs}, std::pair{Metric::Latency, &command.latency},
        std::pair{Metric::Parameters, &command.parameters},
        std::pair{Metric::Memory, &command.memory},
        std::pair{Metric::Activations, &command.activations}}) {
    if (!text->empty()) setup.limits.push_back({metric, *text, false});
  }
  return Ok{};
}

const char* phase_text(SearchProgress::Phase phase) {
  switch (phase) {
    case SearchProgress::Phase::Original: return "measuring the original";
    case SearchProgress::Phase::Explore: return "exploring";
    case SearchProgress::Phase::Finals: return "training and tuning the best";
  }
  return "?";
}

std::string summary_text(const SearchProgress& now) {
  std::string text =
      fmt::format("{}: {} of {} candidates", phase_text(now.phase), now.folded, now.planned);
  if (now.seconds > 1 && now.evaluations > 0) {
    text += fmt::format(", {:.1f} evaluations per minute",
                        static_cast<double>(now.evaluations) / now.seconds * 60);
  }
  if (now.phase == SearchProgress::Phase::Explore && now.seconds_left > 0) {
    text += fmt::format(", {} left", duration_text(now.seconds_left));
  }
  return text;
}

// What the search itself took, against the evaluations that it is there for.
std::string own_text(const search::SearchReport& report) {
  if (report.last.evaluation_seconds <= 0) return "";
  return fmt::format("; own time {:.1f} % of evaluations",
                     100 * report.own_seconds / report.last.evaluation_seconds);
}

std::string best_text(const SearchProgress& now) {
  std::vector<std::string> parts;
  for (const SearchProgress::Best& best : now.best) {
    std::string part =
        fmt::format("{} {}{}", name_of(best.metric), best.value.is_estimate ? "~" : "",
                    text_of(best.metric, best.value.value));
    if (const auto& original = now.original.at(best.metric)) {
      part += fmt::format(" (original {})", text_of(best.metric, original->value));
    }
    parts.push_back(std::move(part));
  }
  return parts.empty() ? "no candidate has come through yet" : "best: " + join(parts, ", ");
}

std::vector<std::string> funnel_lines(const SearchProgress& now) {
  Table table({{"stage", kLeft, false},
               {"entered", kRight, false},
               {"refused", kRight, false},
               {"pending", kRight, false}});
  for (const auto& stage : now.stages) {
    table.add({stage.evaluator, std::to_string(stage.entered), std::to_string(stage.refused),
               stage.pending > 0 ? std::to_string(stage.pending) : ""});
  }
  std::vector<std::string> lines;
  for (const std::string_view line : split(table.text(), '\n')) {
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

std::string refusals_text(const SearchProgress& now) {
  std::vector<std::string> parts;
  for (const auto& [reason, count] : now.refusals) {
    parts.push_back(fmt::format("{} {}", count, reason));
  }
  return parts.empty() ? "none refused" : "refused: " + join(parts, ", ");
}

void show(Screen& screen, const SearchProgress& now) {
  if (!screen.is_due()) return;
  std::vector<std::string> lines = {
      fmt::format("{} {}", bar_text(now.folded, now.planned), summary_text(now))};
  lines.push_back(best_text(now) + fmt::format("; {} on the front", now.front));
  for (std::string& line : funnel_lines(now)) lines.push_back(std::move(line));
  lines.push_back(refusals_text(now));
  for (std::string& line : lines) line = line.substr(0, screen.width());
  screen.draw(lines, summary_text(now) + "; " + best_text(now));
}

std::string cell(const search::Scores& scores, Metric metric) {
  const auto& value = scores.at(metric);
  if (!value) return "";
  std::string text = (value->is_estimate ? "~" : "") + text_of(metric, value->value);
  if (value->spread > 0) text += fmt::format(" ±{:.1f} %", value->spread * 100);
  return text;
}

std::string times(const search::Scores& scores, const search::Scores& original, Metric metric) {
  if (!scores.at(metric) || !original.at(metric) || scores.at(metric)->value <= 0) return "";
  return fmt::format("{:.2f}x", original.at(metric)->value / scores.at(metric)->value);
}

std::string report_text(const search::SearchReport& report, const engine::SearchSetup& setup) {
  Table table({{"candidate", kLeft, false},
               {"accuracy", kRight, false},
               {"perplexity", kRight, false},
               {"latency", kRight, false},
               {"faster", kRight, false},
               {"MACs", kRight, false},
               {"parameters", kRight, false},
               {"limits", kLeft, false},
               {"what", kLeft, true}});
  const search::Scores& original =
      report.finalists.empty() ? report.original : report.original_final;
  const auto add = [&](const std::string& name, const search::Scores& scores,
                       const std::string& limits, const std::string& what) {
    table.add({name, cell(scores, Metric::Accuracy), cell(scores, Metric::Perplexity),
               cell(scores, Metric::Latency), times(scores, original, Metric::Latency),
               cell(scores, Metric::Macs), cell(scores, Metric::Parameters), limits, what});
  };
  add("original", original, "", setup.model);
  for (const search::SearchRow& row : report.finalists) {
    const std::string limits = !row.refused.empty()   ? row.refused
                               : setup.limits.empty() ? ""
                               : row.holds_limits     ? "held"
                                                      : "broken";
    add(row.identity.text().substr(0, 8), row.scores, limits, row.title);
  }
  return table.text(terminal_width());
}

int finish(const SearchCommand& command, const search::SearchReport& report) {
  fmt::print(stderr, "{}; {}{}\n{}; {}\n", summary_text(report.last),
             duration_text(report.last.seconds), own_text(report), best_text(report.last),
             refusals_text(report.last));
  if (report.was_stopped) {
    note(fmt::format("stopped; `cambium search --resume {}` goes on", command.runtime.study));
  }
  if (report.is_exhausted) note("the spaces have no further candidates");
  if (command.json) {
    return print_document(engine::to_json(report, command.setup, command.runtime.study));
  }
  return print(report_text(report, command.setup));
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
  Screen screen;
  search::SearchHooks hooks;
  hooks.stop = &stops_on_interrupt();
  hooks.progress = [&screen](const SearchProgress& now) { show(screen, now); };
  if (!command.only.empty()) {
    const auto done = engine::complete_search(runtime, command.only, hooks);
    if (!done.ok()) return refuse(done.rejection());
    fmt::print(stderr, "{} evaluations by {} completed in {}\n", *done, command.only,
               runtime.study);
    return kDone;
  }
  if (command.resume) {
    auto setup = engine::setup_of(runtime.study);
    if (!setup.ok()) return refuse(setup.rejection());
    command.setup = std::move(setup).value();
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
    show(screen, now);
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
  app.add_option("--space-option", command.space_options, "of the space, as most-macs=0.5")
      ->type_name("NAME=VALUE");
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
  app.add_flag("--resume", command.resume, "go on with the study as it was begun");
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
  app.add_option("--device", runtime.device, "auto, cpu, cuda")
      ->type_name("DEVICE")
      ->capture_default_str();
  app.add_option("--job-seconds", runtime.job_seconds, "that one evaluation may take")
      ->type_name("S")
      ->capture_default_str();
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
      "Example:\n"
      "  cambium search zoo:tiny-resnet --data fashion-mnist --max-accuracy-drop 1% --candidates "
      "50\n"
      "  cambium search --resume --study search.study\n"
      "  cambium search --resume --only latency --study search.study");
  sub->callback([&action, command] { action = [command] { return run_search(*command); }; });
}

}  // namespace cambium::cli
