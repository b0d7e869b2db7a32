// cambium-bench-train: what operators take forward and backward, beside a native convolution of the
// same MACs. Reached by `cambium bench train`.
#include <algorithm>
#include <cmath>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "base/host_memory.h"
#include "base/quantile.h"
#include "cli/common.h"
#include "cli/table.h"
#include "commit.h"
#include "engine/documents.h"
#include "engine/machines.h"
#include "train/operators.h"
#include "train/passes.h"

namespace cambium::bench {
namespace {

struct TrainBenchOptions {
  std::vector<std::string> only;
  train::Device device;
  model::zoo::ConvPlace place;
  int threads = 1;
  bool quick = false, json = false;
  train::PassOptions passes;
};

// How a column computes. bf16 only where a device gains from it.
struct Way {
  const char* name;
  bool channels_last;
  train::Precision precision;
};
constexpr Way kWays[] = {{"f32", false, train::Precision::F32},
                         {"f32, channels last", true, train::Precision::F32},
                         {"bf16, channels last", true, train::Precision::BF16}};
std::span<const Way> ways_of(const train::Device& device) {
  return std::span<const Way>(kWays).first(device.is_cuda() ? 3 : 2);
}

struct Ratio {
  double seconds = 0;  // of the operator
  double reference = 0;
  double ratio = 0, spread = 0;  // the median over rounds, and the median distance from it
  std::string refused;           // why there is none
};

// On a CPU nobody refuses memory: the system would end the process.
Status fits(const TrainOperator& op, const train::Device& device) {
  if (op.recognized || device.is_cuda() || op.bytes < host_memory() / 2) return Ok{};
  return not_enough_memory(op.name + ", as it is written,", op.bytes);
}

// In each round both are timed, one after the other; what a convolution of whole channels has too
// few or too many MACs is made up for in proportion.
Result<Ratio> compared(const TrainOperator& op, const TrainBenchOptions& options, const Way& way) {
  CAMBIUM_REQUIRE(fits(op, options.device));
  const TrainOperator reference = convolution_of_macs(op.macs, options.place);
  const train::PassCase cases[] = {{op.model, way.channels_last, way.precision, op.recognized},
                                   {reference.model, way.channels_last, way.precision}};
  CAMBIUM_TRY(const auto times, train::time_passes(cases, options.passes));
  const double scale = static_cast<double>(op.macs) / static_cast<double>(reference.macs);
  std::vector<double> ratios, distances;
  for (std::size_t i = 0; i < times[0].size(); ++i) {
    ratios.push_back(times[0][i] / (times[1][i] * scale));
  }
  Ratio out{median(times[0]), median(times[1]) * scale, median(ratios), 0, ""};
  for (const double ratio : ratios) distances.push_back(std::fabs(ratio - out.ratio));
  out.spread = median(distances);
  return out;
}

struct Row {
  TrainOperator op;
  std::vector<Ratio> ratios;  // by way
};

std::string name_of(const TrainOperator& op) {
  return op.recognized ? "  recognized" : op.name;
}

std::string table_of(const std::vector<Row>& rows, const TrainBenchOptions& options) {
  constexpr auto kRightSide = cli::Column::Align::Right;
  std::vector<cli::Column> columns{{"operator", cli::Column::Align::Left, false},
                                   {"M MACs", kRightSide, false}};
  for (const Way& way : ways_of(options.device)) {
    columns.push_back({fmt::format("{}: ms", way.name), kRightSide, false});
    columns.push_back({"of a conv", kRightSide, false});
  }
  cli::Table table(columns);
  for (const Row& row : rows) {
    std::vector<std::string> cells{name_of(row.op),
                                   fmt::format("{:.1f}", static_cast<double>(row.op.macs) / 1e6)};
    for (const Ratio& ratio : row.ratios) {
      if (!ratio.refused.empty()) {
        cells.insert(cells.end(), {"too large", ""});
        continue;
      }
      cells.push_back(fmt::format("{:.3f}", ratio.seconds * 1e3));
      cells.push_back(fmt::format("{:.2f} +- {:.2f}", ratio.ratio, ratio.spread));
    }
    table.add(cells);
  }
  const model::zoo::ConvPlace& p = options.place;
  return fmt::format(
             "forward and backward on {}, {} threads; images {}x{}x{}x{}, {} channels out;\n"
             "of a conv: over a native 3x3 convolution of the same MACs, in the same layout and "
             "type, in turns\n\n",
             options.device.text(), options.threads, p.batch, p.in, p.side, p.side, p.out) +
         table.text(cli::terminal_width());
}

nlohmann::json json_of(const Row& row, const TrainBenchOptions& options) {
  nlohmann::json out = {
      {"case", row.op.name}, {"recognized", row.op.recognized}, {"macs", row.op.macs}};
  const auto ways = ways_of(options.device);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const Ratio& ratio = row.ratios[i];
    if (!ratio.refused.empty()) {
      out["ways"][ways[i].name] = {{"refused", ratio.refused}};
      continue;
    }
    out["ways"][ways[i].name] = {{"seconds", ratio.seconds},
                                 {"convolution_seconds", ratio.reference},
                                 {"ratio", ratio.ratio},
                                 {"spread", ratio.spread}};
  }
  return out;
}

int run(const TrainBenchOptions& options) {
  const auto machine = engine::probed_host(cli::cache_folder() + "/ceilings.json");
  if (!machine.ok()) return cli::refuse(machine.rejection());
  train::set_threads(options.threads);
  auto operators = train_operators(options.place);
  if (!operators.ok()) return cli::refuse(operators.rejection());
  std::vector<Row> rows;
  for (TrainOperator& op : *operators) {
    if (!is_wanted(op.name, options.only)) continue;
    Row row{std::move(op), {}};
    for (const Way& way : ways_of(options.device)) {
      auto ratio = compared(row.op, options, way);
      if (!ratio.ok() && ratio.rejection().reason() != Reason::NotEnoughMemory) {
        return cli::refuse(std::move(ratio).rejection().at(row.op.name));
      }
      row.ratios.push_back(ratio.ok() ? *ratio : Ratio{0, 0, 0, 0, ratio.rejection().message()});
    }
    rows.push_back(std::move(row));
  }
  if (!options.json) return cli::print(table_of(rows, options));
  nlohmann::json out = engine::document("bench", 1);
  out["name"] = "train";
  out["commit"] = std::string(commit());
  out["machine"] = engine::json_of(*machine);
  out["options"] = {{"device", options.device.text()}, {"threads", options.threads},
                    {"batch", options.place.batch},    {"side", options.place.side},
                    {"rounds", options.passes.rounds}, {"quick", options.quick}};
  out["rows"] = nlohmann::json::array();
  for (const Row& row : rows) out["rows"].push_back(json_of(row, options));
  return cli::print_document(out);
}

}  // namespace
}  // namespace cambium::bench

int main(int argc, char** argv) {
  CLI::App app{"Operators forward and backward, beside a convolution of the same MACs",
               "cambium bench train"};
  cambium::bench::TrainBenchOptions options;
  std::string device = "cpu";
  options.place = {.batch = 0, .in = 64, .out = 64, .side = 0, .kernel = 3};
  app.add_option("--device", device, "device that computes: cpu, cuda or cuda:N")
      ->type_name("DEVICE");
  app.add_option("--threads", options.threads, "threads of libtorch on a CPU")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N");
  app.add_option("--batch", options.place.batch, "number of images; default: 4, on a GPU 256")
      ->check(CLI::Range(1, 65536).description(""))
      ->type_name("N");
  app.add_option("--side", options.place.side,
                 "side of an image in pixels; default: 16, on a GPU 32")
      ->check(CLI::Range(2, 1024).description(""))
      ->type_name("N");
  app.add_option("--rounds", options.passes.rounds,
                 "number of rounds in which an operator and its peer take turns")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N");
  app.add_option("--only", options.only, "operators whose name contains one of these")
      ->delimiter(',')
      ->type_name("NAME");
  app.add_flag("--quick", options.quick, "only small images and few rounds: under a minute");
  app.add_flag("--json", options.json, "print one JSON document (docs/schema/bench_train.json)");
  app.footer("Takes two minutes.\n\nExample:\n  cambium bench train --device cuda");
  if (const auto code = cambium::bench::parse(app, argc, argv)) return *code;
  const auto found = cambium::train::device_of(device);
  if (!found.ok()) return cambium::cli::refuse(found.rejection());
  options.device = options.passes.device = *found;
  if (options.place.batch == 0) options.place.batch = found->is_cuda() ? 256 : 4;
  if (options.place.side == 0) options.place.side = found->is_cuda() ? 32 : 16;
  if (options.quick) {
    options.place.batch = std::min<std::int64_t>(options.place.batch, 4);
    options.place.side = std::min<std::int64_t>(options.place.side, 8);
    options.passes.rounds = std::min(options.passes.rounds, 3);
    options.passes.seconds = 0.002;
    options.passes.most_seconds = 1;
  }
  return cambium::bench::run(options);
}
