#include "engine/accuracy.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "data/dataset.h"
#include "data/image_loader.h"
#include "engine/documents.h"
#include "engine/memory.h"
#include "model/reference/execute.h"

namespace cambium::engine {

namespace {

using model::Model;
using model::Tensor;
using model::TensorType;

Rejection mismatch(const std::string& what, std::string why) {
  return Rejection(Reason::ShapeMismatch, what, std::move(why));
}

Status check_interface(const Model& model, const data::ImageSet& images) {
  if (model.inputs().size() != 1) {
    return mismatch("the model", fmt::format("has {} inputs; images need one that takes them",
                                             model.inputs().size()));
  }
  const model::Node& input = model.node(model.inputs()[0]);
  const TensorType& type = input.outputs[0];
  const TensorType wanted{
      DType::F32,
      {type.dims.empty() ? 1 : type.dims[0], images.channels, images.height, images.width}};
  if (type != wanted || type.dims[0] < 1) {
    return mismatch(fmt::format("input '{}'", input.name),
                    fmt::format("takes {}, the images are {}", type.text(), wanted.text()));
  }
  const TensorType& scores = model.type(model.outputs()[0].value);
  const std::int64_t batch = type.dims[0];
  const auto classes = static_cast<std::int64_t>(images.class_names.size());
  if (scores.dims.empty() || scores.dims[0] != batch || !is_floating(scores.dtype) ||
      scores.elements() / batch < classes) {
    return mismatch(fmt::format("output '{}'", model.outputs()[0].name),
                    fmt::format("is {}, not scores of {} classes for each of {} images",
                                scores.text(), classes, batch));
  }
  return Ok{};
}

// How many of the batch have their highest score at their label; the first of equals counts.
std::int64_t count_correct(const Tensor& scores, std::int64_t batch,
                           const std::vector<std::int32_t>& labels) {
  const std::vector<double> values = scores.to_doubles();
  const std::int64_t width = scores.elements() / batch;
  std::int64_t correct = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = values.begin() + static_cast<std::int64_t>(i) * width;
    if (std::max_element(row, row + width) - row == labels[i]) ++correct;
  }
  return correct;
}

// Batches run side by side, each on one thread: that scales better than threads within an operator.
class Counting {
 public:
  Counting(const Model& model, const data::ImageLoader& loader, std::vector<std::uint32_t> order,
           const Progress& progress)
      : model_(model),
        loader_(loader),
        order_(std::move(order)),
        progress_(progress),
        type_(model.node(model.inputs()[0]).outputs[0]) {}

  Result<std::int64_t> run(ThreadPool& pool) {
    pool.parallel_for(loader_.batches(), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) run_batch(i);
    });
    if (refused_) return std::move(*refused_);
    return correct_;
  }

 private:
  void run_batch(std::int64_t index) {
    {
      const std::lock_guard guard(lock_);
      if (refused_) return;
    }
    ThreadPool alone(1);
    data::ImageBatch batch = loader_.batch(0, order_, index, alone);
    batch.values.resize(static_cast<std::size_t>(type_.elements()));  // the last one may be short
    const Tensor images = Tensor::of<float>(type_.dims, batch.values);
    const auto outputs = execute(model_, std::span(&images, 1));
    const std::lock_guard guard(lock_);
    if (!outputs.ok()) {
      refused_ = outputs.rejection();
      return;
    }
    correct_ += count_correct((*outputs)[0], type_.dims[0], batch.labels);
    done_ += static_cast<std::int64_t>(batch.labels.size());
    if (progress_) progress_(done_, static_cast<std::int64_t>(order_.size()));
  }

  const Model& model_;
  const data::ImageLoader& loader_;
  const std::vector<std::uint32_t> order_;
  const Progress& progress_;
  const TensorType type_;
  std::mutex lock_;
  std::int64_t correct_ = 0, done_ = 0;
  std::optional<Rejection> refused_;
};

}  // namespace

Result<Accuracy> measure_accuracy(const Model& model, const AccuracyOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  ThreadPool pool(options.threads);
  CAMBIUM_TRY(const data::Dataset set,
              data::open_dataset(options.data, {data::Access::Evaluation, {}}));
  CAMBIUM_TRY(data::ImageSplit images, set.images(data::Split::Test, pool));
  if (images.size() == 0) return Rejection(Reason::NoSamples, options.data, "test images");
  CAMBIUM_REQUIRE(check_interface(model, *images.set));
  CAMBIUM_REQUIRE(check_memory(model, options.threads));
  CAMBIUM_TRY(data::Normalization normalization, set.normalization(pool));
  if (!options.mean.empty()) normalization.mean = options.mean;
  if (!options.deviation.empty()) normalization.deviation = options.deviation;
  if (options.limit > 0 && options.limit < std::ssize(images.members)) {
    images.members.resize(static_cast<std::size_t>(options.limit));
  }
  Accuracy out{set.spec().text(),
               normalization.mean,
               normalization.deviation,
               std::ssize(images.members),
               0,
               0};
  data::LoaderOptions loading;
  loading.batch = model.node(model.inputs()[0]).outputs[0].dims[0];
  CAMBIUM_TRY(const data::ImageLoader loader,
              data::ImageLoader::make(std::move(images), normalization, loading));
  CAMBIUM_TRY(out.correct, Counting(model, loader, loader.order(0), options.progress).run(pool));
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

nlohmann::json to_json(const Accuracy& accuracy, const std::string& model) {
  nlohmann::json out = document("accuracy", 1);
  out["model"] = model;
  out["data"] = accuracy.data;
  out["split"] = "test";
  out["mean"] = accuracy.mean;
  out["deviation"] = accuracy.deviation;
  out["images"] = accuracy.images;
  out["correct"] = accuracy.correct;
  out["top1"] = accuracy.top1();
  out["seconds"] = accuracy.seconds;
  return out;
}

}  // namespace cambium::engine
