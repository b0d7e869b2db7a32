#include "data/image_loader.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "base/check.h"

namespace cambium::data {
namespace {

constexpr std::int64_t kMaxBatch = 1 << 20;
constexpr std::int64_t kGrain = 16;  // images a thread takes at a time

Status check_range(const char* option, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return Ok{};
  return Rejection(Reason::BadOption, option,
                   fmt::format("expected {1}..{2}, found {0}", value, low, high));
}

}  // namespace

Result<ImageLoader> ImageLoader::make(ImageSplit images, const Normalization& normalization,
                                      const LoaderOptions& options) {
  const ImageSet& set = *images.set;
  const std::int64_t side = std::max(set.height, set.width);
  CAMBIUM_REQUIRE(check_range("batch", options.batch, 1, kMaxBatch));
  CAMBIUM_REQUIRE(check_range("pad", options.augmentation.pad, 0, side));
  CAMBIUM_REQUIRE(check_range("cutout", options.augmentation.cutout, 0, side));
  const auto channels = static_cast<std::size_t>(set.channels);
  bool fits = normalization.mean.size() == channels && normalization.deviation.size() == channels;
  for (const double mean : normalization.mean) fits = fits && std::isfinite(mean);
  for (const double deviation : normalization.deviation)
    fits = fits && std::isfinite(deviation) && deviation > 0;
  if (!fits)
    return Rejection(
        Reason::BadOption, "normalization",
        fmt::format("needs a mean and a positive deviation for each of {} channels", set.channels));
  return ImageLoader(std::move(images), normalization, options);
}

std::int64_t ImageLoader::batches() const {
  const auto size = static_cast<std::int64_t>(images_.size());
  return options_.drop_last ? size / options_.batch : (size + options_.batch - 1) / options_.batch;
}

std::vector<std::uint32_t> ImageLoader::order(std::int64_t epoch) const {
  std::vector<std::uint32_t> out(images_.size());
  std::iota(out.begin(), out.end(), 0U);
  if (options_.shuffle) {
    Rng rng = Rng(options_.seed).split("order").split(static_cast<std::uint64_t>(epoch));
    rng.shuffle(std::span<std::uint32_t>(out));
  }
  return out;
}

std::vector<ImageLoader::Placed> ImageLoader::placed(std::int64_t epoch,
                                                     const std::vector<std::uint32_t>& order,
                                                     std::int64_t index) const {
  CAMBIUM_CHECK(index >= 0 && index < batches(), "there is no such batch");
  const auto begin = static_cast<std::size_t>(index * options_.batch);
  const std::size_t end = std::min(begin + static_cast<std::size_t>(options_.batch), order.size());
  const Rng root = samples_of(epoch);
  std::vector<Placed> out;
  out.reserve(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint32_t sample = order[i];
    out.push_back({images_.members[sample], images_.label(sample),
                   place(images_.set->height, images_.set->width, options_.augmentation,
                         root.split(sample))});
  }
  return out;
}

ImageBatch ImageLoader::batch(std::int64_t epoch, const std::vector<std::uint32_t>& order,
                              std::int64_t index, ThreadPool& pool) const {
  CAMBIUM_CHECK(index >= 0 && index < batches(), "there is no such batch");
  const ImageSet& set = *images_.set;
  const std::int64_t begin = index * options_.batch;
  const std::int64_t count =
      std::min(options_.batch, static_cast<std::int64_t>(order.size()) - begin);
  ImageBatch out;
  out.dims = {count, set.channels, set.height, set.width};
  out.labels.resize(static_cast<std::size_t>(count));
  out.values.resize(static_cast<std::size_t>(count) * set.image_bytes());

  const Rng root = samples_of(epoch);
  pool.parallel_for(count, kGrain, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) {
      const std::uint32_t sample = order[static_cast<std::size_t>(begin + i)];
      out.labels[static_cast<std::size_t>(i)] = images_.label(sample);
      convert_image(
          images_.image(sample), set.height, set.width, table_, options_.augmentation,
          root.split(sample),
          std::span<float>(out.values)
              .subspan(static_cast<std::size_t>(i) * set.image_bytes(), set.image_bytes()));
    }
  });
  return out;
}

}  // namespace cambium::data
