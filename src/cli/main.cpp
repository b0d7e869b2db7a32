// The program. Nothing below `cli` reads options, the environment or global state.
#include <cstdlib>

#include "cli/program.h"

namespace {

constexpr const char* kSummary =
    "Finds a smaller or faster version of a neural network at nearly the same accuracy.\n\n"
    "Start with a search on a small network. It takes minutes and explains itself:\n"
    "  cambium search zoo:tiny-resnet --data fashion-mnist --max-accuracy-drop 1%\n"
    "To search your own network, replace zoo:tiny-resnet by a FILE.onnx.\n";

}  // namespace

int main(int argc, char** argv) {
  using namespace cambium::cli;  // NOLINT(google-build-using-namespace)
  // For OpenMP in the child that trains. By default its threads spin for milliseconds at every
  // barrier, so training stalls when another program needs their core.
  ::setenv("GOMP_SPINCOUNT", "1000", 0);
  return run_program(
      argc, argv, {"cambium", kSummary},
      {{"Search for a better network", {add_search, add_report, add_export}},
       {"Look into a search", {add_study, add_replay, add_evaluate}},
       {"Work with a model", {add_inspect, add_run, add_train_elsewhere, add_convert, add_zoo}},
       {"Make native code", {add_compile, add_tune, add_why, add_rehearse}},
       {"Build new operators", {add_synth}},
       {"About this machine and program", {add_machine, add_bench, add_version}}});
}
