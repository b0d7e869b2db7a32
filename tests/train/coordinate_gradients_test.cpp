// Gradients of the decompositions of coordinate operators, as libtorch computes them. The equation
// is linear in the data and in each weight, so its derivative by an element is its value with that
// element one and all others of its tensor zero: no step size, no error but rounding.
#include <algorithm>
#include <cmath>

#include "spaces/coordinate/lowering/lowering_testing.h"
#include "spaces/coordinate/lowering/tiny_operator_testing.h"
#include "train/torch/network_testing.h"

namespace cambium::spaces::coordinate {
namespace {

using namespace testing;
using Elements = std::vector<double>;

constexpr std::uint64_t kCases = 400;
constexpr std::int64_t kMostPoints = 3000;
constexpr std::size_t kElements = 8;  // of each tensor

// Some derivatives of sum(factors * y) by elements of the first tensors, of which the data is one.
void expect_gradients(const Case& c, const Elements& factors,
                      const std::vector<model::Tensor>& gradients, Rng& rng) {
  std::vector<Elements> tensors{c.x};
  tensors.insert(tensors.end(), c.weights.begin(), c.weights.end());
  ASSERT_LE(gradients.size(), tensors.size());
  for (std::size_t t = 0; t < gradients.size(); ++t) {
    const Elements got = gradients[t].to_doubles();
    ASSERT_EQ(got.size(), tensors[t].size());
    double largest = 1;
    for (const double g : got) largest = std::max(largest, std::fabs(g));
    const Elements kept = tensors[t];
    for (std::size_t i = 0; i < kElements; ++i) {
      const std::size_t element = rng.below(kept.size());
      tensors[t].assign(kept.size(), 0);
      tensors[t][element] = 1;
      const Elements y =
          evaluate<double>(c.extents.inside, tensors[0], std::span(tensors).subspan(1)).value();
      double derivative = 0;
      for (std::size_t o = 0; o < y.size(); ++o) derivative += factors[o] * y[o];
      ASSERT_NEAR(derivative, got[element], 1e-4 * largest)
          << "tensor " << t << ", element " << element;
    }
    tensors[t] = kept;
  }
}

TEST(CoordinateGradients, OfDecompositionsAreThoseOfTheEquation) {
  const expr::Binding none;
  std::uint64_t tried = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng = Rng(seed).split("gradients");
    const Operator op = TinyOperator(seed).make();
    if (points_of(bind(op, none).value()) > kMostPoints) continue;
    const Case c = case_of(op, none, seed);
    const model::Model body = decompose(op, c.stages, c.extents).value();
    std::vector<model::Tensor> inputs{tensor(c.extents.input, c.x)};
    for (std::size_t w = 0; w < c.weights.size(); ++w) {
      inputs.push_back(tensor(c.extents.inside.weight_shape(w), c.weights[w]));
    }
    Elements factors;
    for (std::int64_t i = product(c.extents.output); i > 0; --i) factors.push_back(rng.normal());
    const std::vector<model::Tensor> factor{tensor(c.extents.output, factors)};
    const auto all = train::input_gradients(body, inputs, factor);
    ASSERT_TRUE(all.ok()) << all.rejection().message();
    expect_gradients(c, factors, *all, rng);
    if (HasFatalFailure()) return;
    // With weights that are known as such, recognition makes convolutions.
    const model::Model known =
        model::recognize(with_weights(body, {inputs.begin() + 1, inputs.end()})).model;
    const auto of_data = train::input_gradients(known, {inputs.data(), 1}, factor);
    ASSERT_TRUE(of_data.ok()) << of_data.rejection().message();
    expect_gradients(c, factors, *of_data, rng);
    if (HasFatalFailure()) return;
    ++tried;
  }
  EXPECT_GT(tried, kCases / 2);
}

}  // namespace
}  // namespace cambium::spaces::coordinate
