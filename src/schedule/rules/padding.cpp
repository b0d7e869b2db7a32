#include "schedule/rules/padding.h"

#include <algorithm>

#include "schedule/rules/sites.h"

namespace cambium::schedule {

using program::Block;
using program::Body;
using program::Loop;
using program::ScalarKind;
using program::Site;

namespace {

bool is_padding(const Body& body) {
  const program::Scalar value = body.value;
  return body.combine == program::Combine::Assign && value->kind == ScalarKind::Select &&
         value->operands[0]->kind == ScalarKind::Index &&
         value->operands[2]->kind == ScalarKind::Const && body.target->role == program::Role::Local;
}

// Whether one instance of the reader takes several elements: windows of a transform, which overlap
// with their neighbours and would be copied for each.
bool reads_windows(const Body& reader, const program::Buffer* padded) {
  std::span<const program::Expr> first;
  bool several = false;
  program::for_each_scalar(reader.value, [&](program::Scalar s) {
    if (s->buffer != padded) return;
    if (first.empty()) first = s->indices;
    several = several || !std::equal(first.begin(), first.end(), s->indices.begin());
  });
  return several;
}

// Loops around the reader that repeat it for other results, from the outside in: under what is
// summed over, the same would be copied again and again.
Names places_in(const Site& reader) {
  Names places{"root"};
  for (const Loop* loop : reader.loops) {
    const program::Feeds feeds = program::feeds_of(*loop, *reader.block);
    if (feeds.reduce || loop->how != program::LoopKind::Serial) break;
    if (loop->extent() > 1) places.emplace_back(loop->name());
  }
  return places;
}

}  // namespace

Status place_padding(Draft& draft, const std::string& block) {
  const auto leave = [](const char* why) { return Rejection(Reason::NothingToDo, "padding", why); };
  const Site site = site_of(draft, block);
  if (!is_padding(*site.block->body)) return leave("it does not pad with a constant");
  if (is_vectorized(site)) return leave("it has lanes");
  if (is_box_of_padding(draft.context(), *site.block) &&
      draft.branch("how", {"as it is", "fill and copy"}, 0, {3, 1}) == 1) {
    CAMBIUM_REQUIRE(draft.apply(DecomposePadding{block}));
    return Ok{};
  }
  const Block* reader = only_reader(draft.program(), site.block->body->target);
  if (reader == nullptr || reads_windows(*reader->body, site.block->body->target)) return Ok{};
  const Names places = places_in(site_of(draft, reader->name));
  if (places.size() == 1) return Ok{};
  const std::string place = draft.compute_location("place", block, places);
  if (place == "root") return Ok{};
  CAMBIUM_REQUIRE(draft.apply(ComputeAt{block, place}));
  return Ok{};
}

}  // namespace cambium::schedule
