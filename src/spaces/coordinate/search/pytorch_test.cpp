// Operators of the coordinate space as PyTorch source compute what the reference executor does.
#include <gtest/gtest.h>

#include "model/composite.h"
#include "model/pytorch/check_testing.h"
#include "model/zoo/composites.h"
#include "model/zoo/zoo.h"
#include "spaces/coordinate/known.h"
#include "spaces/coordinate/lowering/decompose.h"
#include "spaces/coordinate/search/space.h"

namespace cambium::spaces::coordinate {
namespace {

TEST(CoordinatePytorch, EveryOperatorOfTheCatalogue) {
  model::PytorchCheck check;
  for (const KnownOperator& known : known_operators()) {
    SCOPED_TRACE(std::string(known.name));
    const Problem problem = problem_of(known);
    auto body = decompose(operator_of(known), problem.bindings[0]).value();
    check.add(model::zoo::model_around(
        model::composite_of("coordinate", std::string(known.name), std::move(body)).value()));
  }
  check.run();
}

// At two places each, of which one averages first.
TEST(CoordinatePytorch, AHundredSampledOperators) {
  model::Builder b("two");
  const auto weight = [&](const char* name, model::Ints dims) {
    return b.weight(name, model::Tensor::lazy({DType::F32, std::move(dims)},
                                              {model::Fill::Law::Normal, 0.1, 3}));
  };
  const model::Value x = b.input("x", {DType::F32, {2, 16, 12, 12}});
  const model::Value first = b.add(model::Conv{{2, 2}, {1, 1, 1, 1}, {1, 1}, 1},
                                   {x, weight("a.weight", {32, 16, 3, 3})}, "a");
  b.output("y", b.add(model::Conv{{1, 1}, {1, 1, 1, 1}, {1, 1}, 1},
                      {first, weight("b.weight", {16, 32, 3, 3}), weight("b.bias", {16})}, "b"));
  const model::Model base = std::move(b).finish().value();
  const auto space = CoordinateSpace::make(base, model::select(base, "conv:*").value()).value();
  model::PytorchCheck check;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Edit edit = space->samples()->sample(seed).value().at(0);
    SCOPED_TRACE(edit.document);
    check.add(space->apply(base, edit).value());
  }
  EXPECT_EQ(check.count(), 100);
  check.run();
}

}  // namespace
}  // namespace cambium::spaces::coordinate
