#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/common.h"
#include "engine/search/worker.h"
#include "engine/training/evaluators.h"

namespace cambium::cli {

void add_evaluate_training(CLI::App& app, Action& action) {
  auto scratch = std::make_shared<std::string>("/tmp");
  CLI::App* command = app.add_subcommand(
      "evaluate", "Train candidates and score them: jobs as JSON lines in, results out");
  command->add_option("--scratch", *scratch, "folder for files that results name")
      ->type_name("DIR")
      ->capture_default_str();
  command->callback([&action, scratch] {
    action = [scratch] {
      engine::Worker(engine::training_evaluators(), *scratch).serve(std::cin, std::cout);
      return kDone;
    };
  });
}

}  // namespace cambium::cli
