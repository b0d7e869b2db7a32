#include "report/index_page.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/text.h"
#include "report/page_parts.h"
#include "report/values.h"

namespace cambium::report {
namespace {

using study::Metric;

std::string lower(std::string_view text) {
  // An abbreviation keeps its capitals.
  if (text == "MACs") return std::string(text);
  std::string out(text);
  out[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(out[0])));
  return out;
}

std::string link_to(const Entry& entry) {
  return "c/" + study::long_id(entry.identity) + ".html";
}

std::string labels_of(const std::vector<Metric>& metrics) {
  std::vector<std::string> labels;
  for (const Metric metric : metrics) labels.push_back(lower(info_of(metric).label));
  return join(labels, " and ");
}

class IndexPage {
 public:
  IndexPage(const Summary& summary, const Selection& selection, const ReportOptions& options)
      : summary_(summary), selection_(selection), options_(options) {}

  std::string text() {
    const std::string model = summary_.head ? summary_.head->model : "a study";
    out_ = page_begin(model + " · Cambium", "");
    header(model);
    out_ += "<main>\n";
    cards();
    pareto();
    front_table();
    progress_and_curves();
    funnel();
    rejections();
    table();
    about();
    out_ += "</main>\n";
    for (const char* script : {"assets/vega.js", "assets/plots.js", "data/study.js",
                               "assets/table.js", "assets/index.js"})
      add("<script defer src=\"{}\"></script>\n", script);
    return out_ + page_end(summary_);
  }

 private:
  template <class... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
  }

  const Entry* original() const {
    return summary_.original ? &summary_.entries[*summary_.original] : nullptr;
  }

  void header(const std::string& model) {
    add("<header class=\"top\"><div>\n<p class=\"eyebrow\">Cambium study</p>\n<h1>{}</h1>\n",
        html_text(model));
    const std::string data = summary_.head && !summary_.head->data.empty()
                                 ? " on " + html_text(summary_.head->data)
                                 : "";
    add("<p class=\"lede\">{} candidates{}, {} evaluations in {} of evaluating.</p>\n",
        grouped(static_cast<std::int64_t>(summary_.entries.size())), data,
        grouped(summary_.evaluations), duration_text(summary_.seconds));
    out_ +=
        "</div></header>\n<nav><div><a href=\"#front\">Front</a><a href=\"#progress\">Progress</a>"
        "<a href=\"#curves\">Training</a><a href=\"#funnel\">Funnel</a>"
        "<a href=\"#rejections\">Rejections</a><a href=\"#candidates\">Candidates</a>"
        "<a href=\"#about\">About</a></div></nav>\n";
  }

  // ---- what was found, in a few numbers

  void card(const std::string& heading, const Entry& entry, const std::string& big,
            const std::string& note) {
    add("<a class=\"card\" href=\"{}\"><h3>{}</h3><p class=\"big\">{}</p><p class=\"note\">{}</p>"
        "<p class=\"who\"><code>{}</code> {}</p></a>\n",
        link_to(entry), heading, big, note, study::short_id(entry.identity),
        html_text(entry.title));
  }

  void original_card(const Entry& base) {
    std::string note;
    for (const Metric cost : kCosts) {
      if (!base.at(cost) || cost == Metric::Memory) continue;
      if (!note.empty()) note += ", ";
      note += page_text(cost, base.at(cost)->value);
      if (cost != Metric::Latency) note += " " + lower(info_of(cost).label);
    }
    card("The original", base, page_text(selection_.quality, base.at(selection_.quality)->value),
         note);
  }

  void saving_card(const Entry& base, const Entry& entry, Metric cost) {
    const Metric quality = selection_.quality;
    const bool share = info_of(quality).unit == study::Unit::Share;
    const double now = entry.at(cost)->value, before = base.at(cost)->value;
    const bool is_time = cost == Metric::Latency;
    const study::BestRule& rule = *selection_.best;
    const char* const near = share ? "1 point of the original" : "1 % of the original";
    card(fmt::format("{} within {}", is_time ? "Fastest" : "Fewest " + lower(info_of(cost).label),
                     rule.is_default() ? near : "the limits of the search"),
         entry, is_time ? fmt::format("{:.2f}× as fast", before / now) : against(cost, now, before),
         fmt::format("{} instead of {}, {} {}{}", page_text(cost, now), page_text(cost, before),
                     against(quality, entry.at(quality)->value, base.at(quality)->value),
                     share ? "of " + lower(info_of(quality).label) : "the perplexity",
                     rule.is_default() ? "" : "; limits: " + html_text(rule.text())));
  }

  void cards() {
    const Entry* base = original();
    if (base == nullptr || !base->at(selection_.quality)) return;
    out_ += "<section class=\"cards\" aria-label=\"In short\">\n";
    original_card(*base);
    for (const Metric cost : kCosts) {
      if (cost == Metric::Memory || !base->at(cost)) continue;  // three are enough to read
      const auto best = best_of(summary_, selection_, cost);
      if (best) saving_card(*base, summary_.entries[*best], cost);
    }
    out_ += "</section>\n";
  }

  // ---- the plot and the front

  void pareto() {
    const auto all = static_cast<std::int64_t>(selection_.plottable);
    const auto shown = static_cast<std::int64_t>(selection_.plotted.size());
    out_ += "<section id=\"front\">\n<h2>The Pareto front</h2>\n<p>";
    if (shown < all)
      add("The plot shows {} of {} candidates: every one that is on the front of two metrics, and "
          "a "
          "sample of the rest. ",
          grouped(shown), grouped(all));
    out_ +=
        "A candidate has a point if its values on both axes are known. Estimates are hollow and "
        "are "
        "compared only with estimates. Triangles were trained for fewer epochs than the longest "
        "training of the study: their accuracies are those of a brief training. Bars through "
        "points "
        "of the front show the spread over seeds or measurements";
    if (const auto machine = machine_text(summary_, summary_.latency_machine); !machine.empty())
      add("; latencies were measured on {}", html_text(machine));
    out_ +=
        ". Click a point for its page, drag to zoom in, double-click to zoom out.</p>\n"
        "<div class=\"controls\"><label>Across <select id=\"axis-x\"></select></label>"
        "<label>Up <select id=\"axis-y\"></select></label>"
        "<button id=\"zoom-out\" type=\"button\" hidden>Show all</button></div>\n"
        "<div id=\"pareto\" class=\"plot tall\"></div>\n<p id=\"pareto-note\" class=\"note\"></p>\n"
        "</section>\n";
  }

  void cell(const Entry& entry, Metric metric) {
    const auto& known = entry.at(metric);
    if (!known) {
      out_ += "<td class=\"number\">–</td>";
      return;
    }
    add("<td class=\"number{}\">{}", known->is_estimate ? " estimate" : "",
        page_text(metric, known->value));
    // The spread over seeds tells how much of a difference is chance.
    if (known->seeds > 1)
      add("<small>{}</small>", spread_text(metric, known->value, known->spread));
    const Entry* base = original();
    if (base != nullptr && base != &entry && base->at(metric)) {
      // After a training of another length the difference says little about the candidate.
      const bool alike =
          !study::is_of_training(metric) || known->fidelity == base->at(metric)->fidelity;
      if (alike) add("<small>{}</small>", against(metric, known->value, base->at(metric)->value));
    }
    out_ += "</td>";
  }

  void row(std::size_t index) {
    const Entry& entry = summary_.entries[index];
    add("<tr{}><td><a href=\"{}\"><code>{}</code></a> {}</td>",
        index == summary_.original ? " class=\"original\"" : "", link_to(entry),
        study::short_id(entry.identity), html_text(entry.title));
    trained_for(index);
    for (const Metric metric : kShownMetrics)
      if (shown(metric)) cell(entry, metric);
    out_ += "</tr>\n";
  }

  void trained_for(std::size_t index) {
    const auto epochs = study::epochs_of(summary_.entries[index].scores);
    const bool is_brief = summary_.is_brief(index);
    add("<td class=\"{}\">{}{}</td>", is_brief ? "brief" : "",
        epochs ? fidelity_text(summary_, study::kAccuracyEvaluator, *epochs) : "–",
        is_brief ? "<small>brief</small>" : "");
  }

  bool shown(Metric metric) const {
    return std::any_of(summary_.entries.begin(), summary_.entries.end(),
                       [metric](const Entry& entry) { return entry.at(metric).has_value(); });
  }

  void front_table() {
    constexpr std::size_t kRows = 40;
    if (selection_.front.empty()) {
      add("<p class=\"empty\">No candidate has values of {} yet.</p>\n",
          labels_of(selection_.objectives));
      return;
    }
    add("<section>\n<h3>The Pareto front of {}</h3>\n<div class=\"wide\"><table id=\"front-table\">"
        "\n<thead><tr><th>Candidate</th><th>Trained for</th>",
        labels_of(selection_.objectives));
    for (const Metric metric : kShownMetrics)
      if (shown(metric)) add("<th class=\"number\">{}</th>", info_of(metric).label);
    out_ += "</tr></thead>\n<tbody>\n";
    if (summary_.original) row(*summary_.original);
    const std::size_t rows = std::min(kRows, selection_.front.size());
    for (std::size_t i = 0; i < rows; ++i)
      if (selection_.front[i] != summary_.original) row(selection_.front[i]);
    out_ += "</tbody></table></div>\n";
    const std::size_t more = selection_.front.size() - rows + selection_.front_left_out;
    if (more > 0)
      add("<p class=\"note\">{} more candidates are on the front, with worse {}: see the table of "
          "all "
          "candidates.</p>\n",
          grouped(static_cast<std::int64_t>(more)),
          lower(info_of(selection_.objectives.front()).label));
    out_ += "</section>\n";
  }

  void progress_and_curves() {
    out_ +=
        "<section id=\"progress\">\n<h2>Progress</h2>\n<p>For each metric, the best value measured "
        "so far. The dashed line is the original.</p>\n"
        "<div class=\"controls\"><label>Against <select id=\"progress-x\">"
        "<option value=\"candidates\">candidates evaluated</option>"
        "<option value=\"seconds\">time spent evaluating</option></select></label></div>\n"
        "<div id=\"progress-plots\" class=\"small-plots\"></div>\n</section>\n"
        "<section id=\"curves\">\n<h2>Training</h2>\n<p>The longest training of the original and "
        "of the best candidates on the front.</p>\n"
        "<div class=\"controls\"><label>Show <select id=\"curves-y\">"
        "<option value=\"value\">validation</option><option value=\"loss\">loss</option></select>"
        "</label></div>\n<div id=\"training\" class=\"plot\"></div>\n</section>\n";
  }

  // ---- funnel and rejections

  void funnel() {
    out_ += "<section id=\"funnel\">\n<h2>Funnel</h2>\n";
    if (summary_.funnel.empty()) {
      out_ += "<p class=\"empty\">Nothing was evaluated yet.</p>\n</section>\n";
      return;
    }
    double most = 1;
    for (const Stage& stage : summary_.stages)
      most = std::max(most, static_cast<double>(stage.entered()));
    out_ +=
        "<p>How many candidates entered each stage, and how many were refused there or wait.</p>\n"
        "<p class=\"legend\"><span class=\"done\">passed</span><span class=\"refused\">refused"
        "</span><span class=\"pending\">waiting</span></p>\n"
        "<div class=\"wide\"><table class=\"bars\">\n<thead><tr><th>Stage</th><th></th>"
        "<th class=\"number\">Entered</th><th class=\"number\">Refused</th>"
        "<th class=\"number\">Waiting</th></tr></thead>\n<tbody>\n";
    for (const std::size_t s : summary_.funnel) {
      const Stage& stage = summary_.stages[s];
      const auto width = [most](std::int64_t count) {
        return 100 * static_cast<double>(count) / most;
      };
      add("<tr><td>{}</td><td class=\"bar\"><i class=\"done\" style=\"width:{:.2f}%\"></i>"
          "<i class=\"refused\" style=\"width:{:.2f}%\"></i>"
          "<i class=\"pending\" style=\"width:{:.2f}%\"></i></td><td class=\"number\">{}</td>"
          "<td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
          html_text(label_of(summary_, stage)), width(stage.done), width(stage.refused),
          width(stage.pending), grouped(stage.entered()), grouped(stage.refused),
          grouped(stage.pending));
    }
    out_ += "</tbody></table></div>\n</section>\n";
  }

  void rejections() {
    constexpr std::size_t kReasons = 50;
    out_ += "<section id=\"rejections\">\n<h2>Rejections</h2>\n";
    if (summary_.rejections.empty()) {
      out_ += "<p class=\"empty\">Nothing was refused.</p>\n";
      legality();
      out_ += "</section>\n";
      return;
    }
    const double most =
        static_cast<double>(std::max<std::int64_t>(1, summary_.rejections[0].count));
    out_ +=
        "<div class=\"wide\"><table class=\"bars "
        "reasons\">\n<thead><tr><th>Reason</th><th>Stage</th>"
        "<th></th><th class=\"number\">Count</th><th>For example</th></tr></thead>\n<tbody>\n";
    std::size_t rows = 0;
    for (const auto& reason : summary_.rejections) {
      if (++rows > kReasons) break;
      add("<tr><td>{}</td><td>{}</td><td class=\"bar\"><i class=\"refused\" "
          "style=\"width:{:.2f}%\"></i></td><td class=\"number\">{}</td><td class=\"example\">{}"
          "</td></tr>\n",
          html_text(reason.reason), html_text(reason.evaluator),
          100 * static_cast<double>(reason.count) / most, grouped(reason.count),
          html_text(reason.example));
    }
    out_ += "</tbody></table></div>\n";
    if (rows > kReasons) out_ += "<p class=\"note\">Less frequent reasons are left out.</p>\n";
    legality();
    out_ += "</section>\n";
  }

  void legality_row(const std::string& kind, const study::LegalityCount& count) {
    add("<tr><td>{}</td><td>{}</td>", html_text(kind), html_text(count.space));
    add("<td class=\"number\">{}</td><td class=\"number\">{}</td>", grouped(count.candidates),
        grouped(count.judged));
    add("<td class=\"number\">{}<small>{}</small></td><td class=\"number\">{}</td>",
        grouped(count.illegal), share_text(count.illegal, count.judged), grouped(count.undecided));
    add("<td class=\"number\">{} of {}<small>{}</small></td></tr>\n", grouped(count.fallen),
        grouped(count.layers), share_text(count.fallen, count.layers));
  }

  static std::string share_text(std::int64_t part, std::int64_t all) {
    if (all == 0) return "";
    return fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(all));
  }

  void legality() {
    if (options_.legality.all.judged == 0) return;
    out_ +=
        "<h3>Fisher Potential by kind of step</h3>\n<p>A candidate is illegal if its Fisher "
        "Potential is below the original's. The last column counts layers with such a step whose "
        "own score is below.</p>\n<div class=\"wide\"><table>\n<thead><tr><th>Kind of step</th>"
        "<th>Space</th><th class=\"number\">Candidates</th><th class=\"number\">Judged</th>"
        "<th class=\"number\">Illegal</th><th class=\"number\">Undecided</th>"
        "<th class=\"number\">Layers below</th></tr></thead>\n<tbody>\n";
    legality_row("all", options_.legality.all);
    for (const study::LegalityCount& count : options_.legality.kinds) {
      legality_row(count.kind, count);
    }
    out_ += "</tbody></table></div>\n";
  }

  void table() {
    out_ +=
        "<section id=\"candidates\">\n<h2>All candidates</h2>\n"
        "<div class=\"controls\"><label class=\"grow\">Filter <input id=\"filter\" type=\"search\" "
        "placeholder=\"id, title, space, reason …\"></label>"
        "<label>Last stage <select id=\"filter-status\"><option value=\"\">any</option></select>"
        "</label></div>\n<div class=\"wide\"><table id=\"table\"><thead></thead><tbody></tbody>"
        "</table></div>\n<div class=\"controls pager\"><button id=\"page-back\" type=\"button\">"
        "Previous</button><span id=\"page-text\" role=\"status\"></span>"
        "<button id=\"page-on\" type=\"button\">Next</button></div>\n</section>\n";
  }

  void about() {
    out_ += "<section id=\"about\">\n<h2>About this study</h2>\n";
    out_ += study_facts(summary_, options_, true);
    if (const auto command = search_command(summary_)) {
      out_ += "<p>The search was started with</p>\n" + command_block(*command);
    }
    out_ += "</section>\n";
  }

  const Summary& summary_;
  const Selection& selection_;
  const ReportOptions& options_;
  std::string out_;
};

}  // namespace

std::string index_page(const Summary& summary, const Selection& selection,
                       const ReportOptions& options) {
  return IndexPage(summary, selection, options).text();
}

}  // namespace cambium::report
