#include "spaces/coordinate/lowering/verify.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/random.h"
#include "model/reference/execute.h"
#include "spaces/coordinate/evaluate.h"
#include "spaces/coordinate/lowering/decompose.h"
#include "spaces/coordinate/lowering/small_sizes.h"

namespace cambium::spaces::coordinate {

namespace {

using Numbers = std::vector<double>;

constexpr std::uint64_t kSeed = 1;
constexpr std::int64_t kMostTerms = 1 << 14;  // that direct evaluation visits
constexpr double kFewestPlaces = 64;          // whatever terms they have
constexpr double kTolerance = 1e-5;           // of the greatest element: averages round

// Whole numbers, whose sums of products are exact in single precision. None is zero, so that every
// term counts.
Numbers drawn(const std::vector<std::int64_t>& shape, Rng& rng) {
  Numbers out;
  for (std::int64_t i = elements_of(shape); i > 0; --i) {
    const auto size = static_cast<double>(rng.between(1, 3));
    out.push_back(rng.chance(0.5) ? size : -size);
  }
  return out;
}

model::Tensor tensor_of(const std::vector<std::int64_t>& shape, const Numbers& numbers) {
  return model::Tensor::of<float>(shape, {numbers.begin(), numbers.end()});
}

// The first element, the last one, and all that are at an end of every axis.
std::vector<std::int64_t> corners_of(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> corners{0};
  for (const std::int64_t extent : shape) {
    for (std::int64_t& corner : corners) corner *= extent;
    if (extent == 1) continue;
    const std::size_t half = corners.size();
    for (std::size_t i = 0; i < half; ++i) corners.push_back(corners[i] + extent - 1);
  }
  return corners;
}

// Places of the output: all of them if they have few terms, otherwise corners and random ones,
// because errors may follow any pattern.
std::vector<std::int64_t> places_to_compare(const BoundOperator& op, Rng& rng) {
  double terms_each = 1;
  for (std::size_t r = 0; r < op.reductions; ++r) {
    terms_each *= static_cast<double>(op.coordinates[op.outputs + r].domain);
  }
  std::vector<std::int64_t> places(static_cast<std::size_t>(elements_of(op.output_shape())));
  std::iota(places.begin(), places.end(), 0);
  const double count = std::max(static_cast<double>(kMostTerms) / terms_each, kFewestPlaces);
  if (count >= static_cast<double>(places.size())) return places;
  rng.shuffle(std::span(places));
  places.resize(static_cast<std::size_t>(count));
  const std::vector<std::int64_t> corners = corners_of(op.output_shape());
  places.insert(places.end(), corners.begin(), corners.end());
  return places;
}

}  // namespace

Status verify(const Extents& extents, const model::Model& body, const std::string& name) {
  const auto wrong = [&](std::string why) {
    return Rejection(Reason::WrongDecomposition, name, std::move(why));
  };
  Rng rng(kSeed);
  const BoundOperator& bound = extents.inside;
  const Numbers x = drawn(bound.input_shape(), rng);
  std::vector<Numbers> weights;
  std::vector<model::Tensor> inputs{tensor_of(bound.input_shape(), x)};
  for (std::size_t w = 0; w < bound.weights.size(); ++w) {
    weights.push_back(drawn(bound.weight_shape(w), rng));
    inputs.push_back(tensor_of(bound.weight_shape(w), weights.back()));
  }
  const auto executed = model::execute(body, inputs);
  if (!executed.ok()) return wrong(executed.rejection().message());
  const Numbers got = executed->front().to_doubles();
  if (std::ssize(got) != elements_of(bound.output_shape())) {
    return wrong(fmt::format("its output has {} elements, not {}", got.size(),
                             elements_of(bound.output_shape())));
  }
  const std::vector<std::int64_t> places = places_to_compare(bound, rng);
  CAMBIUM_TRY(const Numbers expected, evaluate_at(bound, x, weights, places));
  double greatest = 1;
  for (const double value : expected) greatest = std::max(greatest, std::fabs(value));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double value = got[static_cast<std::size_t>(places[i])];
    // Written so that NaN counts as different.
    if (std::fabs(value - expected[i]) <= kTolerance * greatest) continue;
    return wrong(fmt::format("element {} of the output is {}, not {}, where the input is [{}]",
                             places[i], value, expected[i], fmt::join(bound.input_shape(), ", ")));
  }
  return Ok{};
}

Result<model::Model> verified_decomposition(const Operator& op, std::span<const Stage> stages,
                                            const expr::Binding& place, const std::string& name) {
  CAMBIUM_TRY(const expr::Binding small, small_like(op, place));
  CAMBIUM_TRY(const Extents extents, extents_of(op, small));
  CAMBIUM_TRY(const model::Model body, decompose(op, stages, extents));
  CAMBIUM_REQUIRE(verify(extents, body, name));
  CAMBIUM_TRY(const Extents outside, extents_of(op, place));
  return decompose(op, stages, outside);
}

}  // namespace cambium::spaces::coordinate
