#include "train/torch/optimizer.h"

#include <array>
#include <cmath>
#include <utility>

namespace cambium::train {

namespace {

using torch::Tensor;
using Tensors = std::vector<Tensor>;

// The entries of `numbers_`.
enum Number : std::int64_t {
  kMinusRate,   // the rate, negative
  kMinusScale,  // AdamW: the rate over the correction of the first moment, negative
  kRoot,        // AdamW: 1 / root of the correction of the second moment
  kKept,        // AdamW: what decay leaves of a weight
  kNumbers
};

// Multiplies by one number on the device. libtorch 1.13 has no such call for lists.
void scale(const Tensors& tensors, const Tensor& by) {
#if TORCH_VERSION_MAJOR >= 2
  at::_foreach_mul_(tensors, by);
#else
  for (const Tensor& each : tensors) each.mul_(by);
#endif
}

// Parameters without a gradient stay as they are: no node reads them, or only nodes without a
// gradient.
bool is_reached(const Tensor& parameter) {
  return parameter.grad().defined();
}

}  // namespace

Optimizer::Optimizer(const std::vector<Parameter>& parameters, const OptimizerOptions& options)
    : options_(options) {
  for (const Parameter& each : parameters) {
    parameters_.push_back(each.tensor);
    decays_.push_back(options.weight_decay > 0 && (each.decays || options.decays_norms));
  }
  const bool momentum = options.kind != OptimizerKind::AdamW && options.momentum > 0;
  int lists = options.kind == OptimizerKind::AdamW ? 2 : 0;
  if (options.kind == OptimizerKind::RmsProp) lists = 1;
  if (momentum) ++lists;
  const torch::NoGradGuard without_gradients;
  for (int i = 0; i < lists; ++i) {
    for (const Tensor& each : parameters_) state_.push_back(torch::zeros_like(each));
  }
  const auto where = parameters_.empty() ? torch::Device(torch::kCPU) : parameters_[0].device();
  numbers_ = torch::zeros({kNumbers}, torch::dtype(torch::kFloat).device(where));
}

void Optimizer::set(double rate, std::int64_t step) {
  const double count = static_cast<double>(step) + 1;
  std::array<double, kNumbers> values{};
  values[kMinusRate] = -rate;
  values[kMinusScale] = -rate / (1 - std::pow(options_.beta1, count));
  values[kRoot] = 1 / std::sqrt(1 - std::pow(options_.beta2, count));
  values[kKept] = 1 - rate * options_.weight_decay;
  const bool cuda = numbers_.device().is_cuda();
  const Tensor host = torch::empty({kNumbers}, torch::dtype(torch::kFloat).pinned_memory(cuda));
  for (std::size_t i = 0; i < values.size(); ++i) {
    host.data_ptr<float>()[i] = static_cast<float>(values[i]);
  }
  numbers_.copy_(host, /*non_blocking=*/true);
}

void Optimizer::clear() {
  for (Tensor& each : parameters_) each.mutable_grad() = Tensor();
}

// Clips as libtorch does: no gradient grows, and a norm of zero is divided by a small number.
void Optimizer::clip(const Tensors& gradients) const {
  const Tensor norm = torch::stack(at::_foreach_norm(gradients, 2)).norm();
  scale(gradients, (options_.clip / (norm + 1e-6)).clamp_max(1.0));
}

void Optimizer::apply() {
  const torch::NoGradGuard without_gradients;
  Tensors gradients, reached, decaying, decaying_gradients;
  std::array<Tensors, 2> state;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!is_reached(parameters_[i])) continue;
    reached.push_back(parameters_[i]);
    gradients.push_back(parameters_[i].grad());
    for (std::size_t at = i, list = 0; at < state_.size(); at += parameters_.size(), ++list) {
      state[list].push_back(state_[at]);
    }
    if (!decays_[i]) continue;
    decaying.push_back(parameters_[i]);
    decaying_gradients.push_back(parameters_[i].grad());
  }
  if (reached.empty()) return;
  if (options_.clip > 0) clip(gradients);
  if (options_.kind == OptimizerKind::AdamW) {
    if (!decaying.empty()) scale(decaying, numbers_[kKept]);
    apply_adamw(gradients, reached, state[0], state[1]);
    return;
  }
  if (!decaying.empty()) {
    at::_foreach_add_(decaying_gradients, decaying, options_.weight_decay);
  }
  if (options_.kind == OptimizerKind::Sgd) {
    apply_sgd(std::move(gradients), reached, state[0]);
  } else {
    apply_rmsprop(gradients, reached, state[0], state[1]);
  }
}

void Optimizer::apply_sgd(Tensors gradients, const Tensors& parameters, const Tensors& momenta) {
  if (!momenta.empty()) {
    at::_foreach_mul_(momenta, options_.momentum);
    at::_foreach_add_(momenta, gradients, 1);
    if (options_.nesterov) {
      at::_foreach_add_(gradients, momenta, options_.momentum);
    } else {
      gradients = at::_foreach_add(momenta, 0);  // a copy: the momenta are kept
    }
  }
  scale(gradients, numbers_[kMinusRate]);
  at::_foreach_add_(parameters, gradients, 1);
}

void Optimizer::apply_adamw(const Tensors& gradients, const Tensors& parameters,
                            const Tensors& means, const Tensors& squares) {
  at::_foreach_mul_(means, options_.beta1);
  at::_foreach_add_(means, gradients, 1 - options_.beta1);
  at::_foreach_mul_(squares, options_.beta2);
  at::_foreach_addcmul_(squares, gradients, gradients, 1 - options_.beta2);
  const Tensors roots = at::_foreach_sqrt(squares);
  scale(roots, numbers_[kRoot]);
  at::_foreach_add_(roots, options_.epsilon);
  const Tensors update = at::_foreach_div(means, roots);
  scale(update, numbers_[kMinusScale]);
  at::_foreach_add_(parameters, update, 1);
}

void Optimizer::apply_rmsprop(const Tensors& gradients, const Tensors& parameters,
                              const Tensors& squares, const Tensors& momenta) {
  at::_foreach_mul_(squares, options_.alpha);
  at::_foreach_addcmul_(squares, gradients, gradients, 1 - options_.alpha);
  const Tensors roots = at::_foreach_sqrt(squares);
  at::_foreach_add_(roots, options_.epsilon);
  Tensors update = at::_foreach_div(gradients, roots);
  if (!momenta.empty()) {
    at::_foreach_mul_(momenta, options_.momentum);
    at::_foreach_add_(momenta, update, 1);
    update = at::_foreach_add(momenta, 0);
  }
  scale(update, numbers_[kMinusRate]);
  at::_foreach_add_(parameters, update, 1);
}

void average_into(const Tensors& averaged, const Tensors& now, double decay) {
  const torch::NoGradGuard without_gradients;
  at::_foreach_mul_(averaged, decay);
  at::_foreach_add_(averaged, now, 1 - decay);
}

}  // namespace cambium::train
