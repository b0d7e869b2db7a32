// The program that trains: `cambium train` becomes it.
#include "cli/program.h"

int main(int argc, char** argv) {
  return cambium::cli::run_program(argc, argv,
                                   {cambium::cli::add_train, cambium::cli::add_evaluate_training});
}
