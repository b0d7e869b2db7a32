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
  // libtorch's threads wait for each other by spinning; where another process wants their core, a
  // step takes a third less time if they give up soon. Read when that program is loaded.
  ::setenv("GOMP_SPINCOUNT", "1000", 0);
  return become(own_folder() + "/cambium-train", words);
}

}  // namespace

void add_train_elsewhere(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("train", "Train a model on a data set: accuracy or perplexity");
  command->prefix_command();
  command->set_help_flag();  // its help is the other program's
  command->callback([&action, command] {
    action = [words = command->remaining()] { return run_training(words); };
  });
}

}  // namespace cambium::cli
