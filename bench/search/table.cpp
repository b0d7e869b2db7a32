#include "search/table.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "engine/search/fields.h"
#include "engine/search/search.h"
#include "store/study_store.h"

namespace cambium::bench {
namespace {

using nlohmann::json;
using study::Metric;

constexpr Metric kRecorded[] = {Metric::Accuracy, Metric::Perplexity, Metric::Latency,
                                Metric::Macs,     Metric::Parameters, Metric::Memory};

// The values of one metric under the least effort that it was found with; means over seeds.
struct Least {
  double fidelity = 0, sum = 0;
  int count = 0;
  bool is_estimate = false;

  void add(double at, const store::StudyValue& value) {
    const std::pair rank(value.is_estimate, at), known(is_estimate, fidelity);
    if (count > 0 && rank > known) return;
    if (count == 0 || rank < known) *this = {at, 0, 0, value.is_estimate};
    sum += value.value;
    ++count;
  }
};

struct Found {
  std::map<Metric, Least> metrics;

  study::Scores scores() const {
    study::Scores scores;
    for (const auto& [metric, least] : metrics) {
      scores.set(metric, {least.sum / least.count, 0, least.is_estimate});
    }
    return scores;
  }
};

bool is_trained(const study::Scores& scores) {
  return scores.at(Metric::Accuracy) || scores.at(Metric::Perplexity);
}

json json_of(const study::Scores& scores) {
  json out = json::object();
  std::vector<std::string> estimates;
  for (const Metric metric : kRecorded) {
    const auto& value = scores.at(metric);
    if (!value) continue;
    out[std::string(name_of(metric))] = value->value;
    if (value->is_estimate) estimates.emplace_back(name_of(metric));
  }
  if (!estimates.empty()) out["estimates"] = estimates;
  return out;
}

Result<study::Scores> scores_in(const json& values) {
  if (!values.is_object()) return Rejection(Reason::MissingField, "values", "an object");
  study::Scores scores;
  for (const Metric metric : kRecorded) {
    const auto found = values.find(std::string(name_of(metric)));
    if (found == values.end()) continue;
    if (!found->is_number()) {
      return Rejection(Reason::MissingField, std::string(name_of(metric)), "a number");
    }
    bool is_estimate = false;
    if (const auto named = values.find("estimates"); named != values.end()) {
      is_estimate = std::find(named->begin(), named->end(), name_of(metric)) != named->end();
    }
    scores.set(metric, {found->get<double>(), 0, is_estimate});
  }
  return scores;
}

Status read_head(const json& line, SearchTable& table) {
  engine::Fields fields(line);
  std::string document;
  fields.take("document", document)
      .take("model", table.model)
      .take("bind", table.bind)
      .take("data", table.data)
      .take("epochs", table.epochs)
      .take("machine", table.machine)
      .take("commit", table.commit);
  const json* spaces = fields.find_array("spaces");
  const json* reward = fields.find("reward");
  const json* original = fields.find("original");
  CAMBIUM_REQUIRE(fields.status());
  if (document != "cambium.search_table") {
    return Rejection(Reason::MissingField, "document", "cambium.search_table");
  }
  table.spaces = json_text(*spaces);
  CAMBIUM_TRY(table.reward, search::parse_reward(json_text(*reward)));
  CAMBIUM_TRY(table.original, scores_in(*original));
  return Ok{};
}

Result<TableRow> read_row(const json& line) {
  engine::Fields fields(line);
  const json* candidate = fields.find("candidate");
  const json* values = fields.find("values");
  CAMBIUM_REQUIRE(fields.status());
  TableRow row;
  CAMBIUM_TRY(row.candidate, spaces::parse_candidate(json_text(*candidate)));
  CAMBIUM_TRY(row.scores, scores_in(*values));
  if (!is_trained(row.scores)) return Rejection(Reason::MissingField, "accuracy", "a number");
  return row;
}

void sort(SearchTable& table) {
  std::sort(table.rows.begin(), table.rows.end(), [](const TableRow& a, const TableRow& b) {
    return spaces::identity_of(a.candidate) < spaces::identity_of(b.candidate);
  });
}

}  // namespace

bool SearchTable::has(Metric metric) const {
  return original.at(metric).has_value() &&
         std::all_of(rows.begin(), rows.end(),
                     [&](const TableRow& row) { return row.scores.at(metric).has_value(); });
}

Result<SearchTable> table_of_study(const std::string& path) {
  CAMBIUM_TRY(const engine::SearchSetup setup, engine::setup_of(path));
  CAMBIUM_TRY(store::StudyStore study,
              store::StudyStore::open(path, store::StudyStore::Mode::Open));
  CAMBIUM_TRY(const auto head, study.head());
  SearchTable table{setup.model,  setup.bind, setup.data, engine::to_json(setup.spaces),
                    setup.reward, 0,          {},         head ? head->commit : "",
                    {},           {}};
  std::map<Fingerprint, Found> found;
  CAMBIUM_REQUIRE(study.each_evaluation([&](const store::Evaluation& evaluation) {
    if (evaluation.state == store::EvaluationState::Refused) return true;
    for (const auto& [name, value] : evaluation.values) {
      const auto metric = study::metric_named(name);
      if (!metric) continue;
      found[evaluation.key.candidate].metrics[*metric].add(evaluation.key.fidelity, value);
      if (*metric == Metric::Latency && !value.is_estimate) {
        table.machine = evaluation.key.machine.text();
      }
    }
    return true;
  }));
  Status read = Ok{};
  CAMBIUM_REQUIRE(study.each_candidate([&](const store::StudyCandidate& kept) {
    const Found& known = found[kept.identity];
    auto candidate = spaces::parse_candidate(kept.document);
    if (!candidate.ok()) {
      read = candidate.rejection();
      return false;
    }
    if (candidate->edits.empty()) {
      table.original = known.scores();
      for (const auto& [metric, least] : known.metrics) {
        if (metric == Metric::Accuracy || metric == Metric::Perplexity) {
          table.epochs = least.fidelity;
        }
      }
    } else if (is_trained(known.scores())) {
      table.rows.push_back({std::move(*candidate), known.scores()});
    }
    return true;
  }));
  CAMBIUM_REQUIRE(read);
  if (table.rows.empty()) {
    return Rejection(Reason::NoSuchCandidate, path, "none of its candidates was trained");
  }
  sort(table);
  return table;
}

std::string to_lines(const SearchTable& table) {
  json head = {{"document", "cambium.search_table"},
               {"version", 1},
               {"model", table.model},
               {"bind", engine::object_of(table.bind)},
               {"data", table.data},
               {"spaces", parse_json(table.spaces).value()},
               {"reward", parse_json(search::to_json(table.reward)).value()},
               {"epochs", table.epochs},
               {"machine", table.machine},
               {"commit", table.commit},
               {"original", json_of(table.original)}};
  std::string lines = json_text(head) + "\n";
  for (const TableRow& row : table.rows) {
    lines += json_text({{"candidate", parse_json(spaces::to_json(row.candidate)).value()},
                        {"values", json_of(row.scores)}}) +
             "\n";
  }
  return lines;
}

Result<SearchTable> parse_table(std::string_view lines) {
  SearchTable table;
  std::size_t number = 0;
  for (const std::string_view line : split(lines, '\n')) {
    ++number;
    if (line.empty()) continue;
    const std::string where = "line " + std::to_string(number);
    CAMBIUM_TRY(const json read, parse_json(line).at(where));
    if (number == 1) {
      CAMBIUM_REQUIRE(read_head(read, table).at(where));
      continue;
    }
    CAMBIUM_TRY(TableRow row, read_row(read).at(where));
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return Rejection(Reason::MissingField, "candidate", "one line at least");
  sort(table);
  return table;
}

}  // namespace cambium::bench
