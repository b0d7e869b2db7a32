// cambium-bench-model: what the tuner's cost models are worth, and where the shipped one comes
// from.
//   cambium-bench-model defaults --results docs/results/native.md
//   cambium-bench-model collect --db collected.db --model zoo:densenet121,zoo:vit-s16
//   cambium-bench-model train --db collected.db -o src/tune/cost_model/pretrained.ubj
#include <CLI/CLI.hpp>

#include "arguments.h"
#include "cli/common.h"
#include "cost_model/commands.h"
#include "engine/machines.h"

int main(int argc, char** argv) {
  using namespace cambium;
  CLI::App app{"The tuner's cost models", "cambium-bench-model"};
  app.require_subcommand(1);
  bench::DefaultsOptions defaults;
  CLI::App* show = app.add_subcommand("defaults", "the analytic model over default schedules");
  show->add_option("--results", defaults.results, "a page with measured rates");
  show->add_option("--only", defaults.only, "cases whose name contains one of these")
      ->delimiter(',');
  show->add_flag("-v", defaults.verbose, "one line per block");
  bench::CollectOptions collected;
  CLI::App* collect = app.add_subcommand("collect", "time schedules of all kinds");
  collect->add_option("--db", collected.db, "where they are kept")->required();
  collect->add_option("--model", collected.models, "whose operators, instead of the table's")
      ->delimiter(',');
  collect->add_option("--only", collected.only, "cases whose name contains one of these")
      ->delimiter(',');
  collect->add_option("--trials", collected.trials, "per shape")->capture_default_str();
  collect->add_option("--threads", collected.threads, "of the kernels")->capture_default_str();
  collect->add_option("--flops", collected.most_flops, "larger shapes are left out")
      ->capture_default_str();
  collect->add_option("--seed", collected.seed, "of the draws")->capture_default_str();
  bench::ResidualOptions residuals;
  CLI::App* compare = app.add_subcommand("residuals", "what was timed beside what was expected");
  compare->add_option("--db", residuals.db, "what was timed")->required();
  compare->add_option("--only", residuals.only, "cases whose name contains one of these")
      ->delimiter(',');
  bench::TrainOptions trained;
  CLI::App* train = app.add_subcommand("train", "learn from databases");
  train->add_option("--db", trained.dbs, "what to learn from")->required();
  train->add_option("-o", trained.out, "the model that is written");
  train->add_option("--rounds", trained.rounds, "trees at most")->capture_default_str();
  train->add_option("--depth", trained.depth, "of a tree")->capture_default_str();
  train->add_option("--seed", trained.seed, "of the split and the trees")->capture_default_str();
  if (const auto code = bench::parse(app, argc, argv)) return *code;
  const auto machine = engine::probed_host(cli::cache_folder() + "/ceilings.json");
  if (!machine.ok()) return cli::refuse(machine.rejection());
  const Status status = show->parsed()      ? bench::show_defaults(*machine, defaults)
                        : collect->parsed() ? bench::collect(*machine, collected)
                        : compare->parsed() ? bench::show_residuals(*machine, residuals)
                                            : bench::train(*machine, trained);
  return status.ok() ? cli::kDone : cli::refuse(status.rejection());
}
