// A reduction along memory (the rows of a softmax, a norm) has no lanes of its own. It is given
// some: each lane sums its part, then the lanes are summed.
#include "schedule/rules/kernel_rules.h"
#include "schedule/rules/sites.h"
#include "schedule/rules/tile_parts.h"

namespace cambium::schedule {

using program::Body;
using program::Loop;
using program::Site;

namespace {

constexpr std::int64_t kVectors = 4;        // chains of accumulators, to hide their latency
constexpr std::int64_t kUnrolledSteps = 8;  // of a short reduction: all of it

// The reduce iterator along which some load moves by one element. One of a single step moves
// nowhere.
std::optional<std::size_t> along_memory(Context& cx, const Body& body) {
  for (std::size_t i = 0; i < body.iterators.size(); ++i) {
    const bool is_sum = body.iterators[i].kind == program::IteratorKind::Reduce;
    if (!is_sum || body.iterators[i].extent() == 1) continue;
    for (const program::Access& access : program::accesses_of(cx, body)) {
      if (access.kind != program::Access::Kind::Read || access.indices.empty()) continue;
      if (program::stride_of(*access.buffer, access.indices, body.iterators[i].axis) == 1) return i;
    }
  }
  return std::nullopt;
}

// The innermost loop that feeds the reduction of a block.
std::string innermost_reduction(const Draft& s, const std::string& block) {
  const Site site = site_of(s.program(), block);
  for (auto loop = site.loops.rbegin(); loop != site.loops.rend(); ++loop) {
    if (program::feeds_of(**loop, *site.block).reduce) return std::string((*loop)->name());
  }
  return {};
}

// The accumulators of one block in registers, its reduction around them.
Status to_vectors(Draft& draft, const std::string& block, std::int64_t unroll) {
  const std::int64_t vector = draft.machine().lanes();
  const Site site = site_of(draft, block);
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
  if (lanes->extent() > vector) {
    CAMBIUM_TRY(tile, draft.apply(Split{tile[0], {0, vector}, Tail::Exact}));
  }
  Names order = reduce;
  order.insert(order.end(), tile.begin(), tile.end());
  CAMBIUM_REQUIRE(draft.apply(Reorder{order}));
  CAMBIUM_TRY(const Names made, draft.apply(DecomposeReduction{block, reduce.front()}));
  const std::int64_t steps = program::find_loop(draft.program(), reduce.back())->extent();
  if (steps <= kUnrolledSteps) {
    CAMBIUM_REQUIRE(draft.apply(Unroll{reduce.back()}));
  } else if (unroll > 1) {
    CAMBIUM_REQUIRE(draft.apply(Annotate{Part::Loop, reduce.back(), "unroll", "", unroll}));
  }
  CAMBIUM_REQUIRE(make_tile(draft, tile));
  CAMBIUM_REQUIRE(make_tile(draft, Names(made.begin() + 1, made.end())));
  const std::string target(site.block->body->target->name);
  CAMBIUM_REQUIRE(draft.apply(Annotate{Part::Buffer, target, "space", "register", 0}));
  return Ok{};
}

// How many elements are summed side by side: vectors of lanes, as many as divide the extent.
std::int64_t choose_width(Draft& draft, std::int64_t extent) {
  const std::int64_t lanes = draft.machine().lanes();
  Ints vectors;
  std::size_t preferred = 0;
  for (const std::int64_t n : {1, 2, 4, 8}) {
    const std::int64_t wide = n * lanes;
    if (n > 1 && (extent % wide != 0 || extent < 2 * wide)) break;
    if (n <= kVectors) preferred = vectors.size();
    vectors.push_back(n);
  }
  if (vectors.size() == 1) return lanes;
  return lanes * draft.choose_number("accumulators", vectors, preferred);
}

}  // namespace

Status reduce_in_lanes(Draft& draft, const std::string& block) {
  const auto leave = [](const char* why) {
    return Rejection(Reason::NothingToDo, "lane-reduction", why);
  };
  const Site site = site_of(draft, block);
  const Body& body = *site.block->body;
  if (!is_reduction(body) || is_vectorized(site))
    return leave("it is not a reduction, or is tiled already");
  const auto iterator = along_memory(draft.context(), body);
  if (!iterator) return leave("it does not run along memory");
  const auto loops = loops_feeding(site, *iterator);
  if (loops.size() != 1) return leave("its loop is split");
  const std::int64_t extent = loops[0]->extent();
  const std::int64_t vector = draft.machine().lanes();
  if (extent < 2 * vector) return leave("it is too short");
  const std::int64_t wide = choose_width(draft, extent);
  const std::int64_t unroll = draft.choose_number("unroll", {1, 2, 4}, 0, {2, 1, 1});
  const auto position = static_cast<std::int64_t>(body.target->dims.size());
  Names parts;
  std::string reduced(loops[0]->name());
  for (const std::int64_t lanes : {wide, vector}) {
    if (lanes == program::find_loop(draft.program(), reduced)->extent()) break;
    CAMBIUM_TRY(const Names split, draft.apply(Split{reduced, {0, lanes}, Tail::Guard}));
    CAMBIUM_TRY(const Names made, draft.apply(RFactor{split[1], position}));
    parts.push_back(made[0]);
    reduced = innermost_reduction(draft, block);
  }
  for (const std::string& part : parts) CAMBIUM_REQUIRE(to_vectors(draft, part, unroll));
  CAMBIUM_REQUIRE(draft.apply(Unroll{innermost_reduction(draft, block)}));
  return Ok{};
}

}  // namespace cambium::schedule
