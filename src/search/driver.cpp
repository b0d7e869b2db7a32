#include "search/driver.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "model/fingerprint.h"
#include "search/exploring.h"
#include "search/known.h"
#include "search/time_left.h"

namespace cambium::search {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The driver looks at the clock and the stop flag at least this often.
constexpr double kPatience = 0.2;
constexpr double kTellSeconds = 0.1;
// So many candidates are assumed to have passed all stages before the first one begins, because few
// candidates say little about the rest.
constexpr double kTakenToPass = 2;

// Without brief trainings, exploring compares candidates by their costs alone: a candidate that has
// passed the gates counts as good as the original.
SearchOptions as_explored(SearchOptions options) {
  if (trains(options.funnel.explore)) return options;
  options.reward.kind = RewardOptions::Kind::Cost;
  options.funnel.objectives = explored_objectives(options.funnel, options.reward.cost);
  options.strategy.objectives = options.funnel.objectives;
  return options;
}

// Number of evaluations of one finalist.
std::int64_t finals_of_each(const Funnel& funnel) {
  std::int64_t each = 0;
  for (const Stage& stage : funnel.finals) each += static_cast<std::int64_t>(stage.seeds.size());
  return each;
}

class Search {
 public:
  Search(const SearchContext& context, const SearchOptions& options, const SearchHooks& hooks)
      : context_(context),
        options_(as_explored(options)),
        hooks_(hooks),
        original_{model::structure_of(*context.base), {}, {}},
        evaluations_(*context.study, *context.executor, context.place, original_),
        known_(options_.funnel.explore, options_.funnel.objectives) {}

  Result<SearchReport> run();

 private:
  Status judge_original(const std::vector<Stage>& stages, study::Scores& scores,
                        std::vector<StageValues>& values, Values& all_values);
  Status pass(Passages& passages, std::int64_t count);
  Status try_given();
  Status recall();
  Status explore();
  Status tell_front();
  Status finish();
  Result<std::vector<Known::Entry>> finalists() const;
  Result<SearchRow> row_of(const Known::Entry& entry, const Passage& passage,
                           const std::vector<study::Limit>& limits);

  // Waits for answers and gives them to `take`, until `is_over` says so.
  template <class Take, class Over>
  Status serve(Take take, Over is_over);
  Passages::Context passages_context();
  bool is_stopped() const { return hooks_.stop != nullptr && hooks_.stop->load(); }
  bool is_out_of_time() const {
    return options_.seconds > 0 && seconds_since(begin_) > options_.seconds;
  }
  // Plans the jobs of these stages: for running passages, and for so many candidates to come.
  void plan(const std::vector<Stage>& stages, const Passages& passages, std::int64_t to_come);
  double seconds_left();
  std::optional<SearchProgress::Best> best() const;
  void tell(bool is_last = false);

  const SearchContext& context_;
  const SearchOptions options_;
  const SearchHooks& hooks_;
  spaces::Candidate original_;
  Evaluations evaluations_;
  Known known_;
  SearchReport report_;
  std::vector<StageValues> original_values_;
  Values all_original_values_;
  std::vector<study::Limit> limits_;     // that the best candidates so far should hold
  std::vector<study::Limit> exploring_;  // that refuse candidates while exploring
  Clock::time_point begin_ = Clock::now(), told_;
  TimeLeft time_left_;
  std::vector<TimeLeft::Planned> planned_;
  std::int64_t finalists_to_come_ = 0;  // not begun yet
};

Passages::Context Search::passages_context() {
  return {context_.base, context_.spaces, context_.study,
          &evaluations_, options_.name,   context_.estimate};
}

template <class Take, class Over>
Status Search::serve(Take take, Over is_over) {
  while (!is_over()) {
    if (is_stopped()) {
      report_.was_stopped = true;
      return Ok{};
    }
    CAMBIUM_TRY(std::optional<Answer> answer, evaluations_.next(kPatience));
    if (answer) {
      time_left_.note(answer->evaluation);
      CAMBIUM_REQUIRE(take(std::move(*answer)));
    }
    tell();
  }
  return Ok{};
}

// Runs until the passages with numbers below `count` are over.
Status Search::pass(Passages& passages, std::int64_t count) {
  const auto take = [&](Answer answer) -> Status {
    const bool is_final = report_.last.phase == SearchProgress::Phase::Finals;
    CAMBIUM_REQUIRE(passages.take(std::move(answer)));
    if (is_final) {
      SearchProgress& now = report_.last;
      now.finals_planned = ++now.finals_done + passages.left() +
                           finalists_to_come_ * finals_of_each(options_.funnel);
      plan(options_.funnel.finals, passages, finalists_to_come_);
      // The candidates begin after the original.
      if (finalists_to_come_ == 0) now.final_stages = passages.counts();
    }
    return Ok{};
  };
  return serve(take, [&] {
    for (std::int64_t i = 0; i < count; ++i) {
      if (!passages.at(i).is_over) return false;
    }
    return true;
  });
}

// The original gets the same evaluations as every candidate. No candidate can pass one that it
// fails.
Status Search::judge_original(const std::vector<Stage>& stages, study::Scores& scores,
                              std::vector<StageValues>& values, Values& all_values) {
  store::StudyCandidate row = candidate_row(options_, original_);
  row.strategy = "original";
  row.title = "the original";
  CAMBIUM_TRY([[maybe_unused]] const bool is_new, context_.study->add(row));
  Passages passages(passages_context(), stages, {});
  CAMBIUM_REQUIRE(passages.begin(0, original_));
  CAMBIUM_REQUIRE(pass(passages, 1));
  if (report_.was_stopped) return Ok{};
  const Passage& passage = passages.at(0);
  if (passage.is_refused) {
    return Rejection(Reason::ImpossibleBudget, "the original itself fails",
                     fmt::format("{}: {}", passage.refused_by, passage.detail));
  }
  scores = passage.scores;
  values = passage.values;
  all_values = passage.all_values;
  return Ok{};
}

// Evaluates the candidates of the user. No limits apply to them.
Status Search::try_given() {
  Passages passages(passages_context(), options_.funnel.explore, {});
  std::int64_t id = 0;
  for (const spaces::Candidate& candidate : options_.given) {
    store::StudyCandidate row = candidate_row(options_, candidate);
    row.strategy = "given";
    CAMBIUM_TRY([[maybe_unused]] const bool is_new, context_.study->add(row));
    CAMBIUM_REQUIRE(passages.begin(id++, candidate));
  }
  CAMBIUM_REQUIRE(pass(passages, id));
  for (std::int64_t i = 0; i < id; ++i) {
    const Passage& passage = passages.at(i);
    if (!passage.is_refused) continue;
    report_.refused_given.push_back({passage.identity, passage.refused_by, passage.detail});
  }
  return Ok{};
}

// Reads what the study knows, and which limits hold.
Status Search::recall() {
  CAMBIUM_TRY(limits_, limits_of(options_.funnel.limits, report_.original, false));
  if (!trains(options_.funnel.explore)) {
    // Only the finals tell.
    std::erase_if(limits_, [](const study::Limit& limit) { return is_of_training(limit.metric); });
  }
  CAMBIUM_TRY(exploring_, limits_of(options_.funnel.limits, report_.original, true));
  std::set<Fingerprint> exempt = {spaces::identity_of(original_)};
  for (const spaces::Candidate& given : options_.given) exempt.insert(spaces::identity_of(given));
  return known_.load(*context_.study, *context_.executor, {exploring_, &original_values_}, exempt);
}

Status Search::explore() {
  StrategyOptions how = options_.strategy;
  how.original = all_original_values_;
  CAMBIUM_TRY(const std::unique_ptr<Strategy> strategy,
              make_strategy(how, original_.base, context_.spaces));
  Passages passages(passages_context(), options_.funnel.explore, {exploring_, &original_values_});
  Exploring exploring(context_, options_, *strategy, evaluations_, passages, known_,
                      report_.original);
  CAMBIUM_REQUIRE(exploring.restore());
  CAMBIUM_REQUIRE(exploring.advance());
  const auto note = [&] {
    SearchProgress& now = report_.last;
    now.proposed = exploring.proposed();
    now.folded = exploring.folded();
    now.stages = passages.counts();
    now.refusals = exploring.refusals();
    plan(options_.funnel.explore, passages, options_.candidates - now.proposed);
  };
  const auto take = [&](Answer answer) {
    Status taken = exploring.take(std::move(answer));
    note();
    return taken;
  };
  CAMBIUM_REQUIRE(serve(take, [&] { return exploring.is_idle() || is_out_of_time(); }));
  CAMBIUM_REQUIRE(exploring.close());
  // Evaluations that run when the time is over are finished: their time is spent already.
  CAMBIUM_REQUIRE(serve(take, [&] { return exploring.is_idle(); }));
  note();
  report_.is_exhausted = exploring.is_exhausted();
  report_.remarks = strategy->remarks();
  return Ok{};
}

// What exploring found, for people; without the original.
Status Search::tell_front() {
  const Fingerprint original = spaces::identity_of(original_);
  for (const Known::Entry& entry : known_.front()) {
    if (entry.identity == original) continue;
    SearchRow row;
    row.identity = entry.identity;
    row.scores = entry.scores;
    row.holds_limits = hold(limits_, entry.scores);
    CAMBIUM_TRY(const auto candidate, context_.study->candidate(entry.identity));
    if (candidate) row.title = candidate->title;
    report_.front.push_back(std::move(row));
  }
  return Ok{};
}

Result<SearchRow> Search::row_of(const Known::Entry& entry, const Passage& passage,
                                 const std::vector<study::Limit>& limits) {
  SearchRow row;
  row.identity = entry.identity;
  row.is_finalist = true;
  row.scores = passage.scores;
  row.refused = passage.is_refused ? passage.detail : std::string();
  row.holds_limits = !passage.is_refused && hold(limits, passage.scores);
  for (const StageValues& values : passage.values) {
    if (const auto found = values.find("speedup"); found != values.end()) {
      row.speedup = found->second;
    }
  }
  CAMBIUM_TRY(const auto candidate, context_.study->candidate(entry.identity));
  if (candidate) row.title = candidate->title;
  return row;
}

// The best candidates, then the candidates of the user that are not among them.
Result<std::vector<Known::Entry>> Search::finalists() const {
  std::vector<Known::Entry> chosen =
      known_.finalists(static_cast<std::size_t>(std::max(options_.funnel.finalists, 0)),
                       spaces::identity_of(original_), report_.original, options_.reward, limits_);
  for (const spaces::Candidate& candidate : options_.given) {
    const Fingerprint identity = spaces::identity_of(candidate);
    const study::Scores* scores = known_.find(identity);
    const bool is_chosen = std::any_of(chosen.begin(), chosen.end(), [&](const auto& entry) {
      return entry.identity == identity;
    });
    if (scores != nullptr && !is_chosen) chosen.push_back({identity, *scores});
  }
  return chosen;
}

Status Search::finish() {
  CAMBIUM_TRY(const std::vector<Known::Entry> finalists, this->finalists());
  if (finalists.empty() || options_.funnel.finals.empty()) return Ok{};
  report_.last.phase = SearchProgress::Phase::Finals;
  time_left_.restart();
  planned_.clear();
  finalists_to_come_ = static_cast<std::int64_t>(finalists.size());
  report_.last.finals_planned = (1 + finalists_to_come_) * finals_of_each(options_.funnel);
  std::vector<StageValues> values;
  Values all_values;
  CAMBIUM_REQUIRE(
      judge_original(options_.funnel.finals, report_.original_final, values, all_values));
  if (report_.was_stopped) return Ok{};
  CAMBIUM_TRY(const std::vector<study::Limit> limits,
              limits_of(options_.funnel.limits, report_.original_final, false));
  Passages passages(passages_context(), options_.funnel.finals, {{}, &values});
  std::int64_t id = 0;
  for (const Known::Entry& entry : finalists) {
    CAMBIUM_TRY(const auto row, context_.study->candidate(entry.identity));
    if (!row) continue;
    CAMBIUM_TRY(spaces::Candidate candidate, spaces::parse_candidate(row->document));
    CAMBIUM_REQUIRE(passages.begin(id++, std::move(candidate)));
  }
  finalists_to_come_ = 0;
  CAMBIUM_REQUIRE(pass(passages, id));
  report_.last.final_stages = passages.counts();
  for (std::int64_t i = 0; i < id; ++i) {
    if (!passages.at(i).is_over) continue;
    CAMBIUM_TRY(SearchRow row,
                row_of(finalists[static_cast<std::size_t>(i)], passages.at(i), limits));
    report_.finalists.push_back(std::move(row));
  }
  return Ok{};
}

void Search::plan(const std::vector<Stage>& stages, const Passages& passages,
                  std::int64_t to_come) {
  const std::vector<std::int64_t> left = passages.left_by_stage();
  const std::vector<Passages::Count>& counts = passages.counts();
  planned_.clear();
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto offer = context_.executor->offer(stages[i].evaluator);
    if (!offer.ok()) continue;  // this machine makes no such evaluations
    const double passed = static_cast<double>(counts[i + 1].entered) + kTakenToPass;
    const double begun = static_cast<double>(counts[0].entered) + kTakenToPass;
    const double each = passed / begun * static_cast<double>(stages[i].seeds.size());
    planned_.push_back({TimeLeft::kind_of(stages[i].evaluator, stages[i].fidelity),
                        static_cast<double>(left[i]) +
                            each * static_cast<double>(std::max<std::int64_t>(to_come, 0)),
                        offer->at_a_time});
  }
}

double Search::seconds_left() {
  const SearchProgress& now = report_.last;
  const double left = time_left_.at(now.seconds, planned_);
  if (now.phase != SearchProgress::Phase::Explore || options_.seconds <= 0) return left;
  const double until = std::max(options_.seconds - now.seconds, 0.0);
  return left > 0 ? std::min(left, until) : until;
}

std::optional<SearchProgress::Best> Search::best() const {
  const Fingerprint original = spaces::identity_of(original_);
  const auto rank = [&](const Known::Entry& entry) {
    return std::pair(hold(limits_, entry.scores),
                     reward_of(options_.reward, entry.scores, report_.original));
  };
  const std::vector<Known::Entry> front = known_.front();
  const Known::Entry* best = nullptr;
  for (const Known::Entry& entry : front) {
    if (entry.identity == original) continue;
    if (best == nullptr || rank(*best) < rank(entry)) best = &entry;
  }
  if (best == nullptr) return std::nullopt;
  return SearchProgress::Best{best->identity, best->scores};
}

void Search::tell(bool is_last) {
  if (!is_last && (!hooks_.progress || seconds_since(told_) < kTellSeconds)) return;
  told_ = Clock::now();
  SearchProgress& now = report_.last;
  // A search that is resumed with fewer candidates still finishes the running ones.
  now.planned = std::max(options_.candidates, now.proposed);
  now.known = static_cast<std::int64_t>(known_.size());
  now.original = report_.original;
  now.front = known_.front().size();
  now.evaluations = evaluations_.run();
  now.evaluation_seconds = evaluations_.evaluation_seconds();
  now.seconds = seconds_since(begin_);
  now.seconds_left = seconds_left();
  now.objectives = options_.funnel.objectives;
  now.best = best();
  if (hooks_.progress) hooks_.progress(now);
}

Result<SearchReport> Search::run() {
  CAMBIUM_REQUIRE(check(context_, options_));
  CAMBIUM_REQUIRE(judge_original(options_.funnel.explore, report_.original, original_values_,
                                 all_original_values_));
  if (!report_.was_stopped) {
    report_.last.phase = SearchProgress::Phase::Given;
    CAMBIUM_REQUIRE(try_given());
  }
  if (!report_.was_stopped) {
    CAMBIUM_REQUIRE(recall());
    report_.last.phase = SearchProgress::Phase::Explore;
    CAMBIUM_REQUIRE(explore());
  }
  if (!report_.was_stopped) CAMBIUM_REQUIRE(finish());
  CAMBIUM_REQUIRE(tell_front());
  if (report_.was_stopped) evaluations_.cancel();
  tell(true);
  report_.own_seconds = seconds_since(begin_) - evaluations_.waited();
  return std::move(report_);
}

}  // namespace

Status check(const SearchContext& context, const SearchOptions& options) {
  study::Scores any;
  for (std::size_t i = 0; i < study::kMetrics; ++i)
    any.set(static_cast<study::Metric>(i), {1, 0, false});
  CAMBIUM_TRY([[maybe_unused]] const auto limits, limits_of(options.funnel.limits, any, false));
  CAMBIUM_TRY([[maybe_unused]] const std::unique_ptr<Strategy> strategy,
              make_strategy(options.strategy, model::structure_of(*context.base), context.spaces));
  return Ok{};
}

Result<SearchReport> run(const SearchContext& context, const SearchOptions& options,
                         const SearchHooks& hooks) {
  return Search(context, options, hooks).run();
}

}  // namespace cambium::search
