// The buffers of a kernel as the runner needs to know them: names, types and sizes, no program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "program/program.h"

namespace cambium::measure {

// In parameter order.
struct KernelBuffers {
  struct Buffer {
    std::string name;
    DType dtype;
    std::int64_t elements;
    bool is_output;
  };
  std::vector<Buffer> buffers;
};

KernelBuffers buffers_of(const program::Program& program);

}  // namespace cambium::measure
