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
  CLI::App* show =
      app.add_subcommand("defaults", "Compare the analytic model with measured default schedules");
  show->add_option("--results", defaults.results, "page with measured rates");
  show->add_option("--only", defaults.only, "cases whose name contains one of these")
      ->delimiter(',');
  show->add_flag("-v", defaults.verbose, "print one line per block");
  bench::CollectOptions collected;
  CLI::App* collect = app.add_subcommand("collect", "Time schedules of all kinds");
  collect->add_option("--db", collected.db, "database for the times")->required();
  collect
      ->add_option("--model", collected.models,
                   "models whose operators are timed instead of the table's")
      ->delimiter(',');
  collect->add_option("--only", collected.only, "cases whose name contains one of these")
      ->delimiter(',');
  collect->add_option("--trials", collected.trials, "schedules per shape")->capture_default_str();
  collect->add_option("--threads", collected.threads, "threads that a kernel uses")
      ->capture_default_str();
  collect
      ->add_option("--flops", collected.most_flops,
                   "most floating-point operations of a shape; larger shapes are left out")
      ->capture_default_str();
  collect->add_option("--seed", collected.seed, "random seed of the schedules")
      ->capture_default_str();
  bench::ResidualOptions residuals;
  CLI::App* compare = app.add_subcommand("residuals", "Compare measured times with predicted ones");
  compare->add_option("--db", residuals.db, "database with the times")->required();
  compare->add_option("--only", residuals.only, "cases whose name contains one of these")
      ->delimiter(',');
  bench::TrainOptions trained;
  CLI::App* train = app.add_subcommand("train", "Learn a cost model from databases");
  train->add_option("--db", trained.dbs, "databases to learn from")->required();
  train->add_option("-o", trained.out, "output file for the model");
  train->add_option("--rounds", trained.rounds, "most trees")->capture_default_str();
  train->add_option("--depth", trained.depth, "most levels of a tree")->capture_default_str();
  train->add_option("--seed", trained.seed, "random seed of the split and the trees")
      ->capture_default_str();
  if (const auto code = bench::parse(app, argc, argv)) return *code;
  const auto machine = engine::probed_host(cli::cache_folder() + "/ceilings.json");
  if (!machine.ok()) return cli::refuse(machine.rejection());
  const Status status = show->parsed()      ? bench::show_defaults(*machine, defaults)
                        : collect->parsed() ? bench::collect(*machine, collected)
                        : compare->parsed() ? bench::show_residuals(*machine, residuals)
                                            : bench::train(*machine, trained);
  return status.ok() ? cli::kDone : cli::refuse(status.rejection());
}
