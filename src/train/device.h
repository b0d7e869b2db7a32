// Where training runs. Asked by every function of this folder that computes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace cambium::train {

struct Device {
  enum class Kind : std::uint8_t { Cpu, Cuda };
  Kind kind = Kind::Cpu;
  int index = 0;  // of the GPU

  bool is_cuda() const { return kind == Kind::Cuda; }
  std::string text() const;  // "cpu", "cuda:0"
};

// "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1". Refuses BadOption, and Unavailable where
// this build or this computer has no such device.
Result<Device> device_of(std::string_view text);

// The one thread budget of the process: what libtorch may use on the CPU from now on.
void set_threads(int threads);

}  // namespace cambium::train
