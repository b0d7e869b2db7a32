#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "cli/common.h"
#include "commit.h"
#include "engine/documents.h"
#include "engine/machines.h"
#include "synth/measure.h"

namespace cambium::bench {
namespace {

nlohmann::json json_of(const SynthNumbers& numbers) {
  nlohmann::json curve = nlohmann::json::array();
  for (const SynthPoint& point : numbers.curve) {
    curve.push_back({{"seconds", point.seconds},
                     {"trials", point.trials},
                     {"valid", point.valid},
                     {"distinct", point.distinct}});
  }
  const SynthPoint& end = numbers.curve.back();
  return {{"curve", curve},
          {"start_seconds", numbers.start_seconds},
          {"trials", end.trials},
          {"valid_share", static_cast<double>(end.valid) / static_cast<double>(end.trials)},
          {"over_budget_share",
           static_cast<double>(numbers.over_budget) / static_cast<double>(end.trials)},
          {"dead_ends", numbers.dead_ends},
          {"distinct", end.distinct},
          {"operators_per_second", numbers.per_second()},
          {"applications", numbers.applications},
          {"refused", numbers.refused},
          {"states", numbers.states},
          {"bytes_per_state", numbers.bytes_per_state}};
}

int run(bool quick, bool json, std::uint64_t seed) {
  SynthOptions options;
  options.seed = seed;
  options.seconds = quick ? 10 : 60;
  const auto machine = engine::probed_host(cli::cache_folder() + "/ceilings.json");
  if (!machine.ok()) return cli::refuse(machine.rejection());
  const auto guided = measure_sampling(options);
  if (!guided.ok()) return cli::refuse(guided.rejection());
  const auto speeds = measure_speeds(seed);
  if (!speeds.ok()) return cli::refuse(speeds.rejection());
  nlohmann::json out = engine::document("bench", 1);
  out["name"] = "synth";
  out["commit"] = std::string(commit());
  out["machine"] = engine::json_of(*machine);
  out["options"] = {{"seed", seed}, {"quick", quick}};
  out["rows"] = nlohmann::json::array();
  const auto add = [&](const std::string& name, const SynthNumbers& numbers) {
    nlohmann::json row = json_of(numbers);
    row["name"] = name;
    out["rows"].push_back(row);
  };
  add("guided by distance", *guided);
  options.seconds = quick ? 5 : 60;
  using spaces::coordinate::synthesis::Guide;
  for (const Guide guide : {Guide::Exact, Guide::None}) {
    options.guide = guide;
    const auto other = measure_sampling(options);
    if (!other.ok()) return cli::refuse(other.rejection());
    add(guide == Guide::Exact ? "without dead ends" : "without shape distance", *other);
  }
  options.guide = Guide::Distance;
  for (int primitives = 4; primitives <= 12; ++primitives) {
    options.primitives = primitives;
    options.seconds = quick ? 2 : 20;
    options.most_trials = quick ? 1000 : 20000;
    const auto grown = measure_sampling(options);
    if (!grown.ok()) return cli::refuse(grown.rejection());
    add(fmt::format("{} primitives", primitives), *grown);
  }
  out["summary"] = {{"operators_per_second", guided->per_second()},
                    {"valid_share", out["rows"][0]["valid_share"]},
                    {"applications_per_second", speeds->applications_per_second},
                    {"distance_median_ns", speeds->distance_median_ns},
                    {"distance_cold_median_ns", speeds->distance_cold_median_ns},
                    {"bytes_per_state", guided->bytes_per_state},
                    {"states", guided->states}};
  if (json) return cli::print_document(out);
  std::string text;
  for (const auto& row : out["rows"]) {
    text +=
        fmt::format("{:24} {:>9} trials {:>6.1f}% valid {:>9} distinct {:>9.0f}/s\n",
                    row["name"].get<std::string>(), row["trials"].get<std::uint64_t>(),
                    100 * row["valid_share"].get<double>(), row["distinct"].get<std::uint64_t>(),
                    row["operators_per_second"].get<double>());
  }
  for (const auto& [name, value] : out["summary"].items()) {
    text += fmt::format("{:24} {}\n", name, value.dump());
  }
  return cli::print(text);
}

}  // namespace
}  // namespace cambium::bench

int main(int argc, char** argv) {
  CLI::App app{"How fast the coordinate space is sampled", "cambium bench synth"};
  bool quick = false, json = false;
  std::uint64_t seed = 1;
  app.add_flag("--quick", quick, "under a minute");
  app.add_flag("--json", json, "one JSON document");
  app.add_option("--seed", seed, "of all random choices");
  app.footer("Example:\n  cambium bench synth --quick --json");
  if (const auto code = cambium::bench::parse(app, argc, argv)) return *code;
  return cambium::bench::run(quick, json, seed);
}
