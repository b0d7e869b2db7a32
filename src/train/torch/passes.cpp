#include "train/passes.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "train/torch/evaluate.h"
#include "train/torch/gpu.h"
#include "train/torch/guarded.h"
#include "train/torch/memory.h"
#include "train/torch/network.h"
#include "train/torch/tensors.h"

namespace cambium::train {

namespace {

using Clock = std::chrono::steady_clock;

class Pass {
 public:
  static Result<Pass> make(const PassCase& given, const PassOptions& options) {
    NetworkOptions network_options;
    network_options.device = options.device;
    network_options.channels_last = given.channels_last;
    network_options.recognizes = given.recognizes;
    CAMBIUM_TRY(Network network, Network::make(given.model, network_options));
    Pass pass(std::move(network), given, options.device);
    for (const model::NodeId id : given.model.inputs()) {
      const model::TensorType& type = given.model.node(id).outputs[0];
      const model::Fill fill{model::Fill::Law::Normal, 1, options.seed + id.index};
      torch::Tensor input = pass.shaped(model::Tensor::lazy(type, fill));
      if (is_floating(type.dtype)) pass.leaves_.push_back(input.requires_grad_());
      pass.inputs_.push_back(input);
    }
    for (const Parameter& parameter : pass.network_.parameters()) {
      pass.leaves_.push_back(parameter.tensor);
    }
    return pass;
  }

  void run() {
    std::vector<torch::Tensor> outputs, gradients;
    {
      const Autocast autocast(precision_, device_);
      outputs = network_.forward(inputs_, Network::Mode::Training);
    }
    // Any gradient will do; random ones are drawn once.
    if (gradients_.empty()) {
      for (const torch::Tensor& output : outputs) gradients_.push_back(torch::randn_like(output));
    }
    static_cast<void>(
        torch::autograd::grad(outputs, leaves_, gradients_, false, false, /*allow_unused=*/true));
  }

  // From now on a GPU replays its launches, as trainings do; otherwise the launches themselves
  // would be measured. False if this is impossible, and on a CPU; nothing has changed then.
  bool record() {
    if (!device_.is_cuda()) return false;
    auto replay = recorded(device_, [this] { run(); });
    if (!replay.ok()) return false;
    replay_ = std::move(replay).value();
    return true;
  }

  // The time of one pass, as the mean of as many passes as fill the time.
  double timed(std::int64_t passes) {
    wait();
    const auto start = Clock::now();
    for (std::int64_t i = 0; i < passes; ++i) replay_ ? replay_->run() : run();
    wait();
    return std::chrono::duration<double>(Clock::now() - start).count() /
           static_cast<double>(passes);
  }

 private:
  Pass(Network network, const PassCase& given, const Device& device)
      : network_(std::move(network)),
        channels_last_(given.channels_last),
        precision_(given.precision),
        device_(device) {}

  torch::Tensor shaped(const model::Tensor& values) const {
    torch::Tensor out = to_torch(values, device_);
    const bool image = channels_last_ && out.dim() == 4;
    return image ? out.contiguous(torch::MemoryFormat::ChannelsLast) : out;
  }
  void wait() const {
    if (device_.is_cuda()) torch::cuda::synchronize(device_.index);
  }

  Network network_;
  bool channels_last_;
  Precision precision_;
  Device device_;
  std::vector<torch::Tensor> inputs_, leaves_, gradients_;
  std::unique_ptr<Replay> replay_;  // last: it is gone before what it reads
};

}  // namespace

Result<std::vector<std::vector<double>>> time_passes(std::span<const PassCase> cases,
                                                     const PassOptions& options) {
  using Times = std::vector<std::vector<double>>;
  if (cases.empty()) return Times{};
  keep_memory();
  return guarded<Times>(cases[0].model, 1, [&]() -> Result<Times> {
    const std::shared_ptr<void> stream = own_stream(options.device);
    std::vector<Pass> passes;
    std::vector<std::int64_t> counts;
    for (const PassCase& each : cases) {
      CAMBIUM_TRY(Pass pass, Pass::make(each, options));
      passes.push_back(std::move(pass));
    }
    constexpr int kWarmUps = 3, kFewestRounds = 3;
    constexpr double kLong = 0.5;  // seconds: what takes longer is warm after one
    for (Pass& pass : passes) {
      double once = 0;
      for (int i = 0; i < kWarmUps && once < kLong; ++i) once = pass.timed(1);
      if (pass.record()) once = pass.timed(1);
      counts.push_back(std::max<std::int64_t>(1, std::llround(std::ceil(options.seconds / once))));
    }
    Times times(cases.size());
    const auto start = Clock::now();
    for (int round = 0; round < options.rounds; ++round) {
      const double spent = std::chrono::duration<double>(Clock::now() - start).count();
      if (round >= kFewestRounds && spent > options.most_seconds) break;
      for (std::size_t i = 0; i < passes.size(); ++i) {
        times[i].push_back(passes[i].timed(counts[i]));
      }
    }
    return times;
  });
}

}  // namespace cambium::train
