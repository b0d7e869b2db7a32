// cambium-bench-loopnest: what the loop-nest space counts, how fast its layers and networks are,
// and what its tables are worth. Reached by `cambium bench loopnest`.
#include <algorithm>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "bench_parts.h"
#include "cli/common.h"
#include "commit.h"
#include "loopnest/parts.h"

namespace cambium::bench {
namespace {

constexpr Part<LoopNestBenchOptions> kParts[] = {
    {"algebra", bench_algebra, algebra_text},    {"layers", bench_layers, layers_text},
    {"tables", bench_tables, tables_text},       {"rates", bench_rates, rates_text},
    {"fisher", bench_fisher, fisher_text},       {"blockswap", bench_blockswap, blockswap_text},
    {"paper", bench_paper, paper_text},          {"beside", bench_beside, beside_text},
    {"networks", bench_networks, networks_text},
};

}  // namespace
}  // namespace cambium::bench

int main(int argc, char** argv) {
  using cambium::bench::kParts;
  CLI::App app{
      "Rewritten loop nests: their costs and times, and the accuracy of estimates from option "
      "tables",
      "cambium bench loopnest"};
  cambium::bench::LoopNestBenchOptions options;
  cambium::bench::add_parts<cambium::bench::LoopNestBenchOptions>(app, kParts, options);
  app.add_option("--only", options.only, "only layers whose name contains one of these")
      ->delimiter(',')
      ->type_name("NAME");
  app.add_option("--trials", options.trials, "number of tuning trials for each kernel")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("N");
  app.add_option("--db", options.db, "database of tuned schedules; a later run uses it again")
      ->type_name("FILE");
  app.add_option("--model", options.model,
                 "model of the parts `tables`, `fisher`, `blockswap`, `paper` and `beside`")
      ->capture_default_str();
  app.add_option("--targets", options.targets, "convolutions of that model that may be rewritten")
      ->capture_default_str();
  app.add_option("--networks", options.networks, "number of random networks of these parts")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("N");
  app.add_option("--data", options.data, "images for Fisher Potential: cifar10:DIR")
      ->type_name("DATA");
  app.add_option("--minibatch", options.minibatch, "number of images that score a network")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("N");
  app.add_option("--device", options.device, "device for Fisher Potential: cpu, cuda, cuda:N")
      ->capture_default_str();
  app.add_option("--budget", options.budget,
                 "parameters of the networks of `blockswap`, as a share of the original's")
      ->check(CLI::Range(0.01, 1.0).description(""))
      ->type_name("SHARE")
      ->capture_default_str();
  app.add_option("--out", options.out, "file for the network that `blockswap` chooses")
      ->type_name("FILE");
  app.add_option("--study", options.studies, "study of a search, for `networks`; may be repeated")
      ->type_name("METHOD=FILE");
  app.add_option("--file", options.files, "network of the part `beside`; may be repeated")
      ->type_name("MODEL");
  app.add_option("--seed", options.seed, "random seed")->capture_default_str();
  app.add_flag("--quick", options.quick, "only few cases: under a minute");
  app.add_flag("--json", options.json, "print one JSON document (docs/schema/bench_loopnest.json)");
  app.footer(
      "Examples:\n  cambium bench loopnest --part algebra\n"
      "  cambium bench loopnest --part layers --only C2,C6 --db bench.db\n"
      "  cambium bench loopnest --part fisher --data cifar10:DIR");
  options.jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (const auto code = cambium::bench::parse(app, argc, argv)) return *code;
  // By commit: trials that older rules proposed are not the work of these.
  if (options.db.empty()) {
    options.db = cambium::cli::cache_folder() + "/bench_loopnest_" +
                 std::string(cambium::bench::commit()) + ".db";
  }
  return cambium::bench::run_parts<cambium::bench::LoopNestBenchOptions>(
      "loopnest",
      {{"seed", options.seed},
       {"quick", options.quick},
       {"jobs", options.jobs},
       {"data", options.data},
       {"device", options.device}},
      kParts, options);
}
