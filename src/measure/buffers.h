// The facts about a kernel's buffers that the runner needs: names, types and sizes, without the
// program.
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
