// The device on which training runs. Every function of this folder that computes takes one.
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

// "auto" (a GPU if there is one), "cpu", "cuda", "cuda:1". Refuses BadOption, and Unavailable if
// this build or this computer has no such device.
Result<Device> device_of(std::string_view text);

// The number of CPU threads that libtorch may use from now on, for the whole process.
void set_threads(int threads);

}  // namespace cambium::train
