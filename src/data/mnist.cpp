#include "data/mnist.h"

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "data/idx.h"

namespace cambium::data {
namespace {

constexpr std::int64_t kMaxDigitSide = 1024;

struct NamedArray {
  std::string path;
  IdxArray array;
};

Result<NamedArray> read_idx(const std::string& folder, const std::string& stem, int rank) {
  const std::string plain = (std::filesystem::path(folder) / stem).string();
  const std::string packed = plain + ".gz";
  std::error_code ignored;
  const bool has_plain = std::filesystem::exists(plain, ignored);
  if (!has_plain && !std::filesystem::exists(packed, ignored))
    return Rejection(Reason::NotFound, plain + "[.gz]");
  const std::string& path = has_plain ? plain : packed;
  CAMBIUM_TRY(const std::string content, read_file(path));
  CAMBIUM_TRY(IdxArray array, parse_idx(bytes_of(content), rank, path));
  return NamedArray{path, std::move(array)};
}

}  // namespace

Result<ImageSet> load_mnist(const std::string& folder, Part part,
                            std::vector<std::string> class_names) {
  const std::string stem = part == Part::Train ? "train" : "t10k";
  CAMBIUM_TRY(NamedArray images, read_idx(folder, stem + "-images-idx3-ubyte", 3));
  CAMBIUM_TRY(NamedArray labels, read_idx(folder, stem + "-labels-idx1-ubyte", 1));
  const std::vector<std::int64_t>& dims = images.array.dims;
  for (const std::size_t side : {std::size_t{1}, std::size_t{2}}) {
    if (dims[side] > kMaxDigitSide)
      return Rejection(Reason::SizeOutOfRange, "the side of an image", {}, dims[side], 1,
                       kMaxDigitSide)
          .at(images.path);
  }
  if (labels.array.dims[0] != dims[0])
    return Rejection(Reason::CountMismatch, labels.array.dims[0], dims[0]).at(labels.path);

  ImageSet set;
  set.channels = 1;
  set.height = static_cast<int>(dims[1]);
  set.width = static_cast<int>(dims[2]);
  set.pixels = std::move(images.array.values);
  set.labels.assign(labels.array.values.begin(), labels.array.values.end());
  const auto classes = static_cast<std::int32_t>(class_names.size());
  for (std::size_t i = 0; i < set.labels.size(); ++i) {
    if (set.labels[i] >= classes)
      return Rejection(Reason::LabelOutOfRange, static_cast<std::int64_t>(i), set.labels[i],
                       classes - 1)
          .at(labels.path);
  }
  set.class_names = std::move(class_names);
  return set;
}

}  // namespace cambium::data
