// cambium-bench-synth: how fast the coordinate space is sampled, what guides it, what its rules are
// worth. Reached by `cambium bench synth`.
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "bench_parts.h"
#include "synth/parts.h"

namespace cambium::bench {
namespace {

constexpr const char* kProposals = "proposals";
constexpr Part<SynthBenchOptions> kParts[] = {
    {"sampling", bench_sampling, sampling_text},
    {"speeds", bench_speeds, speeds_text},
    {"guides", bench_guides, sampling_text},
    {"growth", bench_growth, growth_text},
    {"table2", bench_table2, table2_text},
    {"duplicates", bench_duplicates, duplicates_text},
    {"exactness", bench_exactness, exactness_text},
    {"fingerprints", bench_fingerprints, fingerprints_text},
    {kProposals, bench_proposals, proposals_text},
};

}  // namespace
}  // namespace cambium::bench

int main(int argc, char** argv) {
  using cambium::bench::kParts, cambium::bench::kProposals;
  CLI::App app{"How fast the coordinate space is sampled, and how much its rules help",
               "cambium bench synth"};
  cambium::bench::SynthBenchOptions options;
  cambium::bench::add_parts<cambium::bench::SynthBenchOptions>(app, kParts, options);
  app.add_flag("--quick", options.quick, "only few cases: under a minute");
  app.add_flag("--json", options.json, "print one JSON document (docs/schema/bench_synth.json)");
  app.add_option("--space", options.space, "space of the part `proposals`")->capture_default_str();
  app.add_option("--model", options.model, "model that the part `proposals` edits")
      ->capture_default_str();
  app.add_option("--targets", options.targets,
                 "operators of that model that may be rewritten; default: those of the space");
  app.add_option("--seed", options.seed, "random seed");
  app.footer(
      "Examples:\n  cambium bench synth --quick --json\n  cambium bench synth --part table2");
  if (const auto code = cambium::bench::parse(app, argc, argv)) return *code;
  // The other parts know the coordinate space alone: they would measure it under another name.
  const bool is_other = options.space != "coordinate";
  if (is_other && options.parts.empty()) options.parts = {kProposals};
  for (const std::string& part : options.parts) {
    if (!is_other || part == kProposals) continue;
    return cambium::cli::refuse(cambium::Rejection(
        cambium::Reason::BadOption, "--part " + part,
        "it measures the coordinate space alone; with another --space, only proposals can be "
        "measured"));
  }
  return cambium::bench::run_parts<cambium::bench::SynthBenchOptions>(
      "synth", {{"seed", options.seed}, {"quick", options.quick}}, kParts, options);
}
