// A study on disk: one SQLite file that survives a kill at any moment and that several processes
// share. Older files are upgraded when they are opened. Nothing measured is lost or measured twice.
// Refuses NotADatabase, NewerDatabase, DatabaseFailed (also for a full disk), StudyDiffers,
// NoSuchCandidate, and BadRecord for lines from outside. Called by study, search, report and
// engine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/mode.h"
#include "store/study.h"

namespace cambium::store {

// A handle. Several handles may have one file open, in one process or many. Only one thread at a
// time may use a handle.
class StudyStore {
 public:
  using Mode = store::Mode;
  static Result<StudyStore> open(const std::string& path, Mode mode = Mode::Make);
  StudyStore(StudyStore&&) noexcept;
  StudyStore& operator=(StudyStore&&) noexcept;
  ~StudyStore();

  // The first head stays. Refuses StudyDiffers for another base or other data.
  Status set_head(const StudyHead& head);
  Result<std::optional<StudyHead>> head();

  // Returns whether it was new.
  Result<bool> add(const StudyCandidate& candidate);
  Status set_title(Fingerprint identity, const std::string& title);  // it must be there
  Result<std::optional<StudyCandidate>> candidate(Fingerprint identity);
  // By its identity or the first digits of it. Refuses NoSuchCandidate, also if several candidates
  // match.
  Result<StudyCandidate> candidate_named(const std::string& prefix);
  Result<std::int64_t> count_candidates();
  // In the order of insertion, a page at a time, until `use` returns false. `use` may read and
  // write the study; rows that it adds are visited too.
  Status each_candidate(const std::function<bool(const StudyCandidate&)>& use);

  // Replaces the stored evaluation of this key only if the new one knows more: pending, then
  // pending with an estimate, then refused because a worker died (WorkerDied), then any other end.
  // Of equal ends, one with a curve or artifacts replaces one without. Stores the artifacts too:
  // all or nothing. Refuses NoSuchCandidate if the candidate is not there.
  Status add(const Evaluation& evaluation, const std::vector<Artifact>& artifacts = {});
  Result<std::optional<Evaluation>> evaluation(const EvaluationKey& key);
  Result<std::vector<Evaluation>> evaluations(Fingerprint candidate);  // with curves
  // Like each_candidate, without curves. An evaluation that was pending keeps its place.
  Status each_evaluation(const std::function<bool(const Evaluation&)>& use);
  // Pending evaluations that no version on any machine has answered. Empty name: all evaluators.
  Result<std::vector<EvaluationKey>> pending(const std::string& evaluator);

  // The owner that may make an evaluation: `owner`, unless another owner has a claim that lasts
  // until `now` (seconds since 1970). A claim ends with its evaluation, at `until` unless it is
  // renewed, and when its owner lets go.
  Result<Claim> claim(const EvaluationKey& key, const std::string& owner, double now, double until);
  Status renew_claims(const std::string& owner, double until);
  Status let_go(const std::string& owner);  // of all its claims

  // If several evaluations left a file of that name: the one of the highest fidelity, and of those
  // the first seed.
  Result<std::optional<Artifact>> artifact(Fingerprint candidate, const std::string& name);

  // The state that has folded most stays.
  using SearchState = store::SearchState;
  Status set_state(const std::string& search, const SearchState& state);
  Result<std::optional<SearchState>> state(const std::string& search);
  // JSON: the options of the last run of a search. Nothing: there is no such search, or an older
  // version did not keep them.
  Status set_options(const std::string& search, const std::string& options);
  Result<std::optional<std::string>> options(const std::string& search);
  Result<std::vector<std::string>> searches();  // names, in the order of their beginning

  // Rejections by reason, the most frequent first.
  struct ReasonCount {
    std::string evaluator, reason;
    std::int64_t count = 0;
    std::string example;
  };
  Result<std::vector<ReasonCount>> rejections();

  // Adds everything of another study that is missing here, all or nothing. Returns how many
  // candidates and evaluations that was; evaluations that were pending here count. Refuses
  // StudyDiffers.
  struct Merged {
    std::int64_t candidates = 0, evaluations = 0;
  };
  Result<Merged> merge(const std::string& other);

  // JSON lines, one object each (docs/schema/study_record.json), of one moment and without
  // artifacts. Importing adds them as merge() does. A bad line is refused with its number; then the
  // file stays as it was.
  Status export_lines(const std::function<Status(const std::string& line)>& write);
  Result<Merged> import_lines(const std::function<std::optional<std::string>()>& next);

 private:
  struct State;
  explicit StudyStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cambium::store
