#include "search/evaluations.h"

#include <chrono>
#include <utility>

#include "base/check.h"

namespace cambium::search {

Evaluations::Evaluations(store::StudyStore& study, Executor& executor, Place place,
                         Fingerprint original)
    : study_(study), executor_(executor), place_(std::move(place)), original_(original) {}

void Evaluations::sign(store::Evaluation& evaluation) const {
  evaluation.commit = place_.commit;
  evaluation.host = place_.host;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  evaluation.ended = std::chrono::duration<double>(now).count();
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
  CAMBIUM_TRY(std::optional<store::Evaluation> known, study_.evaluation(key));
  if (known && (known->state != store::EvaluationState::Pending || !offer.ok())) {
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
  if (const auto same = by_key_.find(key); same != by_key_.end()) {
    running_.at(same->second).askers.push_back(asker);
    return Ok{};
  }
  const std::int64_t id = next_id_++;
  by_key_.emplace(key, id);
  running_.emplace(id, Running{key, {asker}});
  CAMBIUM_TRY(std::vector<double> reference, reference_for(key));
  executor_.submit({id, key, document, std::move(reference)});
  return Ok{};
}

Result<std::optional<Answer>> Evaluations::next(double seconds) {
  if (ready_.empty() && !running_.empty()) {
    if (std::optional<JobResult> result = executor_.wait(seconds)) {
      const auto found = running_.find(result->id);
      CAMBIUM_CHECK(found != running_.end(), "an executor answers what it was asked");
      store::Evaluation evaluation = std::move(result->evaluation);
      evaluation.key = found->second.key;
      sign(evaluation);
      CAMBIUM_REQUIRE(study_.add(evaluation, result->artifacts));
      ++run_;
      seconds_ += evaluation.seconds;
      bool is_first = true;
      for (const std::int64_t asker : found->second.askers) {
        ready_.push_back({asker, evaluation, !std::exchange(is_first, false)});
      }
      by_key_.erase(found->second.key);
      running_.erase(found);
    }
  }
  if (ready_.empty()) return std::optional<Answer>();
  std::optional<Answer> answer = std::move(ready_.front());
  ready_.pop_front();
  return answer;
}

void Evaluations::cancel() {
  executor_.cancel();
  running_.clear();
  by_key_.clear();
  ready_.clear();
}

}  // namespace cambium::search
