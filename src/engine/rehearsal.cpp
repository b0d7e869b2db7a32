#include "engine/rehearsal.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <iterator>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/json.h"
#include "base/process.h"
#include "engine/machines.h"
#include "program/text.h"
#include "trial/kernel_bench.h"

namespace cambium::engine {
namespace {

constexpr double kSeconds = 120;  // as long as a candidate may compile at all

// Signals that a compiler brings upon itself. All others are sent by somebody.
bool is_of_compiling(int signal) {
  constexpr int kOwn[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS};
  return std::find(std::begin(kOwn), std::end(kOwn), signal) != std::end(kOwn);
}

std::string text_in(const nlohmann::json& request, const char* key) {
  const auto found = request.find(key);
  return found != request.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::string find_rehearsal() {
  std::error_code error;
  const auto beside =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "cambium";
  return ::access(beside.c_str(), X_OK) == 0 ? beside.string() : "";
}

Status rehearse_build(const std::string& executable, const Machine& machine,
                      const std::string& program, const schedule::Trace& trace,
                      const std::atomic<bool>* stop) {
  if (executable.empty()) return Ok{};
  const nlohmann::json request = {
      {"machine", json_of(machine)}, {"program", program}, {"trace", schedule::to_text(trace)}};
  ProcessRequest child{{executable, "rehearse"}, json_text(request), {}};
  child.limits.wall_seconds = kSeconds;
  child.stop = stop;
  // SIGKILL comes from outside, where it is not for want of memory: once is no proof.
  for (int attempt = 0;; ++attempt) {
    const auto outcome = run_process(child);
    if (!outcome.ok() || outcome->succeeded() || outcome->output.empty()) return Ok{};
    // Whoever stops the tuner may have stopped the child too.
    if (stop != nullptr && *stop) return Ok{};
    const bool was_killed = outcome->death != Death::WallTime && outcome->code == SIGKILL;
    if (was_killed && attempt == 0) continue;
    if (outcome->death == Death::Signalled && !is_of_compiling(outcome->code)) return Ok{};
    return Rejection(Reason::CodegenFailed,
                     fmt::format("compiling it in a separate process failed: {}", outcome->text()));
  }
}

Status answer_rehearsal(const std::string& request, void (*begin)()) {
  CAMBIUM_TRY(const nlohmann::json parsed, parse_json(request));
  if (!parsed.is_object()) return Rejection(Reason::MissingField, "machine", "an object");
  const auto machine_text = parsed.find("machine");
  if (machine_text == parsed.end()) {
    return Rejection(Reason::MissingField, "machine", "an object");
  }
  CAMBIUM_TRY(const Machine machine, machine_of(*machine_text));
  CAMBIUM_TRY(const schedule::Trace trace, schedule::parse_trace(text_in(parsed, "trace")));
  begin();
  program::Context cx;
  const auto program = program::parse(cx, text_in(parsed, "program"));
  if (program.ok()) static_cast<void>(trial::compile_candidate(cx, *program, trace, machine));
  return Ok{};
}

}  // namespace cambium::engine
