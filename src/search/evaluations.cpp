#include "search/evaluations.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace cambium::search {
namespace {

bool is_refused_for(const store::Evaluation& evaluation, Reason reason) {
  return evaluation.state == store::EvaluationState::Refused &&
         evaluation.reason == name_of(reason);
}

// These reasons say nothing about the candidate: machine, options and data are the same for all.
bool is_of_machine(const store::Evaluation& evaluation) {
  constexpr Reason kReasons[] = {
      Reason::Unavailable,  Reason::NotFound,      Reason::Unreadable,     Reason::Unwritable,
      Reason::Unstartable,  Reason::RunnerMissing, Reason::LinkerMissing,  Reason::DatabaseFailed,
      Reason::BadOption,    Reason::BadJob,        Reason::UnknownDataset, Reason::NoSuchSplit,
      Reason::UnknownClass, Reason::NoSamples,     Reason::BadImage,       Reason::ImageSizeDiffers,
      Reason::WrongMagic,   Reason::WrongFileSize, Reason::CountMismatch,  Reason::LabelOutOfRange,
      Reason::BadPickle,    Reason::WrongDataKind};
  return std::any_of(std::begin(kReasons), std::end(kReasons),
                     [&](Reason reason) { return is_refused_for(evaluation, reason); });
}

constexpr double kNapSeconds = 0.1;

}  // namespace

Evaluations::Evaluations(store::StudyStore& study, Executor& executor, Place place,
                         const spaces::Candidate& original)
    : study_(study),
      executor_(executor),
      place_(std::move(place)),
      original_(spaces::identity_of(original)),
      original_document_(spaces::to_json(original)),
      claims_(study),
      elsewhere_(study) {}

void Evaluations::sign(store::Evaluation& evaluation) const {
  evaluation.commit = place_.commit;
  evaluation.host = place_.host;
  evaluation.ended = seconds_since_1970();
}

Result<std::vector<double>> Evaluations::reference_for(store::EvaluationKey key) const {
  std::vector<double> curve;
  if (key.candidate == original_) return curve;
  key.candidate = original_;
  CAMBIUM_TRY(const std::optional<store::Evaluation> original, study_.evaluation(key));
  if (!original || original->state != store::EvaluationState::Done) return curve;
  for (const store::CurvePoint& point : original->curve) curve.push_back(point.value);
  return curve;
}

Status Evaluations::record(store::Evaluation evaluation,
                           const std::vector<store::Artifact>& artifacts) {
  sign(evaluation);
  return study_.add(evaluation, artifacts);
}

Status Evaluations::ask(std::int64_t asker, Fingerprint candidate, const std::string& document,
                        const Stage& stage, std::uint64_t seed,
                        const std::function<Estimates()>& estimates) {
  store::EvaluationKey key{candidate, stage.evaluator, {}, stage.options, stage.fidelity, seed, {}};
  const auto offer = executor_.offer(stage.evaluator);
  if (offer.ok()) {
    key.version = offer.value().version;
    key.machine = offer.value().machine;
  }
  CAMBIUM_TRY(std::optional<store::Evaluation> known,
              offer.ok() ? study_.evaluation(key) : elsewhere_.find(key));
  // A job whose worker died in an earlier run is retried, because the machine may have been the
  // cause. A job that timed out is retried only with more time.
  const double limit = offer.ok() ? offer.value().job_seconds : 0;
  const bool may_live = known && is_refused_for(*known, Reason::WorkerDied) &&
                        !suspects_.has_died(key) && (limit <= 0 || known->seconds < limit);
  const bool is_open = known && (known->state == store::EvaluationState::Pending || may_live);
  if (known && (!is_open || !offer.ok())) {
    ready_.push_back({asker, std::move(*known), true});
    return Ok{};
  }
  if (!offer.ok()) {
    store::Evaluation pending;
    pending.key = key;
    pending.state = store::EvaluationState::Pending;
    pending.values = estimates();
    pending.detail = offer.rejection().message();
    CAMBIUM_REQUIRE(record(pending));
    ready_.push_back({asker, std::move(pending), false});
    return Ok{};
  }
  return begin(asker, key, document);
}

Status Evaluations::begin(std::int64_t asker, const store::EvaluationKey& key,
                          const std::string& document) {
  if (jobs_.join(key, asker)) return Ok{};
  CAMBIUM_TRY(const Claims::Right right, claims_.claim(key));
  if (right == Claims::Right::Answered) {
    CAMBIUM_TRY(std::optional<store::Evaluation> known, study_.evaluation(key));
    CAMBIUM_CHECK(known.has_value(), "an answered evaluation is in the study");
    ready_.push_back({asker, std::move(*known), true});
    return Ok{};
  }
  if (right == Claims::Right::Foreign) {
    foreign_.push_back({asker, key, document});
    return Ok{};
  }
  const std::int64_t id = jobs_.begin(key, asker);
  CAMBIUM_TRY(std::vector<double> reference, reference_for(key));
  executor_.submit({id, key, document, std::move(reference)});
  return Ok{};
}

Status Evaluations::look_after_claims() {
  if (!jobs_.is_empty()) CAMBIUM_REQUIRE(claims_.renew());
  if (foreign_.empty() || !claims_.is_time_to_look()) return Ok{};
  for (const Foreign& each : std::exchange(foreign_, {})) {
    CAMBIUM_REQUIRE(begin(each.asker, each.key, each.document));
  }
  return Ok{};
}

Status Evaluations::keep(Ended ended) {
  const bool is_refused = ended.evaluation.state == store::EvaluationState::Refused;
  sign(ended.evaluation);
  if (!is_refused || ended.evaluation.key.candidate != original_) {
    CAMBIUM_REQUIRE(study_.add(ended.evaluation, ended.artifacts));
  }
  ++run_;
  seconds_ += ended.evaluation.seconds;
  bool is_first = true;
  for (const std::int64_t asker : ended.askers) {
    ready_.push_back({asker, ended.evaluation, !std::exchange(is_first, false)});
  }
  return Ok{};
}

Status Evaluations::release(const std::string& evaluator) {
  for (Ended& suspect : suspects_.release(evaluator)) {
    CAMBIUM_REQUIRE(keep(std::move(suspect)));
  }
  return Ok{};
}

void Evaluations::probe(const std::string& evaluator) {
  store::EvaluationKey key = suspects_.of(evaluator).back().evaluation.key;
  key.candidate = original_;
  executor_.submit({jobs_.begin_probe(key), key, original_document_, {}});
}

// A death counts when another job of the evaluator has survived since, or the original if there is
// no other job. Otherwise the machine is to blame, and would kill every further worker.
Status Evaluations::take(JobResult result) {
  Jobs::Running asked = jobs_.end(result.id);
  Ended ended{std::move(asked.askers), std::move(result.evaluation), std::move(result.artifacts)};
  ended.evaluation.key = asked.key;
  const std::string& evaluator = asked.key.evaluator;
  if (is_of_machine(ended.evaluation)) {
    return Rejection(Reason::Unavailable, evaluator, ended.evaluation.detail);
  }
  const bool has_died = is_refused_for(ended.evaluation, Reason::WorkerDied);
  if (asked.is_probe && has_died) {
    return Rejection(Reason::WorkerDied,
                     fmt::format("{}, for {} candidates and then for the original; {}", evaluator,
                                 suspects_.of(evaluator).size(), ended.evaluation.detail));
  }
  if (has_died && asked.key.candidate != original_) {
    suspects_.add(std::move(ended));
    if (!jobs_.has_any_of(evaluator)) probe(evaluator);
    return Ok{};
  }
  if (!asked.is_probe) CAMBIUM_REQUIRE(keep(std::move(ended)));
  return release(evaluator);
}

Result<std::optional<Answer>> Evaluations::next(double seconds) {
  CAMBIUM_REQUIRE(look_after_claims());
  if (ready_.empty() && (!jobs_.is_empty() || !foreign_.empty())) {
    const auto before = std::chrono::steady_clock::now();
    if (!foreign_.empty()) seconds = std::min(seconds, kNapSeconds);
    std::optional<JobResult> result;
    if (!jobs_.is_empty()) {
      result = executor_.wait(seconds);
    } else {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    }
    waited_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    if (result) CAMBIUM_REQUIRE(take(std::move(*result)));
  }
  if (ready_.empty()) return std::optional<Answer>();
  std::optional<Answer> answer = std::move(ready_.front());
  ready_.pop_front();
  return answer;
}

void Evaluations::cancel() {
  executor_.cancel();
  jobs_.clear();
  suspects_.clear();
  ready_.clear();
  foreign_.clear();
  claims_.let_go();
}

}  // namespace cambium::search
