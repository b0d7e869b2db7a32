// For tests only: a data set of 8x8 images that a small convolutional network learns in seconds,
// and a text for a small language model.
#pragma once

#include <string>

#include "base/random.h"
#include "data/test_files.h"
#include "model/model.h"
#include "model/text.h"

namespace cambium::train {

// Ten classes: a bright row or column over noise. The files have the format of MNIST.
inline void write_lines(const data::test::TempFolder& folder, const std::string& part,
                        std::uint32_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::string pixels, labels;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t label = i % 10;
    for (std::uint32_t p = 0; p < 64; ++p) {
      const bool bright = label < 5 ? p / 8 == label + 1 : p % 8 == label - 4;
      pixels.push_back(static_cast<char>((bright ? 140 : 0) + rng.below(115)));
    }
    labels.push_back(static_cast<char>(label));
  }
  folder.write(part + "-images-idx3-ubyte", data::test::idx({count, 8, 8}, pixels));
  folder.write(part + "-labels-idx1-ubyte", data::test::idx({count}, labels));
}

struct Lines {
  Lines() {
    write_lines(folder, "train", 400, 1);
    write_lines(folder, "t10k", 100, 2);
  }
  std::string spec() const { return "mnist:" + folder.path(); }
  data::test::TempFolder folder;
};

inline model::Model small_network(const std::string& image = "1, 8, 8",
                                  const std::string& classes = "10") {
  const std::string out = std::string("f32[1, ") + classes + "]";
  const std::string channels = image.substr(0, 1);
  const std::string rest = image.substr(1);
  auto parsed = model::parse_text(
      "cambium model 1 \"small\"\n"
      "%0 \"x\" = input : f32[1, " +
      image +
      "]\n"
      "%1 \"w\" = weight normal(0.3, 3) : f32[8, " +
      channels +
      ", 3, 3]\n"
      "%2 \"scale\" = weight constant(1) : f32[8]\n"
      "%3 \"shift\" = weight constant(0) : f32[8]\n"
      "%4 \"mean\" = weight constant(0) : f32[8]\n"
      "%5 \"variance\" = weight constant(1) : f32[8]\n"
      "%6 \"conv\" = conv(%0, %1) {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1], "
      "groups = 1} : f32[1, 8" +
      rest +
      "]\n"
      "%7 \"norm\" = batch_norm(%6, %2, %3, %4, %5) {epsilon = 1e-05} : f32[1, 8" +
      rest +
      "]\n"
      "%8 \"relu\" = unary.relu(%7) : f32[1, 8" +
      rest +
      "]\n"
      "%9 \"flat\" = reshape(%8) {dims = [1, 512]} : f32[1, 512]\n"
      "%10 \"v\" = weight normal(0.05, 4) : f32[" +
      classes +
      ", 512]\n"
      "%11 \"b\" = weight constant(0) : f32[" +
      classes +
      "]\n"
      "%12 \"scores\" = gemm(%9, %10, %11) {alpha = 1, beta = 1, transpose_a = false, "
      "transpose_b = true} : " +
      out +
      "\n"
      "output \"scores\" = %12\n");
  EXPECT_TRUE(parsed.ok()) << parsed.rejection().message();
  return std::move(parsed).value();
}

}  // namespace cambium::train
