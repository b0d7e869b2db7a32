// A study on disk: one SQLite file, safe against a kill at any moment, shared by several processes,
// its schema versioned and brought up to date. Nothing that was measured is lost or measured twice.
// Refuses NotADatabase, NewerDatabase, DatabaseFailed (a full disk among them), StudyDiffers,
// NoSuchCandidate, and of foreign lines BadRecord. Called by search, report and engine.
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

// A handle. Several may have one file open, in one process or many; one handle is not for two
// threads at a time.
class StudyStore {
 public:
  using Mode = store::Mode;
  static Result<StudyStore> open(const std::string& path, Mode mode = Mode::Make);
  StudyStore(StudyStore&&) noexcept;
  StudyStore& operator=(StudyStore&&) noexcept;
  ~StudyStore();

  // The first one stays. Refuses StudyDiffers where base or data are others.
  Status set_head(const StudyHead& head);
  Result<std::optional<StudyHead>> head();

  // Whether it was new.
  Result<bool> add(const StudyCandidate& candidate);
  Status set_title(Fingerprint identity, const std::string& title);  // of one that is there
  Result<std::optional<StudyCandidate>> candidate(Fingerprint identity);
  // By the first digits of its identity, or the whole. Refuses NoSuchCandidate, also where several
  // begin so.
  Result<StudyCandidate> candidate_named(const std::string& prefix);
  Result<std::int64_t> count_candidates();
  // In the order in which they came, a page at a time; ends when `use` says false. `use` may read
  // and write the study: what comes meanwhile is met too.
  Status each_candidate(const std::function<bool(const StudyCandidate&)>& use);

  // What is there under the key stays, unless this knows more: pending gives way to an estimate,
  // that to a refusal because a worker died (WorkerDied), and that to every other end; of equal
  // ends, one without a curve or artifacts to one with them. With its artifacts, all or nothing.
  // Refuses NoSuchCandidate where the candidate was not added before.
  Status add(const Evaluation& evaluation, const std::vector<Artifact>& artifacts = {});
  Result<std::optional<Evaluation>> evaluation(const EvaluationKey& key);
  Result<std::vector<Evaluation>> evaluations(Fingerprint candidate);  // curves included
  // As each_candidate; without curves. What was pending has kept its place.
  Status each_evaluation(const std::function<bool(const Evaluation&)>& use);
  // What no version of the evaluator has answered on any machine; empty: of all evaluators.
  Result<std::vector<EvaluationKey>> pending(const std::string& evaluator);

  // The owner that may make an evaluation: the one that asks, unless another has claimed it and
  // that claim does not end before `now`, in seconds since 1970. A claim ends with its evaluation,
  // with `until`, which is renewed, and when its owner lets go.
  Result<Claim> claim(const EvaluationKey& key, const std::string& owner, double now, double until);
  Status renew_claims(const std::string& owner, double until);
  Status let_go(const std::string& owner);  // of all that it has claimed

  // Of several evaluations that left one of that name: that of the highest fidelity, and of those
  // the one of the first seed.
  Result<std::optional<Artifact>> artifact(Fingerprint candidate, const std::string& name);

  // The newest stays: the one that has folded most.
  using SearchState = store::SearchState;
  Status set_state(const std::string& search, const SearchState& state);
  Result<std::optional<SearchState>> state(const std::string& search);
  // What the search was started with last, JSON. Nothing: no search of that name, or one of a
  // version that did not keep it.
  Status set_options(const std::string& search, const std::string& options);
  Result<std::optional<std::string>> options(const std::string& search);
  Result<std::vector<std::string>> searches();  // by name, in the order in which they began

  // Rejections by reason, the most frequent first.
  struct ReasonCount {
    std::string evaluator, reason;
    std::int64_t count = 0;
    std::string example;
  };
  Result<std::vector<ReasonCount>> rejections();

  // Everything of another study that is not here, all or nothing; how many candidates and
  // evaluations that was, with those that were pending here. Refuses StudyDiffers.
  struct Merged {
    std::int64_t candidates = 0, evaluations = 0;
  };
  Result<Merged> merge(const std::string& other);

  // JSON lines, one object each (docs/schema/study_record.json), as they were at one moment;
  // artifacts stay behind. Import joins as merge() does; a bad line is refused with its number and
  // leaves the file as it was.
  Status export_lines(const std::function<Status(const std::string& line)>& write);
  Result<Merged> import_lines(const std::function<std::optional<std::string>()>& next);

 private:
  struct State;
  explicit StudyStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cambium::store
