// Every measure against the accuracies that NAS-Bench-201 lists, and how many bad networks Fisher
// Potential refuses: what figure 3 of the NAS-PTE paper shows as a cloud of points.
#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <numeric>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/quantile.h"
#include "base/random.h"
#include "base/ranks.h"
#include "base/thread_pool.h"
#include "cli/common.h"
#include "cli/table.h"
#include "model/cost.h"
#include "proxies/nasbench_table.h"
#include "proxies/parts.h"
#include "train/initialize.h"
#include "train/minibatches.h"
#include "train/proxies.h"

namespace cambium::bench {

namespace {

constexpr int kBootstraps = 1000;
// The network of the benchmark that is built like a ResNet: what the others are variants of.
constexpr const char* kOriginal =
    "|nor_conv_3x3~0|+|nor_conv_3x3~0|nor_conv_3x3~1|+|skip_connect~0|nor_conv_3x3~1|nor_conv_3x3~"
    "2|";

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<NasBenchRow> sampled(std::vector<NasBenchRow> rows, std::int64_t count,
                                 std::uint64_t seed) {
  Rng rng(seed);
  rng.shuffle(std::span<NasBenchRow>(rows));
  const auto wanted = static_cast<std::size_t>(count);
  if (rows.size() > wanted) rows.resize(wanted);
  return rows;
}

nlohmann::json key_of(const ProxyBenchOptions& options, std::int64_t minibatch,
                      const std::string& cell) {
  return {{"part", "nasbench"},   {"cell", cell},         {"minibatch", minibatch},
          {"seed", options.seed}, {"data", options.data}, {"device", options.device.text()}};
}

// One score and one time per measure; sizes stand beside them, as the simplest measures of all.
Result<nlohmann::json> scored(const NasBenchRow& row, const std::vector<train::ProxyBatch>& batches,
                              const ProxyBenchOptions& options) {
  CAMBIUM_TRY(const model::Model built, model::zoo::nasbench201(row.cell));
  train::InitializeOptions initialize;
  initialize.seed = options.seed;
  const model::Model model = train::initialized(built, initialize);
  const model::Cost cost = model::cost_of(model);
  nlohmann::json out = {{"accuracy", row.accuracy},
                        {"scores", {{"parameters", cost.params}, {"MACs", cost.macs}}},
                        {"seconds", nlohmann::json::object()}};
  for (const train::Proxy& proxy : train::proxies()) {
    const double start = now();
    CAMBIUM_TRY(const double score, proxy.score(model, batches, options.device));
    // JSON knows no infinity; as `null` it stands below all others.
    out["scores"][proxy.name] = score;
    out["seconds"][proxy.name] = now() - start;
  }
  return out;
}

}  // namespace

Status bench_nasbench(const ProxyBenchOptions& options, Results& results) {
  const std::int64_t minibatch = options.minibatch.empty() ? 64 : options.minibatch[0];
  CAMBIUM_TRY(std::vector<NasBenchRow> table, read_nasbench(options.nasbench));
  std::vector<NasBenchRow> rows = sampled(table, options.architectures, options.seed);
  CAMBIUM_TRY(const auto original, model::zoo::parse_cell(kOriginal));
  for (const NasBenchRow& row : table) {
    if (row.cell == original) rows.push_back(row);
  }
  CAMBIUM_TRY(train::Minibatches images, train::Minibatches::open(options.data, options.seed));
  std::vector<train::ProxyBatch> batches;
  for (int i = 0; i < 2; ++i) {
    CAMBIUM_TRY(train::ProxyBatch batch, images.take(minibatch));
    batches.push_back(std::move(batch));
  }
  Status failed = Ok{};
  std::mutex mutex;
  ThreadPool pool(options.workers);
  const auto count = static_cast<std::int64_t>(rows.size());
  pool.parallel_for(count, 1, [&](std::int64_t i, std::int64_t) {
    const NasBenchRow& row = rows[static_cast<std::size_t>(i)];
    const nlohmann::json key = key_of(options, minibatch, row.cell.text());
    {
      const std::lock_guard lock(mutex);
      if (!failed.ok() || results.find(key) != nullptr) return;
    }
    train::set_threads(1);
    Result<nlohmann::json> scores = scored(row, batches, options);
    const std::lock_guard lock(mutex);
    if (scores.ok()) {
      const Status added = results.add(key, *std::move(scores));
      if (!added.ok()) failed = added;
    } else {
      failed = std::move(scores).rejection().at(row.cell.text());
    }
  });
  return failed;
}

namespace {

struct Column {
  std::string name;
  std::vector<double> scores;
  double seconds = 0;  // the median; 0 for what is counted
};

double number_of(const nlohmann::json& value) {
  return value.is_number() ? value.get<double>() : -std::numeric_limits<double>::infinity();
}

std::vector<Column> columns_of(const std::vector<const nlohmann::json*>& rows) {
  std::vector<Column> columns;
  for (const auto& [name, unused] : (*rows.at(0))["scores"].items()) {
    Column column{name, {}, 0};
    std::vector<double> seconds;
    for (const nlohmann::json* row : rows) {
      column.scores.push_back(number_of((*row)["scores"].value(name, nlohmann::json())));
      if ((*row)["seconds"].contains(name)) seconds.push_back((*row)["seconds"][name]);
    }
    column.seconds = median(seconds);
    columns.push_back(std::move(column));
  }
  return columns;
}

double share_below(const std::vector<double>& scores, double threshold,
                   const std::vector<bool>& which) {
  double below = 0, all = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!which[i]) continue;
    all += 1;
    below += scores[i] < threshold ? 1 : 0;
  }
  return all > 0 ? below / all : 0;
}

// What is refused when all below a score are: of all, of bad networks and of good ones.
std::string refusals_text(const std::vector<double>& fisher, const std::vector<double>& accuracies,
                          double original) {
  const double poor = quantile(accuracies, 0.1), good = quantile(accuracies, 0.9);
  std::vector<bool> all(fisher.size(), true), under80, lowest, highest;
  for (const double accuracy : accuracies) {
    under80.push_back(accuracy < 80);
    lowest.push_back(accuracy <= poor);
    highest.push_back(accuracy >= good);
  }
  constexpr auto kRightSide = cli::Column::Align::Right;
  cli::Table table(
      {{"Fisher refuses below", cli::Column::Align::Left, false},
       {"of all", kRightSide, false},
       {fmt::format("under 80 % ({})", std::count(under80.begin(), under80.end(), true)),
        kRightSide, false},
       {fmt::format("worst tenth (to {:.1f} %)", poor), kRightSide, false},
       {fmt::format("best tenth (from {:.1f} %)", good), kRightSide, false}});
  const auto add = [&](const std::string& name, double threshold) {
    std::vector<std::string> cells{name};
    for (const auto* which : {&all, &under80, &lowest, &highest}) {
      cells.push_back(fmt::format("{:.1f} %", 100 * share_below(fisher, threshold, *which)));
    }
    table.add(cells);
  };
  for (const double share : {0.1, 0.25, 0.5, 0.75, 0.9}) {
    add(fmt::format("its {:.0f} % quantile", share * 100), quantile(fisher, share));
  }
  add("the ResNet cell's score", original);
  return "\n" + table.text(cli::terminal_width());
}

std::string group_text(const std::vector<const nlohmann::json*>& rows) {
  std::vector<double> accuracies;
  double original = 0;
  for (const nlohmann::json* row : rows) {
    accuracies.push_back((*row)["accuracy"]);
    if ((*row)["key"]["cell"] == kOriginal) original = number_of((*row)["scores"]["fisher"]);
  }
  constexpr auto kRightSide = cli::Column::Align::Right;
  cli::Table table({{"measure", cli::Column::Align::Left, false},
                    {"Spearman", kRightSide, false},
                    {"95 %", kRightSide, false},
                    {"Kendall", kRightSide, false},
                    {"95 %", kRightSide, false},
                    {"s per network", kRightSide, false}});
  const auto interval = [](const Spread& spread) {
    return fmt::format("{:.3f} .. {:.3f}", spread.low, spread.high);
  };
  std::string refusals;
  for (const Column& column : columns_of(rows)) {
    const Spread s = bootstrapped(&spearman, column.scores, accuracies, kBootstraps, 1);
    const Spread k = bootstrapped(&kendall, column.scores, accuracies, kBootstraps, 1);
    table.add({column.name, fmt::format("{:.3f}", spearman(column.scores, accuracies)), interval(s),
               fmt::format("{:.3f}", kendall(column.scores, accuracies)), interval(k),
               column.seconds > 0 ? fmt::format("{:.3f}", column.seconds) : ""});
    if (column.name == "fisher") refusals = refusals_text(column.scores, accuracies, original);
  }
  return table.text(cli::terminal_width()) + refusals;
}

}  // namespace

std::string nasbench_text(const Results& results) {
  std::map<std::string, std::vector<const nlohmann::json*>> groups;
  for (const nlohmann::json& row : results.rows()) {
    if (row["key"]["part"] != "nasbench") continue;
    nlohmann::json group = row["key"];
    group.erase("cell");
    groups[group.dump()].push_back(&row);
  }
  std::string text;
  for (const auto& [group, rows] : groups) {
    const nlohmann::json key = nlohmann::json::parse(group);
    const std::string data = key["data"];
    text += fmt::format(
        "\nmeasures against CIFAR-10 accuracies of NAS-Bench-201: {} networks, minibatch {}, {}, "
        "seed {}, {}\n",
        rows.size(), key["minibatch"].get<std::int64_t>(), key["device"].get<std::string>(),
        key["seed"].get<std::uint64_t>(), data.empty() ? "images are noise" : data);
    text += group_text(rows);
  }
  return text;
}

}  // namespace cambium::bench
