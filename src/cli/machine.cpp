#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/table.h"
#include "engine/machines.h"

namespace cambium::cli {

namespace {

std::string machine_text(const Machine& machine) {
  Table table({{"", Column::Align::Left, false}, {"", Column::Align::Left, true}});
  table.add({"machine", machine.name});
  table.add({"model", machine.model});
  table.add({"instructions", fmt::format("{}, {} registers of {} bytes", name_of(machine.isa),
                                         machine.vector_registers, machine.vector_bytes)});
  table.add({"cores", std::to_string(machine.cores)});
  table.add({"caches", fmt::format("L1 {}, L2 {}, L3 {}", human_bytes(machine.l1_bytes),
                                   human_bytes(machine.l2_bytes), human_bytes(machine.l3_bytes))});
  const Ceilings& c = *machine.ceilings;
  table.add({"arithmetic", fmt::format("{:.0f} GFLOP/s a core, {:.0f} together (f32)", c.fma_gflops,
                                       c.all_fma_gflops)});
  table.add({"loads", fmt::format("{:.1f} vectors a nanosecond", c.loads_per_ns)});
  table.add({"reading", fmt::format("L1 {:.0f}, L2 {:.0f}, L3 {:.0f}, memory {:.1f} GB/s a core; "
                                    "memory {:.1f} together",
                                    c.l1_gbs, c.l2_gbs, c.l3_gbs, c.dram_gbs, c.all_dram_gbs)});
  return table.text(terminal_width());
}

int run_machine(bool probe, bool json) {
  const auto machine = engine::probed_host(cache_folder() + "/ceilings.json", probe);
  if (!machine.ok()) return refuse(machine.rejection());
  if (json) return print_document(engine::to_json(*machine));
  return print(machine_text(*machine));
}

}  // namespace

void add_machine(CLI::App& app, Action& action) {
  struct Options {
    bool probe = false, json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("machine", "Print this machine and its measured ceilings");
  command->add_flag("--probe", options->probe, "measure the ceilings again");
  command->add_flag("--json", options->json, "print one JSON document (docs/schema/machine.json)");
  command->footer(
      "The ceilings (arithmetic, loads, bandwidth) are measured once, in about a second, and kept\n"
      "in the cache folder: $XDG_CACHE_HOME/cambium, or ~/.cache/cambium.\n\n"
      "Example:\n"
      "  cambium machine --probe");
  command->callback([&action, options] {
    action = [options] { return run_machine(options->probe, options->json); };
  });
}

}  // namespace cambium::cli
