#include "train/device.h"

#include <charconv>

#include <fmt/core.h>

#include "base/check.h"
#include "train/torch/torch.h"

namespace cambium::train {

namespace {

int gpus() {
  return torch::cuda::is_available() ? static_cast<int>(torch::cuda::device_count()) : 0;
}

}  // namespace

Result<Device> device_of(std::string_view text) {
  if (text == "cpu") return Device{};
  if (text == "auto") return gpus() > 0 ? Device{Device::Kind::Cuda, 0} : Device{};
  int index = 0;
  if (text.starts_with("cuda:")) {
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + 5, end, index);
    if (read.ec != std::errc() || read.ptr != end || index < 0) index = -1;
  } else if (text != "cuda") {
    index = -1;
  }
  if (index < 0) {
    return Rejection(Reason::BadOption, "device",
                     fmt::format("unknown device '{}'; expected auto, cpu, cuda or cuda:N", text));
  }
  if (index >= gpus()) {
    return Rejection(Reason::Unavailable, std::string(text),
                     fmt::format("libtorch finds {} GPUs", gpus()));
  }
  return Device{Device::Kind::Cuda, index};
}

void set_threads(int threads) {
  CAMBIUM_CHECK(threads > 0, "a number of threads");
  at::set_num_threads(threads);
}

}  // namespace cambium::train
