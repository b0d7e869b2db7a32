#include "use_lines_up.h"

#include "program/analysis.h"
#include "schedule/rules/sites.h"

namespace add_rule {

using namespace cambium;
using namespace cambium::schedule;
using program::Loop;

namespace {

constexpr std::int64_t kLine = 16;  // elements of 4 bytes

// The loop along which the read moves by one element, where the lanes are a line or more apart.
const Loop* loop_along_memory(Context& cx, const program::Site& site, const Loop& lanes) {
  for (const program::Access& access : program::accesses_of(cx, *site.block->body)) {
    if (access.kind != program::Access::Kind::Read) continue;
    const auto indices = program::over_loops(cx, *site.block, access.indices);
    if (program::stride_of(*access.buffer, indices, lanes.axis).value_or(0) < kLine) continue;
    for (const Loop* loop : site.loops) {
      if (program::stride_of(*access.buffer, indices, loop->axis) == 1) return loop;
    }
  }
  return nullptr;
}

//   for i                       for i.0
//     for j.0                     for j.0         (or these two the other way round)
//       vector j.1      -->         for i.1
//         x[j, i]                     vector j.1
//                                       x[j, i]
Status apply(Draft& draft, const std::string& block) {
  const auto leave = [](const char* why) {
    return Rejection(Reason::NothingToDo, "use-lines-up", why);
  };
  const program::Site site = site_of(draft, block);
  if (site.loops.empty() || site.loops.back()->how != program::LoopKind::Vectorized) {
    return leave("it has no lanes");
  }
  const Loop* along = loop_along_memory(draft.context(), site, *site.loops.back());
  if (along == nullptr) return leave("its lanes read neighbours");

  const std::string lanes(site.loops.back()->name());
  const std::string name(along->name());
  const Ints tile = draft.perfect_tile("lines", along->extent(), 2, 64, {1, kLine});
  if (tile[1] == 1) return Ok{};
  const bool is_outside = draft.choose("outside", {"along memory", "vectors"}) == 0;
  CAMBIUM_TRY(const Names made, draft.apply(Split{name, tile, Tail::Exact}));
  Names order;
  if (is_outside) order.push_back(made[0]);
  for (const Loop* loop : site.loops) {
    if (loop != along && loop->name() != lanes) order.emplace_back(loop->name());
  }
  if (!is_outside) order.push_back(made[0]);
  order.push_back(made[1]);
  order.push_back(lanes);
  CAMBIUM_REQUIRE(draft.apply(Reorder{order}));
  return Ok{};
}

}  // namespace

Rule use_lines_up() {
  return {"use-lines-up", "cache lines that lanes fetch are used up at once", apply};
}

}  // namespace add_rule
