// What tests of `cambium search` run: a network of two convolutions on tiny images.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "cli_testing.h"
#include "tiny_images_testing.h"

namespace cambium::tests {

inline constexpr const char* kTwoConvolutions = R"(cambium model 1 "tiny"
%0 "x" = input : f32[1, 1, 8, 8]
%1 "w1" = weight normal(0.3, 3) : f32[16, 1, 3, 3]
%2 "conv1" = conv(%0, %1) {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1], groups = 1} : f32[1, 16, 8, 8]
%3 "r1" = unary.relu(%2) : f32[1, 16, 8, 8]
%4 "w2" = weight normal(0.1, 4) : f32[16, 16, 3, 3]
%5 "conv2" = conv(%3, %4) {strides = [1, 1], pads = [1, 1, 1, 1], dilations = [1, 1], groups = 1} : f32[1, 16, 8, 8]
%6 "r2" = unary.relu(%5) : f32[1, 16, 8, 8]
%7 "flat" = reshape(%6) {dims = [1, 1024]} : f32[1, 1024]
%8 "w3" = weight normal(0.05, 5) : f32[10, 1024]
%9 "b3" = weight constant(0) : f32[10]
%10 "scores" = gemm(%7, %8, %9) {alpha = 1, beta = 1, transpose_a = false, transpose_b = true} : f32[1, 10]
output "scores" = %10
)";

class SearchCli : public Cli {
 protected:
  SearchCli() {
    EXPECT_TRUE(write_tiny_images(folder_.path()));
    model_ = file("net.cambium", kTwoConvolutions);
  }

  // `changes`: options with a value each, in place of those that are there.
  std::vector<std::string> search(const std::vector<std::string>& changes = {}) const {
    std::vector<std::string> all{"search",
                                 model_,
                                 "--data",
                                 "mnist:" + folder_.path(),
                                 "--targets",
                                 "conv:in=16",
                                 "--study",
                                 path("s.study"),
                                 "--device",
                                 "cpu",
                                 "--train-threads",
                                 "1",
                                 "--set",
                                 "batch=32",
                                 "--set",
                                 "rate=0.02",
                                 "--candidates",
                                 "3",
                                 "--brief-epochs",
                                 "1",
                                 "--epochs",
                                 "2",
                                 "--finalists",
                                 "1",
                                 "--trials",
                                 "2",
                                 "--strategy",
                                 "random",
                                 "--space-option",
                                 "g=2",
                                 "--max-activations",
                                 "1000x"};
    for (std::size_t i = 0; i + 1 < changes.size(); i += 2) {
      const auto there = std::find(all.begin(), all.end(), changes[i]);
      if (there == all.end()) {
        all.insert(all.end(), {changes[i], changes[i + 1]});
      } else {
        *std::next(there) = changes[i + 1];
      }
    }
    return all;
  }

  static bool has_torch() { return require_feature("torch").ok(); }

  std::string model_;
};

}  // namespace cambium::tests
