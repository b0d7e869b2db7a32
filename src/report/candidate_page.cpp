#include "report/candidate_page.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.h"
#include "base/json.h"
#include "base/text.h"
#include "base/utf8.h"
#include "report/page_parts.h"
#include "report/script_data.h"
#include "report/script_json.h"
#include "report/values.h"

namespace cambium::report {
namespace {

using study::Metric;

constexpr std::size_t kLongestText = 200'000;  // of an artifact: browsers are slow on longer pages

// The files of `cambium export` (engine/search/export.h), one row for each kind.
constexpr std::pair<std::string_view, std::string_view> kExported[] = {
    {"model.onnx", "the rewritten model with its weights, as ONNX of standard operators only"},
    {"model.cambium",
     "the same model for <code>cambium run</code>, <code>tune</code> and <code>compile</code>"},
    {"model.py model.safetensors",
     "the same model as a PyTorch module: <code>import model; net = model.load()</code>"},
    {"operators/",
     "the operator alone as a PyTorch module, one file for each size that it has in the model"},
    {"native/",
     "library, header, weights and manifest, and <code>main.c</code>, a ten-line program that "
     "calls it"},
    {"equation.txt loops.txt", "the operator as text"},
    {"drawing.dot drawing.svg", "the operator as a drawing"},
    {"candidate.json", "the edits of the candidate, as the search made them"},
    {"README.txt", "what each file is"}};

std::string limited(const std::string& text) {
  if (text.size() <= kLongestText) return html_text(text);
  return html_text(beginning(text, kLongestText)) + "\n… (cut)";
}

class CandidatePage {
 public:
  CandidatePage(const Summary& summary, const Selection& selection, std::size_t index,
                const CandidateDetails& details, const ReportOptions& options)
      : summary_(summary),
        selection_(selection),
        index_(index),
        entry_(summary.entries[index]),
        details_(details),
        options_(options) {}

  std::string text() {
    const std::string& title = details_.candidate.title;
    const std::string name = study::short_id(entry_.identity);
    out_ = page_begin(name + (title.empty() ? "" : ": " + title) + " · Cambium", "../");
    header(name, title);
    out_ += "<main>\n";
    costs();
    what_it_is();
    training();
    usage();
    reproduction();
    evaluations();
    about();
    out_ += "</main>\n";
    scripts();
    return out_ + page_end(summary_);
  }

 private:
  template <class... T>
  void add(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
  }

  bool is_original() const { return index_ == summary_.original; }
  const Entry* original() const {
    return summary_.original ? &summary_.entries[*summary_.original] : nullptr;
  }

  void header(const std::string& name, const std::string& title) {
    const std::string model = summary_.head ? summary_.head->model : "the study";
    const auto& front = selection_.front;
    const bool on_front = std::find(front.begin(), front.end(), index_) != front.end();
    add("<header class=\"top\"><div>\n<p class=\"eyebrow\"><a href=\"../index.html\">{}</a> · "
        "{}</p>"
        "\n<h1>Candidate <code>{}</code></h1>\n<p class=\"lede\">{}",
        html_text(model),
        is_original() ? "the original" : (on_front ? "a candidate on the front" : "a candidate"),
        name, html_text(title));
    const store::StudyCandidate& candidate = details_.candidate;
    if (!is_original()) {
      if (!candidate.space.empty()) add(" · space {}", html_text(candidate.space));
      if (!candidate.strategy.empty()) add(" · found by {}", html_text(candidate.strategy));
      add(" · ticket {}", candidate.ticket);
      if (candidate.parent) add(" · child of {}", parent_text(*candidate.parent));
    }
    out_ += "</p>\n</div></header>\n";
  }

  std::string parent_text(Fingerprint parent) const {
    const std::string name = study::short_id(parent);
    for (const std::size_t page : selection_.pages)
      if (summary_.entries[page].identity == parent)
        return fmt::format("<a href=\"{}.html\"><code>{}</code></a>", study::long_id(parent), name);
    return "<code>" + name + "</code>";
  }

  // ---- costs

  std::string known_text(Metric metric, const study::Value& known, const Entry* base) const {
    const std::string evaluator(info_of(metric).evaluator);
    const bool trained = study::is_of_training(metric);
    std::string out = known.is_estimate ? "an estimate" : "";
    const auto append = [&out](const std::string& text) {
      if (text.empty()) return;
      if (!out.empty()) out += ", ";
      out += text;
    };
    append(fidelity_text(summary_, evaluator, known.fidelity));
    if (known.seeds > 1)
      append(fmt::format("mean and standard deviation of {} seeds", known.seeds));
    if (metric == Metric::Latency && !known.is_estimate)
      append(machine_text(summary_, summary_.latency_machine));
    if (trained && base != nullptr && base->at(metric) &&
        base->at(metric)->fidelity != known.fidelity)
      append("the original after " +
             fidelity_text(summary_, evaluator, base->at(metric)->fidelity));
    return out;
  }

  // After a training of another length the difference says little about the candidate.
  static std::string change(Metric metric, const study::Value& known, const study::Value& before) {
    if (study::is_of_training(metric) && known.fidelity != before.fidelity) return "–";
    const std::string change = against(metric, known.value, before.value);
    if (metric != Metric::Latency || known.value <= 0) return change;
    return fmt::format("{} ({:.2f}× as fast)", change, before.value / known.value);
  }

  // Mean and relative standard deviation over the seeds of the longest trainings.
  std::optional<study::Value> on_test_split(
      const std::vector<store::Evaluation>& evaluations) const {
    const std::string name = "test_" + std::string(name_of(selection_.quality));
    double longest = 0;
    std::vector<double> values;
    for (const store::Evaluation& evaluation : evaluations) {
      const auto found = evaluation.values.find(name);
      if (found == evaluation.values.end() || evaluation.key.fidelity < longest) continue;
      if (evaluation.key.fidelity > longest) values.clear();
      longest = evaluation.key.fidelity;
      values.push_back(found->second.value);
    }
    if (values.empty()) return std::nullopt;
    const auto count = static_cast<double>(values.size());
    study::Value known;
    for (const double value : values) known.value += value / count;
    double squares = 0;
    for (const double value : values) squares += (value - known.value) * (value - known.value);
    if (count > 1 && known.value != 0)
      known.spread = std::sqrt(squares / (count - 1)) / std::abs(known.value);
    known.fidelity = longest;
    known.seeds = static_cast<std::int32_t>(values.size());
    return known;
  }

  void cost_row(Metric metric, const std::string& label, const study::Value& known,
                const std::optional<study::Value>& before, bool is_compared,
                const std::string& from) {
    add("<tr><td>{}</td><td class=\"number{}\">{}</td>", label,
        known.is_estimate ? " estimate" : "", page_text(metric, known.value));
    if (is_compared && before) {
      add("<td class=\"number{}\">{}</td><td class=\"number\">{}</td>",
          before->is_estimate ? " estimate" : "", page_text(metric, before->value),
          change(metric, known, *before));
    } else if (is_compared) {
      out_ += "<td class=\"number\">–</td><td class=\"number\">–</td>";
    }
    add("<td class=\"number\">{}</td><td>{}</td></tr>\n",
        spread_text(metric, known.value, known.spread), html_text(from));
  }

  void costs() {
    const Entry* base = is_original() ? nullptr : original();
    out_ +=
        "<section id=\"costs\">\n<h2>Costs</h2>\n<div class=\"wide\"><table>\n<thead><tr><th></th>";
    out_ += "<th class=\"number\">This</th>";
    if (base != nullptr)
      out_ += "<th class=\"number\">Original</th><th class=\"number\">Against it</th>";
    out_ += "<th class=\"number\">Spread</th><th>Known from</th></tr></thead>\n<tbody>\n";
    bool any = false;
    for (const Metric metric : kShownMetrics) {
      const auto& known = entry_.at(metric);
      if (!known) continue;
      any = true;
      const std::optional<study::Value> before = base != nullptr ? base->at(metric) : std::nullopt;
      cost_row(metric, std::string(info_of(metric).label), *known, before, base != nullptr,
               known_text(metric, *known, base));
      if (metric != selection_.quality) continue;
      if (const auto tested = on_test_split(details_.evaluations)) {
        cost_row(metric, "… on the test split", *tested, on_test_split(details_.of_original),
                 base != nullptr, "not used for any choice");
      }
    }
    out_ += "</tbody></table></div>\n";
    if (!any) out_ += "<p class=\"empty\">Nothing was measured yet.</p>\n";
    out_ += "</section>\n";
  }

  // ---- the candidate itself

  void what_it_is() {
    if (details_.has_drawing)
      add("<section id=\"drawing\">\n<h2>Drawing</h2>\n<figure class=\"drawing\"><img "
          "src=\"{}.svg\" "
          "alt=\"A drawing of the candidate\"></figure>\n</section>\n",
          study::long_id(entry_.identity));
    if (!details_.equation.empty())
      add("<section id=\"equation\">\n<h2>Equation</h2>\n<pre>{}</pre>\n</section>\n",
          limited(details_.equation));
    if (!details_.loops.empty())
      add("<section id=\"loops\">\n<h2>Loop nest</h2>\n<pre>{}</pre>\n</section>\n",
          limited(details_.loops));
    const auto document = parse_json(details_.candidate.document);
    add("<details><summary>The candidate as the study holds "
        "it</summary>\n<pre>{}</pre></details>\n",
        limited(document.ok() ? pretty_json_text(*document) : details_.candidate.document));
  }

  void training() {
    if (!best_curve(details_.evaluations)) return;
    out_ +=
        "<section id=\"training-section\">\n<h2>Training</h2>\n<div "
        "class=\"controls\"><label>Show ";
    out_ +=
        "<select id=\"curves-y\"><option value=\"value\">validation</option>"
        "<option value=\"loss\">loss</option></select></label></div>\n"
        "<div id=\"training\" class=\"plot\"></div>\n</section>\n";
  }

  void usage() {
    out_ += "<section id=\"use\">\n<h2>How to use it</h2>\n";
    if (is_original()) {
      out_ += "<p>This is the model that the search started from.</p>\n";
    } else {
      out_ += command_block(export_command(options_, entry_.identity));
      out_ += "<p>writes a folder with that name:</p>\n<dl class=\"facts files\">\n";
      for (const auto& [names, what] : kExported) {
        out_ += "<dt>";
        for (const std::string_view name : split(names, ' ')) add("<code>{}</code> ", name);
        add("</dt><dd>{}</dd>\n", what);
      }
      out_ +=
          "</dl>\n<p class=\"note\">The weights come from the full training if the study has "
          "one. <code>native/</code> needs a build with LLVM, <code>model.onnx</code> a build with "
          "ONNX, <code>drawing.svg</code> Graphviz. The command and <code>README.txt</code> name "
          "what is missing.</p>\n";
    }
    out_ += "</section>\n";
  }

  void reproduction() {
    out_ += "<section id=\"reproduce\">\n<h2>Evaluate it again</h2>\n";
    if (is_evaluated_by_worker()) {
      out_ +=
          "<p>This command evaluates the candidate again. It uses the document in the study and "
          "the "
          "options, fidelity and seed of each evaluation below, and shows both results:</p>\n" +
          command_block(replay_command(summary_, options_, entry_)) +
          "<p class=\"note\">Accuracies are equal to the last bit on the same device with the same "
          "number of threads. Times differ from run to run.</p>\n";
    }
    const auto command = search_command(summary_);
    if (!is_original() && command) {
      add("<p>It was proposal {} of the search <q>{}</q> (seed {}). The study was begun with</p>\n",
          details_.candidate.ticket, html_text(details_.candidate.search), details_.candidate.seed);
      out_ += command_block(*command);
    }
    out_ += "</section>\n";
  }

  // Costs and limits follow from the candidate: there is nothing to run again.
  bool is_evaluated_by_worker() const {
    return std::any_of(details_.evaluations.begin(), details_.evaluations.end(),
                       [this](const auto& evaluation) {
                         return evaluation.state != store::EvaluationState::Pending &&
                                summary_.evaluators.count(evaluation.key.evaluator) > 0;
                       });
  }

  // ---- everything that was measured

  // The value of the original under the same key.
  const store::StudyValue* same_of_original(const store::Evaluation& evaluation,
                                            const std::string& metric) const {
    if (is_original()) return nullptr;
    for (const store::Evaluation& other : details_.of_original) {
      store::EvaluationKey key = other.key;
      key.candidate = evaluation.key.candidate;
      if (key != evaluation.key) continue;
      const auto value = other.values.find(metric);
      return value == other.values.end() ? nullptr : &value->second;
    }
    return nullptr;
  }

  // Pending here, and answered on another machine since.
  bool is_answered(const store::Evaluation& waiting) const {
    return std::any_of(details_.evaluations.begin(), details_.evaluations.end(),
                       [&waiting](const store::Evaluation& other) {
                         return other.state != store::EvaluationState::Pending &&
                                other.key.evaluator == waiting.key.evaluator &&
                                other.key.options == waiting.key.options &&
                                other.key.fidelity == waiting.key.fidelity &&
                                other.key.seed == waiting.key.seed;
                       });
  }

  void value_row(const store::Evaluation& evaluation, const std::string& metric,
                 const store::StudyValue& value) {
    add("<tr><td>{}</td><td class=\"number{}\">{}</td>", html_text(metric),
        value.is_estimate ? " estimate" : "", page_text(metric, value.value));
    const store::StudyValue* before = same_of_original(evaluation, metric);
    add("<td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>",
        before != nullptr ? page_text(metric, before->value) : "",
        spread_text(metric, value.value, value.spread), value.samples);
    where(evaluation);
  }

  void where(const store::Evaluation& evaluation) {
    const Stage stage{evaluation.key.evaluator, evaluation.key.fidelity};
    std::string place = evaluation.host;
    if (evaluation.key.machine != Fingerprint{})
      place += (place.empty() ? "" : " ") + evaluation.key.machine.text().substr(0, 8);
    add("<td>{}</td><td class=\"number\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        html_text(label_of(summary_, stage)), evaluation.key.seed, html_text(place),
        html_text(short_commit(evaluation.commit)), duration_text(evaluation.seconds));
  }

  void evaluations() {
    if (details_.evaluations.empty()) return;
    out_ +=
        "<section id=\"evaluations\">\n<h2>Evaluations</h2>\n<div class=\"wide\"><table "
        "class=\"dense\">\n<thead><tr><th></th><th class=\"number\">Value</th>"
        "<th class=\"number\">Original</th><th class=\"number\">Spread</th>"
        "<th class=\"number\">Samples</th><th>Evaluator</th><th class=\"number\">Seed</th>"
        "<th>Where</th><th>Commit</th><th>Took</th></tr></thead>\n<tbody>\n";
    for (const store::Evaluation& evaluation : details_.evaluations) {
      if (evaluation.state == store::EvaluationState::Pending && is_answered(evaluation)) continue;
      for (const auto& [metric, value] : evaluation.values) value_row(evaluation, metric, value);
      if (evaluation.state == store::EvaluationState::Done) continue;
      const bool refused = evaluation.state == store::EvaluationState::Refused;
      add("<tr><td class=\"{}\">{}</td><td colspan=\"4\">{}</td>", refused ? "refused" : "pending",
          refused ? "refused: " + html_text(evaluation.reason) : "waiting",
          html_text(evaluation.detail));
      where(evaluation);
    }
    out_ += "</tbody></table></div>\n</section>\n";
  }

  void about() {
    out_ += "<section id=\"about\">\n<h2>About the study</h2>\n" +
            study_facts(summary_, options_, false) + "</section>\n";
  }

  // ---- the curves, as data of the page's script

  void append_curves(const std::vector<store::Evaluation>& evaluations, const std::string& who,
                     bool original, nlohmann::json& out) const {
    for (const store::Evaluation& evaluation : evaluations) {
      if (evaluation.curve.empty()) continue;
      const std::string at =
          fidelity_text(summary_, evaluation.key.evaluator, evaluation.key.fidelity);
      out.push_back({{"title", fmt::format("{}{}{}, seed {}", who, at.empty() ? "" : ", ", at,
                                           evaluation.key.seed)},
                     {"original", original},
                     {"points", points_of(evaluation.curve)}});
    }
  }

  void scripts() {
    if (!best_curve(details_.evaluations)) return;
    nlohmann::json curves = nlohmann::json::array();
    // The last one is drawn over the others.
    append_curves(details_.of_original, "the original", true, curves);
    if (!is_original()) append_curves(details_.evaluations, "this", false, curves);
    const study::MetricInfo& quality = info_of(selection_.quality);
    const nlohmann::json metric = {{"label", quality.label}, {"unit", name_of(quality.unit)}};
    add("<script src=\"../assets/vega.js\"></script>\n<script "
        "src=\"../assets/plots.js\"></script>\n"
        "<script>cambium.showCurves({}, {});</script>\n",
        script_json(curves), script_json(metric));
  }

  const Summary& summary_;
  const Selection& selection_;
  const std::size_t index_;
  const Entry& entry_;
  const CandidateDetails& details_;
  const ReportOptions& options_;
  std::string out_;
};

}  // namespace

std::string candidate_page(const Summary& summary, const Selection& selection, std::size_t entry,
                           const CandidateDetails& details, const ReportOptions& options) {
  return CandidatePage(summary, selection, entry, details, options).text();
}

}  // namespace cambium::report
