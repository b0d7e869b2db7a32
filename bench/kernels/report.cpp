#include "kernels/report.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/quantile.h"
#include "commit.h"
#include "engine/documents.h"
#include "engine/machines.h"

namespace cambium::bench {
namespace {

struct Summary {
  std::size_t count = 0, compared = 0, refused = 0, spilling = 0;
  double mean = 0, raw = 0, worst = 0;  // of the mean, ratios above 2 count as 2
  std::string worst_case;
  double median_compile_seconds = 0;
};

Summary summarize(const std::vector<Row>& rows) {
  Summary out;
  std::vector<double> seconds;
  for (const Row& row : rows) {
    ++out.count;
    if (!row.refused.empty()) {
      ++out.refused;
      continue;
    }
    seconds.push_back(row.facts.seconds);
    out.spilling += row.facts.loop_spills > 0 ? 1 : 0;
    if (row.ratio() == 0) continue;
    out.mean += std::log(std::min(row.ratio(), 2.0));
    out.raw += std::log(row.ratio());
    if (out.compared == 0 || row.ratio() < out.worst) {
      out.worst = row.ratio();
      out.worst_case = row.name;
    }
    ++out.compared;
  }
  const double n = static_cast<double>(std::max<std::size_t>(out.compared, 1));
  out.mean = std::exp(out.mean / n);
  out.raw = std::exp(out.raw / n);
  out.median_compile_seconds = median(std::move(seconds));
  return out;
}

nlohmann::json json_of(const Row& row) {
  nlohmann::json out = {{"case", row.name}};
  if (!row.refused.empty()) {
    out["refused"] = row.refused;
    return out;
  }
  out["seconds"] = row.seconds;
  out["gflops"] = row.gflops();
  out["of_roofline"] = row.of_roofline();
  out["error"] = row.error;
  out["compile_seconds"] = row.facts.seconds;
  out["loop_spills"] = row.facts.loop_spills;
  out["peers"] = nlohmann::json::array();
  for (const Row::Ratio& r : row.ratios) out["peers"].push_back(json_of(r));
  return out;
}

}  // namespace

nlohmann::json json_of(const Row::Ratio& r) {
  if (!r.missing.empty()) return {{"peer", r.peer}, {"missing", r.missing}};
  return {{"peer", r.peer},
          {"implementation", r.implementation},
          {"ratio", r.comparison.ratio},
          {"spread", r.comparison.spread},
          {"rounds", r.comparison.rounds},
          {"ours_seconds", r.comparison.ours_seconds},
          {"theirs_seconds", r.comparison.theirs_seconds}};
}

std::string header_text(const Machine& machine, const Options& options) {
  return fmt::format(
      "{} ({}), {} thread{}, {:.0f} GFLOP/s at most; ratios above 1: ours is faster\n"
      "{:18} {:>8} {:>5} {:>8} {:>4} {:>7} {:>6}\n",
      machine.model, machine.name, options.threads, options.threads == 1 ? "" : "s",
      machine.ceilings ? machine.ceilings->fma_gflops * options.threads : 0, "case", "GFLOP/s",
      "peak", "roofline", "ms", "spills", "error");
}

std::string row_text(const Row& row, const Machine& machine) {
  if (!row.refused.empty()) return fmt::format("{:18} {}\n", row.name, row.refused);
  const double peak = machine.ceilings ? 100 * row.gflops() / machine.ceilings->fma_gflops : 0;
  std::string text = fmt::format("{:18} {:8.1f} {:4.0f}% {:7.0f}% {:4.0f} {:7} {:6.2f}", row.name,
                                 row.gflops(), peak, 100 * row.of_roofline(),
                                 row.facts.seconds * 1e3, row.facts.loop_spills, row.error);
  for (const Row::Ratio& r : row.ratios) {
    text += r.missing.empty() ? fmt::format("  {} {:.2f} ±{:.0f}%", r.peer, r.comparison.ratio,
                                            100 * r.comparison.spread)
                              : fmt::format("  {} missing", r.peer);
  }
  return text + "\n";
}

std::string summary_text(const std::vector<Row>& rows) {
  const Summary s = summarize(rows);
  return fmt::format(
      "{} of {} compared; geometric mean {:.3f} (above 2 counts as 2; raw {:.3f}), worst {:.2f} "
      "({}); {} refused or wrong; {} with spills in inner loops; median compile {:.0f} ms\n",
      s.compared, s.count, s.mean, s.raw, s.worst, s.worst_case, s.refused, s.spilling,
      s.median_compile_seconds * 1e3);
}

nlohmann::json to_json(const std::vector<Row>& rows, const Machine& machine,
                       const Options& options) {
  nlohmann::json out = engine::document("bench", 1);
  out["name"] = "kernels";
  out["commit"] = std::string(commit());
  out["machine"] = engine::json_of(machine);
  out["options"] = {{"machine", options.machine}, {"golden", options.golden},
                    {"weak", options.weak},       {"quick", options.quick},
                    {"threads", options.threads}, {"seed", 1}};
  out["rows"] = nlohmann::json::array();
  for (const Row& row : rows) out["rows"].push_back(json_of(row));
  const Summary s = summarize(rows);
  out["summary"] = {{"count", s.count},
                    {"compared", s.compared},
                    {"refused", s.refused},
                    {"spilling", s.spilling},
                    {"geometric_mean", s.mean},
                    {"raw_geometric_mean", s.raw},
                    {"worst", s.worst},
                    {"worst_case", s.worst_case},
                    {"median_compile_seconds", s.median_compile_seconds}};
  return out;
}

}  // namespace cambium::bench
