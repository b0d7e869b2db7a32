#include <cstdlib>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/features.h"
#include "cli/commands.h"
#include "cli/common.h"

namespace cambium::cli {

namespace {

int run_training(std::vector<std::string> words) {
  const Status built = require_feature("torch");
  if (!built.ok()) return refuse(built.rejection());
  words.insert(words.begin(), "train");
  // libtorch's threads wait for each other by spinning. If another process needs their core, a step
  // takes a third less time when they give up soon. libtorch reads this variable when it is loaded.
  ::setenv("GOMP_SPINCOUNT", "1000", 0);
  return become(own_folder() + "/cambium-train", words);
}

}  // namespace

void add_train_elsewhere(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "train", "Train a model on a data set and print its accuracy or perplexity");
  command->prefix_command();
  command->set_help_flag();  // cambium-train prints the help
  command->callback([&action, command] {
    action = [words = command->remaining()] { return run_training(words); };
  });
}

}  // namespace cambium::cli
