// The table of the comparison of searches: ratios paired by seed, with their quartiles, how many
// seeds won, and how likely so many would win by luck.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <fmt/core.h>

#include "base/quantile.h"
#include "tune/parts.h"

namespace cambium::bench {
namespace {

using BySeed = std::map<std::int64_t, double>;  // seconds
using Ways = std::map<std::string, BySeed>;     // by name
using Cases = std::map<std::string, Ways>;      // by shape
// What others are compared with, each with all that are no base or a later one.
constexpr const char* kBases[] = {"uniform", "random", "evolution"};

// Two-sided: heads at least as far from half of the tosses as this.
double sign_test(std::int64_t won, std::int64_t lost) {
  const std::int64_t n = won + lost;
  double sum = 0;
  for (std::int64_t i = std::max(won, lost); i <= n; ++i) {
    const auto in = static_cast<double>(i), all = static_cast<double>(n);
    sum += std::exp(std::lgamma(all + 1) - std::lgamma(in + 1) - std::lgamma(all - in + 1) -
                    all * std::log(2.0));
  }
  return std::min(1.0, 2 * sum);
}

struct Column {
  double log_sum = 0;
  std::int64_t shapes = 0, won = 0, lost = 0;
};

std::string cell(const BySeed& base, const BySeed& way, Column& column) {
  std::vector<double> ratios;
  std::int64_t won = 0;
  for (const auto& [seed, seconds] : way) {
    const auto other = base.find(seed);
    if (other == base.end()) continue;
    ratios.push_back(other->second / seconds);
    won += ratios.back() > 1 ? 1 : 0;
    column.won += ratios.back() > 1 ? 1 : 0;
    column.lost += ratios.back() < 1 ? 1 : 0;
  }
  if (ratios.empty()) return {};
  column.log_sum += std::log(median(ratios));
  ++column.shapes;
  return fmt::format("{:.3f} [{:.3f} {:.3f}] {:2}/{}", median(ratios), quantile(ratios, 0.25),
                     quantile(ratios, 0.75), won, ratios.size());
}

bool is_compared(const std::string& way, const std::string& base) {
  const auto at = [](const std::string& name) {
    return std::find(std::begin(kBases), std::end(kBases), name);
  };
  return at(way) > at(base);
}

std::string table(const Cases& cases, const std::string& base) {
  std::map<std::string, Column> columns;
  for (const auto& [name, ways] : cases) {
    for (const auto& [way, seconds] : ways) {
      if (is_compared(way, base)) columns[way];
    }
  }
  std::string text = fmt::format(
      "\nTime of the best by {} over time of the best by each way, paired by seed: median "
      "[quartiles] seeds won\n{:8}",
      base, "");
  for (const auto& [way, column] : columns) text += fmt::format(" {:>28}", way);
  text += '\n';
  for (const auto& [name, ways] : cases) {
    text += fmt::format("{:8}", name);
    for (auto& [way, column] : columns) {
      const bool is_there = ways.contains(way) && ways.contains(base);
      text += fmt::format(" {:>28}", is_there ? cell(ways.at(base), ways.at(way), column) : "");
    }
    text += '\n';
  }
  text += fmt::format("{:8}", "mean");
  for (const auto& [way, c] : columns) {
    const double mean = c.shapes > 0 ? std::exp(c.log_sum / static_cast<double>(c.shapes)) : 0;
    text += fmt::format(" {:>28}", fmt::format("{:.3f}  {} won {} lost p={:.2g}", mean, c.won,
                                               c.lost, sign_test(c.won, c.lost)));
  }
  return text + "\n";
}

BySeed times_of(const Cases& cases, const std::string& name, const std::string& way) {
  const auto ways = cases.find(name);
  if (ways == cases.end() || !ways->second.contains(way)) return {};
  return ways->second.at(way);
}

// What further trials brought: the time of the best on the way over that of the best at the end.
std::string gains(const std::map<std::int64_t, Cases>& by_trials) {
  if (by_trials.size() < 2) return "";
  const auto& [all, at_the_end] = *by_trials.rbegin();
  std::string text = fmt::format(
      "\nTime of the best on the way over time of the best after {} trials: median over seeds\n"
      "{:8} {:24}",
      all, "", "");
  for (const auto& [trials, cases] : by_trials) text += fmt::format(" {:>8}", trials);
  text += '\n';
  for (const auto& [name, ways] : at_the_end) {
    for (const auto& [way, last] : ways) {
      text += fmt::format("{:8} {:24}", name, way);
      for (const auto& [trials, cases] : by_trials) {
        std::vector<double> ratios;
        for (const auto& [seed, seconds] : times_of(cases, name, way)) {
          if (last.contains(seed)) ratios.push_back(seconds / last.at(seed));
        }
        text += ratios.empty() ? fmt::format(" {:8}", "") : fmt::format(" {:8.3f}", median(ratios));
      }
      text += '\n';
    }
  }
  return text;
}

bool has_way(const Cases& cases, const std::string& way) {
  return std::any_of(cases.begin(), cases.end(),
                     [&](const auto& one) { return one.second.contains(way); });
}

}  // namespace

std::string search_text(const Results& results) {
  std::map<std::int64_t, Cases> by_trials;
  std::map<std::string, double> compared;  // by shape and trace
  const auto name_of = [](const nlohmann::json& key, const std::string& trace) {
    return key["case"].get<std::string>() + " " + trace;
  };
  for (const nlohmann::json& row : results.rows()) {
    if (row["key"]["part"] != "search" || !row.contains("winners")) continue;
    for (const auto& [trace, seconds] : row["winners"].items()) {
      compared[name_of(row["key"], trace)] = seconds;
    }
  }
  for (const nlohmann::json& row : results.rows()) {
    const nlohmann::json& key = row["key"];
    if (key["part"] != "search" || !key.contains("way") || row.contains("refused")) continue;
    const auto find = [&](const nlohmann::json& trace) {
      return compared.find(name_of(key, fingerprint_of(trace.get<std::string>()).text()));
    };
    const auto add = [&](const nlohmann::json& trials, double seconds) {
      by_trials[trials][key["case"]][key["way"]][key["seed"]] = seconds;
    };
    const auto last = find(row["trace"]);
    add(key["trials"], last == compared.end() ? row["seconds"].get<double>() : last->second);
    for (const nlohmann::json& early : row.value("on_the_way", nlohmann::json::array())) {
      const auto found = find(early[1]);
      if (found != compared.end()) add(early[0], found->second);
    }
  }
  std::string text;
  for (const auto& [trials, cases] : by_trials) {
    text += fmt::format("\nAfter {} trials, without the default schedule\n", trials);
    for (const char* base : kBases) {
      if (has_way(cases, base)) text += table(cases, base);
    }
  }
  return text + gains(by_trials);
}

}  // namespace cambium::bench
