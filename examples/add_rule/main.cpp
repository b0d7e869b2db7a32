// Tunes one program with the rules of Cambium and then with one more, both into one database: exit
// code 0 if the rule makes it faster and compiling would take its schedule, 77 without LLVM.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/temporary_folder.h"
#include "engine/tune.h"
#include "engine/tuned.h"
#include "program/build.h"
#include "program/canonical.h"
#include "program/fingerprint.h"
#include "use_lines_up.h"

namespace {

using namespace cambium;

constexpr std::int64_t kTrials = 8;  // of each space

// y = (x + transposed x) / 2
program::Program symmetrize(program::Context& cx, std::int64_t size) {
  program::Builder b(cx, "symmetrize");
  const program::Mem x = b.input("x", {size, size}), y = b.output("y", {size, size});
  b.block("y", {program::spatial("i", size), program::spatial("j", size)}, [&](program::Point p) {
    return assign(y, {p[0], p[1]}, (x(p[0], p[1]) + x(p[1], p[0])) * 0.5);
  });
  return program::canonical(cx, b.finish());
}

Result<int> run(const std::string& db, std::int64_t size) {
  program::Context cx;
  const program::Program program = symmetrize(cx, size);
  engine::TuningTask task;
  task.task = {"symmetrize", program::SharedProgram(program), program::fingerprint_of(program)};
  task.flops = 2 * static_cast<double>(size * size);
  const Machine machine = host_machine();
  engine::TuningOptions options;
  options.db = db;
  options.runner = CAMBIUM_RUNNER;
  options.trials = kTrials;
  CAMBIUM_TRY(const auto without, engine::tune_tasks({task}, machine, options));
  options.rules = {add_rule::use_lines_up()};
  options.trials = 2 * kTrials;  // what is known counts: it goes on from there
  CAMBIUM_TRY(const auto with, engine::tune_tasks({task}, machine, options));

  const engine::TuningRow &before = without.last.rows[0], &after = with.last.rows[0];
  std::printf("without the rule %.2f ms, with it %.2f ms: %.2f times as fast\n%s",
              before.seconds * 1e3, after.seconds * 1e3, before.seconds / after.seconds,
              after.trace.c_str());
  // Whoever compiles needs the database, but not the rule.
  CAMBIUM_TRY(const compile::ScheduleSource source, engine::schedules_from(db, machine, 1));
  const auto taken = source(cx, program);
  const bool is_taken =
      taken && taken->ok() &&
      schedule::to_text((*taken)->trace()).find("use-lines-up") != std::string::npos;
  return is_taken && before.seconds > after.seconds * 1.3 ? 0 : 1;
}

}  // namespace

// add_rule [DATABASE [SIZE]]; without a database, in a folder that goes away.
int main(int argc, char** argv) {
  const auto folder = TemporaryFolder::make();
  if (!folder.ok()) {
    std::printf("%s\n", folder.rejection().message().c_str());
    return 1;
  }
  const auto code =
      run(argc > 1 ? argv[1] : *folder / "tuning.db", argc > 2 ? std::atoll(argv[2]) : 2048);
  if (code.ok()) return *code;
  std::printf("%s\n", code.rejection().message().c_str());
  return code.rejection().reason() == Reason::Unavailable ? 77 : 1;
}
