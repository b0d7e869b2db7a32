#include "spaces/coordinate/span.h"

#include <map>
#include <set>
#include <vector>

#include "spaces/coordinate/bound.h"
#include "spaces/coordinate/field.h"
#include "spaces/coordinate/terms.h"

namespace cambium::spaces::coordinate {
namespace {

using Row = std::vector<std::uint64_t>;  // elements of the field: a map from input to output

// Reduced rows by the place of their leading one; all other rows are zero at that place.
class Basis {
 public:
  void add(Row row) {
    for (const auto& [place, other] : rows_) subtract(row, other, place);
    std::size_t place = 0;
    while (place < row.size() && row[place] == 0) ++place;
    if (place == row.size()) return;
    const FieldElement inverse = FieldElement(row[place]).inverse();
    for (std::uint64_t& value : row) value = (FieldElement(value) * inverse).value();
    for (auto& [other_place, other] : rows_) subtract(other, row, place);
    rows_.emplace(place, std::move(row));
  }
  Fingerprint fingerprint() const {
    Hasher hasher;
    for (const auto& [place, row] : rows_) hasher.add(place).add_range(row);
    return hasher.done();
  }

 private:
  static void subtract(Row& from, const Row& row, std::size_t place) {
    if (from[place] == 0) return;
    const FieldElement factor(FieldElement::kPrime - from[place]);
    for (std::size_t i = place; i < row.size(); ++i) {
      if (row[i] != 0) from[i] = (FieldElement(from[i]) + factor * FieldElement(row[i])).value();
    }
  }

  std::map<std::size_t, Row> rows_;
};

}  // namespace

Result<Fingerprint> span_of(const Operator& op, const expr::Binding& binding) {
  CAMBIUM_CHECK(op.weights.size() <= 1, "a product of weights is not linear");
  CAMBIUM_TRY(const BoundOperator bound, bind(op, binding));
  TermLoops loops(bound);
  const std::vector<std::int64_t> shape = bound.output_shape();
  const auto inputs = static_cast<std::size_t>(elements_of(bound.input_shape()));
  const auto outputs = static_cast<std::size_t>(elements_of(shape));
  std::map<std::uint64_t, Row> rows;  // by element of the weight: what it is multiplied with
  std::vector<std::int64_t> point(shape.size(), 0);
  for (std::size_t o = 0; o < outputs; ++o) {
    const auto all = [](std::uint64_t) { return true; };
    loops.at(point, all, [&](const std::uint64_t* offsets) {
      Row& row = rows[op.weights.empty() ? 0 : offsets[1]];
      row.resize(outputs * inputs, 0);
      ++row[o * inputs + offsets[0]];
    });
    for (std::size_t axis = shape.size(); axis-- > 0 && ++point[axis] == shape[axis];) {
      point[axis] = 0;
    }
  }
  std::set<Row> different;
  for (auto& [element, row] : rows) different.insert(std::move(row));
  Basis basis;
  for (const Row& row : different) basis.add(row);
  return basis.fingerprint();
}

}  // namespace cambium::spaces::coordinate
