// Fisher Potential of a thousand variants of ResNet-34: how long it takes, and whether a small
// minibatch puts them into the order of a large one.
#include "model/zoo/variants.h"

#include <chrono>
#include <map>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/quantile.h"
#include "base/ranks.h"
#include "proxies/parts.h"
#include "train/initialize.h"
#include "train/minibatches.h"
#include "train/proxies.h"

namespace cambium::bench {

namespace {

using model::zoo::BlockVariant;

constexpr int kBootstraps = 1000;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Result<model::Model> network_of(const BlockVariant& variant, std::uint64_t seed) {
  CAMBIUM_TRY(const model::Model model, model::zoo::resnet34_cifar_variant(variant));
  train::InitializeOptions options;
  options.seed = seed;
  return train::initialized(model, options);
}

// Every one, in order; evenly spread ones, where fewer are wanted.
std::vector<std::int64_t> places(std::int64_t all, std::int64_t wanted) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < wanted; ++i) out.push_back(i * all / wanted);
  return out;
}

nlohmann::json key_of(const ProxyBenchOptions& options, std::int64_t minibatch,
                      std::int64_t networks, bool reference) {
  return {{"part", "variants"},
          {"minibatch", minibatch},
          {"networks", networks},
          {"of", options.variants},
          {"reference", reference},
          {"seed", options.seed},
          {"data", options.data},
          {"device", options.device.text()},
          {"workers", options.workers},
          {"dense_groups", options.dense_groups},
          {"shares_values", options.shares_values}};
}

// The clock starts behind the original network, which wakes the device up.
Result<nlohmann::json> scored(const ProxyBenchOptions& options,
                              const std::vector<BlockVariant>& variants,
                              const std::vector<std::int64_t>& which,
                              const train::ProxyBatch& batch) {
  train::FisherManyOptions many;
  many.workers = options.workers;
  many.shares_values = options.shares_values;
  many.fisher.device = options.device;
  many.fisher.dense_groups = options.dense_groups;
  CAMBIUM_TRY(const model::Model original,
              network_of(BlockVariant(model::zoo::kResNet34Blocks), options.seed));
  CAMBIUM_TRY(const train::FisherReport first,
              train::fisher_potential(original, batch, many.fisher));
  const auto network = [&](std::int64_t i) {
    const auto place = static_cast<std::size_t>(which[static_cast<std::size_t>(i)]);
    return network_of(variants[place], options.seed);
  };
  const double start = now();
  const auto reports =
      train::fisher_of_many(static_cast<std::int64_t>(which.size()), network, batch, many);
  const double seconds = now() - start;
  std::vector<double> totals;
  for (const auto& report : reports) {
    if (!report.ok()) return report.rejection();
    totals.push_back(report->total);
  }
  return nlohmann::json{
      {"seconds", seconds}, {"original", first.total}, {"which", which}, {"totals", totals}};
}

}  // namespace

Status bench_variants(const ProxyBenchOptions& options, Results& results) {
  const std::vector<std::int64_t> minibatches =
      options.minibatch.empty() ? std::vector<std::int64_t>{8} : options.minibatch;
  const std::vector<BlockVariant> variants =
      model::zoo::draw_resnet34_variants(static_cast<std::size_t>(options.variants), options.seed);
  CAMBIUM_TRY(train::Minibatches images, train::Minibatches::open(options.data, options.seed));
  // The small ones begin where the large one ends: none of its images is in them, and which images
  // they have does not depend on what else is asked for.
  CAMBIUM_TRY(const train::ProxyBatch large, images.take(options.against));
  const auto add = [&](std::int64_t minibatch, std::int64_t networks, bool reference,
                       const train::ProxyBatch& batch) -> Status {
    const nlohmann::json key = key_of(options, minibatch, networks, reference);
    if (results.find(key) != nullptr) return Ok{};
    CAMBIUM_TRY(nlohmann::json row,
                scored(options, variants, places(options.variants, networks), batch));
    return results.add(key, std::move(row));
  };
  for (const std::int64_t minibatch : minibatches) {
    train::Minibatches rest = images;
    CAMBIUM_TRY(const train::ProxyBatch batch, rest.take(minibatch));
    CAMBIUM_REQUIRE(add(minibatch, options.variants, false, batch));
  }
  if (options.checked == 0) return Ok{};
  return add(options.against, std::min(options.checked, options.variants), true, large);
}

namespace {

// "0.91 (0.86 .. 0.94)"
std::string correlation_text(RankStatistic statistic, const std::vector<double>& a,
                             const std::vector<double>& b) {
  const Spread spread = bootstrapped(statistic, a, b, kBootstraps, 1);
  return fmt::format("{:.3f} ({:.3f} .. {:.3f})", statistic(a, b), spread.low, spread.high);
}

// The rows of one run: those that differ in their minibatch only.
nlohmann::json group_of(nlohmann::json key) {
  for (const char* name : {"minibatch", "networks", "reference"}) key.erase(name);
  return key;
}

std::string row_text(const nlohmann::json& row, const nlohmann::json* reference) {
  const auto totals = row["totals"].get<std::vector<double>>();
  const double seconds = row["seconds"], original = row["original"];
  std::int64_t below = 0;
  for (const double total : totals) below += total < original;
  const auto count = static_cast<double>(totals.size());
  std::string text = fmt::format(
      "  minibatch {}: {} networks in {:.1f} s, {:.1f} a second\n"
      "    scores {:.4g} .. {:.4g} .. {:.4g} .. {:.4g} .. {:.4g} (quarters); the original {:.4g}, "
      "{:.1f} % are below it\n",
      row["key"]["minibatch"].get<std::int64_t>(), totals.size(), seconds, count / seconds,
      quantile(totals, 0), quantile(totals, 0.25), quantile(totals, 0.5), quantile(totals, 0.75),
      quantile(totals, 1), original, 100 * static_cast<double>(below) / count);
  if (reference == nullptr) return text;
  const auto large = (*reference)["totals"].get<std::vector<double>>();
  std::vector<double> small;
  for (const std::int64_t place : (*reference)["which"].get<std::vector<std::int64_t>>()) {
    small.push_back(totals[static_cast<std::size_t>(place)]);
  }
  return text +
         fmt::format("    against minibatch {} on {} of them ({:.1f} s): Spearman {}, Kendall {}\n",
                     (*reference)["key"]["minibatch"].get<std::int64_t>(), large.size(),
                     (*reference)["seconds"].get<double>(),
                     correlation_text(&spearman, small, large),
                     correlation_text(&kendall, small, large));
}

}  // namespace

std::string variants_text(const Results& results) {
  std::map<std::string, std::vector<const nlohmann::json*>> groups;
  std::map<std::string, const nlohmann::json*> references;
  for (const nlohmann::json& row : results.rows()) {
    if (row["key"]["part"] != "variants") continue;
    const std::string group = group_of(row["key"]).dump();
    if (row["key"]["reference"].get<bool>()) {
      references[group] = &row;
    } else {
      groups[group].push_back(&row);
    }
  }
  std::string text;
  for (const auto& [group, rows] : groups) {
    const nlohmann::json key = nlohmann::json::parse(group);
    const std::string data = key["data"];
    text += fmt::format(
        "\nFisher Potential of variants of ResNet-34 for CIFAR: {}, {} workers, seed {}, {}{}{}\n",
        key["device"].get<std::string>(), key["workers"].get<int>(),
        key["seed"].get<std::uint64_t>(), data.empty() ? "images are noise" : data,
        key["dense_groups"].get<bool>() ? ", groups as dense convolutions" : "",
        key["shares_values"].get<bool>() ? "" : ", no values shared");
    const auto reference = references.find(group);
    for (const nlohmann::json* row : rows) {
      text += row_text(*row, reference == references.end() ? nullptr : reference->second);
    }
  }
  return text;
}

}  // namespace cambium::bench
