#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/common.h"
#include "engine/search/latency.h"
#include "engine/search/worker.h"

namespace cambium::cli {

void add_evaluate(CLI::App& app, Action& action) {
  auto scratch = std::make_shared<std::string>("/tmp");
  CLI::App* command =
      app.add_subcommand("evaluate", "Measure candidates: jobs as JSON lines in, results out");
  command->add_option("--scratch", *scratch, "folder for files that results name")
      ->type_name("DIR")
      ->capture_default_str();
  command->footer(
      "What `cambium search` starts and talks to; docs/schema/job.json has the jobs. This program\n"
      "measures latencies; `cambium-train evaluate` trains.\n\n"
      "Example:\n"
      "  cambium evaluate < jobs.jsonl > results.jsonl");
  command->callback([&action, scratch] {
    action = [scratch] {
      engine::Worker({engine::latency_evaluator()}, *scratch).serve(std::cin, std::cout);
      return kDone;
    };
  });
}

}  // namespace cambium::cli
