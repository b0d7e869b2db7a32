// A reduction along memory (the rows of a softmax, a norm) has no lanes of its own. It is given
// some: each lane sums its part, then the lanes are summed.
#include "schedule/defaults/kinds_of_work.h"
#include "schedule/defaults/sites.h"

namespace cambium::schedule {

using program::Body;
using program::Loop;
using program::Site;

namespace {

constexpr std::int64_t kVectors = 4;  // chains of accumulators, to hide their latency

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

}  // namespace

Result<std::string> split_into_lanes(Schedule& s, const std::string& block,
                                     const Machine& machine) {
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
  Schedule trial = s;
  CAMBIUM_TRY(const Names split,
              trial.apply(Split{std::string(loops[0]->name()), {0, wide}, Tail::Guard}));
  CAMBIUM_TRY(const Names made,
              trial.apply(RFactor{split[1], static_cast<std::int64_t>(body.target->dims.size())}));
  s = trial;
  return made[0];
}

}  // namespace cambium::schedule
