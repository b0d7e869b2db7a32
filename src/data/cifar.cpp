#include "data/cifar.h"

#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/file.h"
#include "base/text.h"
#include "data/pickle.h"

namespace cambium::data {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 32;
constexpr int kPlanes = 3;
constexpr std::int64_t kImageBytes = kPlanes * kSide * kSide;
constexpr std::int64_t kMaxNamesBytes = 1 << 20;

struct Place {
  fs::path folder;
  bool python = false;
};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// The binary form is preferred where both are there: it is read faster and has less to go wrong.
Result<Place> find_form(const std::string& folder, const CifarForm& form, const std::string& file) {
  for (const fs::path& base : {fs::path(folder), fs::path(folder) / form.binary_folder}) {
    if (is_there(base / (file + ".bin"))) return Place{base, false};
  }
  for (const fs::path& base : {fs::path(folder), fs::path(folder) / form.python_folder}) {
    if (is_there(base / file)) return Place{base, true};
  }
  return Rejection(Reason::NotFound, (fs::path(folder) / file).string() + "[.bin]");
}

Status check_label(std::int64_t label, std::size_t record, int classes) {
  if (label >= 0 && label < classes) return Ok{};
  return Rejection(Reason::LabelOutOfRange, static_cast<std::int64_t>(record), label, classes - 1);
}

Status read_binary(const std::string& path, const CifarForm& form, std::int64_t records,
                   ImageSet& set) {
  const std::int64_t record_bytes = form.label_bytes + kImageBytes;
  CAMBIUM_TRY(const std::string content, read_file(path));
  if (static_cast<std::int64_t>(content.size()) != records * record_bytes)
    return Rejection(Reason::WrongFileSize, path, {}, static_cast<std::int64_t>(content.size()),
                     records * record_bytes);
  Bytes rest = bytes_of(content);
  for (std::int64_t i = 0; i < records; ++i) {
    const Bytes record = rest.first(static_cast<std::size_t>(record_bytes));
    rest = rest.subspan(record.size());
    const int label = record[static_cast<std::size_t>(form.label_bytes) - 1];
    CAMBIUM_REQUIRE(check_label(label, static_cast<std::size_t>(i), form.classes).at(path));
    set.labels.push_back(label);
    set.pixels.insert(set.pixels.end(), record.begin() + form.label_bytes, record.end());
  }
  return Ok{};
}

Status take_pickle(const std::string& content, const CifarForm& form, std::int64_t records,
                   ImageSet& set) {
  CAMBIUM_TRY(const Pickle pickle, Pickle::parse(bytes_of(content)));
  CAMBIUM_TRY(const PickleNode* const array, pickle.array("data"));
  CAMBIUM_TRY(const std::vector<std::int64_t> labels, pickle.integers(form.label_field));
  const std::vector<std::int64_t> expected = {records, kImageBytes};
  if (array->dims != expected)
    return Rejection(Reason::MissingField, "data",
                     fmt::format("of shape {} x {}", records, kImageBytes));
  if (static_cast<std::int64_t>(labels.size()) != records)
    return Rejection(Reason::CountMismatch, static_cast<std::int64_t>(labels.size()), records);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    CAMBIUM_REQUIRE(check_label(labels[i], i, form.classes));
    set.labels.push_back(static_cast<std::int32_t>(labels[i]));
  }
  const Bytes values = bytes_of(array->text);
  set.pixels.insert(set.pixels.end(), values.begin(), values.end());
  return Ok{};
}

Result<std::vector<std::string>> read_names(const Place& place, const CifarForm& form) {
  std::vector<std::string> names;
  const fs::path path = place.folder / (place.python ? form.names_file : form.names_text);
  if (!is_there(path)) {  // the names are a convenience; the labels are the data
    for (int i = 0; i < form.classes; ++i) names.push_back(std::to_string(i));
    return names;
  }
  CAMBIUM_TRY(const std::string content, read_file(path.string(), kMaxNamesBytes));
  if (place.python) {
    CAMBIUM_TRY(const Pickle pickle, Pickle::parse(bytes_of(content)).at(path.string()));
    CAMBIUM_TRY(names, pickle.texts(form.names_field).at(path.string()));
  } else {
    for (const std::string_view line : split(content, '\n')) {
      if (!trim(line).empty()) names.emplace_back(trim(line));
    }
  }
  if (static_cast<int>(names.size()) != form.classes)
    return Rejection(Reason::SizeOutOfRange, "the number of class names", {},
                     static_cast<std::int64_t>(names.size()), form.classes, form.classes)
        .at(path.string());
  return names;
}

}  // namespace

CifarForm cifar10_form() {
  CifarForm form;
  for (int i = 1; i <= 5; ++i) form.train_files.push_back(fmt::format("data_batch_{}", i));
  form.test_files = {"test_batch"};
  form.label_field = "labels";
  form.names_file = "batches.meta";
  form.names_field = "label_names";
  form.names_text = "batches.meta.txt";
  form.binary_folder = "cifar-10-batches-bin";
  form.python_folder = "cifar-10-batches-py";
  return form;
}

CifarForm cifar100_form() {
  CifarForm form;
  form.classes = 100;
  form.label_bytes = 2;  // coarse, then fine
  form.train_files = {"train"};
  form.test_files = {"test"};
  form.train_records = 50000;
  form.label_field = "fine_labels";
  form.names_file = "meta";
  form.names_field = "fine_label_names";
  form.names_text = "fine_label_names.txt";
  form.binary_folder = "cifar-100-binary";
  form.python_folder = "cifar-100-python";
  return form;
}

Result<ImageSet> load_cifar(const std::string& folder, Part part, const CifarForm& form) {
  const bool train = part == Part::Train;
  const std::vector<std::string>& files = train ? form.train_files : form.test_files;
  const std::int64_t records = train ? form.train_records : form.test_records;
  CAMBIUM_TRY(const Place place, find_form(folder, form, files.front()));

  ImageSet set;
  set.channels = kPlanes;
  set.height = set.width = kSide;
  const auto total = files.size() * static_cast<std::size_t>(records);
  set.pixels.reserve(total * static_cast<std::size_t>(kImageBytes));
  set.labels.reserve(total);
  for (const std::string& file : files) {
    const std::string path = (place.folder / (place.python ? file : file + ".bin")).string();
    if (place.python) {
      CAMBIUM_TRY(const std::string content, read_file(path));
      CAMBIUM_REQUIRE(take_pickle(content, form, records, set).at(path));
    } else {
      CAMBIUM_REQUIRE(read_binary(path, form, records, set));
    }
  }
  CAMBIUM_TRY(set.class_names, read_names(place, form));
  return set;
}

}  // namespace cambium::data
