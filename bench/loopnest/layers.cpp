#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "cli/common.h"
#include "engine/machines.h"
#include "loopnest/nest_edits.h"
#include "loopnest/parts.h"
#include "loopnest/shapes.h"
#include "loopnest/tuned_layer.h"
#include "measure/measure.h"
#include "measure/timing.h"
#include "model/cost.h"

namespace cambium::bench {
namespace {

constexpr std::int64_t kTrials = 64, kQuickTrials = 4;
// Two groups should bring so much on 7 of the 11 layers.
constexpr double kWanted = 1.8;

constexpr const char* kDocuments[] = {kTwoGroups,
                                      "group 4",
                                      "depthwise",
                                      kPaperHalves,
                                      kPaperPeel,
                                      kPaperSlabs,
                                      "channel slabs 2",
                                      "pointwise then depthwise",
                                      "depthwise then pointwise",
                                      "rows then columns"};
constexpr const char* kQuickDocuments[] = {kTwoGroups, kPaperHalves};

class LayerBench {
 public:
  LayerBench(const LoopNestBenchOptions& options, Machine machine, measure::Runner runner)
      : options_(options), machine_(std::move(machine)), runner_(std::move(runner)) {
    tuning_.trials = options.trials >= 0 ? options.trials : options.quick ? kQuickTrials : kTrials;
    tuning_.jobs = options.jobs;
    tuning_.db = options.db;
    how_.rounds = options.quick ? 5 : 15;
    how_.burst.clock = measure::Clock::ThreadCpu;  // as trials are timed
  }

  Status run(const PaperLayer& layer, nlohmann::json& rows) {
    CAMBIUM_TRY(const LayerModel made, model_of(layer));
    CAMBIUM_TRY(const TunedLayer original,
                tuned_layer(made.model, made.layouts, machine_, tuning_, runner_));
    rows.push_back(row_of(layer, kOriginal, layer.macs, layer.weights, original));
    rows.back()["seconds"] = original.tuning.seconds;
    const auto beside = [&](const char* document) {
      nlohmann::json row = {{"case", layer.name}, {"document", document}};
      const Status done = compare(layer, made, document, original, row);
      if (!done.ok()) row["refused"] = done.rejection().message();
      rows.push_back(std::move(row));
    };
    if (options_.quick) {
      for (const char* document : kQuickDocuments) beside(document);
    } else {
      for (const char* document : kDocuments) beside(document);
    }
    return Ok{};
  }

 private:
  static nlohmann::json row_of(const PaperLayer& layer, const char* document, std::int64_t macs,
                               std::int64_t weights, const TunedLayer& tuned) {
    return {{"case", layer.name},
            {"document", document},
            {"macs", macs},
            {"parameters", weights},
            {"trials", tuned.tuning.trials},
            {"default_seconds", tuned.tuning.default_seconds},
            {"error", tuned.error}};
  }

  // Both as native code in this process, in turns.
  Status compare(const PaperLayer& layer, const LayerModel& made, const char* document,
                 const TunedLayer& original, nlohmann::json& row) {
    CAMBIUM_TRY(const model::Model model, with_document(made.model, "conv:*", document));
    CAMBIUM_TRY(const TunedLayer tuned,
                tuned_layer(model, channels_last(model), machine_, tuning_, runner_));
    const measure::Comparison both =
        measure::compare([&] { tuned.kernel.run(); }, [&] { original.kernel.run(); }, how_);
    const model::Cost cost = model::cost_of(model);
    row = row_of(layer, document, cost.macs, cost.params, tuned);
    row["seconds"] = both.ours_seconds;
    row["original_seconds"] = both.theirs_seconds;
    row["ratio"] = both.ratio;
    row["spread"] = both.spread;
    row["low"] = both.low;
    row["high"] = both.high;
    // 1: the time falls as the MACs do.
    row["of_macs"] = both.ratio * static_cast<double>(cost.macs) / static_cast<double>(layer.macs);
    return Ok{};
  }

  const LoopNestBenchOptions& options_;
  Machine machine_;
  measure::Runner runner_;
  LayerTuning tuning_;
  measure::ComparisonOptions how_;
};

// Of each document: on how many layers it stands, and the geometric mean of its ratios.
nlohmann::json summary_of(const std::vector<nlohmann::json>& rows) {
  struct Sum {
    std::int64_t layers = 0, wanted = 0;
    double logs = 0;
  };
  std::map<std::string, Sum> sums;
  for (const nlohmann::json& row : rows) {
    if (!row.contains("ratio")) continue;
    Sum& sum = sums[row["document"]];
    const double ratio = row["ratio"];
    ++sum.layers;
    sum.wanted += ratio >= kWanted;
    sum.logs += std::log(ratio);
  }
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [document, sum] : sums) {
    out[document] = {{"layers", sum.layers},
                     {"at_least_1.8", sum.wanted},
                     {"geometric_mean", std::exp(sum.logs / static_cast<double>(sum.layers))}};
  }
  return out;
}

bool is_asked(const PaperLayer& layer, const LoopNestBenchOptions& options) {
  if (layer.group_macs == 0) return false;  // two groups do not fit
  if (!options.only.empty()) return is_wanted(layer.name, options.only);
  return !options.quick || std::string(layer.name) == "C11";
}

}  // namespace

Status bench_layers(const LoopNestBenchOptions& options, nlohmann::json& out) {
  CAMBIUM_TRY(Machine machine, engine::probed_host(cli::cache_folder() + "/ceilings.json"));
  measure::Limits limits;
  limits.seconds = 120;  // the plain version of a large shape
  CAMBIUM_TRY(measure::Runner runner, measure::Runner::start({}, limits));
  LayerBench bench(options, std::move(machine), std::move(runner));
  nlohmann::json rows = nlohmann::json::array();
  for (const PaperLayer& layer : paper_layers()) {
    if (!is_asked(layer, options)) continue;
    fmt::print(stderr, "{} ...\n", layer.name);
    CAMBIUM_REQUIRE(bench.run(layer, rows));
  }
  if (rows.empty()) return Rejection(Reason::BadOption, "--only", "no layer has such a name");
  out["summary"]["layers"] = summary_of(rows);
  for (nlohmann::json& row : rows) out["rows"].push_back(std::move(row));
  return Ok{};
}

std::string layers_text(const nlohmann::json& row) {
  const std::string document = row["document"].get<std::string>();
  std::string text = fmt::format("{:4} {:24}", row["case"].get<std::string>(),
                                 document.empty() ? "(original)" : document.c_str());
  if (row.contains("refused")) return text + " " + row["refused"].get<std::string>() + "\n";
  text += fmt::format(" {:>12} MACs {:9.1f} us", row["macs"].get<std::int64_t>(),
                      1e6 * row["seconds"].get<double>());
  if (row.contains("ratio")) {
    text += fmt::format("  {:.2f}x +-{:.1f}%, {:.2f} of what the MACs promise",
                        row["ratio"].get<double>(), 100 * row["spread"].get<double>(),
                        row["of_macs"].get<double>());
  }
  return text + "\n";
}

}  // namespace cambium::bench
