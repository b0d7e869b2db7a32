#include "search/evaluations.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "search/owner.h"

namespace cambium::search {
namespace {

bool is_refused_for(const store::Evaluation& evaluation, Reason reason) {
  return evaluation.state == store::EvaluationState::Refused &&
         evaluation.reason == name_of(reason);
}

// What a worker refuses for these says nothing of the candidate: the machine, the options and the
// data are the same for all.
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

// A claim that is not renewed for so long is over; renewed a few times as often.
constexpr double kClaimSeconds = 60;
constexpr double kRenewSeconds = 15;
constexpr double kLookSeconds = 0.5;  // between two looks at what others make
constexpr double kNapSeconds = 0.1;

double seconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace

Evaluations::Evaluations(store::StudyStore& study, Executor& executor, Place place,
                         const spaces::Candidate& original)
    : study_(study),
      executor_(executor),
      place_(std::move(place)),
      original_(spaces::identity_of(original)),
      original_document_(spaces::to_json(original)),
      owner_(new_owner()) {}

Evaluations::~Evaluations() {
  (void)study_.let_go(owner_);
}

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

Status Evaluations::count_ways() {
  elsewhere_.emplace();
  return study_.each_evaluation([this](const store::Evaluation& each) {
    (*elsewhere_)[{each.key.evaluator, each.key.options, each.key.fidelity}].count(each);
    return true;
  });
}

Result<std::optional<store::Evaluation>> Evaluations::known_elsewhere(
    const store::EvaluationKey& key) {
  if (!elsewhere_) CAMBIUM_REQUIRE(count_ways());
  CAMBIUM_TRY(std::vector<store::Evaluation> all, study_.evaluations(key.candidate));
  std::erase_if(all, [&](const store::Evaluation& each) {
    return each.key.evaluator != key.evaluator || each.key.options != key.options ||
           each.key.fidelity != key.fidelity || each.key.seed != key.seed;
  });
  const Ways& ways = (*elsewhere_)[{key.evaluator, key.options, key.fidelity}];
  std::vector<store::Evaluation> chosen = ways.chosen(std::move(all));
  if (chosen.empty()) return std::optional<store::Evaluation>();
  return std::optional(std::move(chosen.front()));
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
              offer.ok() ? study_.evaluation(key) : known_elsewhere(key));
  // What died in an earlier run may have died of the machine as it was then; what took too long
  // would do so again, unless it has more time now.
  const double limit = offer.ok() ? offer.value().job_seconds : 0;
  const bool may_live = known && is_refused_for(*known, Reason::WorkerDied) &&
                        died_.count(key) == 0 && (limit <= 0 || known->seconds < limit);
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
  if (const auto same = by_key_.find(key); same != by_key_.end()) {
    running_.at(same->second).askers.push_back(asker);
    return Ok{};
  }
  const double now = seconds_since_1970();
  CAMBIUM_TRY(store::Claim claim, study_.claim(key, owner_, now, now + kClaimSeconds));
  if (!claim.is_answered && claim.owner != owner_ && is_gone(claim.owner)) {
    CAMBIUM_REQUIRE(study_.let_go(claim.owner));
    CAMBIUM_TRY(claim, study_.claim(key, owner_, now, now + kClaimSeconds));
  }
  if (claim.is_answered) {
    CAMBIUM_TRY(std::optional<store::Evaluation> known, study_.evaluation(key));
    CAMBIUM_CHECK(known.has_value(), "an answered evaluation is in the study");
    ready_.push_back({asker, std::move(*known), true});
    return Ok{};
  }
  if (claim.owner != owner_) {
    foreign_.push_back({asker, key, document});
    return Ok{};
  }
  const std::int64_t id = next_id_++;
  by_key_.emplace(key, id);
  running_.emplace(id, Running{key, {asker}});
  CAMBIUM_TRY(std::vector<double> reference, reference_for(key));
  executor_.submit({id, key, document, std::move(reference)});
  return Ok{};
}

Status Evaluations::look_after_claims() {
  const double now = seconds_since_1970();
  if (!running_.empty() && now - renewed_ > kRenewSeconds) {
    renewed_ = now;
    CAMBIUM_REQUIRE(study_.renew_claims(owner_, now + kClaimSeconds));
  }
  if (foreign_.empty() || now - looked_ < kLookSeconds) return Ok{};
  looked_ = now;
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
  for (Ended& suspect : std::exchange(suspects_[evaluator], {})) {
    CAMBIUM_REQUIRE(keep(std::move(suspect)));
  }
  return Ok{};
}

void Evaluations::probe(const std::string& evaluator) {
  store::EvaluationKey key = suspects_[evaluator].back().evaluation.key;
  key.candidate = original_;
  const std::int64_t id = next_id_++;
  running_.emplace(id, Running{key, {}, true});
  executor_.submit({id, key, original_document_, {}});
}

// A death counts when another of the evaluator has lived since, the original where there is no
// other: otherwise it is the machine that kills, and would kill all that come.
Status Evaluations::take(JobResult result) {
  const auto found = running_.find(result.id);
  CAMBIUM_CHECK(found != running_.end(), "an executor answers what it was asked");
  Running asked = std::move(found->second);
  running_.erase(found);
  Ended ended{std::move(asked.askers), std::move(result.evaluation), std::move(result.artifacts)};
  ended.evaluation.key = asked.key;
  const std::string& evaluator = asked.key.evaluator;
  if (is_of_machine(ended.evaluation)) {
    return Rejection(Reason::Unavailable, evaluator, ended.evaluation.detail);
  }
  const bool has_died = is_refused_for(ended.evaluation, Reason::WorkerDied);
  if (asked.is_probe && has_died) {
    return Rejection(Reason::WorkerDied,
                     fmt::format("{} of {} candidates, and now that of the original; {}", evaluator,
                                 suspects_[evaluator].size(), ended.evaluation.detail));
  }
  if (!asked.is_probe) by_key_.erase(asked.key);
  if (has_died && asked.key.candidate != original_) {
    died_.insert(asked.key);
    suspects_[evaluator].push_back(std::move(ended));
    const bool is_last = std::none_of(running_.begin(), running_.end(), [&](const auto& each) {
      return each.second.key.evaluator == evaluator;
    });
    if (is_last) probe(evaluator);
    return Ok{};
  }
  if (!asked.is_probe) CAMBIUM_REQUIRE(keep(std::move(ended)));
  return release(evaluator);
}

Result<std::optional<Answer>> Evaluations::next(double seconds) {
  CAMBIUM_REQUIRE(look_after_claims());
  if (ready_.empty() && (!running_.empty() || !foreign_.empty())) {
    const auto before = std::chrono::steady_clock::now();
    if (!foreign_.empty()) seconds = std::min(seconds, kNapSeconds);
    std::optional<JobResult> result;
    if (!running_.empty()) {
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
  running_.clear();
  by_key_.clear();
  suspects_.clear();
  ready_.clear();
  foreign_.clear();
  (void)study_.let_go(owner_);
}

}  // namespace cambium::search
