// The program. Below here nothing reads options, the environment or global state.
#include <cstdlib>

#include "cli/program.h"

int main(int argc, char** argv) {
  using namespace cambium::cli;  // NOLINT(google-build-using-namespace)
  // Of OpenMP in what trains, a child of this program: by default its threads spin for milliseconds
  // at every barrier, and where another program has their core, trainings stand still.
  ::setenv("GOMP_SPINCOUNT", "1000", 0);
  return run_program(
      argc, argv,
      {add_search, add_report, add_export, add_replay, add_study, add_inspect, add_run, add_compile,
       add_convert, add_zoo, add_train_elsewhere, add_tune, add_synth, add_why, add_evaluate,
       add_rehearse, add_bench, add_machine, add_version});
}
