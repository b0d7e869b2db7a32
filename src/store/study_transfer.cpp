#include "store/study_transfer.h"

#include "store/study_candidates.h"
#include "store/study_evaluations.h"
#include "store/study_head.h"
#include "store/study_lines.h"

namespace cambium::store {
namespace {

using Write = std::function<Status(const std::string& line)>;

Status export_candidates(Connection& db, const Write& write) {
  for (std::int64_t last = 0;;) {
    CAMBIUM_TRY(const std::vector<CandidateRow> page, candidates_after(db, last));
    if (page.empty()) return Ok{};
    for (const CandidateRow& row : page) CAMBIUM_REQUIRE(write(study_line(row.candidate)));
    last = page.back().id;
  }
}

Status export_evaluations(Connection& db, const Write& write) {
  for (std::int64_t last = 0;;) {
    CAMBIUM_TRY(std::vector<EvaluationRow> page, evaluations_after(db, last));
    if (page.empty()) return Ok{};
    for (EvaluationRow& row : page) {
      CAMBIUM_TRY(row.evaluation.curve, curve_of(db, row.id));
      CAMBIUM_REQUIRE(write(study_line(row.evaluation)));
    }
    last = page.back().id;
  }
}

Status import_record(Connection& db, const StudyRecord& record, std::int64_t number,
                     StudyStore::Merged& merged) {
  if (const auto* head = std::get_if<StudyHead>(&record)) return agree_on_head(db, *head);
  if (const auto* search = std::get_if<NamedSearch>(&record)) {
    return join_search(db, *search);
  }
  if (const auto* candidate = std::get_if<StudyCandidate>(&record)) {
    CAMBIUM_TRY(const bool is_new, add_candidate(db, *candidate));
    if (is_new) ++merged.candidates;
    return Ok{};
  }
  const auto& evaluation = std::get<Evaluation>(record);
  const auto taken = add_evaluation(db, evaluation, {});
  if (!taken.ok() && taken.rejection().reason() == Reason::NoSuchCandidate) {
    return Rejection(Reason::BadRecord,
                     "candidate " + evaluation.key.candidate.text() + " must be on an earlier line",
                     {}, number);
  }
  if (!taken.ok()) return taken.rejection();
  if (*taken) ++merged.evaluations;
  return Ok{};
}

}  // namespace

Status join_search(Connection& db, const NamedSearch& search) {
  if (!search.state.state.empty()) {
    CAMBIUM_REQUIRE(set_search(db, search.name, search.state));
  }
  CAMBIUM_TRY(const std::optional<std::string> there, find_search_options(db, search.name));
  if (there.has_value() || search.options.empty()) return Ok{};
  return set_search_options(db, search.name, search.options);
}

Status export_study(Connection& db, const Write& write) {
  Transaction moment(db);
  CAMBIUM_REQUIRE(moment.begin(Transaction::Kind::Read));
  CAMBIUM_TRY(const std::optional<StudyHead> head, find_head(db));
  if (head.has_value()) CAMBIUM_REQUIRE(write(study_line(*head)));
  CAMBIUM_REQUIRE(export_candidates(db, write));
  CAMBIUM_REQUIRE(export_evaluations(db, write));
  CAMBIUM_TRY(const std::vector<std::string> names, search_names(db));
  for (const std::string& name : names) {
    CAMBIUM_TRY(const std::optional<SearchState> state, find_search(db, name));
    CAMBIUM_TRY(const std::optional<std::string> options, find_search_options(db, name));
    CAMBIUM_REQUIRE(
        write(study_line(NamedSearch{name, state.value_or(SearchState{}), options.value_or("")})));
  }
  return moment.commit();
}

Result<StudyStore::Merged> import_study(Connection& db,
                                        const std::function<std::optional<std::string>()>& next) {
  Transaction transaction(db);
  CAMBIUM_REQUIRE(transaction.begin(Transaction::Kind::Write));
  std::int64_t number = 0;
  StudyStore::Merged merged;
  while (const std::optional<std::string> line = next()) {
    ++number;
    if (line->find_first_not_of(" \t\r") == std::string::npos) continue;
    CAMBIUM_TRY(const StudyRecord record, parse_study_line(*line, number));
    CAMBIUM_REQUIRE(import_record(db, record, number, merged));
  }
  CAMBIUM_REQUIRE(transaction.commit());
  return merged;
}

}  // namespace cambium::store
