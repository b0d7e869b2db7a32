#include "train/torch/optimizer.h"

#include <sstream>
#include <tuple>
#include <utility>

#if defined(__GNUC__)  // torch.h leaves these out: only this file needs them
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#endif
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>
#include <torch/serialize/archive.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace cambium::train {

namespace {

using torch::optim::OptimizerParamGroup;

std::unique_ptr<torch::optim::OptimizerOptions> settings(const OptimizerOptions& options,
                                                         bool decays) {
  const double decay = decays ? options.weight_decay : 0;
  const double rate = 1e-3;  // set before every step
  switch (options.kind) {
    case OptimizerKind::Sgd: {
      auto out = std::make_unique<torch::optim::SGDOptions>(rate);
      out->momentum(options.momentum).weight_decay(decay);
      out->nesterov(options.nesterov && options.momentum > 0);
      return out;
    }
    case OptimizerKind::AdamW: {
      auto out = std::make_unique<torch::optim::AdamWOptions>(rate);
      out->betas(std::make_tuple(options.beta1, options.beta2));
      out->eps(options.epsilon).weight_decay(decay);
      return out;
    }
    case OptimizerKind::RmsProp: {
      auto out = std::make_unique<torch::optim::RMSpropOptions>(rate);
      out->alpha(options.alpha).eps(options.epsilon);
      out->momentum(options.momentum).weight_decay(decay);
      return out;
    }
  }
  return nullptr;
}

std::unique_ptr<torch::optim::Optimizer> rule_of(std::vector<OptimizerParamGroup> groups,
                                                 const OptimizerOptions& options) {
  const auto defaults = settings(options, true);
  switch (options.kind) {
    case OptimizerKind::Sgd:
      return std::make_unique<torch::optim::SGD>(
          std::move(groups), static_cast<const torch::optim::SGDOptions&>(*defaults));
    case OptimizerKind::AdamW:
      return std::make_unique<torch::optim::AdamW>(
          std::move(groups), static_cast<const torch::optim::AdamWOptions&>(*defaults));
    case OptimizerKind::RmsProp:
      return std::make_unique<torch::optim::RMSprop>(
          std::move(groups), static_cast<const torch::optim::RMSpropOptions&>(*defaults));
  }
  return nullptr;
}

}  // namespace

Optimizer::Optimizer(const std::vector<Parameter>& parameters, const OptimizerOptions& options)
    : clip_(options.clip) {
  std::vector<torch::Tensor> decaying, others;
  for (const Parameter& each : parameters) {
    all_.push_back(each.tensor);
    (each.decays || options.decays_norms ? decaying : others).push_back(each.tensor);
  }
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(std::move(decaying), settings(options, true));
  groups.emplace_back(std::move(others), settings(options, false));
  rule_ = rule_of(std::move(groups), options);
}

Optimizer::~Optimizer() = default;

void Optimizer::clear() {
  for (torch::Tensor& each : all_) each.mutable_grad() = torch::Tensor();
}

void Optimizer::step(double rate) {
  for (OptimizerParamGroup& group : rule_->param_groups()) group.options().set_lr(rate);
  if (clip_ > 0) torch::nn::utils::clip_grad_norm_(all_, clip_);
  rule_->step();
}

std::string Optimizer::state() const {
  torch::serialize::OutputArchive archive;
  rule_->save(archive);
  std::ostringstream out;
  archive.save_to(out);
  return std::move(out).str();
}

void Optimizer::restore(const std::string& state) {
  torch::serialize::InputArchive archive;
  std::istringstream in(state);
  archive.load_from(in);
  rule_->load(archive);
}

}  // namespace cambium::train
