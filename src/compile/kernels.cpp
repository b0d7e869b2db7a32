#include "compile/kernels.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "compile/arrays.h"
#include "program/canonical.h"
#include "program/clone.h"
#include "program/interpret.h"
#include "program/verify.h"
#include "schedule/defaults/default_schedule.h"

namespace cambium::compile {
namespace {

std::int64_t bytes_of(const program::Buffer& buffer) {
  return buffer.elements() * size_of(buffer.dtype);
}

// The code of a scheduled program, and of its constant part.
Result<Kernel> coded(std::unique_ptr<program::Context> own, const schedule::Schedule& schedule,
                     const std::string& symbol, const Machine& machine) {
  program::Context& cx = *own;
  Kernel kernel;
  kernel.cx = std::move(own);
  kernel.trace = schedule::to_text(schedule.trace());
  ConstantPart part = split_constant_part(cx, schedule.program());
  kernel.parameters = std::move(part.run_parameters);
  CAMBIUM_TRY(kernel.code, codegen::compile_kernel(cx, part.run, machine, {symbol}));
  kernel.load = part.load;
  kernel.load_parameters = std::move(part.load_parameters);
  kernel.packed_bytes.resize(part.packed);
  if (!part.load) return kernel;
  for (std::size_t i = 0; i < kernel.load_parameters.size(); ++i) {
    const Source source = kernel.load_parameters[i];
    if (source.packed) kernel.packed_bytes[source.index] = bytes_of(*part.load->parameters[i]);
  }
  if (machine.runs_here()) {
    CAMBIUM_TRY(kernel.load_code,
                codegen::compile_kernel(cx, *part.load, machine, {symbol + "_load"}));
  }
  return kernel;
}

using Scheduler =
    std::function<Result<schedule::Schedule>(program::Context&, const program::Program&)>;

Result<Kernel> kernel_by(const Scheduler& scheduler, const program::Program& program,
                         const std::string& symbol, const Machine& machine) {
  auto cx = std::make_unique<program::Context>();
  CAMBIUM_TRY(const schedule::Schedule schedule,
              scheduler(*cx, program::clone_into(*cx, program)).at("schedule"));
  return coded(std::move(cx), schedule, symbol, machine);
}

// By a schedule that is given for the program, under names that it can be found by: nothing where
// none is given.
std::optional<Result<Kernel>> tuned_kernel(const program::Program& program,
                                           const std::string& symbol, const Options& options) {
  if (!options.schedules) return std::nullopt;
  program::Context own;
  const program::Program named = program::canonical(own, program);
  const auto trace = options.schedules(named);
  if (!trace) return std::nullopt;
  const auto replayed = [&](program::Context& cx,
                            const program::Program& p) -> Result<schedule::Schedule> {
    CAMBIUM_TRY(schedule::Schedule schedule, schedule::replay(cx, p, *trace));
    CAMBIUM_REQUIRE(program::check(cx, schedule.program(), program::Stage::Ready));
    return schedule;
  };
  auto kernel = kernel_by(replayed, named, symbol, options.machine);
  if (kernel.ok()) kernel->is_tuned = true;
  return kernel;
}

// Where the schedule that is given does not work, the default one does, and where that does not,
// the plain one: a model is not refused for a kernel that could be slower.
Result<Kernel> make_kernel(const program::Program& program, const std::string& symbol,
                           const Options& options) {
  std::string fallback;
  if (auto tuned = tuned_kernel(program, symbol, options)) {
    if (tuned->ok()) return std::move(*tuned);
    fallback = "the given schedule was refused: " + tuned->rejection().message();
  }
  const auto usual = [&](program::Context& cx, const program::Program& p) {
    return schedule::default_schedule(cx, p, options.machine);
  };
  Result<Kernel> kernel = kernel_by(usual, program, symbol, options.machine);
  if (!kernel.ok() && kernel.rejection().reason() != Reason::Unavailable) {
    Result<Kernel> plain = kernel_by(schedule::plain_schedule, program, symbol, options.machine);
    if (!plain.ok()) return kernel;
    if (!fallback.empty()) fallback += "; ";
    fallback += "the default schedule was refused: " + kernel.rejection().message();
    kernel = std::move(plain);
  }
  if (kernel.ok()) kernel->fallback = std::move(fallback);
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
