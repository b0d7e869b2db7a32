#include "spaces/coordinate/bound.h"

#include "spaces/coordinate/structure.h"

namespace cambium::spaces::coordinate {
namespace {

// What an UNFOLD subtracts: the middle of the values of its window, rounded up.
std::int64_t middle_of(const BoundOperator& op, CoordinateIndex window) {
  const BoundCoordinate& w = op.coordinates[static_cast<std::size_t>(window)];
  // A strided window ends at its last multiple, not at the end of its domain.
  const std::int64_t last =
      w.kind == CoordinateKind::Stride ? w.parameter * (op.domain(w.first) - 1) : w.domain - 1;
  return (last + 1) / 2;
}

Result<std::int64_t> checked_elements(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return Rejection(Reason::SizeOverflow);
  }
  return count;
}

}  // namespace

std::int64_t elements_of(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

std::vector<std::int64_t> BoundOperator::shape(const std::vector<CoordinateIndex>& places) const {
  std::vector<std::int64_t> extents;
  for (const CoordinateIndex i : places) extents.push_back(domain(i));
  return extents;
}

std::vector<std::int64_t> BoundOperator::output_shape() const {
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < outputs; ++i) extents.push_back(coordinates[i].domain);
  return extents;
}

std::int64_t BoundOperator::parameters() const {
  std::int64_t sum = 0;
  for (std::size_t w = 0; w < weights.size(); ++w) sum += elements_of(weight_shape(w));
  return sum;
}

Result<BoundOperator> bind(const Operator& op, const expr::Binding& binding) {
  BoundOperator out;
  out.outputs = output_count(op);
  out.reductions = reduction_count(op);
  out.data = op.data;
  out.weights = op.weights;
  for (const Coordinate& c : op.coordinates) {
    BoundCoordinate bound{c.kind, c.first, c.second, 1, 1};
    CAMBIUM_TRY(bound.domain, expr::evaluate(c.domain, binding));
    CAMBIUM_TRY(bound.parameter, expr::evaluate(c.parameter, binding));
    if (c.kind == CoordinateKind::Split) bound.parameter = out.domain(c.second);
    if (c.kind == CoordinateKind::Unfold) bound.parameter = middle_of(out, c.second);
    out.coordinates.push_back(bound);
  }
  std::vector<std::int64_t> loops = out.output_shape();
  const std::uint64_t averaged = averaged_reductions(op);
  for (std::size_t i = out.outputs; i < out.outputs + out.reductions; ++i) {
    loops.push_back(out.coordinates[i].domain);
    if ((averaged >> i & 1U) != 0) out.averaged *= out.coordinates[i].domain;
  }
  CAMBIUM_REQUIRE(checked_elements(loops));
  CAMBIUM_REQUIRE(checked_elements(out.input_shape()));
  for (std::size_t w = 0; w < out.weights.size(); ++w) {
    CAMBIUM_REQUIRE(checked_elements(out.weight_shape(w)));
  }
  return out;
}

}  // namespace cambium::spaces::coordinate
