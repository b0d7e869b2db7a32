#include "train/device.h"

#include <fmt/core.h>

namespace cambium::train {

std::string Device::text() const {
  return is_cuda() ? fmt::format("cuda:{}", index) : "cpu";
}

}  // namespace cambium::train
