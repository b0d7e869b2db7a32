#include "report/script_data.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "report/files.h"
#include "report/script_json.h"
#include "report/values.h"

namespace cambium::report {
namespace {

using nlohmann::json;
using study::Metric;

constexpr std::size_t kRowsInPart = 10'000;

// Six digits are more than a reader sees, and a third of the size of all digits.
std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "null";
}

double finite(double value) {
  return std::isfinite(value) ? value : 0;
}

// Texts that recur, each written once.
struct Texts {
  std::vector<std::string> all;
  std::unordered_map<std::string, std::size_t> index;

  std::size_t index_of(const std::string& text) {
    const auto [at, added] = index.emplace(text, all.size());
    if (added) all.push_back(text);
    return at->second;
  }
};

// One value a metric, then one bit a metric that is an estimate.
void append_values(const Entry& entry, std::string& out) {
  unsigned estimates = 0;
  for (const Metric metric : kShownMetrics) {
    const auto& known = entry.at(metric);
    out += known ? number(known->value) : "null";
    out += ',';
    if (known && known->is_estimate) estimates |= 1U << static_cast<unsigned>(metric);
  }
  out += std::to_string(estimates);
}

// Of each metric, relative; 0 where nothing spreads.
void append_spreads(const Entry& entry, std::string& out) {
  bool any = false;
  for (const Metric metric : kShownMetrics) any |= entry.at(metric) && entry.at(metric)->spread > 0;
  if (!any) {
    out += "0";
    return;
  }
  char before = '[';
  for (const Metric metric : kShownMetrics) {
    const double spread = entry.at(metric) ? entry.at(metric)->spread : 0;
    fmt::format_to(std::back_inserter(out), "{}{:.3g}", before, finite(spread));
    before = ',';
  }
  out += "]";
}

// [id, title, values..., estimates, has a page, epochs of training, spreads, takes part in fronts]
std::string points_text(const Summary& summary, const Selection& selection) {
  std::string out = "[";
  for (const std::size_t i : selection.plotted) {
    const Entry& entry = summary.entries[i];
    if (out.size() > 1) out += ",\n";
    out += "[\"" + study::long_id(entry.identity) + "\"," +
           script_json(terminal_text(entry.title)) + ",";
    append_values(entry, out);
    out += selection.has_page[i] ? ",1," : ",0,";
    out += number(study::epochs_of(entry.scores).value_or(0)) + ",";
    append_spreads(entry, out);
    out += entry.takes_part ? ",1]" : ",0]";
  }
  return out + "]";
}

json metrics_json(const Summary& summary) {
  json metrics = json::array();
  for (const Metric metric : kShownMetrics) {
    const study::MetricInfo& info = info_of(metric);
    const bool known = std::any_of(summary.entries.begin(), summary.entries.end(),
                                   [metric](const Entry& e) { return e.at(metric).has_value(); });
    metrics.push_back({{"name", info.name},
                       {"label", info.label},
                       {"unit", name_of(info.unit)},
                       {"more", info.more_is_better},
                       {"training", study::is_of_training(metric)},
                       {"known", known}});
  }
  return metrics;
}

json progress_json(const Summary& summary) {
  json steps = json::array();
  for (const Improvement& step : summary.progress)
    steps.push_back({static_cast<int>(step.metric), step.candidates, finite(step.seconds),
                     finite(step.value), study::long_id(summary.entries[step.entry].identity)});
  return steps;
}

json curves_json(const Summary& summary, std::span<const TrainingCurve> curves) {
  json out = json::array();
  for (const TrainingCurve& curve : curves) {
    const Entry& entry = summary.entries[curve.entry];
    out.push_back({{"name", study::long_id(entry.identity)},
                   {"title", terminal_text(entry.title)},
                   {"original", curve.entry == summary.original},
                   {"points", points_of(curve.points)}});
  }
  return out;
}

}  // namespace

std::optional<TrainingCurve> best_curve(std::span<const store::Evaluation> evaluations) {
  const store::Evaluation* best = nullptr;
  for (const store::Evaluation& evaluation : evaluations) {
    if (evaluation.curve.empty()) continue;
    if (best == nullptr || evaluation.key.fidelity > best->key.fidelity) best = &evaluation;
  }
  if (best == nullptr) return std::nullopt;
  return TrainingCurve{0, best->key.fidelity, best->key.seed, best->curve};
}

json points_of(std::span<const store::CurvePoint> points) {
  json out = json::array();
  for (const store::CurvePoint& point : points)
    if (std::isfinite(point.x) && std::isfinite(point.value))
      out.push_back({point.x, point.value, finite(point.loss)});
  return out;
}

std::string study_script(const Summary& summary, const Selection& selection,
                         std::span<const TrainingCurve> curves, std::size_t row_parts) {
  json study = {
      {"metrics", metrics_json(summary)},         {"quality", static_cast<int>(selection.quality)},
      {"cost", static_cast<int>(selection.cost)}, {"progress", progress_json(summary)},
      {"curves", curves_json(summary, curves)},   {"evaluated", summary.evaluated},
      {"seconds", finite(summary.seconds)},       {"longest", summary.longest.value_or(0)},
      {"candidates", summary.entries.size()},     {"rowParts", row_parts}};
  if (summary.original)
    study["original"] = study::long_id(summary.entries[*summary.original].identity);
  return "cambium.study = " + script_json(study) +
         ";\ncambium.study.points = " + points_text(summary, selection) + ";\n";
}

Result<std::size_t> write_rows(const std::string& folder, const Summary& summary,
                               const Selection& selection) {
  std::size_t part = 0;
  for (std::size_t from = 0; from < summary.entries.size(); from += kRowsInPart, ++part) {
    const std::size_t to = std::min(from + kRowsInPart, summary.entries.size());
    Texts texts;
    std::string rows;
    for (std::size_t i = from; i < to; ++i) {
      const Entry& entry = summary.entries[i];
      // [id, title, ticket, space, strategy, status, values..., estimates, has a page]
      fmt::format_to(std::back_inserter(rows), "[\"{}\",{},{},{},{},{},",
                     study::long_id(entry.identity), script_json(terminal_text(entry.title)),
                     entry.ticket, texts.index_of(terminal_text(summary.names[entry.space])),
                     texts.index_of(terminal_text(summary.names[entry.strategy])),
                     texts.index_of(terminal_text(status_of(summary, i))));
      append_values(entry, rows);
      rows += selection.has_page[i] ? ",1],\n" : ",0],\n";
    }
    const std::string out = "cambium.addRows(" + script_json(texts.all) + ", [\n" + rows + "]);\n";
    CAMBIUM_REQUIRE(write_unsynced(fmt::format("{}/rows-{}.js", folder, part), out));
  }
  return part;
}

}  // namespace cambium::report
