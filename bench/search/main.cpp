// cambium-bench-search: what parts of a search are worth, replayed on a table of candidates that
// were trained once, or with planted accuracies. Reached by `cambium bench search`.
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "base/file.h"
#include "bench_parts.h"
#include "cli/common.h"
#include "search/parts.h"
#include "search/table.h"

namespace cambium::bench {
namespace {

constexpr Part<SearchBenchOptions> kParts[] = {
    {"replay", bench_replay, replay_text},
    {"planted", bench_planted, strategies_text},
    {"canonical", bench_canonical, canonical_text},
    {"overhead", bench_overhead, overhead_text},
};

int run(const SearchBenchOptions& options) {
  return run_parts<SearchBenchOptions>("search",
                                       {{"seed", options.seed},
                                        {"quick", options.quick},
                                        {"table", options.table},
                                        {"model", options.model},
                                        {"targets", options.targets},
                                        {"set", options.set}},
                                       kParts, options);
}

int record(const std::string& study, const std::string& path) {
  const auto table = table_of_study(study);
  if (!table.ok()) return cli::refuse(table.rejection());
  const Status written = write_file(path, to_lines(*table));
  if (!written.ok()) return cli::refuse(written.rejection());
  fmt::print(stderr, "{} candidates\n", table->rows.size());
  return cli::kDone;
}

}  // namespace
}  // namespace cambium::bench

int main(int argc, char** argv) {
  using cambium::bench::kParts;
  CLI::App app{"Compares search strategies, rewards and rules of canonical form",
               "cambium bench search"};
  cambium::bench::SearchBenchOptions options;
  std::string study;
  cambium::bench::add_parts<cambium::bench::SearchBenchOptions>(app, kParts, options);
  CLI::Option* table = app.add_option("--table", options.table,
                                      "table to replay (docs/schema/search_table.json); default: "
                                      "one with synthetic accuracies")
                           ->type_name("FILE");
  app.add_option(
         "--least", options.least,
         "share of the original's accuracy that a candidate must keep; default: as in the study")
      ->check(CLI::Range(0.0, 0.9999).description(""))
      ->type_name("SHARE");
  app.add_option("--from", study, "only write the table of this study to --table")
      ->type_name("STUDY")
      ->needs(table);
  app.add_option("--model", options.model, "model for the parts that do not replay a table")
      ->capture_default_str();
  app.add_option("--targets", options.targets, "operators of that model that may be rewritten")
      ->capture_default_str();
  app.add_option("--tickets", options.tickets, "number of proposals per strategy")
      ->check(CLI::Range(1, 1000000).description(""))
      ->capture_default_str();
  app.add_option("--seeds", options.seeds, "number of runs per strategy, each with its own seed")
      ->check(CLI::Range(1, 10000).description(""))
      ->capture_default_str();
  app.add_option("--in-flight", options.in_flight, "number of candidates evaluated at once")
      ->check(CLI::Range(1, 1000).description(""))
      ->capture_default_str();
  app.add_option("--samples", options.samples, "number of samples for each set of rules")
      ->check(CLI::Range(1, 10000000).description(""))
      ->capture_default_str();
  app.add_option("--set", options.set, "setting of tree search; may be repeated")
      ->type_name("NAME=VALUE");
  app.add_flag("--quick", options.quick, "only few cases: some seconds");
  app.add_flag("--json", options.json, "print one JSON document (docs/schema/bench_search.json)");
  app.add_option("--seed", options.seed, "first random seed; each run uses the next one");
  app.footer(
      "With and without shape distance: cambium bench synth --part guides.\n\n"
      "Examples:\n"
      "  cambium bench search --from resnet.study --table resnet.jsonl\n"
      "  cambium bench search --part replay --table resnet.jsonl\n"
      "  cambium bench search --part canonical --model zoo:resnet18");
  if (const auto code = cambium::bench::parse(app, argc, argv)) return *code;
  if (!study.empty()) return cambium::bench::record(study, options.table);
  return cambium::bench::run(options);
}
