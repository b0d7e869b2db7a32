#include "spaces/coordinate/lowering/extents.h"

namespace cambium::spaces::coordinate {

Result<Extents> extents_of(const Operator& op, const expr::Binding& outside,
                           const expr::Binding& inside) {
  CAMBIUM_TRY(BoundOperator bound, bind(op, inside));
  Extents out{std::move(bound), {}, {}};
  const auto extent = [&](std::size_t c) {
    return expr::evaluate(op.coordinates[c].domain, outside);
  };
  for (const CoordinateIndex c : op.data) {
    CAMBIUM_TRY(const std::int64_t axis, extent(static_cast<std::size_t>(c)));
    out.input.push_back(axis);
  }
  for (std::size_t o = 0; o < out.inside.outputs; ++o) {
    CAMBIUM_TRY(const std::int64_t axis, extent(o));
    out.output.push_back(axis);
  }
  return out;
}

}  // namespace cambium::spaces::coordinate
