#include "kernels/native_kernel.h"

#include <cstdlib>
#include <cstring>

#include "compile/constant_part.h"
#include "compile/parallel.h"

namespace cambium::bench {

using program::Array;
using program::Buffer;
using program::Role;

namespace {

constexpr std::size_t kAlignment = 64;

std::int64_t bytes_of(const Buffer& buffer) {
  return buffer.elements() * size_of(buffer.dtype);
}

// The benchmarks use f32 only.
void copy_in(const Array& from, void* to) {
  const auto& values = std::get<std::vector<float>>(from.elements);
  std::memcpy(to, values.data(), values.size() * sizeof(float));
}

}  // namespace

NativeKernel::Memory::Memory(std::int64_t bytes)
    : data(std::aligned_alloc(kAlignment,
                              (static_cast<std::size_t>(bytes) + 4096) / kAlignment * kAlignment),
           std::free) {}

Result<NativeKernel> NativeKernel::make(program::Context& cx, const program::Program& program,
                                        const Machine& machine, const std::vector<Array>& arguments,
                                        int threads) {
  NativeKernel kernel;
  const compile::ConstantPart part = compile::split_constant_part(cx, program);
  CAMBIUM_TRY(const codegen::Backend* const backend, codegen::backend_for(machine));

  const auto allocate = [&kernel](std::int64_t bytes) {
    kernel.memory_.emplace_back(bytes);
    return kernel.memory_.back().data.get();
  };
  std::vector<void*> whole;
  std::size_t next = 0;
  for (const Buffer* buffer : program.parameters) {
    whole.push_back(allocate(bytes_of(*buffer)));
    if (buffer->role != Role::Output) copy_in(arguments[next++], whole.back());
  }
  std::vector<void*> packed(part.packed, nullptr);
  const auto place = [&](const program::Program& of, const std::vector<compile::Source>& sources) {
    std::vector<void*> buffers;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (!sources[i].packed) {
        buffers.push_back(whole[sources[i].index]);
        continue;
      }
      void*& buffer = packed[sources[i].index];
      if (buffer == nullptr) buffer = allocate(bytes_of(*of.parameters[i]));
      buffers.push_back(buffer);
    }
    return buffers;
  };
  const auto load = [&](const program::Program& of, const std::string& symbol,
                        codegen::ObjectCode& code) -> Result<void*> {
    codegen::CodegenOptions options;
    options.symbol = symbol;
    CAMBIUM_TRY(code, backend->compile_kernel(cx, of, machine, options));
    CAMBIUM_TRY(std::unique_ptr<codegen::LoadedCode> loaded, backend->load({&code, 1}));
    kernel.loaded_.push_back(std::move(loaded));
    return kernel.loaded_.back()->find(symbol);
  };
  if (part.load) {
    codegen::ObjectCode code;
    CAMBIUM_TRY(void* pack, load(*part.load, "pack", code));
    const std::vector<void*> buffers = place(*part.load, part.load_parameters);
    reinterpret_cast<cambium_kernel>(pack)(buffers.data(), allocate(code.workspace.bytes(1)),
                                           nullptr);
  }
  CAMBIUM_TRY(void* run, load(part.run, "run", kernel.code_));
  kernel.kernel_ = reinterpret_cast<cambium_kernel>(run);
  kernel.buffers_ = place(part.run, part.run_parameters);
  kernel.parameters_.assign(part.run.parameters.begin(), part.run.parameters.end());
  kernel.workspace_ = allocate(kernel.code_.workspace.bytes(threads));
  if (threads > 1) {
    kernel.pool_ = std::make_unique<ThreadPool>(threads);
    kernel.parallel_ = compile::parallel_over(*kernel.pool_);
  }
  return kernel;
}

void NativeKernel::run() const {
  kernel_(buffers_.data(), workspace_, pool_ ? &parallel_ : nullptr);
}

std::vector<Array> NativeKernel::outputs() const {
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i]->role != Role::Output) continue;
    const auto* data = static_cast<const float*>(buffers_[i]);
    arrays.push_back(Array::of(
        std::vector<float>(data, data + static_cast<std::size_t>(parameters_[i]->elements()))));
  }
  return arrays;
}

}  // namespace cambium::bench
