// cambium-bench-synth: how fast the coordinate space is sampled, what guides it, what its rules are
// worth. Reached by `cambium bench synth`.
#include <algorithm>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "cli/common.h"
#include "commit.h"
#include "engine/documents.h"
#include "engine/machines.h"
#include "synth/parts.h"

namespace cambium::bench {
namespace {

struct Part {
  const char* name;
  Status (*run)(const SynthBenchOptions&, nlohmann::json& out);
  std::string (*text)(const nlohmann::json& row);
};
constexpr Part kParts[] = {
    {"sampling", bench_sampling, sampling_text},
    {"speeds", bench_speeds, speeds_text},
    {"guides", bench_guides, sampling_text},
    {"growth", bench_growth, growth_text},
    {"table2", bench_table2, table2_text},
    {"duplicates", bench_duplicates, duplicates_text},
    {"exactness", bench_exactness, exactness_text},
};

int run(const SynthBenchOptions& options) {
  const auto machine = engine::probed_host(cli::cache_folder() + "/ceilings.json");
  if (!machine.ok()) return cli::refuse(machine.rejection());
  nlohmann::json out = engine::document("bench", 1);
  out["name"] = "synth";
  out["commit"] = std::string(commit());
  out["machine"] = engine::json_of(*machine);
  out["options"] = {{"seed", options.seed}, {"quick", options.quick}};
  out["rows"] = nlohmann::json::array();
  out["summary"] = nlohmann::json::object();
  std::string text;
  for (const Part& part : kParts) {
    const bool is_asked =
        options.parts.empty() ||
        std::find(options.parts.begin(), options.parts.end(), part.name) != options.parts.end();
    if (!is_asked) continue;
    const std::size_t before = out["rows"].size();
    const Status done = part.run(options, out);
    if (!done.ok()) return cli::refuse(done.rejection());
    for (std::size_t i = before; i < out["rows"].size(); ++i) {
      out["rows"][i]["part"] = part.name;
      text += part.text(out["rows"][i]);
    }
  }
  if (options.json) return cli::print_document(out);
  for (const auto& [name, value] : out["summary"].items()) {
    text += fmt::format("{:24} {}\n", name, value.dump());
  }
  return cli::print(text);
}

}  // namespace
}  // namespace cambium::bench

int main(int argc, char** argv) {
  using cambium::bench::kParts;
  CLI::App app{"How fast the coordinate space is sampled, and what its rules are worth",
               "cambium bench synth"};
  cambium::bench::SynthBenchOptions options;
  std::vector<std::string> names;
  for (const auto& part : kParts) names.emplace_back(part.name);
  app.add_option("--part", options.parts, "only this part; may be repeated")
      ->type_name("PART")
      ->check(CLI::IsMember(names));
  app.add_flag("--quick", options.quick, "under a minute");
  app.add_flag("--json", options.json, "one JSON document");
  app.add_option("--seed", options.seed, "of all random choices");
  app.footer(
      "Examples:\n  cambium bench synth --quick --json\n  cambium bench synth --part table2");
  if (const auto code = cambium::bench::parse(app, argc, argv)) return *code;
  return cambium::bench::run(options);
}
