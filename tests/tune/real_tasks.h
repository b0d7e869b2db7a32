// Small operators as tasks, and times for their schedules that are planted but not simple: the
// analytic model's, off by a factor that follows from the program.
#pragma once

#include <string>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "program/canonical.h"
#include "program/clone.h"
#include "program/fingerprint.h"
#include "small_operators.h"
#include "tune/draft_model.h"
#include "tune/task.h"

namespace cambium::tests {

inline std::vector<tune::Task> real_tasks(const std::vector<std::string>& names) {
  std::vector<tune::Task> tasks;
  for (const SmallOperator& op : small_operators()) {
    if (std::find(names.begin(), names.end(), op.name) == names.end()) continue;
    program::Context cx;
    const program::Program made = program::canonical(cx, lowered(cx, op.model, op.layouts));
    tune::Task& task = tasks.emplace_back();
    task.name = op.name;
    task.program = program::SharedProgram(made);
    task.fingerprint = program::fingerprint_of(made);
  }
  CAMBIUM_CHECK(tasks.size() == names.size(), "names of small operators");
  return tasks;
}

inline Result<double> planted_seconds(const tune::Task& task, const schedule::Trace& trace) {
  program::Context cx;
  const program::Program lowered = program::clone_into(cx, *task.program);
  CAMBIUM_TRY(const schedule::Schedule made, schedule::replay(cx, lowered, trace));
  const double draft =
      tune::draft_estimate(cx, made.program(), *machine_named("avx512"), task.threads).seconds;
  Rng rng(program::fingerprint_of(made.program()).low);
  return draft * rng.uniform(0.7, 1.4);
}

}  // namespace cambium::tests
