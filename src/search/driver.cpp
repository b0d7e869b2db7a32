#include "search/driver.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "model/fingerprint.h"
#include "search/exploring.h"
#include "search/known.h"

namespace cambium::search {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// How long the driver sleeps at most before it looks at the clock and at the stop sign.
constexpr double kPatience = 0.2;
constexpr double kTellSeconds = 0.1;

class Search {
 public:
  Search(const SearchContext& context, const SearchOptions& options, const SearchHooks& hooks)
      : context_(context),
        options_(options),
        hooks_(hooks),
        original_{model::structure_of(*context.base), {}, {}},
        evaluations_(*context.study, *context.executor, context.place, original_),
        known_(options.funnel.explore, options.funnel.objectives) {}

  Result<SearchReport> run();

 private:
  Status judge_original(const std::vector<Stage>& stages, Scores& scores,
                        std::vector<StageValues>& values);
  Status check_limits() const;
  Status pass(Passages& passages, std::int64_t count);
  Status try_given();
  Status explore();
  Status finish();
  Result<std::vector<Known::Entry>> finalists() const;
  Result<SearchRow> row_of(const Known::Entry& entry, const Passage& passage,
                           const std::vector<Limit>& limits);

  // Waits for answers and hands them to `take` until it says that it is over.
  template <class Take, class Over>
  Status serve(Take take, Over is_over);
  Passages::Context passages_context();
  bool is_stopped() const { return hooks_.stop != nullptr && hooks_.stop->load(); }
  bool is_out_of_time() const {
    return options_.seconds > 0 && seconds_since(begin_) > options_.seconds;
  }
  void note_final(const Answer& answer);
  double seconds_left() const;
  void tell(bool is_last = false);

  const SearchContext& context_;
  const SearchOptions& options_;
  const SearchHooks& hooks_;
  spaces::Candidate original_;
  Evaluations evaluations_;
  Known known_;
  SearchReport report_;
  std::vector<StageValues> original_values_;
  Clock::time_point begin_ = Clock::now(), told_, finals_begin_;
  std::int64_t folded_before_ = 0;
  // Of the finals: those that this run made, and those of candidates that have not begun.
  std::int64_t finals_made_ = 0, finals_to_come_ = 0;
};

Passages::Context Search::passages_context() {
  return {context_.base, context_.spaces, context_.study, &evaluations_, context_.estimate};
}

template <class Take, class Over>
Status Search::serve(Take take, Over is_over) {
  while (!is_over()) {
    if (is_stopped()) {
      report_.was_stopped = true;
      return Ok{};
    }
    CAMBIUM_TRY(std::optional<Answer> answer, evaluations_.next(kPatience));
    if (answer) CAMBIUM_REQUIRE(take(std::move(*answer)));
    tell();
  }
  return Ok{};
}

// Until those of the numbers below `count` have come through.
Status Search::pass(Passages& passages, std::int64_t count) {
  const auto take = [&](Answer answer) -> Status {
    const bool is_final = report_.last.phase == SearchProgress::Phase::Finals;
    if (is_final) note_final(answer);
    CAMBIUM_REQUIRE(passages.take(std::move(answer)));
    if (is_final) {
      report_.last.finals_planned = report_.last.finals_done + passages.left() + finals_to_come_;
      // While the original is measured, the others have not begun.
      if (finals_to_come_ == 0) report_.last.final_stages = passages.counts();
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

// The original passes the same evaluations as everybody; what it fails, nobody can pass.
Status Search::judge_original(const std::vector<Stage>& stages, Scores& scores,
                              std::vector<StageValues>& values) {
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
  return Ok{};
}

// While exploring, times and accuracies are those of short evaluations: absolute limits on them are
// for the finals, and so is accuracy, which the reward weighs.
Status Search::try_given() {
  Passages passages(passages_context(), options_.funnel.explore, {});
  std::int64_t id = 0;
  for (const spaces::Candidate& candidate : options_.given) {
    store::StudyCandidate row = candidate_row(options_, candidate);
    row.strategy = "given";
    CAMBIUM_TRY([[maybe_unused]] const bool is_new, context_.study->add(row));
    CAMBIUM_REQUIRE(passages.begin(id++, candidate));
  }
  return pass(passages, id);
}

// Before anything is measured: can they be read?
Status Search::check_limits() const {
  Scores any;
  for (std::size_t i = 0; i < kMetrics; ++i) any.set(static_cast<Metric>(i), {1, 0, false});
  CAMBIUM_TRY([[maybe_unused]] const auto limits, limits_of(options_.funnel.limits, any, false));
  return Ok{};
}

Status Search::explore() {
  CAMBIUM_TRY(std::vector<Limit> limits, limits_of(options_.funnel.limits, report_.original, true));
  CAMBIUM_TRY(const std::unique_ptr<Strategy> strategy,
              make_strategy(options_.strategy, original_.base, context_.spaces));
  Passages passages(passages_context(), options_.funnel.explore,
                    {std::move(limits), &original_values_});
  Exploring exploring(context_, options_, *strategy, evaluations_, passages, known_,
                      report_.original);
  CAMBIUM_REQUIRE(exploring.restore());
  folded_before_ = exploring.folded();
  CAMBIUM_REQUIRE(exploring.advance());
  const auto note = [&] {
    SearchProgress& now = report_.last;
    now.proposed = exploring.proposed();
    now.folded = exploring.folded();
    now.stages = passages.counts();
    now.refusals = exploring.refusals();
  };
  const auto take = [&](Answer answer) {
    Status taken = exploring.take(std::move(answer));
    note();
    return taken;
  };
  CAMBIUM_REQUIRE(serve(take, [&] { return exploring.is_idle() || is_out_of_time(); }));
  CAMBIUM_REQUIRE(exploring.close());
  // What is under way when the time is over is finished: it was paid for.
  CAMBIUM_REQUIRE(serve(take, [&] { return exploring.is_idle(); }));
  note();
  report_.is_exhausted = exploring.is_exhausted();
  return Ok{};
}

Result<SearchRow> Search::row_of(const Known::Entry& entry, const Passage& passage,
                                 const std::vector<Limit>& limits) {
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

// The best, and behind them what was given and is not among them.
Result<std::vector<Known::Entry>> Search::finalists() const {
  CAMBIUM_TRY(const std::vector<Limit> limits,
              limits_of(options_.funnel.limits, report_.original, false));
  std::vector<Known::Entry> chosen =
      known_.finalists(static_cast<std::size_t>(std::max(options_.funnel.finalists, 0)),
                       spaces::identity_of(original_), report_.original, options_.reward, limits);
  for (const spaces::Candidate& candidate : options_.given) {
    const Fingerprint identity = spaces::identity_of(candidate);
    const Scores* scores = known_.find(identity);
    const bool is_chosen = std::any_of(chosen.begin(), chosen.end(), [&](const auto& entry) {
      return entry.identity == identity;
    });
    if (scores != nullptr && !is_chosen) chosen.push_back({identity, *scores});
  }
  return chosen;
}

void Search::note_final(const Answer& answer) {
  ++report_.last.finals_done;
  if (!answer.was_known) ++finals_made_;
}

Status Search::finish() {
  report_.last.phase = SearchProgress::Phase::Finals;
  finals_begin_ = Clock::now();
  CAMBIUM_TRY(const std::vector<Known::Entry> finalists, this->finalists());
  if (finalists.empty() || options_.funnel.finals.empty()) return Ok{};
  std::int64_t each = 0;
  for (const Stage& stage : options_.funnel.finals) {
    each += static_cast<std::int64_t>(stage.seeds.size());
  }
  finals_to_come_ = each * static_cast<std::int64_t>(finalists.size());
  report_.last.finals_planned = each + finals_to_come_;
  std::vector<StageValues> values;
  CAMBIUM_REQUIRE(judge_original(options_.funnel.finals, report_.original_final, values));
  if (report_.was_stopped) return Ok{};
  CAMBIUM_TRY(const std::vector<Limit> limits,
              limits_of(options_.funnel.limits, report_.original_final, false));
  Passages passages(passages_context(), options_.funnel.finals, {{}, &values});
  std::int64_t id = 0;
  for (const Known::Entry& entry : finalists) {
    CAMBIUM_TRY(const auto row, context_.study->candidate(entry.identity));
    if (!row) continue;
    CAMBIUM_TRY(spaces::Candidate candidate, spaces::parse_candidate(row->document));
    CAMBIUM_REQUIRE(passages.begin(id++, std::move(candidate)));
  }
  finals_to_come_ = 0;
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

double Search::seconds_left() const {
  const SearchProgress& now = report_.last;
  if (now.phase == SearchProgress::Phase::Finals) {
    const auto left = static_cast<double>(now.finals_planned - now.finals_done);
    if (finals_made_ == 0) return 0;
    return seconds_since(finals_begin_) / static_cast<double>(finals_made_) * left;
  }
  const auto done = static_cast<double>(now.folded - folded_before_);
  const auto left = static_cast<double>(now.planned - now.folded);
  const double seconds = done > 0 ? now.seconds / done * left : 0;
  if (options_.seconds <= 0) return seconds;
  const double until = std::max(options_.seconds - now.seconds, 0.0);
  return done > 0 ? std::min(seconds, until) : until;
}

void Search::tell(bool is_last) {
  if (!hooks_.progress || (!is_last && seconds_since(told_) < kTellSeconds)) return;
  told_ = Clock::now();
  SearchProgress& now = report_.last;
  // What a search with more to come had under way is finished, whatever it is to have now.
  now.planned = std::max(options_.candidates, now.proposed);
  now.known = static_cast<std::int64_t>(known_.size());
  now.original = report_.original;
  now.front = known_.front().size();
  now.evaluations = evaluations_.run();
  now.evaluation_seconds = evaluations_.evaluation_seconds();
  now.seconds = seconds_since(begin_);
  now.seconds_left = seconds_left();
  now.best.clear();
  for (const Metric metric : options_.funnel.objectives) {
    const Known::Entry* best = nullptr;
    const auto rank = [metric](const Known::Entry& entry) {
      const Value& value = *entry.scores.at(metric);
      return std::pair(value.is_estimate, more_is_better(metric) ? -value.value : value.value);
    };
    for (const Known::Entry& entry : known_.front()) {
      if (best == nullptr || rank(entry) < rank(*best)) best = &entry;
    }
    if (best != nullptr) now.best.push_back({metric, *best->scores.at(metric), best->identity});
  }
  hooks_.progress(now);
}

Result<SearchReport> Search::run() {
  CAMBIUM_REQUIRE(check_limits());
  CAMBIUM_REQUIRE(judge_original(options_.funnel.explore, report_.original, original_values_));
  if (!report_.was_stopped) CAMBIUM_REQUIRE(try_given());
  if (!report_.was_stopped) {
    CAMBIUM_REQUIRE(known_.load(*context_.study, *context_.executor));
    report_.last.phase = SearchProgress::Phase::Explore;
    CAMBIUM_REQUIRE(explore());
  }
  if (!report_.was_stopped) CAMBIUM_REQUIRE(finish());
  if (report_.was_stopped) evaluations_.cancel();
  tell(true);
  report_.own_seconds = seconds_since(begin_) - evaluations_.waited();
  return std::move(report_);
}

}  // namespace

Result<SearchReport> run(const SearchContext& context, const SearchOptions& options,
                         const SearchHooks& hooks) {
  return Search(context, options, hooks).run();
}

}  // namespace cambium::search
