#include "engine/why.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/text.h"
#include "codegen/codegen.h"
#include "compile/build_kernel.h"
#include "engine/documents.h"
#include "engine/machines.h"
#include "program/fingerprint.h"
#include "program/text.h"
#include "program/verify.h"
#include "schedule/trace/schedule.h"
#include "store/tuning_store.h"

namespace cambium::engine {

namespace {

using schedule::Schedule;
using schedule::Trace;

// As many steps from the front as apply.
Schedule longest(program::Context& cx, const program::Program& program, const Trace& trace) {
  Trace part;
  Schedule made(cx, program);
  for (const schedule::Record& record : trace) {
    part.push_back(record);
    auto more = schedule::replay(cx, program, part);
    if (!more.ok()) break;
    made = std::move(more).value();
  }
  return made;
}

// What is wrong with the program that all steps make, and with its code, which is made for
// `machine` where one is given.
Status check_made(program::Context& cx, const program::Program& made,
                  const std::optional<Machine>& machine) {
  CAMBIUM_REQUIRE(program::check(cx, made, program::Stage::Ready));
  if (!machine.has_value()) return Ok{};
  auto kernel = compile::build_kernel(cx, made, *machine, "kernel");
  if (!kernel.ok() && kernel.rejection().reason() != Reason::Unavailable) {
    return std::move(kernel).rejection();
  }
  return Ok{};
}

// The machine that a trial was for. Nothing: the database does not tell, or code must not be made
// again, since that ended another process or was refused in words that are recorded.
std::optional<Machine> machine_for(store::TuningStore& store, const store::TuningKey& key,
                                   const store::Trial& trial) {
  if (trial.reason == name_of(Reason::CodegenFailed)) return std::nullopt;
  const auto known = store.machine(key.machine);
  if (!known.ok() || !known->has_value()) return std::nullopt;
  const auto described = parse_json((*known)->description);
  if (!described.ok()) return std::nullopt;
  const auto machine = machine_of(*described);
  return machine.ok() ? std::optional(*machine) : std::nullopt;
}

Status replay_on(const store::TunedProgram& tuned, const Trace& trace,
                 const std::optional<Machine>& machine, Explanation& out) {
  out.program = tuned.name;
  out.program_fingerprint = tuned.fingerprint.text();
  for (const schedule::Record& record : trace) out.steps.push_back(schedule::to_text(record.step));
  program::Context cx;
  CAMBIUM_TRY(const program::Program lowered, program::parse(cx, tuned.text).at(tuned.name));
  const auto whole = schedule::replay(cx, lowered, trace);
  if (whole.ok()) {
    out.before = program::to_text(cx, whole->program());
    if (const Status fine = check_made(cx, whole->program(), machine); !fine.ok()) {
      out.refusal = fine.rejection().message();
    }
    return Ok{};
  }
  const Schedule made = longest(cx, lowered, trace);
  out.refused_step = std::ssize(made.trace());
  out.refusal = whole.rejection().message();
  out.before = program::to_text(cx, made.program());
  return Ok{};
}

std::string verdict_of(const Explanation& e) {
  if (e.refused_step >= 0) {
    return fmt::format("step {} of {} was refused: {}", e.refused_step + 1, e.steps.size(),
                       e.refusal);
  }
  if (!e.refusal.empty())
    return "all steps apply, but the resulting program was refused: " + e.refusal;
  if (!e.reason.empty()) {
    return fmt::format("all steps apply, but the trial was refused as {}: {}", e.reason, e.detail);
  }
  if (e.seconds > 0) return fmt::format("it was not refused and takes {:.6g} ms", e.seconds * 1e3);
  return "nothing is wrong: all steps apply, and code can be made";
}

Result<Explanation> explain_trial(store::TuningStore& store, const std::string& what,
                                  const std::string& db) {
  CAMBIUM_TRY(const auto found, store.find(what));
  if (found.empty()) return Rejection(Reason::NoSuchTrial, quote(what), db);
  if (found.size() > 1) {
    std::vector<std::string> ids;
    for (const auto& each : found) ids.push_back(std::to_string(each.trial.id));
    if (ids.size() > 8) ids.resize(8);
    return Rejection(Reason::BadOption, quote(what),
                     fmt::format("{} trials begin with it; name one by number: {}", found.size(),
                                 join(ids, ", ")));
  }
  const store::TuningKey& key = found[0].key;
  const store::Trial& trial = found[0].trial;
  Explanation out;
  out.id = trial.id;
  out.scheduled = trial.scheduled.text();
  out.strategy = trial.strategy;
  out.number = trial.number;
  out.threads = key.threads;
  out.codegen = key.codegen;
  out.machine = key.machine.text();
  out.reason = trial.reason;
  out.detail = trial.detail;
  if (!trial.is_refused()) out.seconds = trial.seconds();
  CAMBIUM_TRY(const auto program, store.program(key.program));
  if (!program) {
    return Rejection(Reason::NoSuchTrial, fmt::format("with a program for trial {}", trial.id), db);
  }
  CAMBIUM_TRY(const Trace trace, schedule::parse_trace(trial.trace).at("the recorded trace"));
  CAMBIUM_REQUIRE(replay_on(*program, trace, machine_for(store, key, trial), out));
  out.verdict = verdict_of(out);
  return out;
}

// The database has programs as the tuner got them: what a trace did before it took their names is
// done.
Trace loop_half_of(const Trace& whole) {
  const auto last = std::find_if(whole.rbegin(), whole.rend(), [](const schedule::Record& record) {
    return std::holds_alternative<schedule::CanonicalNames>(record.step);
  });
  return {last.base(), whole.end()};
}

bool begins(const std::string& text, const std::string& with) {
  return text.compare(0, with.size(), with) == 0;
}

Result<Explanation> explain_file(store::TuningStore& store, const std::string& path,
                                 const std::string& wanted, const std::string& db) {
  CAMBIUM_TRY(const std::string text, read_file(path));
  CAMBIUM_TRY(const Trace whole, schedule::parse_trace(text).at(path));
  const Trace trace = loop_half_of(whole);
  CAMBIUM_TRY(const auto programs, store.programs());
  std::optional<Explanation> best;
  const auto steps_applied = [](const Explanation& e) {
    return e.refused_step < 0 ? std::ssize(e.steps) : e.refused_step;
  };
  for (const store::TunedProgram& program : programs) {
    if (!begins(program.fingerprint.text(), wanted) && !begins(program.name, wanted)) continue;
    Explanation each;
    CAMBIUM_REQUIRE(replay_on(program, trace, host_machine(), each));
    if (!best || steps_applied(each) > steps_applied(*best)) best = std::move(each);
  }
  if (!best) {
    return Rejection(Reason::NoSuchTrial,
                     "of a program " + quote(wanted) + ", which the trace needs", db);
  }
  best->verdict = verdict_of(*best);
  return std::move(*best);
}

// A trace that is whole, and the program on which it begins.
Result<Explanation> explain_files(const std::string& path, const std::string& program) {
  CAMBIUM_TRY(const std::string text, read_file(path));
  CAMBIUM_TRY(const Trace trace, schedule::parse_trace(text).at(path));
  store::TunedProgram begin;
  begin.name = program;
  CAMBIUM_TRY(begin.text, read_file(program));
  program::Context cx;
  CAMBIUM_TRY(const program::Program lowered, program::parse(cx, begin.text).at(program));
  begin.fingerprint = program::fingerprint_of(lowered);
  Explanation out;
  CAMBIUM_REQUIRE(replay_on(begin, trace, host_machine(), out));
  out.verdict = verdict_of(out);
  return out;
}

bool is_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

}  // namespace

Result<Explanation> explain(const std::string& what, const std::string& db,
                            const std::string& program) {
  if (is_file(what) && is_file(program)) return explain_files(what, program);
  CAMBIUM_TRY(store::TuningStore store, store::TuningStore::open(db, store::Mode::Read));
  if (is_file(what)) return explain_file(store, what, program, db);
  return explain_trial(store, what, db);
}

nlohmann::json to_json(const Explanation& e) {
  nlohmann::json out = document("why", 1);
  out["verdict"] = e.verdict;
  out["trial"] = nullptr;
  if (e.id > 0) {
    out["trial"] = {{"id", e.id},
                    {"scheduled", e.scheduled},
                    {"strategy", e.strategy},
                    {"number", e.number},
                    {"threads", e.threads},
                    {"codegen", e.codegen},
                    {"machine", e.machine},
                    {"reason", e.reason},
                    {"detail", e.detail},
                    {"seconds", e.seconds > 0 ? nlohmann::json(e.seconds) : nullptr}};
  }
  out["program"] = {{"name", e.program}, {"fingerprint", e.program_fingerprint}};
  out["steps"] = e.steps;
  out["refused_step"] = e.refused_step >= 0 ? nlohmann::json(e.refused_step) : nullptr;
  out["refusal"] = e.refusal;
  out["text"] = e.before;
  return out;
}

}  // namespace cambium::engine
