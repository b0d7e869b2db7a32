#include "measure/buffers.h"

namespace cambium::measure {

KernelBuffers buffers_of(const program::Program& program) {
  KernelBuffers result;
  for (const program::Buffer* buffer : program.parameters) {
    result.buffers.push_back({std::string(buffer->name), buffer->dtype, buffer->elements(),
                              buffer->role == program::Role::Output});
  }
  return result;
}

}  // namespace cambium::measure
