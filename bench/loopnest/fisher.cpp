// Fisher Potential: whether what single changes do to it adds up, as the strategy `compose`
// assumes, and the choice of BlockSwap. Needs libtorch; fisher_out_of_build.cpp stands in for it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/ranks.h"
#include "cli/common.h"
#include "engine/files.h"
#include "loopnest/blockswap.h"
#include "loopnest/nest_edits.h"
#include "loopnest/parts.h"
#include "model/cost.h"
#include "model/fingerprint.h"
#include "spaces/origins.h"
#include "spaces/space.h"
#include "train/device.h"
#include "train/initialize.h"
#include "train/legality.h"
#include "train/minibatches.h"
#include "train/paired_draws.h"
#include "train/proxies.h"
#include "train/trainer.h"

namespace cambium::bench {
namespace {

constexpr std::int64_t kNetworks = 200, kSwapped = 1000, kQuickNetworks = 4;
constexpr std::size_t kOptions = 6, kQuickOptions = 1;  // of each site
constexpr std::int64_t kMinibatch = 16, kSwapMinibatch = 128, kQuickMinibatch = 2;
constexpr int kDraws = 4;
constexpr double kChanged = 0.5;  // share of sites that a random network changes

std::int64_t asked_or(std::int64_t asked, bool is_quick, std::int64_t quick, std::int64_t full) {
  return asked > 0 ? asked : is_quick ? quick : full;
}

// What one candidate does to the Fisher Potential, as a share of the original's.
class Changes {
 public:
  Changes(const LoopNestBenchOptions& options, const model::Model& base,
          const engine::Spaces& spaces, train::Minibatches images, const train::Device& device)
      : base_(base),
        spaces_(engine::pointers(spaces)),
        draws_(base, std::move(images), drawing(options, device), train::fisher_potential) {
    how_.verdict.draws = how_.verdict.most_draws = options.quick ? 1 : kDraws;
  }

  Result<train::Legality> of(const spaces::Edits& edits) {
    const spaces::Candidate candidate{model::structure_of(base_), edits, {}};
    CAMBIUM_TRY(const spaces::Traced traced, spaces::traced(base_, candidate, spaces_));
    return train::legality_of(traced.model, traced.origins, how_, draws_);
  }

 private:
  static train::DrawOptions drawing(const LoopNestBenchOptions& options,
                                    const train::Device& device) {
    train::DrawOptions draws;
    draws.batch = asked_or(options.minibatch, options.quick, kQuickMinibatch, kMinibatch);
    draws.seed = options.seed;
    draws.fisher.device = device;
    return draws;
  }

  model::Model base_;
  std::vector<spaces::Space*> spaces_;
  train::PairedDraws draws_;
  train::LegalityOptions how_;
};

// A few random options of each site. Those that also change the next site are left out: `compose`
// measures such pairs, and does not add them.
std::vector<std::vector<std::int32_t>> some_options(spaces::OffersBySite& offers, std::size_t most,
                                                    const Rng& rng) {
  std::vector<std::vector<std::int32_t>> some;
  for (std::size_t site = 0; site < offers.site_count(); ++site) {
    const auto& all = offers.options_at(site);
    std::vector<std::int32_t>& own = some.emplace_back();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].is_linked) own.push_back(static_cast<std::int32_t>(i));
    }
    Rng draws = rng.split(site);
    draws.shuffle(std::span(own));
    own.resize(std::min(own.size(), most));
  }
  return some;
}

class FisherTables {
 public:
  FisherTables(spaces::OffersBySite& offers, Changes& changes, nlohmann::json& rows,
               const std::string& name)
      : offers_(offers), changes_(changes), rows_(rows), name_(name) {}

  Status fill(const std::vector<std::vector<std::int32_t>>& some) {
    some_ = some;
    for (std::size_t site = 0; site < some.size(); ++site) {
      fmt::print(stderr, "site {} of {} ...\n", site + 1, some.size());
      for (const std::int32_t number : some[site]) {
        const auto& option = offers_.options_at(site)[static_cast<std::size_t>(number)];
        CAMBIUM_TRY(const train::Legality found, changes_.of(option.edits));
        table_[{site, number}] = {found.change(), found.total.mean};
        rows_.push_back({{"kind", "option"},
                         {"case", name_},
                         {"site", offers_.site_name(site)},
                         {"option", option.label},
                         {"change", found.change()},
                         {"error", found.total.error},
                         {"verdict", train::name_of(found.verdict)}});
      }
    }
    return Ok{};
  }

  Status compose(std::uint64_t number, Rng rng) {
    std::vector<std::int32_t> choice(some_.size(), -1);
    double additive = 0, logs = 0;
    std::int64_t changed = 0;
    for (std::size_t site = 0; site < some_.size(); ++site) {
      if (some_[site].empty() || !rng.chance(kChanged)) continue;
      choice[site] = some_[site][static_cast<std::size_t>(rng.below(some_[site].size()))];
      const auto& [change, log] = table_.at({site, choice[site]});
      additive += change;
      logs += log;
      ++changed;
    }
    if (changed == 0) return Ok{};
    CAMBIUM_TRY(const spaces::Edits edits, offers_.composed(choice));
    CAMBIUM_TRY(const train::Legality found, changes_.of(edits));
    additive_.push_back(additive);
    logs_.push_back(logs);
    measured_.push_back(found.total.mean);
    rows_.push_back({{"kind", "network"},
                     {"case", name_},
                     {"number", number},
                     {"changed_sites", changed},
                     {"additive", additive},
                     {"product", std::expm1(logs)},
                     {"change", found.change()},
                     {"error", found.total.error}});
    return Ok{};
  }

  nlohmann::json summary() const {
    const Spread spread = bootstrapped(&spearman, additive_, measured_, 1000, 1);
    return {{"networks", measured_.size()},
            {"options", table_.size()},
            {"spearman", spearman(additive_, measured_)},
            {"spearman_low", spread.low},
            {"spearman_high", spread.high},
            {"spearman_of_products", spearman(logs_, measured_)}};
  }

 private:
  struct Entry {
    double change = 0, log = 0;
  };
  spaces::OffersBySite& offers_;
  Changes& changes_;
  nlohmann::json& rows_;
  std::string name_;
  std::vector<std::vector<std::int32_t>> some_;
  std::map<std::pair<std::size_t, std::int32_t>, Entry> table_;
  std::vector<double> additive_, logs_, measured_;
};

}  // namespace

Status bench_fisher(const LoopNestBenchOptions& options, nlohmann::json& out) {
  const std::string name = options.quick ? kQuickModel : options.model;
  if (options.data.empty()) cli::note("without --data images are noise: only times mean something");
  CAMBIUM_TRY(const train::Device device, train::device_of(options.device));
  train::set_threads(options.jobs);
  CAMBIUM_TRY(const engine::Loaded loaded, engine::load_model(name));
  CAMBIUM_TRY(const engine::Spaces spaces, nest_space(loaded.model, options.targets));
  CAMBIUM_TRY(train::Minibatches images, train::Minibatches::open(options.data, options.seed));
  Changes changes(options, loaded.model, spaces, std::move(images), device);
  spaces::OffersBySite& offers = *spaces[0]->offers();
  FisherTables tables(offers, changes, out["rows"], name);
  const Rng rng(options.seed);
  CAMBIUM_REQUIRE(tables.fill(
      some_options(offers, options.quick ? kQuickOptions : kOptions, rng.split("options"))));
  const std::int64_t wanted = asked_or(options.networks, options.quick, kQuickNetworks, kNetworks);
  for (std::int64_t i = 0; i < wanted; ++i) {
    if (i % 10 == 0) fmt::print(stderr, "network {} of {} ...\n", i + 1, wanted);
    const auto number = static_cast<std::uint64_t>(i);
    CAMBIUM_REQUIRE(tables.compose(number, rng.split("networks").split(number)));
  }
  out["summary"]["fisher_tables"] = tables.summary();
  return Ok{};
}

std::string fisher_text(const nlohmann::json& row) {
  if (row["kind"] == "option") {
    return fmt::format("{:30} {:24} {:+.4f} ({})\n", row["site"].get<std::string>(),
                       row["option"].get<std::string>(), row["change"].get<double>(),
                       row["verdict"].get<std::string>());
  }
  return fmt::format("network {:4}, {:3} sites: additive {:+.4f}, true {:+.4f}\n",
                     row["number"].get<int>(), row["changed_sites"].get<int>(),
                     row["additive"].get<double>(), row["change"].get<double>());
}

// ---- BlockSwap

namespace {

struct Swapped {
  std::vector<BlockChoice> choices;
  std::vector<Result<train::FisherReport>> reports;
  double original = 0, seconds = 0;
};

Result<Swapped> swapped(const BlockSwap& swap, const LoopNestBenchOptions& options,
                        const model::Model& base, std::int64_t parameters) {
  Swapped out;
  const auto count =
      static_cast<std::size_t>(asked_or(options.networks, options.quick, kQuickNetworks, kSwapped));
  CAMBIUM_TRY(out.choices, swap.draw(count, parameters, Rng(options.seed)));
  // Neighbours that begin alike share what they compute.
  std::sort(out.choices.begin(), out.choices.end());
  CAMBIUM_TRY(train::Minibatches images, train::Minibatches::open(options.data, options.seed));
  CAMBIUM_TRY(
      const train::ProxyBatch batch,
      images.take(asked_or(options.minibatch, options.quick, kQuickMinibatch, kSwapMinibatch)));
  train::FisherManyOptions many;
  many.workers = options.jobs;
  many.fisher.hooks = train::Hooks::BlockOutputs;
  many.fisher.loss = train::Loss::Mean;
  CAMBIUM_TRY(many.fisher.device, train::device_of(options.device));
  std::int64_t done = 0;
  many.ended = [&](std::int64_t, const Result<train::FisherReport>&) {
    if (++done % 50 == 0) fmt::print(stderr, "{} of {} ...\n", done, count);
  };
  train::InitializeOptions drawing;
  drawing.seed = options.seed;
  CAMBIUM_TRY(const train::FisherReport first,
              train::fisher_potential(train::initialized(base, drawing), batch, many.fisher));
  out.original = first.total;
  const auto network = [&](std::int64_t i) -> Result<model::Model> {
    CAMBIUM_TRY(const model::Model made, swap.network(out.choices[static_cast<std::size_t>(i)]));
    return train::initialized(made, drawing);
  };
  out.reports = train::fisher_of_many(static_cast<std::int64_t>(count), network, batch, many);
  return out;
}

}  // namespace

Status bench_blockswap(const LoopNestBenchOptions& options, nlohmann::json& out) {
  const std::string name = options.quick ? kQuickModel : options.model;
  if (options.data.empty()) cli::note("without --data images are noise: only times mean something");
  if (!options.out.empty()) CAMBIUM_REQUIRE(engine::check_model_path(options.out));
  CAMBIUM_TRY(const engine::Loaded loaded, engine::load_model(name));
  CAMBIUM_TRY(const BlockSwap swap, BlockSwap::make(loaded.model));
  const auto all = static_cast<double>(model::cost_of(loaded.model).params);
  const auto parameters = static_cast<std::int64_t>(options.budget * all);
  CAMBIUM_TRY(const Swapped found, swapped(swap, options, loaded.model, parameters));
  std::size_t best = 0;
  std::int64_t below = 0;
  for (std::size_t i = 0; i < found.reports.size(); ++i) {
    CAMBIUM_REQUIRE(found.reports[i]);
    below += found.reports[i]->total < found.original;
    if (found.reports[i]->total > found.reports[best]->total) best = i;
  }
  CAMBIUM_TRY(const model::Model network, swap.network(found.choices[best]));
  const model::Cost cost = model::cost_of(network);
  nlohmann::json types = nlohmann::json::array();
  for (const std::size_t type : found.choices[best]) types.push_back(block_types()[type].name);
  out["rows"].push_back({{"case", name},
                         {"networks", found.choices.size()},
                         {"budget", parameters},
                         {"parameters", cost.params},
                         {"macs", cost.macs},
                         {"score", found.reports[best]->total},
                         {"original_score", found.original},
                         {"below_original", below},
                         {"types", types}});
  if (options.out.empty()) return Ok{};
  return engine::save_model(network, options.out, loaded.classes);
}

std::string blockswap_text(const nlohmann::json& row) {
  std::string text = fmt::format(
      "{}: {} networks of about {} parameters, {} of them below the original's {:.4g}\n"
      "the best: {} parameters, {} MACs, {:.4g}:",
      row["case"].get<std::string>(), row["networks"].get<int>(), row["budget"].get<std::int64_t>(),
      row["below_original"].get<int>(), row["original_score"].get<double>(),
      row["parameters"].get<std::int64_t>(), row["macs"].get<std::int64_t>(),
      row["score"].get<double>());
  for (const auto& type : row["types"]) text += " " + type.get<std::string>();
  return text + "\n";
}

}  // namespace cambium::bench
