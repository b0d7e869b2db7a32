#include <algorithm>

#include <fmt/core.h>

#include "arguments.h"
#include "base/escape.h"
#include "cost_model/commands.h"
#include "program/text.h"
#include "schedule/trace/draft.h"
#include "store/tuning_store.h"
#include "tune/draft_model.h"

namespace cambium::bench {
namespace {

// What was decided, one word per sampling instruction.
std::string decisions_in(const schedule::Trace& trace) {
  std::string words;
  for (const schedule::Record& record : trace) {
    if (!schedule::is_sample(record.step)) continue;
    const std::string text = schedule::to_text(record.step);
    const std::size_t at = text.find("choice: ");
    if (at == std::string::npos) continue;
    words += fmt::format(" {}={}", *schedule::key_of(record.step),
                         text.substr(at + 8, text.size() - at - 9));
  }
  return words;
}

struct Line {
  double ratio;
  std::string text;
};

std::string line_of(const store::Trial& trial, const schedule::Trace& trace,
                    const tune::DraftEstimate& draft) {
  const auto row =
      std::max_element(draft.rows.begin(), draft.rows.end(),
                       [](const auto& x, const auto& y) { return x.seconds < y.seconds; });
  const double us = 1e6;
  return fmt::format(
      "{:5.2f} {:9.2f} us, expected {:9.2f} ({} {:.0f}: arithmetic {:.0f} loads {:.0f} latency "
      "{:.0f} "
      "fetch {:.0f} l2 {:.0f} l3 {:.0f} dram {:.0f} overhead {:.0f}, registers {:.0f}) {}{}",
      trial.seconds() / draft.seconds, us * trial.seconds(), us * draft.seconds, row->block,
      us * row->seconds, us * row->arithmetic, us * row->loads, us * row->latency, us * row->fetch,
      us * row->l2, us * row->l3, us * row->dram, us * row->overhead, row->cost.registers,
      trial.strategy, decisions_in(trace));
}

}  // namespace

Status show_residuals(const Machine& machine, const ResidualOptions& options) {
  CAMBIUM_TRY(store::TuningStore store, store::TuningStore::open(options.db));
  CAMBIUM_TRY(const std::vector<store::TuningKey> keys, store.keys());
  for (const store::TuningKey& key : keys) {
    CAMBIUM_TRY(const auto program, store.program(key.program));
    if (!program || !is_wanted(program->name, options.only)) continue;
    CAMBIUM_TRY(const std::vector<store::Trial> trials, store.trials(key));
    fmt::print("{}: measured over expected\n", terminal_text(program->name));
    std::vector<Line> lines;
    for (const store::Trial& trial : trials) {
      program::Context cx;
      CAMBIUM_TRY(const program::Program lowered, program::parse(cx, program->text));
      const auto trace = schedule::parse_trace(trial.trace);
      if (!trace.ok() || trial.is_refused()) continue;
      const auto s = schedule::replay(cx, lowered, *trace);
      if (!s.ok()) continue;
      const auto draft = tune::draft_estimate(cx, s->program(), machine, key.threads);
      lines.push_back({trial.seconds() / draft.seconds, line_of(trial, *trace, draft)});
    }
    std::sort(lines.begin(), lines.end(),
              [](const Line& x, const Line& y) { return x.ratio < y.ratio; });
    for (const Line& line : lines) fmt::print("{}\n", line.text);
  }
  return Ok{};
}

}  // namespace cambium::bench
