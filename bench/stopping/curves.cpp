#include "stopping/curves.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/random.h"
#include "base/text.h"

namespace cambium::bench {

namespace {

Result<NamedCurve> curve_in(std::string_view line, std::int64_t number) {
  const auto bad = [&](const char* why) { return Rejection(Reason::BadRecord, why, "", number); };
  CAMBIUM_TRY(const nlohmann::json json, parse_json(line));
  if (!json.is_object() || !json.contains("scores") || !json["scores"].is_array()) {
    return bad("it has no list of scores");
  }
  NamedCurve out;
  out.name = json.value("name", nlohmann::json()).is_string() ? json["name"] : "";
  out.ending = json.value("ending", nlohmann::json()).is_string() ? json["ending"] : "";
  if (json.value("parameters", nlohmann::json()).is_number_integer()) {
    out.parameters = json["parameters"];
  }
  for (const nlohmann::json& score : json["scores"]) {
    if (!score.is_number() || !std::isfinite(score.get<double>())) {
      return bad("a score is not a number");
    }
    out.scores.push_back(score.get<double>());
  }
  return out;
}

// How far below the best the last of the good ones ended.
double tolerance_of(const std::vector<NamedCurve>& curves, double good_share) {
  std::vector<double> last;
  for (const NamedCurve& each : curves) last.push_back(each.scores.back());
  std::sort(last.begin(), last.end(), std::greater<>());
  const auto good =
      static_cast<std::size_t>(std::ceil(good_share * static_cast<double>(last.size())));
  return last.front() - last[std::clamp<std::size_t>(good, 1, last.size()) - 1];
}

}  // namespace

std::string to_line(const NamedCurve& curve) {
  return json_text({{"name", curve.name},
                    {"parameters", curve.parameters},
                    {"ending", curve.ending},
                    {"scores", curve.scores}}) +
         "\n";
}

Result<std::vector<NamedCurve>> curves_in(std::string_view lines) {
  std::vector<NamedCurve> all;
  std::int64_t number = 0;
  for (const std::string_view line : split(lines, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    CAMBIUM_TRY(NamedCurve curve, curve_in(line, number));
    all.push_back(std::move(curve));
  }
  std::size_t longest = 0;
  for (const NamedCurve& each : all) longest = std::max(longest, each.scores.size());
  std::erase_if(all, [&](const NamedCurve& each) { return each.scores.size() < longest; });
  if (all.size() < 2 || longest < 2) {
    return Rejection(Reason::BadRecord, "a study needs two curves of two epochs", "", number);
  }
  return all;
}

Result<RuleOutcome> outcome_of(std::string_view rule, const std::vector<NamedCurve>& curves,
                               double good_share, int orders, std::uint64_t seed) {
  RuleOutcome out;
  const double tolerance = tolerance_of(curves, good_share);
  for (int i = 0; i < orders; ++i) {
    std::vector<train::Curve> order;
    for (const NamedCurve& each : curves) order.push_back(each.scores);
    Rng(seed).split(static_cast<std::uint64_t>(i)).shuffle(std::span(order));
    CAMBIUM_TRY(const auto fresh, train::stopping_rule_of(rule));  // it learns within an order
    const train::StoppingStudy study = train::study(*fresh, order, tolerance);
    const auto share = [orders](std::int64_t part, std::int64_t whole) {
      return static_cast<double>(part) / static_cast<double>(whole) / orders;
    };
    out.stopped += share(study.stopped, study.curves);
    out.saved += share(study.saved, study.epochs);
    out.good_lost += share(study.good_lost, study.good);
    out.best_lost += study.best_lost / orders;
    out.rule = fresh->text();
  }
  return out;
}

}  // namespace cambium::bench
