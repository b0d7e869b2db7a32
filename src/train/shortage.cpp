#include "train/shortage.h"

#include <fmt/core.h>

namespace cambium::train {

namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The text between the first `before` and the next `after`; empty if there is none.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + before.size());
  const std::size_t end = text.find(after);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

bool is_of_gpu(std::string_view thrown) {
  return (has(thrown, "CUDA") && has(thrown, "out of memory")) ||
         has(thrown, "CUBLAS_STATUS_ALLOC_FAILED") || has(thrown, "CUDNN_STATUS_ALLOC_FAILED");
}

}  // namespace

bool is_shortage(std::string_view thrown) {
  return is_of_gpu(thrown) || has(thrown, "allocate memory");
}

std::string gpu_memory(std::string_view thrown) {
  if (!is_of_gpu(thrown)) return "";
  // "GPU 0 has a total capacity of 139.72 GiB of which 52.19 MiB is free." (libtorch 2)
  std::string_view gpu = between(thrown, "GPU ", " has a total capacity of ");
  std::string_view all = between(thrown, "has a total capacity of ", " of which ");
  std::string_view free = between(thrown, " of which ", " is free");
  if (gpu.empty()) {
    // "(GPU 0; 139.72 GiB total capacity; 1.00 GiB already allocated; 52.19 MiB free; ..." (1.13)
    const std::string_view list = between(thrown, "(GPU ", " free;");
    gpu = list.substr(0, list.find(';'));
    all = between(list, "; ", " total capacity");
    free = list.substr(list.rfind(' ', list.rfind(' ') - 1) + 1);
  }
  if (gpu.empty() || all.empty() || free.empty()) return "the GPU has less";
  return fmt::format("GPU {} has {}, {} of them free", gpu, all, free);
}

}  // namespace cambium::train
