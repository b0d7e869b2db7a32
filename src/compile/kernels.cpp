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

// Notes, for people, why a schedule was passed over.
void pass_over(std::string& notes, std::string_view which, const std::string& why) {
  notes += fmt::format("{}{} was refused: {}", notes.empty() ? "" : "; ", which, why);
}

// The same, and that a contraction has no register tile. That is no reason to take the next
// default: no rule that it has would make one.
std::string with_untiled(const std::string& notes, const std::string& contraction) {
  if (contraction.empty()) return notes;
  return fmt::format("{}{}no rule gives '{}' a register tile", notes, notes.empty() ? "" : "; ",
                     contraction);
}

// The first default schedule that code generation takes, and whose inner loops do not touch the
// stack. Of the tiled ones alone: simpler ones do not spill, and are slower than a few spills.
Result<Kernel> default_kernel(const program::Program& program, const std::string& symbol,
                              const Options& options) {
  std::string notes;
  std::optional<Kernel> spilling;
  std::string untiled;
  std::optional<Rejection> first;
  for (const schedule::Default which : schedule::kDefaults) {
    const bool is_tiled = schedule::has_tiles(which);
    if (!is_tiled && spilling) break;
    const auto scheduler = [&](program::Context& cx, const program::Program& p) {
      auto made = schedule::default_schedule(cx, p, options.machine, which);
      if (made.ok()) untiled = schedule::untiled_contraction(p, made->trace());
      return made;
    };
    Result<Kernel> kernel = kernel_by(scheduler, program, symbol, options.machine);
    if (!kernel.ok()) {
      if (!first) first = kernel.rejection();
      if (kernel.rejection().reason() == Reason::Unavailable) break;
      pass_over(notes, schedule::name_of(which), kernel.rejection().message());
      continue;
    }
    kernel->is_plain = which == schedule::Default::Plain;
    const std::int64_t spills = kernel->code.facts.loop_spills;
    if (spills == 0 || !is_tiled) {
      kernel->fallback = is_tiled ? with_untiled(notes, untiled) : notes;
      return kernel;
    }
    if (!spilling || spills < spilling->code.facts.loop_spills) {
      spilling = std::move(kernel).value();
      spilling->fallback = with_untiled(notes, untiled);
    }
    pass_over(notes, schedule::name_of(which), Rejection(Reason::SpillsInLoop, spills).message());
  }
  if (spilling) return std::move(*spilling);
  return *first;
}

}  // namespace

Result<Kernel> make_kernel(const program::Program& program, const std::string& symbol,
                           const Options& options) {
  std::string notes;
  if (auto tuned = tuned_kernel(program, symbol, options)) {
    if (tuned->ok()) return std::move(*tuned);
    pass_over(notes, "the given schedule", tuned->rejection().message());
  }
  CAMBIUM_TRY(Kernel kernel, default_kernel(program, symbol, options));
  if (!notes.empty() && !kernel.fallback.empty()) notes += "; ";
  kernel.fallback = notes + kernel.fallback;
  return kernel;
}

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
