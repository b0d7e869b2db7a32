#include "measure/staging.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace cambium::measure {
namespace {

using program::Array;

constexpr std::uint64_t kAlignment = 64;

Status check_arguments(const KernelBuffers& buffers, const std::vector<const Array*>& arguments) {
  std::size_t next = 0;
  for (const auto& buffer : buffers.buffers) {
    if (buffer.is_output) continue;
    if (next == arguments.size()) {
      return Rejection(Reason::WrongArgument, buffer.name, "it is missing");
    }
    const Array& argument = *arguments[next++];
    if (argument.dtype != buffer.dtype) {
      return Rejection(Reason::WrongArgument, buffer.name,
                       "it is " + std::string(name_of(argument.dtype)) + ", not " +
                           std::string(name_of(buffer.dtype)));
    }
    if (argument.size() != buffer.elements) {
      return Rejection(Reason::WrongArgument, buffer.name,
                       "it has " + std::to_string(argument.size()) + " elements, not " +
                           std::to_string(buffer.elements));
    }
  }
  if (next != arguments.size()) {
    return Rejection(Reason::WrongArgument, std::to_string(next), "there is no such input");
  }
  return Ok{};
}

void store(const Array& array, char* to) {
  visit_dtype(array.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* const elements = reinterpret_cast<T*>(to);
    std::visit(
        [&](const auto& values) {
          for (std::size_t i = 0; i < values.size(); ++i) {
            if constexpr (std::is_arithmetic_v<T>) {
              elements[i] = static_cast<T>(values[i]);
            } else {
              elements[i] = T(static_cast<double>(values[i]));
            }
          }
        },
        array.elements);
  });
}

Array load(const KernelBuffers::Buffer& buffer, const char* from) {
  Array array;
  array.dtype = buffer.dtype;
  const auto size = static_cast<std::size_t>(buffer.elements);
  visit_dtype(buffer.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      std::vector<T> values(size);
      std::memcpy(values.data(), from, size * sizeof(T));
      array.elements = std::move(values);
    } else if constexpr (std::is_same_v<T, bool>) {  // a kernel may have left other bytes there
      array.elements =
          std::vector<std::int64_t>(reinterpret_cast<const std::uint8_t*>(from),
                                    reinterpret_cast<const std::uint8_t*>(from) + size);
    } else if constexpr (std::is_integral_v<T>) {
      const T* const elements = reinterpret_cast<const T*>(from);
      std::vector<std::int64_t> values(size);
      for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<std::int64_t>(elements[i]);
      array.elements = std::move(values);
    } else {
      const T* const elements = reinterpret_cast<const T*>(from);
      std::vector<float> values(size);
      for (std::size_t i = 0; i < size; ++i) {
        values[i] = static_cast<float>(static_cast<double>(elements[i]));
      }
      array.elements = std::move(values);
    }
  });
  return array;
}

// The first element that still holds the poison, or -1. Types of one and two bytes cannot tell
// (bool can, whose bytes are 0 and 1): there the comparison with what is expected has to.
std::int64_t untouched_element(const KernelBuffers::Buffer& buffer, const char* from) {
  const std::int64_t width = size_of(buffer.dtype);
  const std::uint64_t twice = (std::uint64_t{kPoison} << 32) | kPoison;
  for (std::int64_t i = 0; i < buffer.elements; ++i) {
    const char* const at = from + i * width;
    if (width >= 4 && std::memcmp(at, &twice, static_cast<std::size_t>(width)) == 0) return i;
    if (buffer.dtype == DType::Bool && static_cast<unsigned char>(*at) > 1) return i;
  }
  return -1;
}

}  // namespace

Staging::~Staging() {
  if (mapped_ != nullptr) ::munmap(mapped_, bytes_);
}

// The end of a buffer is as near to its guard as an aligned start allows.
Area Staging::reserve(std::uint64_t bytes, bool is_writable) {
  Area area;
  area.offset = bytes_;
  area.pages = std::max<std::uint64_t>((bytes + kPage - 1) / kPage, 1);
  area.start = (area.pages * kPage - bytes) / kAlignment * kAlignment;
  area.bytes = bytes;
  area.is_writable = is_writable;
  bytes_ += area.pages * kPage;
  return area;
}

Status Staging::add(const codegen::ObjectCode& code, const KernelBuffers& buffers,
                    std::vector<const Array*> arguments, std::int64_t threads) {
  CAMBIUM_REQUIRE(codegen::check_format(code, codegen::CodeFormat::Elf, "the runner"));
  CAMBIUM_REQUIRE(check_arguments(buffers, arguments));
  std::int64_t total = static_cast<std::int64_t>(bytes_);
  bool fits = !__builtin_add_overflow(total, static_cast<std::int64_t>(code.bytes.size()), &total);
  for (const auto& buffer : buffers.buffers) {
    std::int64_t bytes = 0;
    fits = fits && buffer.elements >= 0 &&
           !__builtin_mul_overflow(buffer.elements, size_of(buffer.dtype), &bytes) &&
           !__builtin_add_overflow(total, bytes, &total);
  }
  std::int64_t workspace = 0;
  fits = fits && code.workspace.shared_bytes >= 0 && code.workspace.worker_bytes >= 0 &&
         !__builtin_mul_overflow(threads, code.workspace.worker_bytes, &workspace) &&
         !__builtin_add_overflow(workspace, code.workspace.shared_bytes, &workspace) &&
         !__builtin_add_overflow(total, workspace, &total);
  if (!fits) total = std::numeric_limits<std::int64_t>::max();
  if (total > limit_) return Rejection(Reason::KernelMemory, total, limit_);

  Job job;
  job.symbol = code.symbol;
  job.object = reserve(code.bytes.size(), false);
  for (const auto& buffer : buffers.buffers) {
    job.buffers.push_back(reserve(
        static_cast<std::uint64_t>(buffer.elements * size_of(buffer.dtype)), buffer.is_output));
  }
  job.workspace = reserve(static_cast<std::uint64_t>(workspace), true);
  jobs_.push_back(std::move(job));
  sources_.push_back({&code, &buffers, std::move(arguments)});
  return Ok{};
}

void Staging::poison(const Area& area) {
  auto* const words = reinterpret_cast<std::uint32_t*>(mapped_ + area.offset);
  std::fill_n(words, area.pages * kPage / sizeof(std::uint32_t), kPoison);
}

Status Staging::write() {
  const auto size = static_cast<off_t>(bytes_);
  void* mapped = MAP_FAILED;
  if (::ftruncate(memory_, 0) == 0 && ::ftruncate(memory_, size) == 0) {
    mapped = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, memory_, 0);
  }
  if (mapped == MAP_FAILED) {
    return Rejection(Reason::RunnerFailed,
                     std::string("cannot create shared memory: ") + std::strerror(errno));
  }
  mapped_ = static_cast<char*>(mapped);
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const Job& job = jobs_[i];
    const Source& source = sources_[i];
    std::memcpy(mapped_ + job.object.offset + job.object.start, source.code->bytes.data(),
                source.code->bytes.size());
    std::size_t next = 0;
    for (std::size_t b = 0; b < job.buffers.size(); ++b) {
      const Area& area = job.buffers[b];
      poison(area);
      if (source.buffers->buffers[b].is_output) continue;
      store(*source.arguments[next++], mapped_ + area.offset + area.start);
    }
    poison(job.workspace);
  }
  return Ok{};
}

// Between the buffer and the guards of its pages there is poison, and stays there.
bool Staging::has_clean_edges(const Area& area) const {
  const char* const pages = mapped_ + area.offset;
  const auto is_clean = [pages](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const auto expected = static_cast<unsigned char>(kPoison >> (8 * (i % 4)));
      if (static_cast<unsigned char>(pages[i]) != expected) return false;
    }
    return true;
  };
  return is_clean(0, area.start) && is_clean(area.start + area.bytes, area.pages * kPage);
}

std::string Staging::name_of(std::size_t job, std::int64_t buffer) const {
  const auto& buffers = sources_[job].buffers->buffers;
  const bool is_named = buffer >= 0 && buffer < static_cast<std::int64_t>(buffers.size());
  return is_named ? buffers[static_cast<std::size_t>(buffer)].name : "the workspace";
}

Status Staging::check_guards(std::size_t job) const {
  const Job& areas = jobs_[job];
  for (std::size_t b = 0; b < areas.buffers.size(); ++b) {
    if (!has_clean_edges(areas.buffers[b])) {
      return Rejection(Reason::GuardTouched, name_of(job, static_cast<std::int64_t>(b)));
    }
  }
  if (!has_clean_edges(areas.workspace)) {
    return Rejection(Reason::GuardTouched, name_of(job, -1));
  }
  return Ok{};
}

Result<std::vector<Array>> Staging::outputs(std::size_t job) const {
  std::vector<Array> outputs;
  for (std::size_t b = 0; b < jobs_[job].buffers.size(); ++b) {
    const KernelBuffers::Buffer& buffer = sources_[job].buffers->buffers[b];
    if (!buffer.is_output) continue;
    const Area& area = jobs_[job].buffers[b];
    const char* const from = mapped_ + area.offset + area.start;
    const std::int64_t untouched = untouched_element(buffer, from);
    if (untouched >= 0) return Rejection(Reason::OutputUntouched, buffer.name, "", untouched);
    outputs.push_back(load(buffer, from));
  }
  return outputs;
}

}  // namespace cambium::measure
