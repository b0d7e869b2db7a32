// cambium-bench-proxies: what measures without training take and what they are worth. Each case is
// stored as it ends; the same command goes on after a stop. Reached by `cambium bench proxies`.
#include <algorithm>
#include <thread>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "cli/common.h"
#include "commit.h"
#include "engine/documents.h"
#include "engine/machines.h"
#include "proxies/parts.h"

namespace cambium::bench {
namespace {

Status check(const ProxyBenchOptions& options) {
  if (options.data.empty() && !options.quick) {
    return Rejection(Reason::BadOption, "--data",
                     "give cifar10:DIR, the folder of CIFAR-10's binary or pickled batches "
                     "(data_batch_1.bin ...): measures need real images");
  }
  const bool asked =
      std::find(options.parts.begin(), options.parts.end(), "nasbench") != options.parts.end();
  if (asked && options.nasbench.empty()) {
    return Rejection(Reason::BadOption, "--nasbench",
                     "give the table of NAS-Bench-201 as CSV, with columns ArchitectureString and "
                     "CIFAR10TestAccuracy200Epochs");
  }
  for (const std::int64_t size : options.minibatch) {
    if (size < 2) return Rejection(Reason::BadOption, "--minibatch", "norms need 2 images");
  }
  return Ok{};
}

int run(const ProxyBenchOptions& options) {
  if (const Status sane = check(options); !sane.ok()) return cli::refuse(sane.rejection());
  const auto machine = engine::probed_host(cli::cache_folder() + "/ceilings.json");
  if (!machine.ok()) return cli::refuse(machine.rejection());
  auto results = Results::open(options.results, *machine);
  if (!results.ok()) return cli::refuse(results.rejection());
  const auto wanted = [&](const char* part) {
    return options.parts.empty() ||
           std::find(options.parts.begin(), options.parts.end(), part) != options.parts.end();
  };
  if (options.data.empty()) cli::note("without --data images are noise: only times mean something");
  if (wanted("variants")) {
    const Status status = bench_variants(options, *results);
    if (!status.ok()) return cli::refuse(status.rejection());
  }
  if (wanted("nasbench") && !options.nasbench.empty()) {
    const Status status = bench_nasbench(options, *results);
    if (!status.ok()) return cli::refuse(status.rejection());
  }
  if (!options.json) return cli::print(variants_text(*results) + nasbench_text(*results));
  nlohmann::json out = engine::document("bench", 1);
  out["name"] = "proxies";
  out["commit"] = std::string(commit());
  out["machine"] = engine::json_of(*machine);
  out["options"] = {{"seed", options.seed}, {"workers", options.workers}, {"quick", options.quick}};
  out["rows"] = results->rows();
  return cli::print_document(out);
}

}  // namespace
}  // namespace cambium::bench

int main(int argc, char** argv) {
  CLI::App app{"Training-free scores: their time, and how well they predict accuracy",
               "cambium bench proxies"};
  cambium::bench::ProxyBenchOptions options;
  std::string device = "cpu";
  bool shares_nothing = false;
  app.add_option("--part", options.parts,
                 "parts to run: variants, nasbench; default: all for which there is data")
      ->delimiter(',')
      ->check(CLI::IsMember({"variants", "nasbench"}).description(""))
      ->type_name("PART");
  app.add_option("--data", options.data, "images: cifar10:DIR")->type_name("DATA");
  app.add_option("--minibatch", options.minibatch, "images per network (8 for variants, else 64)")
      ->delimiter(',')
      ->type_name("N");
  app.add_option("--device", device, "device that computes: cpu, cuda or cuda:N")
      ->type_name("DEVICE");
  app.add_option("--workers", options.workers, "number of networks at once, each with one thread")
      ->check(CLI::Range(1, 256).description(""))
      ->type_name("N");
  app.add_option("--seed", options.seed, "random seed of networks, weights and images")
      ->type_name("N");
  app.add_option("--variants", options.variants, "number of variants of ResNet-34")
      ->check(CLI::Range(1, 1000000).description(""))
      ->type_name("N");
  app.add_option("--against", options.against,
                 "minibatch size whose ranking of variants the other sizes are compared with")
      ->check(CLI::Range(2, 40000).description(""))
      ->type_name("N");
  app.add_option("--checked", options.checked,
                 "number of variants ranked for --against; 0: no comparison")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("N");
  app.add_flag("--dense-groups", options.dense_groups,
               "compute grouped convolutions as dense ones with zeros");
  app.add_flag("--share-nothing", shares_nothing,
               "do not reuse values that the previous variant has computed");
  app.add_option("--nasbench", options.nasbench, "table of NAS-Bench-201, as CSV")
      ->type_name("FILE");
  app.add_option("--architectures", options.architectures,
                 "number of architectures, drawn from the table by the seed")
      ->check(CLI::Range(2, 1000000).description(""))
      ->type_name("N");
  app.add_option("--results", options.results,
                 "file for the results; cases that it has are not computed again")
      ->type_name("FILE");
  app.add_flag("--quick", options.quick,
               "only few networks: under a minute; without --data, images are noise");
  app.add_flag("--json", options.json, "print one JSON document (docs/schema/bench_proxies.json)");
  app.footer(
      "On two cores a thousand variants take about a minute with minibatch 8, and the comparison\n"
      "with minibatch 128 two; 200 architectures of NAS-Bench-201 a quarter of an hour.\n\n"
      "Example:\n  cambium bench proxies --part variants --data cifar10:DIR --minibatch 4,8,16\n"
      "  cambium bench proxies --part nasbench --data cifar10:DIR --nasbench nats.csv");
  options.workers = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (const auto code = cambium::bench::parse(app, argc, argv)) return *code;
  const auto found = cambium::train::device_of(device);
  if (!found.ok()) return cambium::cli::refuse(found.rejection());
  options.device = *found;
  options.shares_values = !shares_nothing;
  if (options.results.empty()) {
    options.results = cambium::cli::cache_folder() + "/bench_proxies.jsonl";
  }
  if (options.quick) {
    options.variants = std::min<std::int64_t>(options.variants, 32);
    options.checked = std::min<std::int64_t>(options.checked, 8);
    options.against = std::min<std::int64_t>(options.against, 32);
    options.architectures = std::min<std::int64_t>(options.architectures, 4);
    if (options.minibatch.empty()) options.minibatch = {4};
  }
  return cambium::bench::run(options);
}
