#include "train/torch/evaluate.h"

#include <algorithm>
#include <cmath>

#include <ATen/autocast_mode.h>

#include "train/torch/tensors.h"

namespace cambium::train {

namespace {

// Four names that changed in libtorch between 1.13 and 2.x.
void set_autocast(bool on, const Device& device) {
#if TORCH_VERSION_MAJOR >= 2
  const auto kind = device.is_cuda() ? at::kCUDA : at::kCPU;
  if (on) at::autocast::set_autocast_dtype(kind, torch::kBFloat16);
  at::autocast::set_autocast_enabled(kind, on);
#else
  if (device.is_cuda()) {
    if (on) at::autocast::set_autocast_gpu_dtype(torch::kBFloat16);
    at::autocast::set_enabled(on);
  } else {
    if (on) at::autocast::set_autocast_cpu_dtype(torch::kBFloat16);
    at::autocast::set_cpu_enabled(on);
  }
#endif
}

}  // namespace

Autocast::Autocast(Precision precision, const Device& device)
    : on_(precision == Precision::BF16), device_(device) {
  if (on_) set_autocast(true, device_);
}

Autocast::~Autocast() {
  if (!on_) return;
  at::autocast::clear_cache();
  set_autocast(false, device_);
}

torch::Tensor scores_of(Network& network, const Batch& batch, Network::Mode mode,
                        Precision precision, const Device& device) {
  const Autocast autocast(precision, device);
  const torch::Tensor scores = network.forward({batch.inputs}, mode)[0];
  return scores.reshape({batch.targets.size(0), -1}).to(torch::kFloat);
}

Quality evaluate(Network& network, Batches& batches, bool is_text, Precision precision,
                 const Device& device) {
  const torch::NoGradGuard without_gradients;
  const auto totals = torch::dtype(torch::kDouble).device(torch_device(device));
  torch::Tensor sums = torch::zeros({3}, totals);  // loss, top-1, top-5; read once, at the end
  Quality out;
  batches.begin(0);
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    const Batch batch = batches.batch(i);
    const torch::Tensor scores =
        scores_of(network, batch, Network::Mode::Inference, precision, device);
    const torch::Tensor loss =
        torch::cross_entropy_loss(scores, batch.targets, {}, at::Reduction::Sum);
    const std::int64_t five = std::min<std::int64_t>(5, scores.size(1));
    const torch::Tensor hits =
        std::get<1>(scores.topk(five, 1)).eq(batch.targets.unsqueeze(1)).to(torch::kDouble);
    sums += torch::stack({loss.to(torch::kDouble), hits.select(1, 0).sum(), hits.sum()});
    out.samples += batch.targets.size(0);
  }
  const torch::Tensor known = sums.cpu();
  const auto* values = known.data_ptr<double>();
  const double samples = static_cast<double>(std::max<std::int64_t>(out.samples, 1));
  out.loss = values[0] / samples;
  out.top1 = values[1] / samples;
  out.top5 = values[2] / samples;
  if (is_text) out.perplexity = std::exp(out.loss);
  return out;
}

}  // namespace cambium::train
