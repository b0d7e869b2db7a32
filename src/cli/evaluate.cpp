#include "cli/evaluate.h"

#include <iostream>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/features.h"
#include "base/temporary_folder.h"
#include "cli/common.h"
#include "engine/search/latency.h"
#include "engine/utf8_texts.h"

namespace cambium::cli {

engine::Worker make_worker(const std::string& scratch) {
  engine::Worker worker({engine::latency_evaluator()}, scratch);
  const std::vector<std::string> training = {"accuracy", "proxy"};
  if (const Status built = require_feature("torch"); !built.ok()) {
    worker.lack(training, built.rejection());
  } else {
    worker.hand_over(training, {own_folder() + "/cambium-train", "evaluate", "--scratch", scratch});
  }
  return worker;
}

void add_evaluate_with(CLI::App& app, Action& action, MakeWorker make) {
  auto scratch = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("evaluate", "Evaluate candidates: jobs as JSON lines in, results out");
  command
      ->add_option("--scratch", *scratch,
                   "folder for files that results name; without it a new one for temporary files, "
                   "which stays where it holds any")
      ->type_name("DIR");
  command->footer(
      "What `cambium search` starts and talks to; docs/schema/job.json has the jobs. Each line is\n"
      "answered by one, in this order: `latency` compiles and measures, `accuracy` trains, "
      "`proxy`\n"
      "scores without training.\n\n"
      "Example:\n"
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
      folder->keep_files();  // whoever reads the results comes later
      make(folder->path()).serve(std::cin, std::cout);
      return kDone;
    };
  });
}

void add_evaluate(CLI::App& app, Action& action) {
  add_evaluate_with(app, action, make_worker);
}

}  // namespace cambium::cli
