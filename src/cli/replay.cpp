// Repeats the evaluations of a candidate as the study recorded them.
#include "engine/search/replay.h"

#include <algorithm>
#include <memory>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/evaluate.h"
#include "cli/interrupt.h"
#include "cli/table.h"
#include "cli/within.h"
#include "engine/ranges.h"
#include "engine/search/evaluators.h"
#include "engine/search/studies.h"

namespace cambium::cli {

namespace {

struct ReplayCommand {
  std::string study, candidate;
  engine::ReplayOptions options;
  bool json = false;
};

std::string cell(const store::Evaluation& evaluation, const std::string& name) {
  const auto value = evaluation.values.find(name);
  if (value == evaluation.values.end()) {
    return evaluation.state == store::EvaluationState::Refused ? "refused: " + evaluation.reason
                                                               : "";
  }
  const auto metric = study::metric_named(name);
  return metric ? text_of(*metric, value->second.value)
                : fmt::format("{:.6g}", value->second.value);
}

std::string report_text(const engine::ReplayReport& report) {
  Table table({{"evaluator", kLeft, false},
               {"fidelity", kRight, false},
               {"seed", kRight, false},
               {"what", kLeft, false},
               {"recorded", kRight, false},
               {"again", kRight, false},
               {"", kLeft, false},
               {"why", kLeft, true}});
  for (const engine::Replayed& each : report.evaluations) {
    std::set<std::string> names;
    for (const auto* of : {&each.recorded, &each.again})
      for (const auto& [name, value] : of->values) names.insert(name);
    if (names.empty()) names.insert("");
    for (const std::string& name : names) {
      const store::EvaluationKey& key = each.recorded.key;
      table.add({key.evaluator, fmt::format("{:g}", key.fidelity), std::to_string(key.seed), name,
                 cell(each.recorded, name), cell(each.again, name),
                 each.is_same() ? "the same" : "", each.again.detail});
    }
  }
  return table.text(terminal_width());
}

int run_replay(ReplayCommand command) {
  command.options.machine_file = cache_folder() + "/ceilings.json";
  const auto scratch = TemporaryFolder::make();  // for files that workers hand over
  if (!scratch.ok()) return refuse(scratch.rejection());
  const auto report = [&] {
    const EndOnInterrupt watching(scratch->path());
    engine::Worker worker = make_worker(scratch->path());
    return engine::replay_candidate(
        command.study, command.candidate, command.options,
        [&worker](const std::string& line) { return worker.answer(line); });
  }();
  if (!report.ok()) return refuse(report.rejection());
  say(fmt::format("{} {}", study::short_id(report->identity), report->title));
  const int printed =
      command.json ? print_document(engine::to_json(*report)) : print(report_text(*report));
  if (printed != kDone) return printed;
  const bool ended_alike = std::all_of(
      report->evaluations.begin(), report->evaluations.end(),
      [](const engine::Replayed& each) { return each.recorded.state == each.again.state; });
  return ended_alike ? kDone : kFailed;
}

}  // namespace

void add_replay(CLI::App& app, Action& action) {
  auto command = std::make_shared<ReplayCommand>();
  CLI::App* sub =
      app.add_subcommand("replay", "Repeat all evaluations of one candidate of a study");
  sub->add_option("STUDY", command->study, "study file of a search")->required()->type_name("");
  sub->add_option("CANDIDATE", command->candidate,
                  "first digits of a candidate's id, or best: the fastest within the limits")
      ->required()
      ->type_name("");
  sub->add_option("--only", command->options.only,
                  "repeat the evaluations of one evaluator: " + engine::evaluator_list())
      ->type_name("EVALUATOR");
  sub->add_option("--device", command->options.device,
                  "device that trains: auto, cpu, cuda or cuda:N; default: as in the search")
      ->type_name("DEVICE");
  command->options.otherwise.threads = threads_of_this_machine();
  sub->add_option("--train-threads", command->options.threads,
                  "threads per training; default: as in the search, which gives the same bits")
      ->check(within(engine::ranges::kThreads))
      ->type_name("N");
  sub->add_flag("--json", command->json, "print one JSON document (docs/schema/replay.json)");
  sub->footer(
      "Reads the candidate from the study and repeats its evaluations with the recorded options,\n"
      "fidelities and seeds. The study is not changed. Times differ from run to run. Exit code 1: "
      "an\n"
      "evaluation that succeeded is refused now, or vice versa.\n\n"
      "Example:\n"
      "  cambium replay search.study 0f3a9c12 --only accuracy --device cpu --train-threads 1");
  sub->callback([&action, command] { action = [command] { return run_replay(*command); }; });
}

}  // namespace cambium::cli
