// The program. Below here nothing reads options, the environment or global state.
#include "cli/program.h"

int main(int argc, char** argv) {
  using namespace cambium::cli;  // NOLINT(google-build-using-namespace)
  return run_program(argc, argv,
                     {add_search, add_report, add_export, add_study, add_inspect, add_run,
                      add_compile, add_convert, add_zoo, add_train_elsewhere, add_tune, add_synth,
                      add_why, add_evaluate, add_bench, add_machine, add_version});
}
