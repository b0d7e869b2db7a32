#include "kernels/width_sweep.h"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "arguments.h"

namespace cambium::bench {
namespace {

constexpr std::int64_t kNarrowest = 8, kWidest = 130;
constexpr double kWanted = 0.7;  // of the rate of the next multiple

Status measure(const Workload& w, const Workload& whole, const CheckedKernel& other,
               const Machine& machine, measure::Runner& runner, const Options& options,
               WidthRow& row) {
  CAMBIUM_TRY(const CheckedKernel checked, checked_kernel(w, machine, runner, options));
  measure::ComparisonOptions how;
  how.rounds = options.quick ? 5 : 15;
  const auto comparison =
      measure::compare([&] { checked.kernel.run(); }, [&] { other.kernel.run(); }, how);
  row.gflops = w.flops / comparison.ours_seconds / 1e9;
  row.share = comparison.ratio * w.flops / whole.flops;
  row.spread = comparison.spread;
  row.spills = checked.kernel.code().facts.loop_spills;
  return Ok{};
}

}  // namespace

std::vector<WidthRow> sweep_widths(const Machine& machine, measure::Runner& runner,
                                   const Options& options,
                                   const std::function<void(const WidthRow&)>& row) {
  std::vector<WidthRow> rows;
  const std::int64_t lanes = machine.lanes();
  for (const std::int64_t kernel : {1, 3}) {
    std::map<std::int64_t, Result<CheckedKernel>> multiples;
    for (std::int64_t columns = kNarrowest; columns <= kWidest; ++columns) {
      const Workload w = conv_of_width(kernel, columns);
      if (!is_wanted(w.name, options.only)) continue;
      const std::int64_t multiple = (columns + lanes - 1) / lanes * lanes;
      const Workload whole = conv_of_width(kernel, multiple);
      auto found = multiples.find(multiple);
      if (found == multiples.end()) {
        found = multiples.emplace(multiple, checked_kernel(whole, machine, runner, options)).first;
      }
      WidthRow made{w.name, {}};
      const Status status = found->second.ok()
                                ? measure(w, whole, *found->second, machine, runner, options, made)
                                : Status(found->second.rejection());
      if (!status.ok()) made.refused = status.rejection().message();
      row(made);
      rows.push_back(std::move(made));
    }
  }
  return rows;
}

std::string width_header(const Machine& machine) {
  return fmt::format("{} ({}); share: of the rate that the next multiple of {} channels reaches\n",
                     machine.model, machine.name, machine.lanes()) +
         fmt::format("{:10} {:>8} {:>6} {:>7} {:>6}\n", "case", "GFLOP/s", "share", "spread",
                     "spills");
}

std::string width_text(const WidthRow& row) {
  if (!row.refused.empty()) return fmt::format("{:10} {}\n", row.name, row.refused);
  return fmt::format("{:10} {:8.1f} {:6.2f} {:6.0f}% {:6}{}\n", row.name, row.gflops, row.share,
                     100 * row.spread, row.spills, row.share < kWanted ? "  low" : "");
}

std::string width_summary(const std::vector<WidthRow>& rows) {
  const auto is_low = [](const WidthRow& r) { return !r.refused.empty() || r.share < kWanted; };
  const auto least = std::min_element(
      rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.share < b.share; });
  return fmt::format("{} of {} widths below {:.2f}; the least share is {:.2f} ({})\n",
                     std::count_if(rows.begin(), rows.end(), is_low), rows.size(), kWanted,
                     least->share, least->name);
}

}  // namespace cambium::bench
