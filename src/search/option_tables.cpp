#include "search/option_tables.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace cambium::search {
namespace {

// Of measured compositions, so many that are nearest to the best one correct the tables.
constexpr std::size_t kMostFitted = 256;
// What is left unexplained by a composition at distance d counts as noise of variance kNoise x (1 +
// d), where the correction of one option has variance 1.
constexpr double kNoise = 0.1;

std::size_t distance(const Choice& a, const Choice& b) {
  std::size_t count = 0;
  for (std::size_t site = 0; site < a.size(); ++site) count += a[site] != b[site] ? 1u : 0u;
  return count;
}

// The options that both have, and 1 for what all compositions share.
double likeness(const Choice& a, const Choice& b) {
  double count = 1;
  for (std::size_t site = 0; site < a.size(); ++site) {
    if (a[site] >= 0 && a[site] == b[site]) count += 1;
  }
  return count;
}

// Solves A x = b for a positive definite A, of which the lower half is given row by row.
std::vector<double> solved(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      a[i][j] = i == j ? std::sqrt(sum) : sum / a[j][j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

}  // namespace

std::vector<LinkedSites> forest_of(const std::vector<LinkedSites>& links, std::size_t sites) {
  std::vector<std::size_t> above(sites);
  std::iota(above.begin(), above.end(), std::size_t{0});
  const auto root = [&](std::size_t site) {
    while (above[site] != site) site = above[site] = above[above[site]];
    return site;
  };
  std::vector<LinkedSites> kept;
  for (const LinkedSites& link : links) {
    const std::size_t first = root(link.first), second = root(link.second);
    if (first == second) continue;
    above[first] = second;
    kept.push_back(link);
  }
  return kept;
}

OptionTables::OptionTables(std::vector<std::size_t> options, std::vector<LinkedSites> links)
    : links_(std::move(links)), couplings_(links_.size()), linked_(links_.size()) {
  for (const std::size_t count : options) rows_.emplace_back(count);
}

// ---- pairs

void OptionTables::Share::add(const Weighed& more, const Weighed& other) {
  products.cost += more.cost * other.cost;
  products.gain += more.gain * other.gain;
  squares.cost += other.cost * other.cost;
  squares.gain += other.gain * other.gain;
}

Weighed OptionTables::Share::of(const Weighed& other) const {
  // No more than all of it, either way.
  const auto part = [](double product, double square) {
    return square > 0 ? std::clamp(product / square, -1.0, 1.0) : 0.0;
  };
  return {part(products.cost, squares.cost) * other.cost,
          part(products.gain, squares.gain) * other.gain};
}

void OptionTables::mark_linked(std::size_t link, std::int32_t option) {
  linked_[link].try_emplace(option);
}

bool OptionTables::is_linked(std::size_t link, std::int32_t option) const {
  return linked_[link].count(option) > 0;
}

Weighed OptionTables::more(std::size_t link, Pair pair) const {
  const auto measured = couplings_[link].find(pair);
  if (measured != couplings_[link].end()) return measured->second.more;
  const auto share = linked_[link].find(pair.first);
  if (share == linked_[link].end()) return {};
  return share->second.of(at(links_[link].second, pair.second));
}

const OptionTables::Row& OptionTables::row(std::size_t site, std::int32_t option) const {
  return rows_[site][static_cast<std::size_t>(option)];
}

void OptionTables::set(std::size_t site, std::int32_t option, const Weighed& measured) {
  rows_[site][static_cast<std::size_t>(option)] = {Standing::Known, measured, {}};
}

void OptionTables::drop(std::size_t site, std::int32_t option) {
  rows_[site][static_cast<std::size_t>(option)] = {Standing::Dropped, {}, {}};
}

OptionTables::Standing OptionTables::standing(std::size_t site, std::int32_t option) const {
  return row(site, option).standing;
}

const Weighed& OptionTables::at(std::size_t site, std::int32_t option) const {
  return row(site, option).measured;
}

void OptionTables::set_pair(std::size_t link, Pair pair, const Weighed& measured) {
  const Weighed &first = at(links_[link].first, pair.first),
                &second = at(links_[link].second, pair.second);
  const Weighed more = {measured.cost - (first.cost + second.cost),
                        measured.gain - (first.gain + second.gain)};
  couplings_[link][pair] = {more, true};
  const auto share = linked_[link].find(pair.first);
  if (share != linked_[link].end()) share->second.add(more, second);
}

void OptionTables::forbid(std::size_t link, Pair pair) {
  couplings_[link][pair] = {{}, false};
}

std::optional<bool> OptionTables::is_allowed(std::size_t link, Pair pair) const {
  const auto found = couplings_[link].find(pair);
  if (found == couplings_[link].end()) return std::nullopt;
  return found->second.is_allowed;
}

Weighed OptionTables::sum_of(const Choice& choice) const {
  Weighed sum;
  for (std::size_t site = 0; site < choice.size(); ++site) {
    if (choice[site] < 0) continue;
    const Weighed& own = at(site, choice[site]);
    sum.cost += own.cost;
    sum.gain += own.gain;
  }
  for (std::size_t link = 0; link < links_.size(); ++link) {
    const Pair pair = {choice[links_[link].first], choice[links_[link].second]};
    if (pair.first < 0 || pair.second < 0) continue;
    const Weighed more = this->more(link, pair);
    sum.cost += more.cost;
    sum.gain += more.gain;
  }
  return sum;
}

Weighed OptionTables::predicted(const Choice& choice) const {
  Weighed sum = sum_of(choice);
  sum.cost += shift_.cost;
  sum.gain += shift_.gain;
  for (std::size_t site = 0; site < choice.size(); ++site) {
    if (choice[site] < 0) continue;
    const Weighed& own = row(site, choice[site]).correction;
    sum.cost += own.cost;
    sum.gain += own.gain;
  }
  return sum;
}

void OptionTables::fit(std::span<const MeasuredChoice> measured, const Choice& around,
                       std::optional<double> MeasuredChoice::*value, double Weighed::*part) {
  std::vector<const MeasuredChoice*> near;
  for (const MeasuredChoice& each : measured) {
    if (each.*value) near.push_back(&each);
  }
  if (near.empty()) return;
  std::stable_sort(near.begin(), near.end(), [&](const auto* a, const auto* b) {
    return distance(a->choice, around) < distance(b->choice, around);
  });
  near.resize(std::min(near.size(), kMostFitted));
  std::vector<std::vector<double>> alike;
  std::vector<double> errors;
  for (const MeasuredChoice* each : near) {
    std::vector<double>& line = alike.emplace_back();
    for (std::size_t j = 0; j < alike.size(); ++j) {
      line.push_back(likeness(each->choice, near[j]->choice));
    }
    line.back() += kNoise * static_cast<double>(1 + distance(each->choice, around));
    errors.push_back(*(each->*value) - sum_of(each->choice).*part);
  }
  const std::vector<double> weights = solved(std::move(alike), std::move(errors));
  for (std::size_t i = 0; i < near.size(); ++i) {
    shift_.*part += weights[i];
    const Choice& choice = near[i]->choice;
    for (std::size_t site = 0; site < choice.size(); ++site) {
      if (choice[site] < 0) continue;
      rows_[site][static_cast<std::size_t>(choice[site])].correction.*part += weights[i];
    }
  }
}

void OptionTables::correct(std::span<const MeasuredChoice> measured, const Choice& around) {
  shift_ = {};
  for (std::vector<Row>& site : rows_) {
    for (Row& each : site) each.correction = {};
  }
  fit(measured, around, &MeasuredChoice::cost, &Weighed::cost);
  fit(measured, around, &MeasuredChoice::gain, &Weighed::gain);
}

std::vector<Chosen> OptionTables::front(double least_gain) const {
  Knapsack sack;
  std::vector<std::vector<std::int32_t>> meaning(rows_.size());  // of the knapsack's options
  std::vector<std::vector<std::int32_t>> place(rows_.size());    // of the option in the knapsack
  for (std::size_t site = 0; site < rows_.size(); ++site) {
    std::vector<Weighed>& options = sack.sites.emplace_back(1);
    meaning[site] = {-1};
    place[site].assign(rows_[site].size(), -1);
    for (std::size_t option = 0; option < rows_[site].size(); ++option) {
      const Row& each = rows_[site][option];
      if (each.standing != Standing::Known) continue;
      place[site][option] = static_cast<std::int32_t>(options.size());
      meaning[site].push_back(static_cast<std::int32_t>(option));
      options.push_back(
          {each.measured.cost + each.correction.cost, each.measured.gain + each.correction.gain});
    }
  }
  for (std::size_t link = 0; link < links_.size(); ++link) {
    const std::size_t first = links_[link].first, second = links_[link].second;
    SiteLink added{first, second, {}};
    const auto add = [&](Pair pair, bool is_allowed) {
      const std::int32_t a = place[first][static_cast<std::size_t>(pair.first)],
                         b = place[second][static_cast<std::size_t>(pair.second)];
      if (a >= 0 && b >= 0) added.pairs.push_back({a, b, more(link, pair), is_allowed});
    };
    for (const auto& [pair, coupling] : couplings_[link]) add(pair, coupling.is_allowed);
    for (const auto& [option, share] : linked_[link]) {
      if (share == Share{}) continue;
      for (std::size_t other = 0; other < rows_[second].size(); ++other) {
        const Pair pair = {option, static_cast<std::int32_t>(other)};
        if (!couplings_[link].count(pair)) add(pair, true);
      }
    }
    if (!added.pairs.empty()) sack.links.push_back(std::move(added));  // otherwise all adds up
  }
  sack.least_gain = least_gain - shift_.gain;
  std::vector<Chosen> front = front_of(sack);
  for (Chosen& one : front) {
    one.sum.cost += shift_.cost;
    one.sum.gain += shift_.gain;
    for (std::size_t site = 0; site < rows_.size(); ++site) {
      one.choice[site] = meaning[site][static_cast<std::size_t>(one.choice[site])];
    }
  }
  return front;
}

}  // namespace cambium::search
