// For tests only: a temporary folder, and the bytes of small files in each format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/scratch_folder_testing.h"

namespace cambium::data::test {

class TempFolder : public ScratchFolder {
 public:
  std::string write(const std::string& name, std::string_view content) const {
    const std::filesystem::path file = *this / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file.string();
  }
};

inline std::string gzip(std::string_view plain) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, plain.size()), '\0');
  std::string input(plain);
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string idx(const std::vector<std::uint32_t>& dims, std::string_view values) {
  std::string out("\0\0\x08", 3);
  out.push_back(static_cast<char>(dims.size()));
  for (const std::uint32_t dim : dims) {
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(dim >> shift));
  }
  return out.append(values);
}

// `count` bytes that differ from one another in a regular way.
inline std::string ramp(std::size_t count, unsigned start = 0) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(static_cast<char>((start + 7 * i) & 0xff));
  return out;
}

inline std::string little_endian(std::uint32_t value, int width) {
  std::string out;
  for (int i = 0; i < width; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}

// The opcodes that Python 2 used to write CIFAR.
inline std::string short_string(std::string_view text) {
  return "U" + little_endian(static_cast<std::uint32_t>(text.size()), 1) + std::string(text);
}

inline std::string int_list(const std::vector<int>& values) {
  std::string out = "](";
  for (const int value : values) out += "K" + little_endian(static_cast<std::uint32_t>(value), 1);
  return out + "e";
}

inline std::string numpy_bytes(std::uint32_t rows, std::uint32_t columns, std::string_view values) {
  std::string out = "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK";
  out += std::string("\0\x85", 2) + short_string("b") + "\x87R(K\x01";
  out += "J" + little_endian(rows, 4) + "J" + little_endian(columns, 4) + "\x86";
  out += "cnumpy\ndtype\n" + short_string("u1") + std::string("K\0K\x01\x87R(K\x03", 9);
  out += short_string("|") + "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK" + std::string("\0tb", 3);
  out += "\x89T" + little_endian(static_cast<std::uint32_t>(values.size()), 4);
  return out.append(values) + "tb";
}

inline std::string cifar_pickle(const std::string& label_field, const std::vector<int>& labels,
                                std::string_view pixels) {
  const auto rows = static_cast<std::uint32_t>(labels.size());
  std::string out("\x80\x02}q\x01(", 6);
  out += short_string("batch_label") + short_string("training batch 1 of 5");
  out += short_string(label_field) + int_list(labels);
  out += short_string("data") +
         numpy_bytes(rows, static_cast<std::uint32_t>(pixels.size()) / rows, pixels);
  return out + "u.";
}

}  // namespace cambium::data::test
