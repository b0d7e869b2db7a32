#include "store/study_store.h"

#include "store/schema.h"
#include "store/study_artifacts.h"
#include "store/study_candidates.h"
#include "store/study_evaluations.h"
#include "store/study_head.h"
#include "store/study_merge.h"
#include "store/study_transfer.h"

namespace cambium::store {
namespace {

// The example is the first of its group: with min(), SQLite takes the other columns from that row.
constexpr const char* kRejections =
    "SELECT evaluators.name, evaluations.reason, count(*), evaluations.detail, min(evaluations.id)"
    " FROM evaluations JOIN evaluators ON evaluators.id = evaluations.evaluator"
    " WHERE evaluations.state = 'refused' GROUP BY evaluators.name, evaluations.reason"
    " ORDER BY 3 DESC, 1, 2";

// Opens and prepares a file.
Result<Connection> connect(const std::string& path, Mode mode) {
  CAMBIUM_TRY(Connection db, Connection::open(path, mode));
  CAMBIUM_REQUIRE(prepare(db, study_schema()));
  return db;
}

// The result of `read`, all at one moment.
template <class Read>
auto at_one_moment(Connection& db, const Read& read) -> decltype(read()) {
  Transaction moment(db);
  CAMBIUM_REQUIRE(moment.begin(Transaction::Kind::Read));
  auto result = read();
  if (!result.ok()) return result;
  CAMBIUM_REQUIRE(moment.commit());
  return result;
}

// The result of `write` after the commit. If it refuses, nothing is changed.
template <class Write>
auto all_or_nothing(Connection& db, const Write& write) -> decltype(write()) {
  Transaction transaction(db);
  CAMBIUM_REQUIRE(transaction.begin(Transaction::Kind::Write));
  auto result = write();
  if (!result.ok()) return result;
  CAMBIUM_REQUIRE(transaction.commit());
  return result;
}

}  // namespace

struct StudyStore::State {
  Connection db;
};

StudyStore::StudyStore(std::unique_ptr<State> state) : state_(std::move(state)) {}
StudyStore::StudyStore(StudyStore&&) noexcept = default;
StudyStore& StudyStore::operator=(StudyStore&&) noexcept = default;
StudyStore::~StudyStore() = default;

Result<StudyStore> StudyStore::open(const std::string& path, Mode mode) {
  CAMBIUM_TRY(Connection db, connect(path, mode));
  return StudyStore(std::make_unique<State>(State{std::move(db)}));
}

Status StudyStore::set_head(const StudyHead& head) {
  return all_or_nothing(state_->db, [&] { return agree_on_head(state_->db, head); });
}

Result<std::optional<StudyHead>> StudyStore::head() {
  return find_head(state_->db);
}

Result<bool> StudyStore::add(const StudyCandidate& candidate) {
  return all_or_nothing(state_->db, [&] { return add_candidate(state_->db, candidate); });
}

Status StudyStore::set_title(Fingerprint identity, const std::string& title) {
  return all_or_nothing(state_->db,
                        [&] { return set_candidate_title(state_->db, identity, title); });
}

Result<std::optional<StudyCandidate>> StudyStore::candidate(Fingerprint identity) {
  return find_candidate(state_->db, identity);
}

Result<StudyCandidate> StudyStore::candidate_named(const std::string& prefix) {
  std::string digits = prefix;
  for (char& c : digits) c = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  const bool are_digits = digits.find_first_not_of("0123456789abcdef") == std::string::npos;
  std::vector<StudyCandidate> found;
  if (are_digits && !digits.empty()) {
    CAMBIUM_TRY(found, candidates_beginning(state_->db, digits));
  }
  if (found.size() == 1) return std::move(found.front());
  const char* why = found.empty() ? "" : " (several begin with these digits)";
  return Rejection(Reason::NoSuchCandidate, "'" + prefix + "'" + why, state_->db.path());
}

Result<std::int64_t> StudyStore::count_candidates() {
  return store::count_candidates(state_->db);
}

Status StudyStore::each_candidate(const std::function<bool(const StudyCandidate&)>& use) {
  for (std::int64_t last = 0;;) {
    CAMBIUM_TRY(const std::vector<CandidateRow> page, candidates_after(state_->db, last));
    if (page.empty()) return Ok{};
    for (const CandidateRow& row : page) {
      if (!use(row.candidate)) return Ok{};
    }
    last = page.back().id;
  }
}

Status StudyStore::add(const Evaluation& evaluation, const std::vector<Artifact>& artifacts) {
  CAMBIUM_REQUIRE(all_or_nothing(
      state_->db, [&] { return add_evaluation(state_->db, evaluation, artifacts); }));
  return Ok{};
}

Result<std::optional<Evaluation>> StudyStore::evaluation(const EvaluationKey& key) {
  return at_one_moment(state_->db, [&] { return find_evaluation(state_->db, key); });
}

Result<std::vector<Evaluation>> StudyStore::evaluations(Fingerprint candidate) {
  return at_one_moment(state_->db, [&] { return evaluations_of(state_->db, candidate); });
}

Status StudyStore::each_evaluation(const std::function<bool(const Evaluation&)>& use) {
  for (std::int64_t last = 0;;) {
    CAMBIUM_TRY(const std::vector<EvaluationRow> page,
                at_one_moment(state_->db, [&] { return evaluations_after(state_->db, last); }));
    if (page.empty()) return Ok{};
    for (const EvaluationRow& row : page) {
      if (!use(row.evaluation)) return Ok{};
    }
    last = page.back().id;
  }
}

Result<std::vector<EvaluationKey>> StudyStore::pending(const std::string& evaluator) {
  return pending_keys(state_->db, evaluator);
}

Result<std::optional<Artifact>> StudyStore::artifact(Fingerprint candidate,
                                                     const std::string& name) {
  return at_one_moment(state_->db, [&] { return find_artifact(state_->db, candidate, name); });
}

Status StudyStore::set_state(const std::string& search, const SearchState& state) {
  return all_or_nothing(state_->db, [&] { return set_search(state_->db, search, state); });
}

Result<std::optional<SearchState>> StudyStore::state(const std::string& search) {
  return find_search(state_->db, search);
}

Status StudyStore::set_options(const std::string& search, const std::string& options) {
  return all_or_nothing(state_->db,
                        [&] { return set_search_options(state_->db, search, options); });
}

Result<std::optional<std::string>> StudyStore::options(const std::string& search) {
  return find_search_options(state_->db, search);
}

Result<std::vector<std::string>> StudyStore::searches() {
  return search_names(state_->db);
}

Result<Claim> StudyStore::claim(const EvaluationKey& key, const std::string& owner, double now,
                                double until) {
  return all_or_nothing(state_->db,
                        [&] { return claim_evaluation(state_->db, key, owner, now, until); });
}

Status StudyStore::renew_claims(const std::string& owner, double until) {
  return all_or_nothing(state_->db, [&] { return store::renew_claims(state_->db, owner, until); });
}

Status StudyStore::let_go(const std::string& owner) {
  return all_or_nothing(state_->db, [&] { return drop_claims(state_->db, owner); });
}

Result<std::vector<StudyStore::ReasonCount>> StudyStore::rejections() {
  std::vector<ReasonCount> counts;
  Query query(state_->db, kRejections);
  for (;;) {
    CAMBIUM_TRY(const bool row, query.step());
    if (!row) return counts;
    counts.push_back({query.text(0), query.text(1), query.integer(2), query.text(3)});
  }
}

Result<StudyStore::Merged> StudyStore::merge(const std::string& other) {
  CAMBIUM_TRY(Connection from, connect(other, Mode::Read));
  return merge_study(state_->db, from);
}

Status StudyStore::export_lines(const std::function<Status(const std::string& line)>& write) {
  return export_study(state_->db, write);
}

Result<StudyStore::Merged> StudyStore::import_lines(
    const std::function<std::optional<std::string>()>& next) {
  return import_study(state_->db, next);
}

}  // namespace cambium::store
