#include "spaces/coordinate/evaluate.h"

#include <string>
#include <type_traits>

namespace cambium::spaces::coordinate {
namespace {

std::size_t offset(const BoundOperator& op, const std::vector<CoordinateIndex>& axes,
                   const std::vector<std::int64_t>& values) {
  std::int64_t at = 0;
  for (const CoordinateIndex i : axes) {
    at = at * op.domain(i) + values[static_cast<std::size_t>(i)];
  }
  return static_cast<std::size_t>(at);
}

// The next point of the leaves [first, last), the last one fastest; false after the last point.
bool advance(const BoundOperator& op, std::size_t first, std::size_t last,
             std::vector<std::int64_t>& values) {
  for (std::size_t i = last; i > first; --i) {
    if (++values[i - 1] < op.coordinates[i - 1].domain) return true;
    values[i - 1] = 0;
  }
  return false;
}

// Computes all coordinates from the leaves; false if the term is zero.
bool fill(const BoundOperator& op, std::vector<std::int64_t>& values) {
  for (std::size_t i = op.outputs + op.reductions; i < values.size(); ++i) {
    values[i] = op.value(static_cast<CoordinateIndex>(i), values.data());
    if (values[i] < 0) return false;
  }
  return true;
}

Status require_count(const std::string& name, std::size_t given,
                     const std::vector<std::int64_t>& shape) {
  if (given == static_cast<std::size_t>(elements_of(shape))) return Ok{};
  return Rejection(
      Reason::WrongArgument, name,
      std::to_string(given) + " elements, expected " + std::to_string(elements_of(shape)));
}

template <class T>
T average(T sum, std::int64_t count) {
  if constexpr (std::is_floating_point_v<T>) {
    return sum / static_cast<T>(count);
  } else {
    return sum * T(static_cast<std::uint64_t>(count)).inverse();
  }
}

template <class T>
Status require_tensors(const BoundOperator& op, std::span<const T> input,
                       std::span<const std::vector<T>> weights) {
  CAMBIUM_REQUIRE(require_count("x", input.size(), op.input_shape()));
  if (weights.size() != op.weights.size()) {
    return Rejection(
        Reason::WrongArgument, "weights",
        std::to_string(weights.size()) + " tensors, expected " + std::to_string(op.weights.size()));
  }
  for (std::size_t w = 0; w < weights.size(); ++w) {
    CAMBIUM_REQUIRE(
        require_count("w" + std::to_string(w + 1), weights[w].size(), op.weight_shape(w)));
  }
  return Ok{};
}

// One element of the output. `values` holds the outputs; its reductions are zero before and after.
template <class T>
T element(const BoundOperator& op, std::span<const T> input,
          std::span<const std::vector<T>> weights, std::vector<std::int64_t>& values) {
  using Sum = std::conditional_t<std::is_same_v<T, float>, double, T>;
  Sum sum{};
  do {
    if (!fill(op, values)) continue;
    Sum term(input[offset(op, op.data, values)]);
    for (std::size_t w = 0; w < weights.size(); ++w) {
      term = term * Sum(weights[w][offset(op, op.weights[w], values)]);
    }
    sum += term;
  } while (advance(op, op.outputs, op.outputs + op.reductions, values));
  return static_cast<T>(average(sum, op.averaged));
}

}  // namespace

template <class T>
Result<std::vector<T>> evaluate(const BoundOperator& op, std::span<const T> input,
                                std::span<const std::vector<T>> weights) {
  CAMBIUM_REQUIRE(require_tensors(op, input, weights));
  std::vector<T> output;
  std::vector<std::int64_t> values(op.coordinates.size(), 0);
  do {
    output.push_back(element(op, input, weights, values));
  } while (advance(op, 0, op.outputs, values));
  return output;
}

Result<std::vector<double>> evaluate_at(const BoundOperator& op, std::span<const double> input,
                                        std::span<const std::vector<double>> weights,
                                        std::span<const std::int64_t> places) {
  CAMBIUM_REQUIRE(require_tensors(op, input, weights));
  const std::int64_t elements = elements_of(op.output_shape());
  std::vector<double> out;
  std::vector<std::int64_t> values(op.coordinates.size(), 0);
  for (const std::int64_t place : places) {
    if (place < 0 || place >= elements) {
      return Rejection(Reason::WrongArgument, "places",
                       std::to_string(place) + " of " + std::to_string(elements) + " elements");
    }
    std::int64_t rest = place;
    for (std::size_t i = op.outputs; i-- > 0; rest /= op.coordinates[i].domain) {
      values[i] = rest % op.coordinates[i].domain;
    }
    out.push_back(element(op, input, weights, values));
  }
  return out;
}

template Result<std::vector<float>> evaluate(const BoundOperator&, std::span<const float>,
                                             std::span<const std::vector<float>>);
template Result<std::vector<double>> evaluate(const BoundOperator&, std::span<const double>,
                                              std::span<const std::vector<double>>);
template Result<std::vector<FieldElement>> evaluate(const BoundOperator&,
                                                    std::span<const FieldElement>,
                                                    std::span<const std::vector<FieldElement>>);

}  // namespace cambium::spaces::coordinate
