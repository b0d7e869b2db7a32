#include "engine/accuracy.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "data/classes.h"
#include "data/dataset.h"
#include "data/image_loader.h"
#include "engine/documents.h"
#include "engine/memory.h"

namespace cambium::engine {

namespace {

using model::Model;
using model::Tensor;
using model::TensorType;

const std::vector<std::string> kNotKnown;

Rejection mismatch(const std::string& what, std::string why) {
  return Rejection(Reason::ShapeMismatch, what, std::move(why));
}

// `most`: scores that there may be. The classes of an image folder have the numbers that the names
// there give them, so that a network for more of them was trained on another one, and would be
// judged by wrong numbers.
Status check_interface(const Model& model, const data::ImageSet& images, std::int64_t classes,
                       std::int64_t most) {
  if (model.inputs().size() != 1) {
    return mismatch("the model", fmt::format("has {} inputs; a network for images must have one",
                                             model.inputs().size()));
  }
  const model::Node& input = model.node(model.inputs()[0]);
  const TensorType& type = input.outputs[0];
  const TensorType wanted{
      DType::F32,
      {type.dims.empty() ? 1 : type.dims[0], images.channels, images.height, images.width}};
  if (type != wanted || type.dims[0] < 1) {
    return mismatch(fmt::format("input '{}'", input.name),
                    fmt::format("takes {}, but the images are {}", type.text(), wanted.text()));
  }
  const TensorType& scores = model.type(model.outputs()[0].value);
  const std::int64_t batch = type.dims[0];
  if (scores.dims.empty() || scores.dims[0] != batch || !is_floating(scores.dtype) ||
      scores.elements() / batch < classes || scores.elements() / batch > most) {
    return mismatch(fmt::format("output '{}'", model.outputs()[0].name),
                    fmt::format("is {}, not scores of {} classes for each of {} images",
                                scores.text(), classes, batch));
  }
  return Ok{};
}

// The number under which the model knows each class: its own unless the trained ones are named.
// Classes that no image is of need none.
Result<std::vector<std::int32_t>> numbers_of_classes(const data::ImageSet& images,
                                                     const std::vector<std::string>& trained) {
  std::vector<std::int32_t> numbers(images.class_names.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  if (trained.empty()) return numbers;
  const std::set<std::int32_t> present(images.labels.begin(), images.labels.end());
  std::vector<std::string> names;
  for (const std::int32_t label : present) {
    names.push_back(images.class_names[static_cast<std::size_t>(label)]);
  }
  CAMBIUM_TRY(const std::vector<std::int32_t> known,
              data::class_numbers(names, trained, "the model"));
  std::size_t i = 0;
  for (const std::int32_t label : present) numbers[static_cast<std::size_t>(label)] = known[i++];
  return numbers;
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

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Batches run side by side, each on one thread: that scales better than threads within an operator.
class Counting {
 public:
  // `oracle`: null, or what the executor's outputs are compared with. `numbers`: by label, the
  // score of its class.
  Counting(const Model& model, Executor& executor, Executor* oracle,
           const data::ImageLoader& loader, std::vector<std::int32_t> numbers,
           const Progress& progress)
      : model_(model),
        executor_(executor),
        oracle_(oracle),
        loader_(loader),
        order_(loader.order(0)),
        numbers_(std::move(numbers)),
        progress_(progress),
        type_(model.node(model.inputs()[0]).outputs[0]) {}

  Result<std::int64_t> run(ThreadPool& pool) {
    pool.parallel_for_workers(loader_.batches(), 1,
                              [&](std::int64_t begin, std::int64_t end, int worker) {
                                for (std::int64_t i = begin; i < end; ++i) run_batch(i, worker);
                              });
    if (refused_) return std::move(*refused_);
    return correct_;
  }

  const OutputError& error() const { return error_; }

 private:
  void run_batch(std::int64_t index, int worker) {
    {
      const std::lock_guard guard(lock_);
      if (refused_) return;
    }
    ThreadPool alone(1);
    data::ImageBatch batch = loader_.batch(0, order_, index, alone);
    batch.values.resize(static_cast<std::size_t>(type_.elements()));  // the last one may be short
    const Tensor images = Tensor::of<float>(type_.dims, batch.values);
    const auto outcome = run_images(images, worker, alone);
    const std::lock_guard guard(lock_);
    if (!outcome.ok()) {
      refused_ = outcome.rejection();
      return;
    }
    error_.include(outcome->error);
    for (std::int32_t& label : batch.labels) label = numbers_[static_cast<std::size_t>(label)];
    correct_ += count_correct(outcome->scores, type_.dims[0], batch.labels);
    done_ += static_cast<std::int64_t>(batch.labels.size());
    if (progress_) progress_(done_, static_cast<std::int64_t>(order_.size()));
  }

  struct Outcome {
    Tensor scores;
    OutputError error;
  };
  Result<Outcome> run_images(const Tensor& images, int worker, ThreadPool& pool) {
    CAMBIUM_TRY(const std::vector<Tensor> outputs,
                executor_.run(std::span(&images, 1), worker, pool));
    if (oracle_ == nullptr) return Outcome{outputs[0], {}};
    CAMBIUM_TRY(const std::vector<Tensor> expected,
                oracle_->run(std::span(&images, 1), worker, pool));
    return Outcome{outputs[0], compare_outputs(model_, outputs, expected)};
  }

  const Model& model_;
  Executor& executor_;
  Executor* oracle_;
  const data::ImageLoader& loader_;
  const std::vector<std::uint32_t> order_;
  const std::vector<std::int32_t> numbers_;
  const Progress& progress_;
  const TensorType type_;
  std::mutex lock_;
  std::int64_t correct_ = 0, done_ = 0;
  OutputError error_;
  std::optional<Rejection> refused_;
};

}  // namespace

Result<Accuracy> measure_accuracy(const Model& model, const AccuracyOptions& options) {
  auto start = std::chrono::steady_clock::now();
  ThreadPool pool(options.threads);
  CAMBIUM_TRY(const data::Dataset set,
              data::open_dataset(options.data, {data::Access::Evaluation, {}}));
  CAMBIUM_TRY(data::ImageSplit images, set.images(data::Split::Test, pool));
  if (images.size() == 0) return Rejection(Reason::NoSamples, options.data, "test images");
  const bool is_folder = set.spec().name == data::DataName::Images;
  CAMBIUM_TRY(const std::vector<std::int32_t> numbers,
              numbers_of_classes(*images.set, is_folder ? options.classes : kNotKnown));
  const auto classes =
      std::ssize(is_folder && !options.classes.empty() ? options.classes : images.set->class_names);
  CAMBIUM_REQUIRE(check_interface(model, *images.set, classes,
                                  is_folder ? classes : std::numeric_limits<std::int64_t>::max()));
  CAMBIUM_REQUIRE(check_memory(model, options.threads));
  CAMBIUM_TRY(data::Normalization normalization, set.normalization(pool));
  if (!options.mean.empty()) normalization.mean = options.mean;
  if (!options.deviation.empty()) normalization.deviation = options.deviation;
  if (options.limit > 0 && options.limit < std::ssize(images.members)) {
    images.members.resize(static_cast<std::size_t>(options.limit));
  }
  Accuracy out;
  out.data = set.spec().text();
  out.mean = normalization.mean;
  out.deviation = normalization.deviation;
  out.images = std::ssize(images.members);
  data::LoaderOptions loading;
  loading.batch = model.node(model.inputs()[0]).outputs[0].dims[0];
  CAMBIUM_TRY(const data::ImageLoader loader,
              data::ImageLoader::make(std::move(images), normalization, loading));
  out.seconds = seconds_since(start);
  start = std::chrono::steady_clock::now();
  std::optional<NativeOptions> native = options.native;
  if (native) native->threads = 1;  // batches run side by side, each on one thread
  CAMBIUM_TRY(const std::unique_ptr<Executor> executor,
              make_executor(model, native, options.threads));
  if (options.native) out.compile_seconds = seconds_since(start);
  out.executor = executor->name();
  const std::unique_ptr<Executor> oracle = options.check ? reference_executor(model) : nullptr;

  start = std::chrono::steady_clock::now();
  Counting counting(model, *executor, oracle.get(), loader, numbers, options.progress);
  CAMBIUM_TRY(out.correct, counting.run(pool));
  out.seconds += seconds_since(start);
  if (options.check) {
    CAMBIUM_REQUIRE(check_error(counting.error()));
    out.error = counting.error();
  }
  return out;
}

nlohmann::json to_json(const Accuracy& accuracy, const std::string& model) {
  nlohmann::json out = document("accuracy", 1);
  out["model"] = model;
  out["executor"] = accuracy.executor;
  out["data"] = accuracy.data;
  out["split"] = "test";
  out["mean"] = accuracy.mean;
  out["deviation"] = accuracy.deviation;
  out["images"] = accuracy.images;
  out["correct"] = accuracy.correct;
  out["top1"] = accuracy.top1();
  out["seconds"] = accuracy.seconds;
  if (accuracy.compile_seconds > 0) out["compile_seconds"] = accuracy.compile_seconds;
  if (accuracy.error) out["largest_error"] = accuracy.error->largest;
  return out;
}

}  // namespace cambium::engine
