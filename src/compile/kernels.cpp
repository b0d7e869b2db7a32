#include "compile/kernels.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "compile/arrays.h"
#include "program/canonical.h"
#include "program/clone.h"
#include "program/interpret.h"
#include "schedule/defaults/default_schedule.h"

namespace cambium::compile {
namespace {

std::int64_t bytes_of(const program::Buffer& buffer) {
  return buffer.elements() * size_of(buffer.dtype);
}

// The code of a scheduled program and of its constant part.
Result<Kernel> coded(Result<Scheduled> chosen, const std::string& symbol, const Machine& machine) {
  CAMBIUM_TRY(Scheduled scheduled, std::move(chosen));
  program::Context& cx = *scheduled.cx;
  Kernel kernel{std::move(scheduled), {}, {}, {}};
  CAMBIUM_TRY(kernel.built, build_kernel(cx, kernel.scheduled.schedule.program(), machine, symbol));
  const ConstantPart& part = kernel.built.part;
  kernel.packed_bytes.resize(part.packed);
  if (!part.load) return kernel;
  for (std::size_t i = 0; i < part.load_parameters.size(); ++i) {
    const Source source = part.load_parameters[i];
    if (source.packed) kernel.packed_bytes[source.index] = bytes_of(*part.load->parameters[i]);
  }
  if (machine.runs_here()) {
    CAMBIUM_TRY(kernel.load_code, build_load(cx, part, machine, symbol + "_load"));
  }
  return kernel;
}

// By the given schedule, if there is one. Its source knows the program under canonical names.
std::optional<Result<Scheduled>> given(const program::Program& program, const Options& options) {
  if (!options.schedules) return std::nullopt;
  auto cx = std::make_unique<program::Context>();
  auto found = options.schedules(*cx, program::canonical(*cx, program));
  if (!found) return std::nullopt;
  Result<schedule::Schedule> made = std::move(*found).at("schedule");
  if (!made.ok()) return Result<Scheduled>(made.rejection());
  Scheduled scheduled{std::move(cx), std::move(made).value()};
  scheduled.is_tuned = true;
  return Result<Scheduled>(std::move(scheduled));
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

// The first default schedule that code generation takes and whose inner loops do not touch the
// stack. Only tiled schedules are compared by their spills: the others do not spill, and are slower
// than a tile with a few spills.
Result<Kernel> default_kernel(const program::Program& program, const std::string& symbol,
                              const Options& options) {
  std::string notes;
  std::optional<Kernel> spilling;
  std::optional<Rejection> first;
  const auto pass_over_default = [&](schedule::Default which, const Rejection& why) {
    pass_over(notes, schedule::name_of(which), why.message());
  };
  for (const schedule::Default which : schedule::kDefaults) {
    const bool is_tiled = schedule::has_tiles(which);
    if (!is_tiled && spilling) break;
    Result<Kernel> kernel =
        coded(scheduled_by(program, options.machine, which), symbol, options.machine);
    if (!kernel.ok()) {
      if (!first) first = kernel.rejection();
      if (kernel.rejection().reason() == Reason::Unavailable) break;
      pass_over_default(which, kernel.rejection());
      continue;
    }
    const std::int64_t spills = kernel->built.code.facts.loop_spills;
    Scheduled& made = kernel->scheduled;
    made.fallback =
        is_tiled
            ? with_untiled(notes, schedule::untiled_contraction(program, made.schedule.trace()))
            : notes;
    if (spills == 0 || !is_tiled) return kernel;
    if (!spilling || spills < spilling->built.code.facts.loop_spills) {
      spilling = std::move(kernel).value();
    }
    pass_over_default(which, Rejection(Reason::SpillsInLoop, spills));
  }
  if (spilling) return std::move(*spilling);
  return *first;
}

}  // namespace

Result<Scheduled> scheduled_by(const program::Program& program, const Machine& machine,
                               schedule::Default which) {
  auto cx = std::make_unique<program::Context>();
  const program::Program own = program::clone_into(*cx, program);
  CAMBIUM_TRY(schedule::Schedule made,
              schedule::default_schedule(*cx, own, machine, which).at("schedule"));
  Scheduled scheduled{std::move(cx), std::move(made)};
  scheduled.by_default = which;
  scheduled.is_plain = which == schedule::Default::Plain;
  return scheduled;
}

Result<Kernel> make_kernel(const program::Program& program, const std::string& symbol,
                           const Options& options) {
  std::string notes;
  if (auto tuned = given(program, options)) {
    Result<Kernel> kernel = coded(std::move(*tuned), symbol, options.machine);
    if (kernel.ok()) return kernel;
    pass_over(notes, "the given schedule", kernel.rejection().message());
  }
  CAMBIUM_TRY(Kernel kernel, default_kernel(program, symbol, options));
  std::string& fallback = kernel.scheduled.fallback;
  if (!notes.empty() && !fallback.empty()) notes += "; ";
  fallback = notes + fallback;
  return kernel;
}

Result<Scheduled> first_schedule(const program::Program& program, const Options& options) {
  if (auto tuned = given(program, options); tuned && tuned->ok()) return std::move(*tuned);
  return scheduled_by(program, options.machine, schedule::kDefaults.front());
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

Result<Loader> Loader::create(std::span<const Kernel> kernels, const Machine& machine) {
  std::vector<codegen::ObjectCode> objects;
  for (const Kernel& kernel : kernels) {
    if (kernel.load_code) objects.push_back(*kernel.load_code);
  }
  if (objects.empty()) return Loader(nullptr);
  CAMBIUM_TRY(const codegen::Backend* const backend, codegen::backend_for(machine));
  CAMBIUM_TRY(std::unique_ptr<codegen::LoadedCode> code, backend->load(objects));
  return Loader(std::move(code));
}

Status Loader::load(const Kernel& kernel, std::span<const std::span<const std::byte>> constants,
                    std::span<std::byte* const> packed) {
  const ConstantPart& part = kernel.built.part;
  if (!part.load) return Ok{};
  if (kernel.load_code) {
    CAMBIUM_TRY(void* const address, code_->find(kernel.load_code->symbol));
    std::vector<void*> buffers;
    for (const Source source : part.load_parameters) {
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
  for (std::size_t i = 0; i < part.load_parameters.size(); ++i) {
    const Source source = part.load_parameters[i];
    if (source.packed) continue;
    arguments.push_back(array_of(part.load->parameters[i]->dtype, constants[source.index]));
  }
  CAMBIUM_TRY(const std::vector<program::Array> results,
              program::interpret(*kernel.scheduled.cx, *part.load, arguments));
  for (std::size_t i = 0; i < results.size(); ++i) {  // outputs come in the order of the buffers
    store(results[i], {packed[i], static_cast<std::size_t>(kernel.packed_bytes[i])});
  }
  return Ok{};
}

}  // namespace cambium::compile
