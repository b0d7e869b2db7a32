// A reduction along memory (the rows of a softmax, a norm) has no lanes of its own. It is given
// some: each lane sums its part, then the lanes are summed.
#include "schedule/defaults/kinds_of_work.h"
#include "schedule/defaults/sites.h"
#include "schedule/defaults/tile_parts.h"

namespace cambium::schedule {

using program::Body;
using program::Loop;
using program::Site;

namespace {

constexpr std::int64_t kVectors = 4;        // chains of accumulators, to hide their latency
constexpr std::int64_t kUnrolledSteps = 4;  // of the reduction

// The reduce iterator along which some load moves by one element.
std::optional<std::size_t> along_memory(Context& cx, const Body& body) {
  for (std::size_t i = 0; i < body.iterators.size(); ++i) {
    if (body.iterators[i].kind != program::IteratorKind::Reduce) continue;
    for (const program::Access& access : program::accesses_of(cx, body)) {
      if (access.kind != program::Access::Kind::Read || access.indices.empty()) continue;
      if (program::stride_of(*access.buffer, access.indices, body.iterators[i].axis) == 1) return i;
    }
  }
  return std::nullopt;
}

// The innermost loop that feeds the reduction of a block.
std::string innermost_reduction(const Schedule& s, const std::string& block) {
  const Site site = site_of(s.program(), block);
  for (auto loop = site.loops.rbegin(); loop != site.loops.rend(); ++loop) {
    if (program::feeds_of(**loop, *site.block).reduce) return std::string((*loop)->name());
  }
  return {};
}

// The accumulators of one block in registers, its reduction around them.
Status to_vectors(Schedule& s, const std::string& block, const Machine& machine) {
  const Site site = site_of(s.program(), block);
  Names reduce;
  const Loop* lanes = nullptr;
  for (const Loop* loop : site.loops) {
    if (program::feeds_of(*loop, *site.block).reduce) {
      reduce.emplace_back(loop->name());
    } else {
      lanes = loop;  // the innermost
    }
  }
  if (lanes == nullptr || reduce.empty()) {
    return Rejection(Reason::NotAReduction, block, "it has no lanes");
  }
  Names tile{std::string(lanes->name())};
  if (lanes->extent() > machine.lanes()) {
    CAMBIUM_TRY(tile, s.apply(Split{tile[0], {0, machine.lanes()}, Tail::Exact}));
  }
  Names order = reduce;
  order.insert(order.end(), tile.begin(), tile.end());
  CAMBIUM_REQUIRE(s.apply(Reorder{order}));
  CAMBIUM_TRY(const Names made, s.apply(DecomposeReduction{block, reduce.front()}));
  const std::int64_t steps = program::find_loop(s.program(), reduce.back())->extent();
  if (steps <= kUnrolledSteps) CAMBIUM_REQUIRE(s.apply(Unroll{reduce.back()}));
  CAMBIUM_REQUIRE(make_tile(s, tile));
  CAMBIUM_REQUIRE(make_tile(s, Names(made.begin() + 1, made.end())));
  const std::string target(site.block->body->target->name);
  CAMBIUM_REQUIRE(s.apply(Annotate{Part::Buffer, target, "space", "register", 0}));
  return Ok{};
}

}  // namespace

Status reduce_in_lanes(Schedule& s, const std::string& block, const Machine& machine) {
  const Site site = site_of(s.program(), block);
  const Body& body = *site.block->body;
  const auto iterator = along_memory(s.context(), body);
  if (!iterator) return Rejection(Reason::NotAReduction, block, "it does not run along memory");
  const auto loops = loops_feeding(site, *iterator);
  if (loops.size() != 1) return Rejection(Reason::NotAReduction, block, "its loop is split");
  const std::int64_t extent = loops[0]->extent();
  std::int64_t wide = machine.lanes();
  if (extent < 2 * wide) return Rejection(Reason::NotAReduction, block, "it is too short");
  while (wide < kVectors * machine.lanes() && extent % (2 * wide) == 0 && extent >= 4 * wide) {
    wide *= 2;
  }
  const auto position = static_cast<std::int64_t>(body.target->dims.size());
  Schedule trial = s;
  Names parts;
  std::string reduced(loops[0]->name());
  for (const std::int64_t lanes : {wide, machine.lanes()}) {
    if (lanes == program::find_loop(trial.program(), reduced)->extent()) break;
    CAMBIUM_TRY(const Names split, trial.apply(Split{reduced, {0, lanes}, Tail::Guard}));
    CAMBIUM_TRY(const Names made, trial.apply(RFactor{split[1], position}));
    parts.push_back(made[0]);
    reduced = innermost_reduction(trial, block);
  }
  for (const std::string& part : parts) CAMBIUM_REQUIRE(to_vectors(trial, part, machine));
  CAMBIUM_REQUIRE(trial.apply(Unroll{innermost_reduction(trial, block)}));
  s = trial;
  return Ok{};
}

}  // namespace cambium::schedule
