#include "report/index_page.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>

#include "base/escape.h"
#include "report/page_parts.h"

namespace cambium::report {
namespace {

std::string lower(std::string_view text) {
  // Abbreviations stay as they are.
  if (text == "MACs") return std::string(text);
  std::string out(text);
  out[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(out[0])));
  return out;
}

std::string link_to(const Entry& entry) {
  return "c/" + short_name(entry.identity) + ".html";
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
            const std::string& note, const std::string& who) {
    add("<a class=\"card\" href=\"{}\"><h3>{}</h3><p class=\"big\">{}</p><p class=\"note\">{}</p>"
        "<p class=\"who\">{}</p></a>\n",
        link_to(entry), heading, big, note, html_text(who));
  }

  void original_card(const Entry& base) {
    std::string note;
    for (const Metric cost : kCosts) {
      if (!base.at(cost) || cost == Metric::Memory) continue;
      if (!note.empty()) note += ", ";
      note += text_of(cost, base.at(cost)->value);
      if (cost != Metric::Latency) note += " " + lower(info_of(cost).label);
    }
    card("The original", base, text_of(selection_.quality, base.at(selection_.quality)->value),
         note, base.title);
  }

  // The cheapest that is nearly as good as the original.
  void saving_card(const Entry& base, const Entry& entry, Metric cost) {
    const Metric quality = selection_.quality;
    const bool share = info_of(quality).unit == "share";
    const double now = entry.at(cost)->value, before = base.at(cost)->value;
    const bool is_time = cost == Metric::Latency;
    card(fmt::format("{} within {} of the original",
                     is_time ? "Fastest" : "Fewest " + lower(info_of(cost).label),
                     share ? "1 point" : "1 %"),
         entry, is_time ? fmt::format("{:.2f}× as fast", before / now) : against(cost, now, before),
         fmt::format("{} instead of {}, {} {}", text_of(cost, now), text_of(cost, before),
                     against(quality, entry.at(quality)->value, base.at(quality)->value),
                     share ? "of accuracy" : "the perplexity"),
         entry.title.empty() ? short_name(entry.identity) : entry.title);
  }

  void cards() {
    const Entry* base = original();
    if (base == nullptr || !base->at(selection_.quality)) return;
    out_ += "<section class=\"cards\" aria-label=\"In short\">\n";
    original_card(*base);
    for (const Metric cost : kCosts) {
      if (cost == Metric::Memory || !base->at(cost)) continue;  // three are enough to read
      const auto best = cheapest_near_original(summary_, selection_.quality, cost);
      if (best) saving_card(*base, summary_.entries[*best], cost);
    }
    out_ += "</section>\n";
  }

  // ---- the plot and the front

  void pareto() {
    const auto all = static_cast<std::int64_t>(selection_.plottable);
    const auto shown = static_cast<std::int64_t>(selection_.plotted.size());
    out_ += "<section id=\"front\">\n<h2>The front</h2>\n<p>";
    if (shown < all)
      add("Of {} candidates {} may be drawn: all that are on a front of two metrics, and a sample "
          "of "
          "the rest. ",
          grouped(all), grouped(shown));
    out_ +=
        "A point is drawn where both axes are known of a candidate; a hollow one is an estimate. "
        "Bars through points of the front are spreads: over seeds, or over measurements";
    if (const auto machine = machine_text(summary_, summary_.latency_machine); !machine.empty())
      add("; latencies are those of {}", html_text(machine));
    out_ +=
        ". Click a point for its page, drag to look closer, double-click to go back.</p>\n"
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
        text_of(metric, known->value));
    // How far seeds lie apart says how much of a difference is chance.
    if (known->seeds > 1)
      add("<small>{}</small>", spread_text(metric, known->value, known->spread));
    const Entry* base = original();
    const bool trained = metric == Metric::Accuracy || metric == Metric::Perplexity;
    if (base != nullptr && base != &entry && base->at(metric)) {
      // After another training the difference says little of the candidate.
      const bool alike = !trained || known->fidelity == base->at(metric)->fidelity;
      add("<small>{}</small>", alike ? against(metric, known->value, base->at(metric)->value)
                                     : "after " + fidelity_text("accuracy", known->fidelity));
    }
    out_ += "</td>";
  }

  void row(std::size_t index) {
    const Entry& entry = summary_.entries[index];
    add("<tr{}><td><a href=\"{}\">{}</a></td>",
        index == summary_.original ? " class=\"original\"" : "", link_to(entry),
        html_text(entry.title.empty() ? short_name(entry.identity) : entry.title));
    for (const Metric metric : kAllMetrics)
      if (shown(metric)) cell(entry, metric);
    out_ += "</tr>\n";
  }

  bool shown(Metric metric) const {
    return std::any_of(summary_.entries.begin(), summary_.entries.end(),
                       [metric](const Entry& entry) { return entry.at(metric).has_value(); });
  }

  void front_table() {
    constexpr std::size_t kRows = 40;
    if (selection_.front.empty()) {
      out_ += "<p class=\"empty\">No candidate has both a quality and a cost yet.</p>\n";
      return;
    }
    add("<section>\n<h3>On the front of {} over {}</h3>\n<div class=\"wide\"><table>\n<thead><tr>"
        "<th>Candidate</th>",
        lower(info_of(selection_.quality).label), lower(info_of(selection_.cost).label));
    for (const Metric metric : kAllMetrics)
      if (shown(metric)) add("<th class=\"number\">{}</th>", info_of(metric).label);
    out_ += "</tr></thead>\n<tbody>\n";
    if (summary_.original) row(*summary_.original);
    const std::size_t rows = std::min(kRows, selection_.front.size());
    for (std::size_t i = 0; i < rows; ++i)
      if (selection_.front[i] != summary_.original) row(selection_.front[i]);
    out_ += "</tbody></table></div>\n";
    const std::size_t more = selection_.front.size() - rows + selection_.front_left_out;
    if (more > 0)
      add("<p class=\"note\">{} more are on the front, with less {}: see the table of all "
          "candidates.</p>\n",
          grouped(static_cast<std::int64_t>(more)), lower(info_of(selection_.quality).label));
    out_ += "</section>\n";
  }

  void progress_and_curves() {
    out_ +=
        "<section id=\"progress\">\n<h2>Progress</h2>\n<p>The best measured value so far of each "
        "metric by itself; the dashed line is the original.</p>\n"
        "<div class=\"controls\"><label>Against <select id=\"progress-x\">"
        "<option value=\"candidates\">candidates evaluated</option>"
        "<option value=\"seconds\">time spent evaluating</option></select></label></div>\n"
        "<div id=\"progress-plots\" class=\"small-plots\"></div>\n</section>\n"
        "<section id=\"curves\">\n<h2>Training</h2>\n<p>The original and the best of the front, "
        "each at the longest training that it had.</p>\n"
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
        "<p>How many candidates entered each stage, and what became of them there.</p>\n"
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
          html_text(stage.label()), width(stage.done), width(stage.refused), width(stage.pending),
          grouped(stage.entered()), grouped(stage.refused), grouped(stage.pending));
    }
    out_ += "</tbody></table></div>\n</section>\n";
  }

  void rejections() {
    constexpr std::size_t kReasons = 50;
    out_ += "<section id=\"rejections\">\n<h2>Rejections</h2>\n";
    if (summary_.rejections.empty()) {
      out_ += "<p class=\"empty\">Nothing was refused.</p>\n</section>\n";
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
    if (rows > kReasons) out_ += "<p class=\"note\">Rarer reasons are left out.</p>\n";
    out_ += "</section>\n";
  }

  void table() {
    out_ +=
        "<section id=\"candidates\">\n<h2>All candidates</h2>\n"
        "<div class=\"controls\"><label class=\"grow\">Filter <input id=\"filter\" type=\"search\" "
        "placeholder=\"title, name, space, reason …\"></label>"
        "<label>Came to <select id=\"filter-status\"><option value=\"\">anywhere</option></select>"
        "</label></div>\n<div class=\"wide\"><table id=\"table\"><thead></thead><tbody></tbody>"
        "</table></div>\n<div class=\"controls pager\"><button id=\"page-back\" type=\"button\">"
        "Earlier</button><span id=\"page-text\" role=\"status\"></span>"
        "<button id=\"page-on\" type=\"button\">Further</button></div>\n</section>\n";
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
