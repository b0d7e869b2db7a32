// Fisher Potential. Only gradients of activations are needed: parameters ask for none, so that the
// backward pass computes no gradient of a weight and ends at the first activation that is hooked.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/check.h"
#include "train/norms.h"
#include "train/residual.h"
#include "train/torch/gpu.h"
#include "train/torch/guarded.h"
#include "train/torch/memory.h"
#include "train/torch/proxy_run.h"

namespace cambium::train {

namespace {

using model::Value;

// The only node that reads a value, if there is one and it reads it first.
const model::Node* only_reader(const model::Model& model, const model::Uses& uses, Value value) {
  const auto readers = uses.of(value);
  const bool one = readers.size() == 1 && readers[0].node.valid() && readers[0].input == 0;
  return one ? &model.node(readers[0].node) : nullptr;
}

// Behind the norm and the activation that follow the value directly.
Value activation_behind(const model::Model& model, const model::Uses& uses, Value value) {
  const model::Node* next = only_reader(model, uses, value);
  if (next != nullptr && is_norm(*next)) {
    value = {next->id, 0};
    next = only_reader(model, uses, value);
  }
  const bool function = next != nullptr && (next->as<model::Unary>() != nullptr ||
                                            next->as<model::Activation>() != nullptr);
  return function ? Value{next->id, 0} : value;
}

// A rewritten place counts as the convolution that stood there, whatever it is made of now: so the
// layers of a network and of its variants are the same ones. Where none stood, the name says so
// (spaces/coordinate/search/rewrite.cpp).
bool stands_for_convolution(const model::Node& node) {
  constexpr std::string_view kNoConvolution = ".linear";
  return node.as<model::Conv>() != nullptr ||
         (node.as<model::Composite>() != nullptr && !node.name.ends_with(kNoConvolution));
}

// In the model's order, each once.
std::vector<Value> hooked_values(const model::Model& model, Hooks hooks) {
  std::vector<Value> values;
  if (hooks == Hooks::BlockOutputs) {
    values = branch_ends(model);
  } else {
    const model::Uses uses(model);
    for (const model::NodePtr& node : model.nodes()) {
      if (!stands_for_convolution(*node)) continue;
      const Value value{node->id, 0};
      values.push_back(hooks == Hooks::Activations ? activation_behind(model, uses, value) : value);
    }
  }
  std::vector<Value> unique;
  for (const Value value : values) {
    const bool channels = model.type(value).rank() >= 2;
    if (channels && std::find(unique.begin(), unique.end(), value) == unique.end()) {
      unique.push_back(value);
    }
  }
  return unique;
}

// The sum over channels of 1 / N * sum over n of (sum over places of A g)^2; still on the device.
torch::Tensor layer_score(const torch::Tensor& activation, const torch::Tensor& gradient) {
  const torch::NoGradGuard without_gradients;
  const std::int64_t n = activation.size(0), channels = activation.size(1);
  const torch::Tensor inner =
      (activation * gradient).reshape({n, channels, -1}).sum(2, false, torch::kDouble);
  return inner.square_().sum() / static_cast<double>(n);
}

// Nothing where the network does not compute a value that is to be scored.
std::optional<FisherReport> scored(const model::Model& model, Network& network,
                                   const DeviceBatch& batch, const FisherOptions& options,
                                   SharedValues* shared) {
  FisherReport report;
  const std::vector<Value> values = hooked_values(model, options.hooks);
  if (values.empty()) return report;
  Watched watched;
  for (const Value value : values) watched.emplace(value, torch::Tensor());
  const auto mode = options.batch_statistics ? Network::Mode::Training : Network::Mode::Inference;
  const torch::Tensor loss = loss_of(network, batch, mode, options.loss, &watched, shared);
  std::vector<torch::Tensor> activations;
  for (const Value value : values) activations.push_back(watched[value]);
  if (std::any_of(activations.begin(), activations.end(),
                  [](const torch::Tensor& each) { return !each.defined(); })) {
    return std::nullopt;
  }
  const bool keeps = shared != nullptr;  // the next network goes back through the same beginning
  const auto gradients = torch::autograd::grad({loss}, activations, {}, keeps, false, true);
  std::vector<torch::Tensor> scores;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // What the loss does not depend on has no gradient, and no score.
    scores.push_back(gradients[i].defined()
                         ? layer_score(activations[i], gradients[i])
                         : torch::zeros({}, loss.options().dtype(torch::kDouble)));
  }
  // Read at once: on a GPU every reading waits for all that was launched.
  const torch::Tensor read = torch::stack(scores).to(torch::kCPU);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double score = read.data_ptr<double>()[i];
    const model::Node& node = model.node(values[i].node);
    report.layers.push_back({node.id, node.name, options.half ? score / 2 : score});
    report.total += report.layers.back().score;
  }
  return report;
}

NetworkOptions network_options(const FisherOptions& options, SharedWeights* weights) {
  NetworkOptions out;
  out.device = options.device;
  out.channels_last = true;
  out.dense_groups = options.dense_groups;
  out.weights = weights;
  return out;
}

// Two products that are recognized as one leave nothing of the value between them. Where that is to
// be scored, the network runs as it was written.
Result<FisherReport> potential_of(const model::Model& model, const ProxyBatch& batch,
                                  const DeviceBatch& given, const FisherOptions& options,
                                  SharedWeights& weights, SharedValues* shared) {
  NetworkOptions with = network_options(options, &weights);
  CAMBIUM_TRY(Network recognized, network_for(model, {&batch, 1}, with));
  if (auto report = scored(model, recognized, given, options, shared)) return std::move(*report);
  with.recognizes = false;
  CAMBIUM_TRY(Network written, network_for(model, {&batch, 1}, with));
  auto report = scored(model, written, given, options, shared);
  CAMBIUM_CHECK(report, "what is written is computed");
  return std::move(*report);
}

// One thread of libtorch's for the thread at hand, until the end.
class OneThread {
 public:
  OneThread() : threads_(at::get_num_threads()) { at::set_num_threads(1); }
  ~OneThread() { at::set_num_threads(threads_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int threads_;
};

}  // namespace

Result<FisherReport> fisher_potential(const model::Model& model, const ProxyBatch& batch,
                                      const FisherOptions& options) {
  return guarded<FisherReport>(model, static_cast<std::int64_t>(batch.labels.size()),
                               [&]() -> Result<FisherReport> {
                                 SharedWeights weights;  // asks for no gradients
                                 return potential_of(model, batch, on_device(batch, options.device),
                                                     options, weights, nullptr);
                               });
}

std::vector<Result<FisherReport>> fisher_of_many(std::int64_t count, const NetworkSource& network,
                                                 const ProxyBatch& batch,
                                                 const FisherManyOptions& options) {
  constexpr std::int64_t kGrain = 16;  // neighbours that one thread takes: they share
  keep_memory();
  const FisherOptions& fisher = options.fisher;
  std::vector<Result<FisherReport>> reports(static_cast<std::size_t>(count), FisherReport{});
  SharedWeights weights;
  const DeviceBatch given = on_device(batch, fisher.device);
  const auto samples = static_cast<std::int64_t>(batch.labels.size());
  std::mutex mutex;
  const auto one = [&](std::int64_t index, SharedValues* shared) -> Result<FisherReport> {
    CAMBIUM_TRY(const model::Model model, network(index));
    return guarded<FisherReport>(model, samples, [&]() -> Result<FisherReport> {
      return potential_of(model, batch, given, fisher, weights, shared);
    });
  };
  std::atomic<std::int64_t> next{0};
  const auto work = [&] {
    const OneThread one_thread;
    const std::shared_ptr<void> stream = own_stream(fisher.device);
    SharedValues values;
    for (std::int64_t begin = 0; (begin = next.fetch_add(kGrain)) < count;) {
      for (std::int64_t i = begin; i < std::min(begin + kGrain, count); ++i) {
        Result<FisherReport> report = one(i, options.shares_values ? &values : nullptr);
        const std::lock_guard lock(mutex);
        if (options.ended) options.ended(i, report);
        reports[static_cast<std::size_t>(i)] = std::move(report);
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < options.workers; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return reports;
}

}  // namespace cambium::train
