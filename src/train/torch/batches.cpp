#include "train/torch/batches.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "train/torch/tensors.h"

namespace cambium::train {

namespace {

using torch::Tensor;

// The largest set that a GPU holds as bytes; a larger one is sent batch by batch. The smallest GPUs
// for training have 16 GB, and a set is copied there once.
constexpr std::size_t kLargestResident = std::size_t{6} << 30;

// The columns of the table that goes to the device with every batch, a row per sample.
enum Column : std::int64_t {
  kImage,
  kLabel,
  kShiftY,
  kShiftX,
  kFlip,
  kTop,
  kBottom,
  kLeft,
  kRight,
  kColumns
};

class ImageBatches : public Batches {
 public:
  ImageBatches(data::ImageLoader loader, const data::ImageSplit& images,
               const data::Normalization& normalization, const data::LoaderOptions& options,
               const Device& device, bool channels_last)
      : loader_(std::move(loader)),
        set_(images.set),
        augmentation_(options.augmentation),
        largest_(options.batch),
        device_(torch_device(device)),
        channels_last_(channels_last) {
    const data::ImageSet& set = *set_;
    channels_ = set.channels;
    height_ = set.height;
    width_ = set.width;
    // Shared, not copied: the set outlives this, and nothing here writes to it.
    pixels_ = torch::from_blob(const_cast<std::uint8_t*>(set.pixels.data()),
                               {static_cast<std::int64_t>(set.size()), channels_, height_, width_},
                               torch::kByte);
    resident_ = !device.is_cuda() || set.pixels.size() <= kLargestResident;
    if (resident_) pixels_ = pixels_.to(device_);
    const data::PixelTable table(normalization);
    values_ = torch::empty({channels_, 256}, torch::kFloat);
    for (int c = 0; c < set.channels; ++c) {
      for (std::int64_t v = 0; v < 256; ++v) {
        values_.data_ptr<float>()[c * 256 + v] = table.of(c)[static_cast<std::size_t>(v)];
      }
    }
    values_ = values_.to(device_).flatten();
    rows_ = torch::arange(height_, counting()).unsqueeze(0);
    columns_ = torch::arange(width_, counting()).unsqueeze(0);
    planes_ = torch::arange(channels_, counting()).view({1, channels_, 1, 1});
  }

  std::int64_t count() const override { return loader_.batches(); }
  std::int64_t largest() const override { return largest_; }
  const torch::Device& device() const override { return device_; }

  void begin(std::int64_t epoch) override {
    epoch_ = epoch;
    order_ = loader_.order(epoch);
  }

  Feed feed(std::int64_t index) override {
    const Tensor table = table_of(loader_.placed(epoch_, order_, index));
    if (resident_) return {table};
    Tensor bytes = torch::empty({table.size(0), channels_, height_, width_},
                                torch::dtype(torch::kByte).pinned_memory(true));
    torch::index_select_out(bytes, pixels_, 0, table.select(1, kImage));
    return {table, bytes};
  }

  Batch made(const Feed& fed) const override {
    const Tensor& where = fed[0];
    const Tensor& source = resident_ ? pixels_ : fed[1];
    const Tensor images =
        resident_ ? where.select(1, kImage) : torch::arange(source.size(0), counting());
    const bool moves = augmentation_.pad > 0 || augmentation_.flip;
    const Tensor codes =
        moves ? moved(source, images, where) : source.index_select(0, images).to(torch::kLong);
    Tensor values = values_.take(codes + planes_ * 256);
    if (augmentation_.cutout > 0) values.masked_fill_(cut(where), 0);
    if (channels_last_) values = values.contiguous(torch::MemoryFormat::ChannelsLast);
    return {values, where.select(1, kLabel).contiguous()};
  }

 private:
  torch::TensorOptions counting() const { return {torch::dtype(torch::kLong).device(device_)}; }

  Tensor table_of(const std::vector<data::ImageLoader::Placed>& placed) const {
    const auto n = static_cast<std::int64_t>(placed.size());
    Tensor table =
        torch::empty({n, kColumns}, torch::dtype(torch::kLong).pinned_memory(device_.is_cuda()));
    auto* at = table.data_ptr<std::int64_t>();
    for (const data::ImageLoader::Placed& each : placed) {
      at[kImage] = each.image;
      at[kLabel] = each.label;
      at[kShiftY] = each.at.shift_y;
      at[kShiftX] = each.at.shift_x;
      at[kFlip] = each.at.flip ? 1 : 0;
      at[kTop] = each.at.cut_top;
      at[kBottom] = each.at.cut_bottom;
      at[kLeft] = each.at.cut_left;
      at[kRight] = each.at.cut_right;
      at += kColumns;
    }
    return table;
  }

  // One gather from the bytes pads, crops and flips; outside of the image is black.
  Tensor moved(const Tensor& source, const Tensor& images, const Tensor& where) const {
    const Tensor flip = where.select(1, kFlip).unsqueeze(1);
    const Tensor y = rows_ + where.select(1, kShiftY).unsqueeze(1);
    const Tensor x =
        columns_ + flip * (width_ - 1 - 2 * columns_) + where.select(1, kShiftX).unsqueeze(1);
    const Tensor inside = (y.ge(0) & y.lt(height_)).view({-1, 1, height_, 1}) &
                          (x.ge(0) & x.lt(width_)).view({-1, 1, 1, width_});
    const Tensor place = (images.view({-1, 1, 1, 1}) * channels_ + planes_) * (height_ * width_) +
                         y.clamp(0, height_ - 1).view({-1, 1, height_, 1}) * width_ +
                         x.clamp(0, width_ - 1).view({-1, 1, 1, width_});
    return source.take(place).to(torch::kLong) * inside;
  }

  Tensor cut(const Tensor& where) const {
    const auto column = [&where](Column which) { return where.select(1, which).unsqueeze(1); };
    const Tensor rows = rows_.ge(column(kTop)) & rows_.lt(column(kBottom));
    const Tensor columns = columns_.ge(column(kLeft)) & columns_.lt(column(kRight));
    return rows.view({-1, 1, height_, 1}) & columns.view({-1, 1, 1, width_});
  }

  data::ImageLoader loader_;
  std::shared_ptr<const data::ImageSet> set_;
  data::Augmentation augmentation_;
  std::int64_t largest_;
  torch::Device device_;
  bool channels_last_, resident_ = true;
  std::int64_t channels_ = 0, height_ = 0, width_ = 0;
  Tensor pixels_, values_, rows_, columns_, planes_;
  std::int64_t epoch_ = 0;
  std::vector<std::uint32_t> order_;
};

class TextBatches : public Batches {
 public:
  TextBatches(data::TextLoader loader, std::int64_t largest, const Device& device,
              torch::ScalarType tokens)
      : loader_(std::move(loader)),
        largest_(largest),
        device_(torch_device(device)),
        tokens_(tokens) {}

  std::int64_t count() const override { return loader_.batches(); }
  std::int64_t largest() const override { return largest_; }
  const torch::Device& device() const override { return device_; }
  void begin(std::int64_t epoch) override { order_ = loader_.order(epoch); }

  Feed feed(std::int64_t index) override {
    data::TextBatch windows = loader_.batch(order_, index);
    return {kept(windows.inputs, {windows.dims[0], windows.dims[1]}),
            kept(windows.targets, {windows.dims[0] * windows.dims[1]})};
  }

  Batch made(const Feed& fed) const override {
    return {fed[0].to(tokens_), fed[1].to(torch::kLong)};
  }

 private:
  Tensor kept(const std::vector<std::int32_t>& values, torch::IntArrayRef dims) const {
    Tensor out = torch::empty(dims, torch::dtype(torch::kInt).pinned_memory(device_.is_cuda()));
    std::copy(values.begin(), values.end(), out.data_ptr<std::int32_t>());
    return out;
  }

  data::TextLoader loader_;
  std::int64_t largest_;
  torch::Device device_;
  torch::ScalarType tokens_;
  std::vector<std::int64_t> order_;
};

}  // namespace

Feed brought(const Feed& feed, const torch::Device& device) {
  Feed out;
  for (const Tensor& each : feed) out.push_back(each.to(device, /*non_blocking=*/true));
  return out;
}

Batch Batches::batch(std::int64_t index) {
  return made(brought(feed(index), device()));
}

Result<std::unique_ptr<Batches>> image_batches(const data::ImageSplit& images,
                                               const data::Normalization& normalization,
                                               const data::LoaderOptions& options,
                                               const Device& device, bool channels_last) {
  CAMBIUM_TRY(data::ImageLoader loader, data::ImageLoader::make(images, normalization, options));
  return std::unique_ptr<Batches>(std::make_unique<ImageBatches>(
      std::move(loader), images, normalization, options, device, channels_last));
}

Result<std::unique_ptr<Batches>> text_batches(const data::TextSplit& text,
                                              const data::TextLoaderOptions& options,
                                              const Device& device, torch::ScalarType tokens) {
  CAMBIUM_TRY(data::TextLoader loader, data::TextLoader::make(text, options));
  return std::unique_ptr<Batches>(
      std::make_unique<TextBatches>(std::move(loader), options.batch, device, tokens));
}

}  // namespace cambium::train
