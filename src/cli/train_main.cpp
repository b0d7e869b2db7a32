// The program that trains. `cambium train` becomes this program, and `cambium evaluate` passes jobs
// to it.
#include "cli/evaluate.h"
#include "cli/program.h"
#include "engine/training/evaluators.h"

namespace {

void add_evaluate(CLI::App& app, cambium::cli::Action& action) {
  cambium::cli::add_evaluate_with(app, action, [](const std::string& scratch) {
    return cambium::engine::Worker(cambium::engine::training_evaluators(), scratch);
  });
}

}  // namespace

int main(int argc, char** argv) {
  return cambium::cli::run_program(
      argc, argv,
      {"cambium", "Trains networks. `cambium train` and `cambium evaluate` start this program."},
      {{"Commands", {cambium::cli::add_train, add_evaluate}}});
}
