#include "model/onnx/external_data.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include <fmt/core.h>

namespace cambium::model::onnx_io {

namespace fs = std::filesystem;

namespace {

Rejection refused(const std::string& location, std::string why) {
  return Rejection(Reason::BadExternalData, location, std::move(why));
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [at, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return at == folder.end();
}

}  // namespace

Result<ExternalData::File*> ExternalData::open(const std::string& location) {
  if (const auto known = files_.find(location); known != files_.end()) return &known->second;
  if (folder_.empty())
    return refused(location, "the model was not read from a file, so its folder is unknown");
  const fs::path relative(location);
  if (location.empty() || location.find('\0') != std::string::npos) {
    return refused(location, "the location is not a path");
  }
  if (relative.is_absolute()) return refused(location, "the location must be relative");
  if (std::find(relative.begin(), relative.end(), "..") != relative.end()) {
    return refused(location, "the location must not contain '..'");
  }
  std::error_code error;
  const fs::path folder = fs::canonical(folder_, error);
  if (error) return refused(location, error.message());
  const fs::path path = fs::canonical(folder / relative, error);
  if (error) return refused(location, error.message());
  if (!is_below(path, folder)) return refused(location, "it lies outside the model's folder");
  if (!fs::is_regular_file(path, error)) return refused(location, "it is not a regular file");
  const auto size = fs::file_size(path, error);
  if (error) return refused(location, error.message());
  return &files_.emplace(location, File{path, static_cast<std::int64_t>(size), 0}).first->second;
}

Result<Tensor> ExternalData::read(const ExternalRange& range, const TensorType& type) {
  CAMBIUM_TRY(File * file, open(range.location));
  if (range.offset < 0 || range.offset > file->size) {
    return refused(range.location, fmt::format("offset {} is outside the file of {} bytes",
                                               range.offset, file->size));
  }
  const std::int64_t left = file->size - range.offset;
  const std::int64_t length = range.length < 0 ? left : range.length;
  if (length > left) {
    return refused(range.location, fmt::format("{} bytes at offset {} exceed the file of {}",
                                               length, range.offset, file->size));
  }
  if (length != type.bytes()) {
    return refused(range.location, fmt::format("{} bytes are given, {} needs {}", length,
                                               type.text(), type.bytes()));
  }
  const auto key = std::make_tuple(range.location, range.offset, type.dtype);
  if (const auto known = read_.find(key);
      known != read_.end() && known->second.elements() == type.elements()) {
    return known->second.reshaped(type.dims);
  }
  file->taken += length;
  if (file->taken > file->size) return refused(range.location, "tensors overlap in it");
  std::vector<std::byte> bytes(static_cast<std::size_t>(length));
  std::ifstream stream(file->path, std::ios::binary);
  stream.seekg(range.offset);
  stream.read(reinterpret_cast<char*>(bytes.data()), length);
  if (!stream && length > 0) return refused(range.location, "it cannot be read");
  if (type.dtype == DType::Bool) {
    for (std::byte& b : bytes) b = b == std::byte{0} ? b : std::byte{1};
  }
  Tensor tensor(type, std::move(bytes));
  read_.insert_or_assign(key, tensor);
  return tensor;
}

}  // namespace cambium::model::onnx_io
