#include "store/study_lines.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "store/members.h"

namespace cambium::store {
namespace {

using nlohmann::json;

constexpr const char* kStudyDocument = "cambium.study_record";
constexpr int kStudyLineVersion = 1;

json json_of(const StudyHead& head) {
  return {{"base", head.base.text()},
          {"model", head.model},
          {"data", head.data},
          {"options", head.options},
          {"commit", head.commit}};
}

json json_of(const StudyCandidate& candidate) {
  return {{"identity", candidate.identity.text()},
          {"parent", candidate.parent.has_value() ? json(candidate.parent->text()) : json()},
          {"search", candidate.search},
          {"ticket", candidate.ticket},
          {"seed", candidate.seed},
          {"strategy", candidate.strategy},
          {"space", candidate.space},
          {"title", candidate.title},
          {"document", candidate.document}};
}

json json_of(const Evaluation& evaluation) {
  json values = json::object();
  for (const auto& [name, value] : evaluation.values) {
    values[name] = {{"value", json_number(value.value)},
                    {"spread", json_number(value.spread)},
                    {"samples", value.samples},
                    {"is_estimate", value.is_estimate}};
  }
  json curve = json::array();
  for (const CurvePoint& point : evaluation.curve) {
    curve.push_back({{"x", json_number(point.x)},
                     {"value", json_number(point.value)},
                     {"loss", json_number(point.loss)},
                     {"seconds", json_number(point.seconds)}});
  }
  const EvaluationKey& key = evaluation.key;
  return {{"candidate", key.candidate.text()},
          {"evaluator", key.evaluator},
          {"version", key.version},
          {"options", key.options},
          {"fidelity", json_number(key.fidelity)},
          {"seed", key.seed},
          {"machine", key.machine.text()},
          {"state", name_of(evaluation.state)},
          {"values", values},
          {"reason", evaluation.reason},
          {"detail", evaluation.detail},
          {"seconds", json_number(evaluation.seconds)},
          {"ended", json_number(evaluation.ended)},
          {"commit", evaluation.commit},
          {"host", evaluation.host},
          {"curve", curve}};
}

json json_of(const NamedSearch& search) {
  json object = {
      {"name", search.name}, {"folded", search.state.folded}, {"state", search.state.state}};
  if (!search.options.empty()) object["options"] = search.options;
  return object;
}

StudyHead head_of(const json& object, std::string& error) {
  Members m(object, error);
  return {m.fingerprint("base"), m.text("model"), m.text("data"), m.text("options"),
          m.text("commit")};
}

StudyCandidate candidate_of(const json& object, std::string& error) {
  Members m(object, error);
  StudyCandidate candidate;
  candidate.identity = m.fingerprint("identity");
  candidate.parent = m.fingerprint_or_null("parent");
  candidate.search = m.text("search");
  candidate.ticket = m.integer("ticket", std::numeric_limits<std::int64_t>::min());
  candidate.seed = m.seed("seed");
  candidate.strategy = m.text("strategy");
  candidate.space = m.text("space");
  candidate.title = m.text("title");
  candidate.document = m.text("document");
  return candidate;
}

EvaluationKey key_in_line(Members& m) {
  EvaluationKey key;
  key.candidate = m.fingerprint("candidate");
  key.evaluator = m.text("evaluator");
  key.version = m.text("version");
  key.options = m.text("options");
  key.fidelity = m.real("fidelity");
  key.seed = m.seed("seed");
  key.machine = m.fingerprint("machine");
  return key;
}

Evaluation evaluation_of(const json& object, std::string& error) {
  Members m(object, error);
  Evaluation evaluation;
  evaluation.key = key_in_line(m);
  const auto state = state_named(m.text("state"));
  if (!state.has_value()) m.fail("'state' must be done, refused or pending");
  evaluation.state = state.value_or(EvaluationState::Pending);
  for (const auto& item : m.object("values").items()) {
    Members v(item.value(), error);
    evaluation.values[item.key()] = {v.number("value"), v.number("spread"), v.integer("samples"),
                                     v.truth("is_estimate")};
  }
  evaluation.reason = m.text("reason");
  evaluation.detail = m.text("detail");
  evaluation.seconds = m.number("seconds");
  evaluation.ended = m.number("ended");
  evaluation.commit = m.text("commit");
  evaluation.host = m.text("host");
  for (const json& point : m.array("curve")) {
    Members p(point, error);
    evaluation.curve.push_back(
        {p.number("x"), p.number("value"), p.number("loss"), p.number("seconds")});
  }
  return evaluation;
}

NamedSearch search_of(const json& object, std::string& error) {
  Members m(object, error);
  const bool has_options = object.is_object() && object.contains("options");
  return {m.text("name"),
          {m.integer("folded"), m.text("state")},
          has_options ? m.text("options") : std::string()};
}

}  // namespace

std::string study_line(const StudyRecord& record) {
  static constexpr const char* kKinds[] = {"study", "candidate", "evaluation", "search"};
  json line = {{"document", kStudyDocument}, {"version", kStudyLineVersion}};
  line[kKinds[record.index()]] = std::visit([](const auto& r) { return json_of(r); }, record);
  return json_text(line);
}

Result<StudyRecord> parse_study_line(std::string_view line, std::int64_t number) {
  CAMBIUM_TRY(const json parsed, parse_record(line, number, kStudyDocument, kStudyLineVersion));
  std::string error;
  StudyRecord record;
  if (parsed.contains("study")) {
    record = head_of(parsed.at("study"), error);
  } else if (parsed.contains("candidate")) {
    record = candidate_of(parsed.at("candidate"), error);
  } else if (parsed.contains("evaluation")) {
    record = evaluation_of(parsed.at("evaluation"), error);
  } else if (parsed.contains("search")) {
    record = search_of(parsed.at("search"), error);
  } else {
    error = "unknown record; expected a study, a candidate, an evaluation or a search";
  }
  if (!error.empty()) return Rejection(Reason::BadRecord, error, {}, number);
  return record;
}

}  // namespace cambium::store
