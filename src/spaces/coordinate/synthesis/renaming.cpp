#include "spaces/coordinate/synthesis/renaming.h"

namespace cambium::spaces::coordinate::synthesis {

CoordId renamed(Coordinates& coordinates, CoordId id, const Renaming& renaming) {
  const Coord c = coordinates[id];
  if (c.reduced == Coord::Reduced::None) return id;
  if (c.kind == CoordinateKind::Reduce) {
    for (std::size_t i = 0; i < renaming.from.size(); ++i) {
      if (renaming.from[i] == id) return renaming.to[i];
    }
    return id;
  }
  const CoordId first = renamed(coordinates, c.first, renaming);
  const CoordId second = c.second == kNoCoord ? kNoCoord : renamed(coordinates, c.second, renaming);
  if (first == c.first && second == c.second) return id;
  return coordinates.remake(id, first, second);
}

}  // namespace cambium::spaces::coordinate::synthesis
