#include "train/minibatches.h"

#include "base/random.h"
#include "data/image_loader.h"

namespace cambium::train {

struct Minibatches::Images {
  data::ImageSplit split;
  data::Normalization normalization;

  Result<std::vector<std::uint32_t>> order(std::uint64_t seed, std::int64_t epoch) const {
    data::LoaderOptions options;
    options.shuffle = true;
    options.seed = seed;
    CAMBIUM_TRY(const data::ImageLoader loader,
                data::ImageLoader::make(split, normalization, options));
    return loader.order(epoch);
  }
};

Result<Minibatches> Minibatches::open(const std::string& spec, std::uint64_t seed) {
  if (spec.empty()) {
    Minibatches out;
    out.seed_ = seed;
    return out;
  }
  CAMBIUM_TRY(const data::Dataset dataset, data::open_dataset(spec));
  return of(dataset, seed);
}

Result<Minibatches> Minibatches::of(const data::Dataset& dataset, std::uint64_t seed) {
  Minibatches out;
  out.seed_ = seed;
  ThreadPool pool(1);
  CAMBIUM_TRY(data::ImageSplit split, dataset.images(data::Split::Train, pool));
  CAMBIUM_TRY(data::Normalization normalization, dataset.normalization(pool));
  out.images_ = std::make_shared<const Images>(Images{std::move(split), std::move(normalization)});
  CAMBIUM_TRY(out.order_, out.images_->order(seed, 0));
  return out;
}

Result<ProxyBatch> Minibatches::take_again(std::int64_t count) {
  if (images_ && taken_ + count > static_cast<std::int64_t>(order_.size())) {
    CAMBIUM_TRY(order_, images_->order(seed_, ++epoch_));
    taken_ = 0;
  }
  return take(count);
}

Result<ProxyBatch> Minibatches::take(std::int64_t count) {
  const std::int64_t begin = taken_;
  taken_ += count;
  ProxyBatch batch;
  if (!images_) {
    constexpr std::int64_t kClasses = 10;
    Rng rng = Rng(seed_).split(static_cast<std::uint64_t>(begin));
    batch.inputs = model::Tensor::lazy({DType::F32, {count, 3, 32, 32}},
                                       {model::Fill::Law::Normal, 1, rng.next_u64()});
    for (std::int64_t i = 0; i < count; ++i) batch.labels.push_back((begin + i) % kClasses);
    return batch;
  }
  if (taken_ > static_cast<std::int64_t>(order_.size())) {
    return Rejection(Reason::NoSamples, "the training split", "more images");
  }
  ThreadPool pool(1);
  data::LoaderOptions options;
  options.batch = count;
  CAMBIUM_TRY(const data::ImageLoader loader,
              data::ImageLoader::make(images_->split, images_->normalization, options));
  const std::vector<std::uint32_t> order(order_.begin() + begin, order_.begin() + taken_);
  const data::ImageBatch images = loader.batch(0, order, 0, pool);
  batch.inputs = model::Tensor::of<float>({images.dims.begin(), images.dims.end()}, images.values);
  batch.labels.assign(images.labels.begin(), images.labels.end());
  return batch;
}

}  // namespace cambium::train
