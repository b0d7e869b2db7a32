#include "schedule/recipe/moves.h"

#include <numeric>
#include <set>
#include <utility>

#include "schedule/recipe/document_memory.h"
#include "schedule/recipe/move_candidates.h"

namespace cambium::schedule {
namespace {

Status apply_all(Schedule& schedule, const Trace& steps) {
  for (const Record& record : steps) CAMBIUM_REQUIRE(apply_written(schedule, record));
  return Ok{};
}

}  // namespace

Result<Walk> Walk::from(Context& cx, const Original& original, const Trace& document) {
  StepMemory* const memory = original.memory == nullptr ? nullptr : &original.memory->steps;
  CAMBIUM_TRY(Schedule schedule, begin_document(cx, original.program, original.block, memory));
  CAMBIUM_REQUIRE(apply_all(schedule, document));
  Walk walk(cx, original, std::move(schedule));
  walk.document_ = document;
  return walk;
}

// Nothing for a move that is refused, or that leaves a nest that cannot be read.
std::optional<Fingerprint> Walk::identity_after(const Move& move) {
  const Schedule::Mark mark = schedule_.mark();
  std::optional<Fingerprint> identity;
  if (apply_all(schedule_, move.steps).ok()) {
    const Result<Names> sums = normalize_sums(schedule_, original_->program, original_->block);
    if (sums.ok()) {
      const Result<KnownFunction> known =
          known_function(*cx_, schedule_.program(), *sums, original_->memory.get());
      if (known.ok()) identity = known->identity;
    }
  }
  schedule_.back_to(mark);
  return identity;
}

std::vector<Move> Walk::moves(const MoveLimits& limits) {
  std::vector<Move> moves;
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  const auto is_new = [&](const std::optional<Fingerprint>& identity) {
    return identity && seen.emplace(identity->high, identity->low).second;
  };
  is_new(identity_after({}));
  for (Move& move : MoveCandidates(schedule_, *original_, limits).all()) {
    const std::optional<Fingerprint> identity = identity_after(move);
    if (!is_new(identity)) continue;
    move.function = *identity;
    moves.push_back(std::move(move));
  }
  return moves;
}

std::optional<Move> Walk::random(const MoveLimits& limits, Rng& rng) {
  MoveCandidates candidates(schedule_, *original_, limits);
  std::vector<std::size_t> left(candidates.count());
  std::iota(left.begin(), left.end(), std::size_t{0});
  const std::optional<Fingerprint> now = identity_after({});
  while (!left.empty()) {
    std::swap(left[static_cast<std::size_t>(rng.below(left.size()))], left.back());
    const Move* const move = candidates.at(left.back());
    left.pop_back();
    if (move == nullptr) continue;
    const std::optional<Fingerprint> identity = identity_after(*move);
    if (identity && identity != now) return *move;
  }
  return std::nullopt;
}

Status Walk::take(const Move& move) {
  const Schedule::Mark mark = schedule_.mark();
  Status taken = apply_all(schedule_, move.steps);
  if (!taken.ok()) {
    schedule_.back_to(mark);
    return taken;
  }
  document_.insert(document_.end(), move.steps.begin(), move.steps.end());
  return Ok{};
}

std::vector<Move> moves_from(Context& cx, const Program& program, std::string_view block,
                             const Trace& document, const MoveLimits& limits) {
  const Result<Original> original = original_of(cx, program, block);
  if (!original.ok()) return {};
  Result<Walk> walk = Walk::from(cx, *original, document);
  return walk.ok() ? walk->moves(limits) : std::vector<Move>();
}

}  // namespace cambium::schedule
