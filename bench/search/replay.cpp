#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "model/fingerprint.h"
#include "search/parts.h"
#include "search/planted.h"
#include "search/race.h"
#include "search/replay_space.h"
#include "search/setting.h"

namespace cambium::bench {
namespace {

using nlohmann::json;
using study::Metric;

Result<SearchTable> planted_table(const SearchBenchOptions& options) {
  CAMBIUM_TRY(const SearchSetting setting, setting_of(options));
  SearchTable table;
  table.model = options.model;
  table.data = "planted";
  table.spaces = spaces_of(options);
  table.reward = planted_reward(Metric::Latency);
  table.original = planted_original();
  std::map<std::string, bool> seen;
  const int wanted = options.quick ? 60 : options.planted;
  for (std::uint64_t draw = 0; std::ssize(table.rows) < wanted && draw < 100'000; ++draw) {
    const auto edits = setting.space->samples()->sample(Rng(options.seed).split(draw).next_u64());
    if (!edits.ok() || !seen.emplace(edits->front().document, true).second) continue;
    CAMBIUM_TRY(const study::Scores scores, planted_scores(*setting.space, edits->front()));
    table.rows.push_back({{model::structure_of(setting.base), *edits, std::nullopt}, scores});
  }
  return table;
}

Result<SearchTable> table_for(const SearchBenchOptions& options) {
  if (options.table.empty()) return planted_table(options);
  CAMBIUM_TRY(const std::string lines, read_file(options.table));
  return parse_table(lines).at(options.table);
}

Result<SettingList> settings_of(const SearchBenchOptions& options) {
  SettingList list;
  for (const std::string& pair : options.set) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) {
      return Rejection(Reason::BadOption, "--set", "write NAME=VALUE");
    }
    list.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
  }
  return list;
}

Result<RaceOptions> race_options(const SearchBenchOptions& options, const std::string& strategy) {
  RaceOptions out;
  out.strategy = strategy;
  if (strategy == "tree") {
    CAMBIUM_TRY(out.settings, settings_of(options));
  }
  out.tickets = options.quick ? std::min<std::int64_t>(options.tickets, 20) : options.tickets;
  out.seeds = options.quick ? std::min(options.seeds, 3) : options.seeds;
  out.in_flight = options.in_flight;
  out.first_seed = options.seed;
  return out;
}

json json_of(const Quartiles& quartiles) {
  return {{"mean", quartiles.mean},
          {"lower", quartiles.lower},
          {"median", quartiles.median},
          {"upper", quartiles.upper}};
}

// What one strategy found, against another over the same seeds.
json strategy_row(const std::string& name, const std::vector<SearchRun>& runs,
                  const std::vector<SearchRun>& others, const RaceOptions& options) {
  json row = {{"name", name}, {"seeds", options.seeds}, {"tickets", options.tickets}};
  const auto best_at = [&](std::int64_t tickets) {
    std::vector<double> best;
    for (const SearchRun& run : runs) best.push_back(run.best(static_cast<std::size_t>(tickets)));
    return quartiles_of(std::move(best));
  };
  row["curve"] = json::array();
  for (std::int64_t tickets = 1; tickets <= options.tickets; ++tickets) {
    json point = json_of(best_at(tickets));
    point["tickets"] = tickets;
    row["curve"].push_back(std::move(point));
  }
  row["best"] = json_of(best_at(options.tickets));
  double sum = 0, count = 0;
  int wins = 0, losses = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const double reward : runs[i].rewards) sum += reward;
    count += static_cast<double>(runs[i].rewards.size());
    const auto all = static_cast<std::size_t>(options.tickets);
    wins += runs[i].best(all) > others[i].best(all);
    losses += runs[i].best(all) < others[i].best(all);
  }
  row["mean_of_tried"] = sum / count;
  row["wins"] = wins;
  row["losses"] = losses;
  return row;
}

// How many tickets it took to find one of the best share of the table.
json reaching(const std::vector<SearchRun>& runs, std::vector<double> rewards, double share) {
  std::sort(rewards.begin(), rewards.end(), std::greater<>());
  const auto place = static_cast<std::size_t>(share * static_cast<double>(rewards.size()));
  const double wanted = rewards[std::min(place, rewards.size() - 1)];
  std::vector<double> tickets;
  int reached = 0;
  for (const SearchRun& run : runs) {
    const std::size_t needed = run.tickets_to(wanted);
    reached += needed <= run.rewards.size();
    tickets.push_back(static_cast<double>(needed));
  }
  json out = json_of(quartiles_of(std::move(tickets)));
  out["share"] = share;
  out["reached"] = reached;
  return out;
}

search::RewardOptions with_cost(search::RewardOptions reward, Metric cost) {
  reward.kind = search::RewardOptions::Kind::Ratio;
  reward.cost = cost;
  return reward;
}

// Judges by the table.
Judge recorded(const SearchTable& table, const ReplaySpace& space,
               const search::RewardOptions& reward) {
  return [&table, &space, reward](const spaces::Candidate& candidate) {
    const TableRow& row = table.rows[space.row_of(candidate.edits[0])];
    search::Outcome outcome;
    outcome.candidate = candidate;
    outcome.scores = row.scores;
    outcome.reward = search::reward_of(reward, row.scores, table.original);
    return outcome;
  };
}

// The lowest latency among rows that keep the accuracy: the reward is below `least` where it is
// lost. Nothing where none does.
std::optional<double> kept_latency(const SearchTable& table, const std::vector<std::size_t>& rows) {
  const search::RewardOptions reward = with_cost(table.reward, Metric::Latency);
  std::optional<double> least;
  for (const std::size_t i : rows) {
    const study::Scores& scores = table.rows[i].scores;
    if (search::reward_of(reward, scores, table.original) < reward.least) continue;
    const double latency = scores.at(Metric::Latency)->value;
    if (!least || latency < *least) least = latency;
  }
  return least;
}

json reward_row(const std::string& name, const SearchTable& table, const ReplaySpace& space,
                const std::vector<SearchRun>& runs, const RaceOptions& options) {
  std::vector<double> latencies;
  for (const SearchRun& run : runs) {
    std::vector<std::size_t> rows;
    for (const spaces::Candidate& candidate : run.candidates) {
      rows.push_back(space.row_of(candidate.edits[0]));
    }
    if (const auto latency = kept_latency(table, rows)) latencies.push_back(*latency);
  }
  const auto best = kept_latency(table, space.rows());
  json row = {{"name", name},
              {"seeds", options.seeds},
              {"tickets", options.tickets},
              {"found", latencies.size()},
              {"original", table.original.at(Metric::Latency)->value},
              {"best_of_table", best ? json(*best) : json()}};
  row["latency"] = latencies.empty() ? json() : json_of(quartiles_of(std::move(latencies)));
  return row;
}

}  // namespace

Status bench_replay(const SearchBenchOptions& options, json& out) {
  CAMBIUM_TRY(SearchTable table, table_for(options));
  if (options.least > 0) table.reward.least = options.least;
  out["summary"]["least"] = table.reward.least;
  CAMBIUM_TRY(const SearchSetting setting, setting_of(table.model, table.bind, table.spaces));
  CAMBIUM_TRY(const auto space, ReplaySpace::make(setting.base, *setting.space, table.rows));
  const std::vector<std::size_t> rows = space->rows();
  out["summary"]["candidates"] = table.rows.size();
  out["summary"]["candidates_in_tree"] = rows.size();
  out["summary"]["states"] = space->states();
  const Fingerprint base = model::structure_of(setting.base);
  std::vector<Metric> costs = {Metric::Macs};
  if (table.has(Metric::Latency)) costs.push_back(Metric::Latency);
  std::map<Metric, std::vector<SearchRun>> by_tree;
  CAMBIUM_TRY(const RaceOptions tree, race_options(options, "tree"));
  CAMBIUM_TRY(const RaceOptions random, race_options(options, "random"));
  for (const Metric cost : costs) {
    const search::RewardOptions reward = with_cost(table.reward, cost);
    std::vector<double> rewards;
    for (const std::size_t i : rows) {
      rewards.push_back(search::reward_of(reward, table.rows[i].scores, table.original));
    }
    const Judge judge = recorded(table, *space, reward);
    CAMBIUM_TRY(by_tree[cost], race(tree, base, *space, judge));
    CAMBIUM_TRY(const std::vector<SearchRun> drawn, race(random, base, *space, judge));
    const auto add = [&](const char* name, const std::vector<SearchRun>& runs,
                         const std::vector<SearchRun>& others) {
      json row = strategy_row(name, runs, others, tree);
      row["reward"] = name_of(cost);
      row["reaching"] = {reaching(runs, rewards, 0.01), reaching(runs, rewards, 0.05)};
      out["rows"].push_back(std::move(row));
    };
    add("tree", by_tree[cost], drawn);
    add("random", drawn, by_tree[cost]);
  }
  if (costs.size() < 2) return Ok{};
  for (const Metric cost : costs) {
    out["rows"].push_back(reward_row(fmt::format("rewarded by {}", name_of(cost)), table, *space,
                                     by_tree[cost], tree));
  }
  return Ok{};
}

Status bench_planted(const SearchBenchOptions& options, json& out) {
  CAMBIUM_TRY(const SearchSetting setting, setting_of(options));
  const search::RewardOptions reward = planted_reward(Metric::Macs);
  const Judge judge = [&](const spaces::Candidate& candidate) {
    search::Outcome outcome;
    outcome.candidate = candidate;
    const auto scores = planted_scores(*setting.space, candidate.edits[0]);
    outcome.is_refused = !scores.ok();
    if (!scores.ok()) return outcome;
    outcome.scores = *scores;
    outcome.reward = search::reward_of(reward, *scores, planted_original());
    return outcome;
  };
  const Fingerprint base = model::structure_of(setting.base);
  CAMBIUM_TRY(const RaceOptions tree, race_options(options, "tree"));
  CAMBIUM_TRY(const RaceOptions random, race_options(options, "random"));
  CAMBIUM_TRY(const std::vector<SearchRun> by_tree, race(tree, base, *setting.space, judge));
  CAMBIUM_TRY(const std::vector<SearchRun> drawn, race(random, base, *setting.space, judge));
  out["rows"].push_back(strategy_row("tree", by_tree, drawn, tree));
  out["rows"].push_back(strategy_row("random", drawn, by_tree, tree));
  return Ok{};
}

std::string strategies_text(const json& row) {
  const json& best = row["best"];
  std::string text = fmt::format(
      "{:7} {:8} best after {} tickets {:.4f} ({:.4f} to {:.4f}), mean of all tried {:.4f}, won {} "
      "and lost {} of {}\n",
      row["name"].get<std::string>(), row.value("reward", ""), row["tickets"].get<std::int64_t>(),
      best["mean"].get<double>(), best["lower"].get<double>(), best["upper"].get<double>(),
      row["mean_of_tried"].get<double>(), row["wins"].get<int>(), row["losses"].get<int>(),
      row["seeds"].get<int>());
  for (const json& each : row.value("reaching", json::array())) {
    text += fmt::format(
        "{:16} best {:.0f} % reached after {:.0f} tickets ({:.0f} to {:.0f}), in {} "
        "of {}\n",
        "", 100 * each["share"].get<double>(), each["median"].get<double>(),
        each["lower"].get<double>(), each["upper"].get<double>(), each["reached"].get<int>(),
        row["seeds"].get<int>());
  }
  return text;
}

std::string replay_text(const json& row) {
  if (row.contains("curve")) return strategies_text(row);
  if (row["latency"].is_null()) {
    return fmt::format("{}: none keeps the accuracy\n", row["name"].get<std::string>());
  }
  const double original = row["original"].get<double>();
  return fmt::format(
      "{:20} lowest latency at kept accuracy {:.3f} of the original ({:.3f} to {:.3f}), found in "
      "{} "
      "of {}; the table's {:.3f}\n",
      row["name"].get<std::string>(), row["latency"]["mean"].get<double>() / original,
      row["latency"]["lower"].get<double>() / original,
      row["latency"]["upper"].get<double>() / original, row["found"].get<int>(),
      row["seeds"].get<int>(), row["best_of_table"].get<double>() / original);
}

}  // namespace cambium::bench
