#include "cli/search_view.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/text.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "engine/search/studies.h"

namespace cambium::cli {
namespace {

using search::SearchProgress;
using study::Metric;

// Candidates of the front in the table at the end.
constexpr std::size_t kMostOfFront = 12;
// Without a terminal, every so many lines the funnel and the refusals are printed.
constexpr int kLinesPerFunnel = 6;

const char* phase_text(SearchProgress::Phase phase) {
  switch (phase) {
    case SearchProgress::Phase::Original: return "measuring the original";
    case SearchProgress::Phase::Given: return "evaluating the candidates of --try";
    case SearchProgress::Phase::Explore: return "exploring";
    case SearchProgress::Phase::Finals: return "training and tuning the best";
    case SearchProgress::Phase::Complete: return "completing pending evaluations";
  }
  return "?";
}

std::string cell(const study::Scores& scores, Metric metric) {
  const auto& value = scores.at(metric);
  if (!value) return "";
  std::string text = (value->is_estimate ? "~" : "") + text_of(metric, value->value);
  if (!(value->spread > 0)) return text;
  if (info_of(metric).unit == study::Unit::Share) {
    const double points = 100 * value->spread * std::abs(value->value);
    return text + fmt::format(" ±{:.2f} points", points);
  }
  return text + fmt::format(" ±{:.1f} %", value->spread * 100);
}

// An estimate is no measure of what was measured.
std::string times(const study::Scores& scores, const study::Scores& original, Metric metric) {
  if (!scores.at(metric) || !original.at(metric) || scores.at(metric)->value <= 0) return "";
  if (scores.at(metric)->is_estimate != original.at(metric)->is_estimate) return "";
  return fmt::format("{:.2f}x", original.at(metric)->value / scores.at(metric)->value);
}

// In the finals, and when pending evaluations are completed.
bool counts_evaluations(const SearchProgress& now) {
  const bool is_late =
      now.phase == SearchProgress::Phase::Finals || now.phase == SearchProgress::Phase::Complete;
  return is_late && now.finals_planned > 0;
}

// The stages of exploration, then those of the finals.
std::vector<search::Passages::Count> stages_of(const SearchProgress& now) {
  std::vector<search::Passages::Count> all = now.stages;
  for (search::Passages::Count stage : now.final_stages) {
    stage.evaluator = "final " + stage.evaluator;
    all.push_back(std::move(stage));
  }
  return all;
}

}  // namespace

std::string summary_text(const SearchProgress& now) {
  std::string text = phase_text(now.phase);
  if (counts_evaluations(now)) {
    text += fmt::format(": {} of {} evaluations", now.finals_done, now.finals_planned);
  } else {
    text += fmt::format(": {} of {} candidates", now.folded, now.planned);
  }
  if (now.seconds > 1 && now.evaluations > 0) {
    text += fmt::format(", {:.1f} evaluations per minute",
                        static_cast<double>(now.evaluations) / now.seconds * 60);
  }
  if (now.phase != SearchProgress::Phase::Original && now.seconds_left > 0) {
    text += fmt::format(", {} left", duration_text(now.seconds_left));
  }
  return text;
}

// The time that the search itself took, as a share of the evaluations' time.
std::string own_text(const search::SearchReport& report) {
  if (report.last.evaluation_seconds <= 0) return "";
  return fmt::format("; own time {:.1f} % of evaluations",
                     100 * report.own_seconds / report.last.evaluation_seconds);
}

std::string best_text(const SearchProgress& now) {
  if (!now.best) {
    // The original is evaluated before all candidates.
    return now.known > 1 ? "no candidate beats the original yet"
                         : "no candidate has passed all stages yet";
  }
  std::vector<std::string> parts = {"best: " + study::short_id(now.best->candidate)};
  for (const Metric metric : now.objectives) {
    const auto& value = now.best->scores.at(metric);
    if (!value) continue;
    std::string part = fmt::format("{} {}{}", name_of(metric), value->is_estimate ? "~" : "",
                                   text_of(metric, value->value));
    if (const auto& original = now.original.at(metric)) {
      part += fmt::format(" (original {}{})", original->is_estimate ? "~" : "",
                          text_of(metric, original->value));
    }
    parts.push_back(std::move(part));
  }
  return join(parts, ", ");
}

std::string refusals_text(const SearchProgress& now) {
  std::vector<std::string> parts;
  for (const auto& [reason, count] : now.refusals) {
    parts.push_back(fmt::format("{} {}", count, reason));
  }
  return parts.empty() ? "none refused" : "refused: " + join(parts, ", ");
}

std::string funnel_text(const SearchProgress& now) {
  std::vector<std::string> parts;
  for (const auto& stage : stages_of(now)) {
    std::vector<std::string> ends;
    if (stage.refused > 0) ends.push_back(fmt::format("{} refused", stage.refused));
    if (stage.pending > 0) ends.push_back(fmt::format("{} pending", stage.pending));
    parts.push_back(fmt::format("{} {}{}", stage.evaluator, stage.entered,
                                ends.empty() ? "" : " (" + join(ends, ", ") + ")"));
  }
  return join(parts, ", ");
}

std::vector<std::string> funnel_lines(const SearchProgress& now) {
  Table table({{"stage", kLeft, false},
               {"entered", kRight, false},
               {"refused", kRight, false},
               {"pending", kRight, false}});
  for (const auto& stage : stages_of(now)) {
    table.add({stage.evaluator, std::to_string(stage.entered), std::to_string(stage.refused),
               stage.pending > 0 ? std::to_string(stage.pending) : ""});
  }
  std::vector<std::string> lines;
  for (const std::string_view line : split(table.text(), '\n')) {
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

void SearchView::show(const SearchProgress& now) {
  if (!screen_.is_due()) return;
  const std::string bar = counts_evaluations(now) ? bar_text(now.finals_done, now.finals_planned)
                                                  : bar_text(now.folded, now.planned);
  std::vector<std::string> lines = {fmt::format("{} {}", bar, summary_text(now))};
  lines.push_back(best_text(now) + fmt::format("; {} on the front", now.front));
  for (std::string& line : funnel_lines(now)) lines.push_back(std::move(line));
  lines.push_back(refusals_text(now));
  std::vector<std::string> plain = {summary_text(now) + "; " + best_text(now)};
  if (++plain_ % kLinesPerFunnel == 0) {
    plain.push_back(funnel_text(now) + "; " + refusals_text(now));
  }
  screen_.draw(lines, plain);
}

namespace {

// So many, at equal distances.
std::vector<search::SearchRow> thinned(const std::vector<search::SearchRow>& rows,
                                       std::size_t most) {
  if (rows.size() <= most) return rows;
  std::vector<search::SearchRow> some;
  for (std::size_t i = 0; i < most; ++i) {
    some.push_back(rows[i * (rows.size() - 1) / (most - 1)]);
  }
  return some;
}

}  // namespace

std::string report_text(const search::SearchReport& report, const engine::SearchSetup& setup,
                        std::size_t width) {
  Table table({{"candidate", kLeft, false},
               {"accuracy", kRight, false},
               {"perplexity", kRight, false},
               {"Fisher change", kRight, false},
               {"latency", kRight, false},
               {"faster", kRight, false},
               {"MACs", kRight, false},
               {"parameters", kRight, false},
               {"limits", kLeft, false},
               {"what", kLeft, true}});
  const study::Scores& original =
      report.finalists.empty() ? report.original : report.original_final;
  const auto add = [&](const std::string& name, const study::Scores& scores,
                       const std::string& faster, const std::string& limits,
                       const std::string& what) {
    table.add({name, cell(scores, Metric::Accuracy), cell(scores, Metric::Perplexity),
               cell(scores, Metric::FisherChange), cell(scores, Metric::Latency), faster,
               cell(scores, Metric::Macs), cell(scores, Metric::Parameters), limits, what});
  };
  add("original", original, "", "", setup.model);
  // Without finals, the front of exploring is what was found.
  for (const search::SearchRow& row :
       report.finalists.empty() ? thinned(report.front, kMostOfFront) : report.finalists) {
    const std::string limits = !row.refused.empty()   ? row.refused
                               : setup.limits.empty() ? ""
                               : row.holds_limits     ? "held"
                                                      : "broken";
    // A side-by-side comparison is more accurate than two separate times.
    const std::string faster = row.speedup ? fmt::format("{:.2f}x", *row.speedup)
                                           : times(row.scores, original, Metric::Latency);
    add(study::short_id(row.identity), row.scores, faster, limits, row.title);
  }
  return table.text(width);
}

std::string front_text(const search::SearchReport& report) {
  if (!report.finalists.empty() || report.was_stopped) return {};
  std::vector<std::string> names;
  for (const Metric metric : report.last.objectives) names.emplace_back(name_of(metric));
  const bool is_of_one = names.size() == 1;
  std::string text =
      fmt::format("nothing was fully trained; the front shows {}", join(names, " and "));
  if (is_of_one) {
    text +=
        " alone, so it has one candidate; --legality total adds a metric of quality, and "
        "--objective chooses other metrics";
  }
  if (report.front.size() > kMostOfFront) {
    text += fmt::format("; the table has {} of its {} candidates, `cambium study list` all",
                        kMostOfFront, report.front.size());
  }
  return text;
}

std::string resume_text(const std::string& study, const std::string& name) {
  return fmt::format("cambium search --resume --study {}{}", shell_word(study),
                     name.empty() ? "" : " --name " + shell_word(name));
}

std::string without_winner(const search::SearchReport& report, const engine::SearchSetup& setup) {
  if (report.was_stopped || setup.limits.empty() || setup.finalists == 0) return {};
  const auto holds = [](const search::SearchRow& row) { return row.holds_limits; };
  if (std::any_of(report.finalists.begin(), report.finalists.end(), holds)) return {};
  std::vector<std::string> limits;
  for (const study::LimitText& limit : setup.limits) {
    limits.push_back(fmt::format("{} {}{}", name_of(limit.metric), limit.text,
                                 limit.is_drop ? " below the original" : ""));
  }
  return fmt::format(
      "{} (limits: {}); use --resume with more --candidates or more --finalists to look further, "
      "or with more --epochs to narrow the gap in accuracy, or loosen a limit under another --name",
      report.finalists.empty() ? "no candidate reached the finals"
                               : "no finalist is within all limits",
      join(limits, ", "));
}

}  // namespace cambium::cli
