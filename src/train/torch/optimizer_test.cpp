#include "train/torch/optimizer.h"

#include <cmath>
#include <memory>

#include <gtest/gtest.h>

// What the optimizer is compared with.
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

namespace cambium::train {
namespace {

// One matrix that decays and one vector that does not, all ones.
std::vector<Parameter> two() {
  std::vector<Parameter> out;
  out.push_back({{}, "matrix", torch::ones({1, 1}).requires_grad_(), true});
  out.push_back({{}, "vector", torch::ones({1}).requires_grad_(), false});
  return out;
}

void step(Optimizer& optimizer, std::vector<Parameter>& parameters, double gradient, double rate,
          std::int64_t number = 0) {
  optimizer.clear();
  (gradient * (parameters[0].tensor.sum() + parameters[1].tensor.sum())).backward();
  optimizer.set(rate, number);
  optimizer.apply();
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
    ASSERT_EQ(second.state().size(), first.state().size());
    for (std::size_t i = 0; i < first.state().size(); ++i) {
      second.state()[i].copy_(first.state()[i]);
    }
    step(all, whole, 2, 0.05, 1);
    step(second, halves, 2, 0.05, 1);
    EXPECT_TRUE(torch::equal(whole[0].tensor, halves[0].tensor));
    EXPECT_TRUE(torch::equal(whole[1].tensor, halves[1].tensor));
  }
}

// A matrix, a vector and a kernel in another layout, drawn.
std::vector<Parameter> drawn() {
  auto generator = at::detail::createCPUGenerator(5);
  const auto like = [&](torch::IntArrayRef dims) { return torch::randn(dims, generator); };
  std::vector<Parameter> out;
  out.push_back({{}, "matrix", like({5, 7}).requires_grad_(), true});
  out.push_back({{}, "vector", like({9}).requires_grad_(), false});
  out.push_back({{},
                 "kernel",
                 like({4, 3, 3, 3}).contiguous(torch::MemoryFormat::ChannelsLast).requires_grad_(),
                 true});
  return out;
}

// libtorch's own optimizer of this kind over the same parameters, clipping included.
class Theirs {
 public:
  Theirs(const std::vector<Parameter>& parameters, const OptimizerOptions& options)
      : clip_(options.clip) {
    std::vector<torch::optim::OptimizerParamGroup> groups;
    for (const Parameter& each : parameters) {
      all_.push_back(each.tensor);
      const double decay = each.decays ? options.weight_decay : 0;
      groups.emplace_back(std::vector<torch::Tensor>{each.tensor}, settings(options, decay));
    }
    switch (options.kind) {
      case OptimizerKind::Sgd:
        rule_ = std::make_unique<torch::optim::SGD>(groups, torch::optim::SGDOptions(1e-3));
        break;
      case OptimizerKind::AdamW: rule_ = std::make_unique<torch::optim::AdamW>(groups); break;
      case OptimizerKind::RmsProp: rule_ = std::make_unique<torch::optim::RMSprop>(groups); break;
    }
  }

  void step(double rate) {
    for (auto& group : rule_->param_groups()) group.options().set_lr(rate);
    if (clip_ > 0) torch::nn::utils::clip_grad_norm_(all_, clip_);
    rule_->step();
  }

 private:
  static std::unique_ptr<torch::optim::OptimizerOptions> settings(const OptimizerOptions& options,
                                                                  double decay) {
    if (options.kind == OptimizerKind::Sgd) {
      auto out = std::make_unique<torch::optim::SGDOptions>(1e-3);
      out->momentum(options.momentum).nesterov(options.nesterov).weight_decay(decay);
      return out;
    }
    if (options.kind == OptimizerKind::AdamW) {
      auto out = std::make_unique<torch::optim::AdamWOptions>(1e-3);
      out->betas({options.beta1, options.beta2}).eps(options.epsilon).weight_decay(decay);
      return out;
    }
    auto out = std::make_unique<torch::optim::RMSpropOptions>(1e-3);
    out->alpha(options.alpha).eps(options.epsilon).momentum(options.momentum).weight_decay(decay);
    return out;
  }

  std::vector<torch::Tensor> all_;
  std::unique_ptr<torch::optim::Optimizer> rule_;
  double clip_;
};

// Loss that no parameter leaves alone, another in every step.
torch::Tensor loss_of(const std::vector<Parameter>& parameters, int step) {
  torch::Tensor sum = torch::zeros({});
  for (const Parameter& each : parameters) {
    sum = sum + (each.tensor * (1 + step)).sin().sum() + each.tensor.pow(2).sum();
  }
  return sum;
}

TEST(Optimizer, AgreesWithLibtorchsOwn) {
  for (const OptimizerKind kind :
       {OptimizerKind::Sgd, OptimizerKind::AdamW, OptimizerKind::RmsProp}) {
    for (const bool nesterov : {false, true}) {
      for (const double clip : {0.0, 0.5}) {
        auto ours = drawn(), theirs = drawn();
        OptimizerOptions options;
        options.kind = kind;
        options.weight_decay = 0.1;
        options.nesterov = nesterov;
        options.clip = clip;
        Optimizer optimizer(ours, options);
        Theirs rule(theirs, options);
        for (int i = 0; i < 10; ++i) {
          const double rate = 0.02 / (1 + i);
          optimizer.clear();
          loss_of(ours, i).backward();
          optimizer.set(rate, i);
          optimizer.apply();
          for (Parameter& each : theirs) each.tensor.mutable_grad() = torch::Tensor();
          loss_of(theirs, i).backward();
          rule.step(rate);
        }
        for (std::size_t i = 0; i < ours.size(); ++i) {
          EXPECT_TRUE(torch::allclose(ours[i].tensor, theirs[i].tensor, 1e-5, 1e-6))
              << static_cast<int>(kind) << ' ' << nesterov << ' ' << clip << ' ' << ours[i].name;
        }
      }
    }
  }
}

TEST(Optimizer, LeavesAloneWhatHasNoGradient) {
  auto parameters = two();
  OptimizerOptions options;
  options.weight_decay = 0.5;
  Optimizer optimizer(parameters, options);
  optimizer.clear();
  parameters[1].tensor.sum().backward();
  optimizer.set(0.1, 0);
  optimizer.apply();
  EXPECT_EQ(value(parameters[0]), 1);
  EXPECT_NE(value(parameters[1]), 1);
}

TEST(AverageInto, KeepsTheShareOfTheAverage) {
  const std::vector<torch::Tensor> averaged = {torch::ones({2}), torch::zeros({3})};
  average_into(averaged, {torch::zeros({2}), torch::ones({3})}, 0.9);
  EXPECT_TRUE(torch::allclose(averaged[0], torch::full({2}, 0.9)));
  EXPECT_TRUE(torch::allclose(averaged[1], torch::full({3}, 0.1)));
}

}  // namespace
}  // namespace cambium::train
