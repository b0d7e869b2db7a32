#include "data/image_folder.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "data/classes.h"
#include "data/image_decode.h"

namespace cambium::data {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxFileBytes = std::int64_t{256} << 20;
constexpr std::int64_t kMaxSetBytes = std::int64_t{16} << 30;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// Names in a folder in byte order, hidden ones left out.
Result<std::vector<std::string>> names_in(const fs::path& folder, bool folders) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.front() != '.' && is_folder(it->path()) == folders) names.push_back(name);
  }
  if (error) return Rejection(Reason::Unreadable, folder.string(), error.message());
  std::sort(names.begin(), names.end());
  return names;
}

Result<fs::path> root_of(const fs::path& folder, Part part) {
  if (!is_folder(folder)) return Rejection(Reason::NotFound, folder.string());
  const bool parted = is_folder(folder / "train");
  if (part == Part::Train) return parted ? folder / "train" : folder;
  for (const char* name : {"test", "val"}) {
    if (parted && is_folder(folder / name)) return folder / name;
  }
  return Rejection(Reason::NoSuchSplit, "test",
                   folder.string() + " must contain train/ and test/ (or val/)");
}

struct Listing {
  std::vector<std::string> classes, files;
  std::vector<std::int32_t> labels;
};

Result<Listing> list(const fs::path& root) {
  Listing out;
  CAMBIUM_TRY(out.classes, names_in(root, true));
  for (std::size_t label = 0; label < out.classes.size(); ++label) {
    const fs::path folder = root / out.classes[label];
    if (!is_utf8(out.classes[label])) {
      return Rejection(Reason::BadOption, quote(folder.string()),
                       "the name of a class is not UTF-8, so a model cannot store it");
    }
    CAMBIUM_TRY(const std::vector<std::string> files, names_in(folder, false));
    if (files.empty()) return Rejection(Reason::NoSamples, folder.string(), "images");
    for (const std::string& file : files) {
      out.files.push_back((folder / file).string());
      out.labels.push_back(static_cast<std::int32_t>(label));
    }
  }
  if (out.files.empty())
    return Rejection(Reason::NoSamples, root.string(), "classes (sub-folders)");
  return out;
}

// With the classes of the training part, which number those of every other part.
Result<Listing> list_part(const fs::path& folder, Part part, const fs::path& root) {
  CAMBIUM_TRY(Listing listing, list(root));
  if (part == Part::Train) return listing;
  CAMBIUM_TRY(const fs::path train, root_of(folder, Part::Train));
  CAMBIUM_TRY(Listing trained, list(train));
  CAMBIUM_TRY(const std::vector<std::int32_t> numbers,
              class_numbers(listing.classes, trained.classes, train.string()).at(root.string()));
  for (std::int32_t& label : listing.labels) label = numbers[static_cast<std::size_t>(label)];
  listing.classes = std::move(trained.classes);
  return listing;
}

Result<DecodedImage> read_image(const std::string& path, int size) {
  CAMBIUM_TRY(const std::string content, read_file(path, kMaxFileBytes));
  return decode_image(bytes_of(content), size).at(path);
}

// Decodes one image into its place in the set, whose size the first image fixed.
std::optional<Rejection> fill(const std::string& path, int size, ImageSet& set, std::size_t i) {
  Result<DecodedImage> image = read_image(path, size);
  if (!image) return std::move(image).rejection();
  if (image->height != set.height || image->width != set.width)
    return Rejection(Reason::ImageSizeDiffers, fmt::format("{}x{}", image->height, image->width),
                     fmt::format("{}x{}", set.height, set.width))
        .at(path);
  std::copy(image->pixels.begin(), image->pixels.end(),
            set.pixels.begin() + static_cast<std::ptrdiff_t>(i * set.image_bytes()));
  return std::nullopt;
}

}  // namespace

Result<ImageSet> load_image_folder(const std::string& folder, Part part, int size,
                                   ThreadPool& pool) {
  CAMBIUM_TRY(const fs::path root, root_of(folder, part));
  CAMBIUM_TRY(Listing listing, list_part(folder, part, root));
  CAMBIUM_TRY(const DecodedImage first, read_image(listing.files.front(), size));

  ImageSet set;
  set.channels = 3;
  set.height = first.height;
  set.width = first.width;
  const auto count = static_cast<std::int64_t>(listing.files.size());
  const auto total = count * static_cast<std::int64_t>(set.image_bytes());
  if (total > kMaxSetBytes)
    return Rejection(Reason::TooLarge, root.string(), {}, total, kMaxSetBytes);
  set.pixels.resize(static_cast<std::size_t>(total));

  // The first problem in the order of the files is told, whichever thread met one first.
  std::vector<std::optional<Rejection>> problems(listing.files.size());
  pool.parallel_for(count, 4, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      problems[i] = fill(listing.files[i], size, set, i);
  });
  for (std::optional<Rejection>& problem : problems) {
    if (problem) return std::move(*problem);
  }
  set.labels = std::move(listing.labels);
  set.class_names = std::move(listing.classes);
  return set;
}

}  // namespace cambium::data
