#include "schedule/steps/tile.h"

#include "schedule/steps/reorder.h"

namespace cambium::schedule {

Result<Applied> Tile::apply(Context& cx, const Program& program) const {
  if (loops.empty() || loops.size() != sizes.size()) {
    return Rejection(Reason::BadFactors, "tile", "there must be one size per loop");
  }
  if (tail == Tail::Peel)
    return Rejection(Reason::BadFactors, "tile", "tail peel is not possible for tiles");
  Applied applied{program, {}};
  Names inner;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const Split split{loops[i], {0, sizes[i]}, tail};
    CAMBIUM_TRY(Applied next, split.apply(cx, applied.program));
    applied.program = next.program;
    applied.made.push_back(next.made[0]);
    inner.push_back(next.made[1]);
  }
  applied.made.insert(applied.made.end(), inner.begin(), inner.end());
  CAMBIUM_TRY(Applied ordered, Reorder{applied.made}.apply(cx, applied.program));
  applied.program = ordered.program;
  return applied;
}

}  // namespace cambium::schedule
