// BoundOperator: an operator at one binding, with its sizes as numbers. Evaluation, fingerprints
// and costs start here. Refuses sizes that are not integers or too large. Expects an otherwise
// legal operator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "expr/binding.h"
#include "spaces/coordinate/operator.h"

namespace cambium::spaces::coordinate {

struct BoundCoordinate {
  CoordinateKind kind = CoordinateKind::Output;
  CoordinateIndex first = kNoCoordinate, second = kNoCoordinate;
  std::int64_t domain = 1;
  std::int64_t parameter = 1;  // block of a MERGE, step of a STRIDE; the inner domain of a SPLIT;
                               // what an UNFOLD subtracts
};

// The value of a coordinate that is not a leaf, from the values of all earlier ones. -1 means that
// an UNFOLD fell outside its domain.
inline std::int64_t value_of(const BoundCoordinate& c, const std::int64_t* values) {
  const std::int64_t first = values[c.first];
  switch (c.kind) {
    case CoordinateKind::Split: return c.parameter * first + values[c.second];
    case CoordinateKind::MergeHigh: return first / c.parameter;
    case CoordinateKind::MergeLow: return first % c.parameter;
    case CoordinateKind::Shift: return first + 1 == c.domain ? 0 : first + 1;
    case CoordinateKind::Stride: return c.parameter * first;
    case CoordinateKind::Unfold: {
      const std::int64_t unfolded = first + values[c.second] - c.parameter;
      return unfolded >= 0 && unfolded < c.domain ? unfolded : -1;
    }
    case CoordinateKind::Output:
    case CoordinateKind::Reduce: break;
  }
  CAMBIUM_CHECK(false, "an output or a reduction has the value that its loop gives it");
}

// The number of elements of a tensor of a bound operator; it fits 64 bits.
std::int64_t elements_of(const std::vector<std::int64_t>& shape);

struct BoundOperator {
  std::vector<BoundCoordinate> coordinates;
  std::size_t outputs = 0, reductions = 0;  // how many; coordinates begin with them
  std::vector<CoordinateIndex> data;
  std::vector<std::vector<CoordinateIndex>> weights;
  std::int64_t averaged = 1;  // the sum of terms is divided by this

  std::int64_t domain(CoordinateIndex i) const {
    return coordinates[static_cast<std::size_t>(i)].domain;
  }
  std::vector<std::int64_t> input_shape() const { return shape(data); }
  std::vector<std::int64_t> output_shape() const;
  std::vector<std::int64_t> weight_shape(std::size_t w) const { return shape(weights[w]); }
  std::int64_t parameters() const;  // elements of all weights

  std::int64_t value(CoordinateIndex i, const std::int64_t* values) const {
    return value_of(coordinates[static_cast<std::size_t>(i)], values);
  }

 private:
  std::vector<std::int64_t> shape(const std::vector<CoordinateIndex>& places) const;
};

// Refuses SizeNotInteger, SizeUnbound and SizeOverflow, also for element counts.
Result<BoundOperator> bind(const Operator& op, const expr::Binding& binding);

}  // namespace cambium::spaces::coordinate
