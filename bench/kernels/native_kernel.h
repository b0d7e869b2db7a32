// A scheduled program as native code in this process, with its buffers. Constants are packed once.
// Then the kernel can be called repeatedly, like that of a vendor library.
#pragma once

#include <memory>
#include <vector>

#include "base/machine.h"
#include "base/thread_pool.h"
#include "codegen/codegen.h"
#include "program/interpret.h"

namespace cambium::bench {

class NativeKernel {
 public:
  // Arguments: inputs and constants of the program in parameter order.
  static Result<NativeKernel> make(program::Context& cx, const program::Program& program,
                                   const Machine& machine,
                                   const std::vector<program::Array>& arguments, int threads);

  void run() const;
  std::vector<program::Array> outputs() const;  // after a run
  const codegen::ObjectCode& code() const { return code_; }

 private:
  struct Memory {
    explicit Memory(std::int64_t bytes);
    std::unique_ptr<void, void (*)(void*)> data;
  };

  codegen::ObjectCode code_;
  std::vector<std::unique_ptr<codegen::LoadedCode>> loaded_;
  cambium_kernel kernel_ = nullptr;
  std::vector<Memory> memory_;
  std::vector<void*> buffers_;
  std::vector<const program::Buffer*> parameters_;
  void* workspace_ = nullptr;
  std::unique_ptr<ThreadPool> pool_;  // nothing: one thread
  cambium_parallel parallel_{};
};

}  // namespace cambium::bench
