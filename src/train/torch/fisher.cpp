// Fisher Potential. It needs only gradients of activations: parameters ask for none, so the
// backward pass computes no gradient of a weight and ends at the first hooked activation.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

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

// The only node that reads a value, if there is exactly one and the value is its first input.
const model::Node* only_reader(const model::Model& model, const model::Uses& uses, Value value) {
  const auto readers = uses.of(value);
  const bool one = readers.size() == 1 && readers[0].node.valid() && readers[0].input == 0;
  return one ? &model.node(readers[0].node) : nullptr;
}

// The value behind the norm and the activation that follow directly.
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

// A rewritten place counts as the convolution that it replaces, whatever it consists of, so a
// network and its variants have the same layers. If it replaces no convolution, its name says so
// (spaces/coordinate/search/rewrite.cpp).
bool stands_for_convolution(const model::Node& node) {
  constexpr std::string_view kNoConvolution = ".linear";
  return node.as<model::Conv>() != nullptr ||
         (node.as<model::Composite>() != nullptr && !node.name.ends_with(kNoConvolution));
}

// By node: its number in the model's order.
std::unordered_map<model::NodeId, std::size_t> places_of(const model::Model& model) {
  std::unordered_map<model::NodeId, std::size_t> places;
  for (const model::NodePtr& node : model.nodes()) places.emplace(node->id, places.size());
  return places;
}

// A value that is scored, and the operator that the score is of.
struct Hooked {
  Value value;
  model::NodeId of;
};

// In the model's order, each value once.
std::vector<Hooked> hooked_values(const model::Model& model, Hooks hooks) {
  std::vector<Hooked> all;
  if (hooks == Hooks::BlockOutputs) {
    for (const Value end : branch_ends(model)) all.push_back({end, end.node});
    for (const Value end : dense_branch_ends(model)) all.push_back({end, end.node});
    const auto places = places_of(model);
    std::stable_sort(all.begin(), all.end(), [&](const Hooked& a, const Hooked& b) {
      return places.at(a.value.node) < places.at(b.value.node);
    });
  } else {
    const model::Uses uses(model);
    for (const model::NodePtr& node : model.nodes()) {
      if (!stands_for_convolution(*node)) continue;
      const Value value{node->id, 0};
      const bool behind = hooks == Hooks::Activations;
      all.push_back({behind ? activation_behind(model, uses, value) : value, node->id});
    }
  }
  std::vector<Hooked> unique;
  for (const Hooked& each : all) {
    const auto is_same = [&](const Hooked& other) { return other.value == each.value; };
    const bool has_channels = model.type(each.value).rank() >= 2;
    if (has_channels && std::none_of(unique.begin(), unique.end(), is_same)) unique.push_back(each);
  }
  return unique;
}

Rejection nothing_to_score(const model::Model& model, Hooks hooks) {
  const char* const what = hooks == Hooks::BlockOutputs
                               ? "no branch of a block that ends in an addition or a concatenation"
                               : "no convolution";
  return Rejection(Reason::NotPromising,
                   fmt::format("hooks '{}' of Fisher Potential", name_of(hooks)),
                   fmt::format("network '{}' has {}", model.name(), what));
}

// The sum over channels of 1 / N * sum over n of (sum over places of A g)^2, still on the device.
torch::Tensor layer_score(const torch::Tensor& activation, const torch::Tensor& gradient) {
  const torch::NoGradGuard without_gradients;
  const std::int64_t n = activation.size(0), channels = activation.size(1);
  const torch::Tensor inner =
      (activation * gradient).reshape({n, channels, -1}).sum(2, false, torch::kDouble);
  return inner.square_().sum() / static_cast<double>(n);
}

// Nothing if the network does not compute a value that has to be scored.
std::optional<FisherReport> scored(const model::Model& model, const std::vector<Hooked>& hooked,
                                   Network& network, const DeviceBatch& batch,
                                   const FisherOptions& options, SharedValues* shared) {
  FisherReport report;
  Watched watched;
  for (const Hooked& each : hooked) watched.emplace(each.value, torch::Tensor());
  const auto mode = options.batch_statistics ? Network::Mode::Training : Network::Mode::Inference;
  const torch::Tensor loss = loss_of(network, batch, mode, options.loss, &watched, shared);
  std::vector<torch::Tensor> activations;
  for (const Hooked& each : hooked) activations.push_back(watched[each.value]);
  if (std::any_of(activations.begin(), activations.end(),
                  [](const torch::Tensor& each) { return !each.defined(); })) {
    return std::nullopt;
  }
  const bool keeps = shared != nullptr;  // the next network goes back through the same beginning
  const auto gradients = torch::autograd::grad({loss}, activations, {}, keeps, false, true);
  std::vector<torch::Tensor> scores;
  for (std::size_t i = 0; i < hooked.size(); ++i) {
    // A value that the loss does not depend on has no gradient and no score.
    scores.push_back(gradients[i].defined()
                         ? layer_score(activations[i], gradients[i])
                         : torch::zeros({}, loss.options().dtype(torch::kDouble)));
  }
  // All scores are read at once, because on a GPU every reading waits for all launches.
  const torch::Tensor read = torch::stack(scores).to(torch::kCPU);
  for (std::size_t i = 0; i < hooked.size(); ++i) {
    const double score = read.data_ptr<double>()[i];
    const model::Node& node = model.node(hooked[i].value.node);
    report.layers.push_back({node.id, node.name, options.half ? score / 2 : score, hooked[i].of});
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

// If two products are recognized as one, the value between them is gone. If it has to be scored,
// the network runs as it was written.
Result<FisherReport> potential_of(const model::Model& model, const ProxyBatch& batch,
                                  const DeviceBatch& given, const FisherOptions& options,
                                  SharedWeights& weights, SharedValues* shared) {
  NetworkOptions with = network_options(options, &weights);
  CAMBIUM_TRY(Network recognized, network_for(model, {&batch, 1}, with));
  const std::vector<Hooked> hooked = hooked_values(model, options.hooks);
  if (hooked.empty()) return nothing_to_score(model, options.hooks);
  if (auto report = scored(model, hooked, recognized, given, options, shared)) {
    return std::move(*report);
  }
  with.recognizes = false;
  CAMBIUM_TRY(Network written, network_for(model, {&batch, 1}, with));
  auto report = scored(model, hooked, written, given, options, shared);
  CAMBIUM_CHECK(report, "what is written is computed");
  return std::move(*report);
}

// Gives this thread one thread of libtorch, until the end of the scope.
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
  keep_memory();
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
