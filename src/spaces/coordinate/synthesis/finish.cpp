#include "spaces/coordinate/synthesis/finish.h"

#include <bit>

namespace cambium::spaces::coordinate::synthesis {

Operator finish(const Space& space, const Anatomy& anatomy, const Choice& choice) {
  const Problem& problem = space.problem;
  Operator op;
  // Outputs in the order of their axes, those of fixed pairs among them.
  for (const expr::Size& size : problem.output) {
    Coordinate c;
    c.domain = size;
    op.coordinates.push_back(c);
  }
  std::array<CoordinateIndex, kMaxCoords> index{};
  for (std::size_t i = 0; i < anatomy.coords.size(); ++i) {
    const Coord& from = space.coordinates[anatomy.coords[i]];
    if (from.kind == CoordinateKind::Output) {
      index[i] = from.label;
      continue;
    }
    Coordinate c;
    c.kind = from.kind;
    c.domain = space.sizes[from.size].size;
    c.parameter = space.sizes[from.parameter].size;
    if (from.first != kNoCoord) c.first = index[anatomy.place(from.first)];
    if (from.second != kNoCoord) c.second = index[anatomy.place(from.second)];
    index[i] = static_cast<CoordinateIndex>(op.coordinates.size());
    op.coordinates.push_back(c);
  }
  op.data.resize(problem.input.size(), kNoCoordinate);
  for (const FixedPair& pair : problem.fixed) op.data[pair.input] = pair.output;
  for (std::size_t i = 0; i < choice.axes.size(); ++i) {
    op.data[space.input_axes[i]] = index[choice.axes[i]];
  }
  for (const Reads weight : choice.weights) {
    std::vector<CoordinateIndex>& axes = op.weights.emplace_back();
    for (Reads rest = weight; rest != 0; rest &= rest - 1) {
      axes.push_back(index[static_cast<std::size_t>(std::countr_zero(rest))]);
    }
  }
  return op;
}

}  // namespace cambium::spaces::coordinate::synthesis
