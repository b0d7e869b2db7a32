#include "train/torch/task.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "base/host_memory.h"
#include "base/thread_pool.h"
#include "model/cost.h"
#include "train/shortage.h"
#include "train/torch/tensors.h"

namespace cambium::train {

namespace {

using model::Model;
using model::TensorType;

Rejection mismatch(const std::string& what, std::string why) {
  return Rejection(Reason::ShapeMismatch, what, std::move(why));
}

struct Interface {
  std::string input, output;
  TensorType takes, gives;
};

Result<Interface> interface_of(const Model& model) {
  if (model.inputs().size() != 1) {
    return mismatch("the model", fmt::format("has {} inputs; training needs exactly one",
                                             model.inputs().size()));
  }
  const model::Node& input = model.node(model.inputs()[0]);
  const model::Output& output = model.outputs()[0];
  return Interface{fmt::format("input '{}'", input.name), fmt::format("output '{}'", output.name),
                   input.outputs[0], model.type(output.value)};
}

Status check_images(const Model& model, const data::ImageSet& images) {
  CAMBIUM_TRY(const Interface at, interface_of(model));
  const std::int64_t batch = at.takes.dims.empty() ? 1 : at.takes.dims[0];
  const TensorType wanted{DType::F32, {batch, images.channels, images.height, images.width}};
  if (at.takes != wanted || batch < 1) {
    return mismatch(at.input,
                    fmt::format("takes {}, the images are {}", at.takes.text(), wanted.text()));
  }
  const auto classes = static_cast<std::int64_t>(images.class_names.size());
  if (at.gives.elements() != batch * classes || at.gives.dims.empty() ||
      at.gives.dims[0] != batch || !is_floating(at.gives.dtype)) {
    return mismatch(at.output, fmt::format("is {}, not one score for each of {} classes",
                                           at.gives.text(), classes));
  }
  return Ok{};
}

Status check_text(const Model& model, const data::TextSplit& text, std::int64_t length) {
  CAMBIUM_TRY(const Interface at, interface_of(model));
  const bool tokens = at.takes.rank() == 2 && at.takes.dims[0] >= 1 &&
                      (at.takes.dtype == DType::I64 || at.takes.dtype == DType::I32);
  if (!tokens || at.takes.dims[1] != length) {
    return mismatch(at.input, fmt::format("takes {}, the text comes as windows of {} tokens",
                                          at.takes.text(), length));
  }
  const auto words = static_cast<std::int64_t>(text.vocabulary->size());
  const std::int64_t places = at.takes.elements();
  const std::int64_t scores = at.gives.elements() / std::max<std::int64_t>(places, 1);
  if (at.gives.elements() != places * scores || at.gives.dims.empty() ||
      at.gives.dims.back() != scores || scores < words || !is_floating(at.gives.dtype)) {
    return mismatch(at.output,
                    fmt::format("is {}, not one score for each of {} words at each of {} "
                                "places",
                                at.gives.text(), words, places));
  }
  return check_tokens(model, 0, words - 1);
}

// Looks through changes of type and shape.
model::Value source_of(const Model& model, model::Value value) {
  for (;;) {
    const model::Node& node = model.node(value.node);
    if (node.as<model::Cast>() == nullptr && node.as<model::Reshape>() == nullptr) return value;
    value = node.inputs[0];
  }
}

Result<std::unique_ptr<Batches>> images_of(const Model& model, const data::Dataset& data,
                                           data::Split split, const TaskOptions& options) {
  ThreadPool pool(1);
  CAMBIUM_TRY(data::ImageSplit images, data.images(split, pool));
  CAMBIUM_TRY(const data::Normalization normalization, data.normalization(pool));
  CAMBIUM_REQUIRE(check_images(model, *images.set));
  if (options.whole) {
    images.members.resize(images.set->size());
    std::iota(images.members.begin(), images.members.end(), 0U);
  }
  data::LoaderOptions loading;
  loading.batch = std::min(options.batch, static_cast<std::int64_t>(images.size()));
  loading.shuffle = loading.drop_last = options.trains;
  loading.augmentation = options.augmentation;
  loading.seed = options.seed;
  return image_batches(images, normalization, loading, options.device, options.channels_last);
}

Result<std::unique_ptr<Batches>> text_of(const Model& model, const data::Dataset& data,
                                         data::Split split, const TaskOptions& options) {
  CAMBIUM_TRY(const data::TextSplit text, data.text(split));
  CAMBIUM_REQUIRE(check_text(model, text, options.length));
  data::TextLoaderOptions loading;
  loading.batch = std::min(
      options.batch, std::max<std::int64_t>(1, static_cast<std::int64_t>(text.size()) /
                                                   std::max<std::int64_t>(options.length, 1)));
  loading.length = options.length;
  loading.shuffle = options.trains;
  loading.seed = options.seed;
  const DType tokens = model.node(model.inputs()[0]).outputs[0].dtype;
  return text_batches(text, loading, options.device, torch_type(tokens));
}

double needed_bytes(const Model& model, std::int64_t batch) {
  const model::Cost cost = cost_of(model);
  const TensorType& input = model.node(model.inputs()[0]).outputs[0];
  const double samples = input.dims.empty() ? 1 : static_cast<double>(input.dims[0]);
  // Weights with their gradients; as doubles, because it may be huge.
  return static_cast<double>(cost.activation_bytes) / std::max(samples, 1.0) *
             static_cast<double>(batch) +
         2 * static_cast<double>(cost.weight_bytes);
}

}  // namespace

Result<std::unique_ptr<Batches>> batches_of(const Model& model, const data::Dataset& data,
                                            data::Split split, const TaskOptions& options) {
  // A data set reads its files when it is first used, and several trainings may use it at once.
  static std::mutex reading;
  const std::lock_guard<std::mutex> lock(reading);
  return (data.is_text() ? text_of(model, data, split, options)
                         : images_of(model, data, split, options))
      .at(data.spec().text());
}

Status check_tokens(const Model& model, std::int64_t least, std::int64_t most) {
  for (const model::NodePtr& node : model.nodes()) {
    const auto* gather = node->as<model::Gather>();
    if (gather == nullptr) continue;
    if (source_of(model, node->inputs[1]) != model::Value{model.inputs()[0], 0}) continue;
    const std::int64_t size =
        model.type(node->inputs[0]).dims[static_cast<std::size_t>(gather->axis)];
    const std::int64_t worst = most >= size ? most : least;
    if (worst < -size || worst >= size) {
      return Rejection(Reason::IndexOutOfRange, worst, gather->axis, size)
          .at(fmt::format("node '{}'", node->name));
    }
  }
  return Ok{};
}

Status check_batch_memory(const Model& model, std::int64_t batch) {
  if (needed_bytes(model, batch) <= host_memory()) return Ok{};
  return out_of_memory(model, batch, "");
}

Rejection out_of_memory(const Model& model, std::int64_t batch, std::string_view thrown) {
  return not_enough_memory(fmt::format("a batch of {} of model '{}'", batch, model.name()),
                           needed_bytes(model, batch), gpu_memory(thrown));
}

}  // namespace cambium::train
