// cambium-bench-tune: what tuning brings and what it costs. Each case is stored as it ends; the
// same command goes on after a stop. Reached by `cambium bench tune`.
#include <algorithm>
#include <thread>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "cli/common.h"
#include "commit.h"
#include "engine/documents.h"
#include "engine/machines.h"
#include "tune/parts.h"

namespace cambium::bench {
namespace {

struct Part {
  const char* name;
  Status (*run)(const Machine&, const TuneBenchOptions&, Results&);
};
constexpr Part kParts[] = {{"speed", bench_speed},
                           {"operators", bench_operators},
                           {"search", bench_search},
                           {"models", bench_models}};

int run(const TuneBenchOptions& options) {
  const auto machine = engine::probed_host(cli::cache_folder() + "/ceilings.json");
  if (!machine.ok()) return cli::refuse(machine.rejection());
  auto results = Results::open(options.results, *machine);
  if (!results.ok()) return cli::refuse(results.rejection());
  for (const Part& part : kParts) {
    const bool wanted =
        options.parts.empty() ||
        std::find(options.parts.begin(), options.parts.end(), part.name) != options.parts.end();
    if (!wanted) continue;
    const Status status = part.run(*machine, options, *results);
    if (!status.ok()) return cli::refuse(status.rejection());
  }
  if (!options.json) {
    return cli::print(speed_text(*results) + operators_text(*results, *machine) +
                      search_text(*results) + models_text(*results));
  }
  nlohmann::json out = engine::document("bench", 1);
  out["name"] = "tune";
  out["commit"] = std::string(commit());
  out["machine"] = engine::json_of(*machine);
  out["options"] = {{"trials", options.trials},
                    {"threads", options.threads},
                    {"seeds", options.seeds},
                    {"search_trials", options.search_trials},
                    {"ways", options.ways},
                    {"seconds", options.seconds},
                    {"tvm_trials", options.tvm_trials},
                    {"jobs", options.jobs},
                    {"quick", options.quick}};
  out["rows"] = results->rows();
  return cli::print_document(out);
}

}  // namespace
}  // namespace cambium::bench

int main(int argc, char** argv) {
  CLI::App app{"How much tuning gains: operators, strategies, speed, whole models",
               "cambium bench tune"};
  cambium::bench::TuneBenchOptions options;
  app.add_option("--part", options.parts,
                 "parts to run: speed, operators, search, models; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember({"speed", "operators", "search", "models"}).description(""))
      ->type_name("PART");
  app.add_option("--only", options.only, "cases whose name contains one of these")
      ->delimiter(',')
      ->type_name("NAME");
  app.add_option("--trials", options.trials, "numbers of trials per operator")
      ->delimiter(',')
      ->type_name("N");
  app.add_option("--threads", options.threads, "numbers of threads that a kernel uses")
      ->delimiter(',')
      ->type_name("N");
  app.add_option("--search-trials", options.search_trials,
                 "trials of each strategy in the comparison of strategies")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("N");
  app.add_option("--way", options.ways, "only compare strategies whose name contains one of these")
      ->delimiter(',')
      ->type_name("NAME");
  app.add_option("--seeds", options.seeds, "number of seeds in the comparison of strategies")
      ->type_name("N");
  app.add_option("--seconds", options.seconds, "tuning time of a model")->type_name("S");
  app.add_option("--db", options.db, "tuning database; trials that it has are not repeated")
      ->type_name("FILE");
  app.add_option("--results", options.results,
                 "file for the results; cases that it has are not measured again")
      ->type_name("FILE");
  app.add_option("--python", options.frameworks.python, "Python that has the peers of PyPI")
      ->type_name("FILE");
  app.add_option("--torch-python", options.frameworks.torch_python, "Python that has PyTorch")
      ->type_name("FILE");
  options.frameworks.folder = CAMBIUM_PEERS_FOLDER;
  app.add_option("--peers", options.frameworks.folder, "folder of the peers' scripts (bench/peers)")
      ->type_name("DIR");
  app.add_option(
         "--tvm-trials", options.tvm_trials,
         "most trials when TVM tunes an operator, never more than ours; 0: TVM without tuning")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("N");
  app.add_flag("--quick", options.quick, "only few cases and trials: under a minute");
  app.add_flag("--json", options.json, "print one JSON document (docs/schema/bench_tune.json)");
  app.footer(
      "On two quiet cores: speed takes 2 minutes; operators half an hour for 64 trials and three\n"
      "hours for 512, per number of threads, and with --tvm-trials 64 two hours more; search an\n"
      "hour for ten seeds; models twice --seconds per model and number of threads: four hours.\n"
      "Stop it at any time: the same command goes on.\n\n"
      "Example:\n  cambium bench tune --part operators --trials 64 --threads 1 "
      "--db bench.db --results bench.jsonl");
  options.jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (const auto code = cambium::bench::parse(app, argc, argv)) return *code;
  const std::string folder = cambium::cli::cache_folder();
  // By commit: trials that older rules proposed are not the work of these.
  const std::string built_from(cambium::bench::commit());
  if (options.db.empty()) options.db = folder + "/bench_tune_" + built_from + ".db";
  if (options.results.empty()) options.results = folder + "/bench_tune.jsonl";
  if (options.quick) {
    options.trials = {8};
    options.threads = {1};
    options.seconds = 10;
    if (options.only.empty()) options.only = {"GMM-0", "C1D-1", "SFM-0"};
  }
  return cambium::bench::run(options);
}
