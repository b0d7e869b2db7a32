// dying_search FILE TRIALS PHASE K: searches with a database and planted times, one candidate at a
// time, and kills itself with SIGKILL in the K-th call of the PHASE `build` or `time`; with the
// PHASE `begun`, while it compiles what an earlier one was killed in; with the PHASE `killers`, in
// every build of a trace that is one of them: one of K, which a rehearsal finds out. Says, before
// each build, which trace it is of. For kill_test.cpp.
#include <csignal>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "store/tuning_store.h"
#include "tune/database.h"
#include "tune/testing/fake_bench.h"
#include "tune/testing/small_space.h"
#include "tune/tuner.h"

namespace {

using namespace cambium;

void say(const std::string& line) {
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const std::string phase = argv[3];
  const int last = std::atoi(argv[4]);
  auto store = store::TuningStore::open(argv[1]);
  if (!store.ok()) return 3;
  tune::TuneOptions options;
  options.space = tune::small_space();
  options.machine = *machine_named("avx512");
  options.trials = std::atoi(argv[2]);
  options.batch = 4;
  tune::FakeBench bench([](const tune::Task&, const schedule::Trace& trace) -> Result<double> {
    return tune::planted_seconds(trace);
  });
  const auto is_killer = [&](const Fingerprint& name) {
    return phase == "killers" && name.low % static_cast<std::uint64_t>(last) == 0;
  };
  bool is_begun = false;
  bench.rehearsal_fault = [&](const tune::Task&,
                              const schedule::Trace& trace) -> std::optional<Rejection> {
    is_begun = true;
    if (!is_killer(fingerprint_of(schedule::to_text(trace)))) return std::nullopt;
    return Rejection(Reason::CodegenFailed, "the process that compiled it died");
  };
  bench.build_fault = [&](const tune::Task&,
                          const schedule::Trace& trace) -> std::optional<Rejection> {
    const Fingerprint name = fingerprint_of(schedule::to_text(trace));
    say(name.text() + "\n");
    const bool is_now = phase == "build" && bench.builds == last;
    if (is_killer(name) || is_now || (phase == "begun" && is_begun)) (void)std::raise(SIGKILL);
    return std::nullopt;
  };
  bench.during_time = [&] {
    if (phase == "time" && bench.times == last) (void)std::raise(SIGKILL);
  };
  tune::Database memory(*store, options.machine, "fake-1", options.seed);
  const auto model = tune::draft_only_model();
  return tune::tune({tune::matmul_task()}, options, bench, memory, *model).ok() ? 0 : 4;
}
