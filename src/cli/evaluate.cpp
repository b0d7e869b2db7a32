#include "cli/evaluate.h"

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.h"
#include "cli/common.h"
#include "engine/search/evaluators.h"
#include "engine/utf8_texts.h"

namespace cambium::cli {

engine::Worker make_worker(const std::string& scratch) {
  engine::Worker worker(engine::measuring_evaluators(), scratch);
  const auto training = engine::evaluator_names(engine::EvaluatorProgram::Train);
  std::vector<std::string> there;
  for (const std::string& evaluator : training) {
    const Status built = engine::require_evaluator(*engine::find_evaluator(evaluator));
    if (!built.ok()) {
      worker.lack({evaluator}, built.rejection());
    } else {
      there.push_back(evaluator);
    }
  }
  worker.hand_over(there, {own_folder() + "/cambium-train", "evaluate", "--scratch", scratch});
  return worker;
}

void add_evaluate_with(CLI::App& app, Action& action, MakeWorker make) {
  auto scratch = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("evaluate", "Run a worker: read jobs as JSON lines, print results");
  command
      ->add_option("--scratch", *scratch,
                   "folder for the files that results name; default: a new temporary folder, which "
                   "is kept if it contains files")
      ->type_name("DIR");
  command->footer(
      "`cambium search` starts this command as its workers. It answers each job with one line, in\n"
      "the order of the jobs. docs/schema/job.json describes a job.\n\n"
      "Evaluators:\n" +
      engine::evaluator_help() +
      "\nExample:\n"
      "  cambium evaluate < jobs.jsonl > results.jsonl");
  command->callback([&action, scratch, make = std::move(make)] {
    action = [scratch, make] {
      if (!scratch->empty()) {
        if (const Status fits = engine::check_utf8({{"--scratch", *scratch}}); !fits.ok()) {
          return refuse(fits.rejection());
        }
        make(*scratch).serve(std::cin, std::cout);
        return kDone;
      }
      auto folder = TemporaryFolder::make();
      if (!folder.ok()) return refuse(folder.rejection());
      folder->keep_files();  // the results are read later
      make(folder->path()).serve(std::cin, std::cout);
      return kDone;
    };
  });
}

void add_evaluate(CLI::App& app, Action& action) {
  add_evaluate_with(app, action, make_worker);
}

}  // namespace cambium::cli
