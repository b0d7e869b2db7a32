#include "train/torch/step.h"

#include <utility>

#include "train/torch/evaluate.h"
#include "train/torch/tensors.h"

namespace cambium::train {

namespace {

using torch::Tensor;

// Steps before recording: libraries choose algorithms, and gradients and workspaces are made.
constexpr std::int64_t kRunBeforeRecording = 3;

}  // namespace

Step::Step(Network network, const Batches& batches, const Recipe& recipe, const Device& device,
           bool recorded)
    : network_(std::move(network)),
      batches_(batches),
      recipe_(recipe),
      device_(device),
      optimizer_(network_.parameters(), recipe.optimizer),
      records_(recorded && device.is_cuda()) {
  for (const Parameter& each : network_.parameters()) state_.push_back(each.tensor);
  for (const Parameter& each : network_.statistics()) state_.push_back(each.tensor);
  if (device.is_cuda() && !recorded) not_replayed_ = "not wanted";
  if (recipe.ema <= 0) return;
  for (const Tensor& each : state_) averaged_.push_back(each.detach().clone());
}

Tensor Step::computed(const Feed& fed) {
  const Batch batch = batches_.made(fed);
  optimizer_.clear();
  const Tensor scores =
      scores_of(network_, batch, Network::Mode::Training, recipe_.precision, device_);
  const Tensor loss = torch::cross_entropy_loss(scores, batch.targets, {}, at::Reduction::Mean,
                                                -100, recipe_.label_smoothing);
  loss.backward();
  optimizer_.apply();
  if (!averaged_.empty()) average_into(averaged_, state_, recipe_.ema);
  return loss.detach();
}

bool Step::fits(const Feed& feed) const {
  for (std::size_t i = 0; i < feed.size(); ++i) {
    if (fed_[i].sizes() != feed[i].sizes()) return false;
  }
  return true;
}

void Step::record() {
  auto made = recorded(device_, [this] { loss_ = computed(fed_); });
  records_ = false;
  if (made.ok()) {
    replay_ = std::move(made).value();
  } else {
    not_replayed_ = made.rejection().message();
  }
}

Tensor Step::run(const Feed& feed, double rate, std::int64_t number) {
  optimizer_.set(rate, number);
  if (!fed_.empty() && !fits(feed)) return computed(brought(feed, batches_.device()));
  if (fed_.empty()) {
    fed_ = brought(feed, batches_.device());
  } else {
    for (std::size_t i = 0; i < feed.size(); ++i) fed_[i].copy_(feed[i], /*non_blocking=*/true);
  }
  if (records_ && ran_ == kRunBeforeRecording) record();
  if (replay_ == nullptr) {
    ++ran_;
    return computed(fed_);
  }
  replay_->run();
  return loss_.clone();  // the next step writes over it
}

}  // namespace cambium::train
