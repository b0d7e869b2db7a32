#include "store/study_merge.h"

#include "store/study_artifacts.h"
#include "store/study_candidates.h"
#include "store/study_evaluations.h"
#include "store/study_head.h"
#include "store/study_transfer.h"

namespace cambium::store {
namespace {

Result<std::int64_t> merge_candidates(Connection& into, Connection& from) {
  std::int64_t added = 0;
  for (std::int64_t last = 0;;) {
    CAMBIUM_TRY(const std::vector<CandidateRow> page, candidates_after(from, last));
    if (page.empty()) return added;
    for (const CandidateRow& row : page) {
      CAMBIUM_TRY(const bool is_new, add_candidate(into, row.candidate));
      if (is_new) ++added;
    }
    last = page.back().id;
  }
}

Result<std::int64_t> merge_evaluations(Connection& into, Connection& from) {
  std::int64_t added = 0;
  for (std::int64_t last = 0;;) {
    CAMBIUM_TRY(std::vector<EvaluationRow> page, evaluations_after(from, last));
    if (page.empty()) return added;
    for (EvaluationRow& row : page) {
      CAMBIUM_TRY(row.evaluation.curve, curve_of(from, row.id));
      CAMBIUM_TRY(const std::vector<Artifact> artifacts, artifacts_of(from, row.id));
      CAMBIUM_TRY(const bool taken, add_evaluation(into, row.evaluation, artifacts));
      if (taken) ++added;
    }
    last = page.back().id;
  }
}

Status merge_searches(Connection& into, Connection& from) {
  CAMBIUM_TRY(const std::vector<std::string> names, search_names(from));
  for (const std::string& name : names) {
    CAMBIUM_TRY(const std::optional<SearchState> state, find_search(from, name));
    CAMBIUM_TRY(const std::optional<std::string> options, find_search_options(from, name));
    CAMBIUM_REQUIRE(join_search(into, {name, state.value_or(SearchState{}), options.value_or("")}));
  }
  return Ok{};
}

}  // namespace

Result<StudyStore::Merged> merge_study(Connection& into, Connection& from) {
  Transaction writing(into);
  Transaction moment(from);
  CAMBIUM_REQUIRE(writing.begin(Transaction::Kind::Write));
  CAMBIUM_REQUIRE(moment.begin(Transaction::Kind::Read));
  CAMBIUM_TRY(const std::optional<StudyHead> head, find_head(from));
  if (head.has_value()) CAMBIUM_REQUIRE(agree_on_head(into, *head));
  StudyStore::Merged merged;
  CAMBIUM_TRY(merged.candidates, merge_candidates(into, from));
  CAMBIUM_TRY(merged.evaluations, merge_evaluations(into, from));
  CAMBIUM_REQUIRE(merge_searches(into, from));
  CAMBIUM_REQUIRE(moment.commit());
  CAMBIUM_REQUIRE(writing.commit());
  return merged;
}

}  // namespace cambium::store
