#include "compile/kernels.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "compile/arrays.h"
#include "program/clone.h"
#include "program/interpret.h"
#include "program/verify.h"
#include "schedule/defaults/default_schedule.h"

namespace cambium::compile {
namespace {

std::int64_t bytes_of(const program::Buffer& buffer) {
  return buffer.elements() * size_of(buffer.dtype);
}

Result<schedule::Schedule> scheduled(program::Context& cx, const program::Program& program,
                                     const Options& options) {
  if (options.schedules) {
    if (const auto trace = options.schedules(program)) {
      CAMBIUM_TRY(schedule::Schedule replayed, schedule::replay(cx, program, *trace));
      CAMBIUM_REQUIRE(program::check(cx, replayed.program(), program::Stage::Ready));
      return replayed;
    }
  }
  return schedule::default_schedule(cx, program, options.machine);
}

Result<Kernel> make_kernel(const program::Program& program, const std::string& symbol,
                           const Options& options) {
  Kernel kernel;
  kernel.cx = std::make_unique<program::Context>();
  program::Context& cx = *kernel.cx;
  CAMBIUM_TRY(const schedule::Schedule schedule,
              scheduled(cx, program::clone_into(cx, program), options).at("schedule"));
  kernel.trace = schedule::to_text(schedule.trace());
  ConstantPart part = split_constant_part(cx, schedule.program());
  kernel.parameters = std::move(part.run_parameters);
  CAMBIUM_TRY(kernel.code, codegen::compile_kernel(cx, part.run, options.machine, {symbol}));
  kernel.load = part.load;
  kernel.load_parameters = std::move(part.load_parameters);
  kernel.packed_bytes.resize(part.packed);
  if (!part.load) return kernel;
  for (std::size_t i = 0; i < kernel.load_parameters.size(); ++i) {
    const Source source = kernel.load_parameters[i];
    if (source.packed) kernel.packed_bytes[source.index] = bytes_of(*part.load->parameters[i]);
  }
  if (options.machine.runs_here()) {
    CAMBIUM_TRY(kernel.load_code,
                codegen::compile_kernel(cx, *part.load, options.machine, {symbol + "_load"}));
  }
  return kernel;
}

}  // namespace

Result<std::vector<Kernel>> make_kernels(std::span<const program::Program> programs,
                                         const std::string& prefix, const Options& options) {
  std::vector<std::optional<Result<Kernel>>> made(programs.size());
  ThreadPool pool(std::max(options.jobs, 1));
  std::mutex mutex;
  std::int64_t done = 0;
  pool.parallel_for(
      static_cast<std::int64_t>(programs.size()), 1, [&](std::int64_t begin, std::int64_t) {
        const auto i = static_cast<std::size_t>(begin);
        made[i].emplace(make_kernel(programs[i], fmt::format("{}{}", prefix, i), options));
        const std::lock_guard lock(mutex);
        ++done;
        if (options.progress) {
          options.progress(done, static_cast<std::int64_t>(programs.size()));
        }
      });
  std::vector<Kernel> kernels;
  for (std::size_t i = 0; i < made.size(); ++i) {
    CAMBIUM_TRY(Kernel kernel,
                std::move(*made[i]).at(fmt::format("kernel '{}'", programs[i].name)));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

Result<Loader> Loader::create(std::span<const Kernel> kernels) {
  std::optional<codegen::Jit> jit;
  for (const Kernel& kernel : kernels) {
    if (!kernel.load_code) continue;
    if (!jit) {
      CAMBIUM_TRY(jit, codegen::Jit::create());
    }
    CAMBIUM_REQUIRE(jit->add(*kernel.load_code));
  }
  return Loader(std::move(jit));
}

Status Loader::load(const Kernel& kernel, std::span<const std::span<const std::byte>> constants,
                    std::span<std::byte* const> packed) {
  if (!kernel.load) return Ok{};
  if (kernel.load_code) {
    CAMBIUM_TRY(void* const address, jit_->find(kernel.load_code->symbol));
    std::vector<void*> buffers;
    for (const Source source : kernel.load_parameters) {
      // Kernels take all buffers alike; constants are only read.
      buffers.push_back(source.packed ? packed[source.index]
                                      : const_cast<std::byte*>(constants[source.index].data()));
    }
    const auto bytes = static_cast<std::size_t>(kernel.load_code->workspace.bytes(1));
    if (workspace_.size() < bytes) workspace_.resize(bytes);
    reinterpret_cast<cambium_kernel>(address)(buffers.data(), workspace_.data(), nullptr);
    return Ok{};
  }
  std::vector<program::Array> arguments;
  for (std::size_t i = 0; i < kernel.load_parameters.size(); ++i) {
    const Source source = kernel.load_parameters[i];
    if (source.packed) continue;
    arguments.push_back(array_of(kernel.load->parameters[i]->dtype, constants[source.index]));
  }
  CAMBIUM_TRY(const std::vector<program::Array> results,
              program::interpret(*kernel.cx, *kernel.load, arguments));
  for (std::size_t i = 0; i < results.size(); ++i) {  // outputs come in the order of the buffers
    store(results[i], {packed[i], static_cast<std::size_t>(kernel.packed_bytes[i])});
  }
  return Ok{};
}

}  // namespace cambium::compile
