#include "train/torch/optimizer.h"

#include <cmath>

#include <gtest/gtest.h>

namespace cambium::train {
namespace {

// One matrix that decays and one vector that does not, all ones.
std::vector<Parameter> two() {
  std::vector<Parameter> out;
  out.push_back({{}, "matrix", torch::ones({1, 1}).requires_grad_(), true});
  out.push_back({{}, "vector", torch::ones({1}).requires_grad_(), false});
  return out;
}

void step(Optimizer& optimizer, std::vector<Parameter>& parameters, double gradient, double rate) {
  optimizer.clear();
  (gradient * (parameters[0].tensor.sum() + parameters[1].tensor.sum())).backward();
  optimizer.step(rate);
}

double value(const Parameter& parameter) {
  return parameter.tensor.item<double>();
}

TEST(Optimizer, SgdLooksAheadAndDecaysMatricesOnly) {
  auto parameters = two();
  OptimizerOptions options;
  options.momentum = 0.9;
  options.weight_decay = 0.5;
  Optimizer optimizer(parameters, options);
  // Nesterov: v = 0.9 v + g, w -= rate * (g + 0.9 v); g of the matrix has 0.5 w added.
  step(optimizer, parameters, 1, 0.1);
  EXPECT_NEAR(value(parameters[1]), 1 - 0.1 * (1 + 0.9), 1e-6);
  EXPECT_NEAR(value(parameters[0]), 1 - 0.1 * (1.5 + 0.9 * 1.5), 1e-6);
  step(optimizer, parameters, 1, 0.2);
  EXPECT_NEAR(value(parameters[1]), 0.81 - 0.2 * (1 + 0.9 * 1.9), 1e-6);
}

TEST(Optimizer, DecaysNormsWhenAsked) {
  auto parameters = two();
  OptimizerOptions options;
  options.momentum = 0;
  options.weight_decay = 0.5;
  options.decays_norms = true;
  Optimizer optimizer(parameters, options);
  step(optimizer, parameters, 1, 0.1);
  EXPECT_NEAR(value(parameters[0]), 1 - 0.1 * 1.5, 1e-6);
  EXPECT_NEAR(value(parameters[1]), 1 - 0.1 * 1.5, 1e-6);
}

TEST(Optimizer, AdamWDecaysApartFromTheGradient) {
  auto parameters = two();
  OptimizerOptions options;
  options.kind = OptimizerKind::AdamW;
  options.weight_decay = 0.5;
  Optimizer optimizer(parameters, options);
  step(optimizer, parameters, 3, 0.1);  // the first step is the sign of the gradient
  EXPECT_NEAR(value(parameters[1]), 0.9, 1e-6);
  EXPECT_NEAR(value(parameters[0]), 1 * (1 - 0.1 * 0.5) - 0.1, 1e-6);
}

TEST(Optimizer, RmsPropDividesByTheRootOfTheMeanSquare) {
  auto parameters = two();
  OptimizerOptions options;
  options.kind = OptimizerKind::RmsProp;
  options.momentum = 0;
  options.weight_decay = 0;
  Optimizer optimizer(parameters, options);
  step(optimizer, parameters, 2, 0.1);
  EXPECT_NEAR(value(parameters[1]), 1 - 0.1 * 2 / std::sqrt(0.01 * 4), 1e-5);
}

TEST(Optimizer, ClipsAllGradientsTogether) {
  auto parameters = two();
  OptimizerOptions options;
  options.momentum = 0;
  options.weight_decay = 0;
  options.clip = 1;
  Optimizer optimizer(parameters, options);
  step(optimizer, parameters, 10, 1);  // two gradients of 10 have the norm 10 sqrt 2
  EXPECT_NEAR(value(parameters[1]), 1 - 1 / std::sqrt(2.0), 1e-5);
}

TEST(Optimizer, GoesOnFromItsState) {
  for (const OptimizerKind kind :
       {OptimizerKind::Sgd, OptimizerKind::AdamW, OptimizerKind::RmsProp}) {
    auto whole = two(), halves = two();
    OptimizerOptions options;
    options.kind = kind;
    Optimizer all(whole, options), first(halves, options);
    step(all, whole, 1, 0.1);
    step(first, halves, 1, 0.1);
    Optimizer second(halves, options);
    second.restore(first.state());
    step(all, whole, 2, 0.05);
    step(second, halves, 2, 0.05);
    EXPECT_TRUE(torch::equal(whole[0].tensor, halves[0].tensor));
    EXPECT_TRUE(torch::equal(whole[1].tensor, halves[1].tensor));
  }
}

}  // namespace
}  // namespace cambium::train
