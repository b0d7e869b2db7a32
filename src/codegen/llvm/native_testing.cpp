#include "codegen/llvm/native_testing.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "base/random.h"

namespace cambium::codegen {
namespace {

using program::Array;
using program::Role;

template <class T>
T element_from(const Array& array, std::size_t i) {
  if (const auto* floats = std::get_if<std::vector<float>>(&array.elements)) {
    return T(static_cast<double>((*floats)[i]));
  }
  if (const auto* doubles = std::get_if<std::vector<double>>(&array.elements)) {
    return T((*doubles)[i]);
  }
  if constexpr (std::is_class_v<T>) {
    return T();
  } else {
    return static_cast<T>(std::get<std::vector<std::int64_t>>(array.elements)[i]);
  }
}

// Between two pages that nobody may touch: at the first of them, or at the second as closely as the
// alignment lets it. Code that reads or writes beyond a buffer dies.
enum class Guarded { Front, Back };
class Memory {
 public:
  Memory(std::size_t bytes, Guarded place) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t used = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    const std::size_t inside = std::max(page, (used + page - 1) / page * page);
    size_ = inside + 2 * page;
    void* mapped = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CAMBIUM_CHECK(mapped != MAP_FAILED, "there is memory");
    mapped_ = static_cast<char*>(mapped);
    CAMBIUM_CHECK(mprotect(mapped_ + page, inside, PROT_READ | PROT_WRITE) == 0, "it is ours");
    std::memset(mapped_ + page, 0xcd, inside);
    begin_ = mapped_ + page + (place == Guarded::Front ? 0 : inside - used);
  }
  Memory(Memory&& other) noexcept
      : mapped_(std::exchange(other.mapped_, nullptr)), begin_(other.begin_), size_(other.size_) {}
  Memory& operator=(Memory&&) = delete;
  ~Memory() {
    if (mapped_ != nullptr) munmap(mapped_, size_);
  }
  char* get() const { return begin_; }

 private:
  static constexpr std::size_t kAlignment = 64;
  char* mapped_;
  char* begin_;
  std::size_t size_;
};

}  // namespace

std::string bytes_of(const Array& array) {
  return visit_dtype(array.dtype, [&](auto zero) {
    using T = decltype(zero);
    std::string bytes(static_cast<std::size_t>(array.size()) * sizeof(T), '\0');
    for (std::size_t i = 0; i < static_cast<std::size_t>(array.size()); ++i) {
      const T element = element_from<T>(array, i);
      std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
    }
    return bytes;
  });
}

Array array_of(const std::string& bytes, DType dtype) {
  Array array = visit_dtype(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> elements;
    for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
      T element;
      std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
      elements.push_back(element);
    }
    if constexpr (std::is_same_v<T, bool>) {
      Array truths;
      truths.elements = std::vector<std::int64_t>(elements.begin(), elements.end());
      return truths;
    } else {
      return Array::of(std::span<const T>(elements));
    }
  });
  array.dtype = dtype;
  return array;
}

std::vector<Array> random_arguments(const program::Program& program, std::uint64_t seed) {
  std::vector<Array> arguments;
  for (const program::Buffer* buffer : program.parameters) {
    if (buffer->role == Role::Output) continue;
    Rng rng = Rng(seed).split(buffer->name);
    Array array;
    array.dtype = buffer->dtype;
    const auto n = static_cast<std::size_t>(buffer->elements());
    if (!is_floating(buffer->dtype)) {
      std::vector<std::int64_t> wholes(n);
      const bool is_truth = buffer->dtype == DType::Bool;
      for (auto& v : wholes) v = is_truth ? rng.between(0, 1) : rng.between(0, 9);
      array.elements = std::move(wholes);
    } else if (buffer->dtype == DType::F64) {
      std::vector<double> doubles(n);
      for (auto& v : doubles) v = static_cast<double>(rng.between(-64, 64)) / 16;
      array.elements = std::move(doubles);
    } else {
      std::vector<float> floats(n);
      for (auto& v : floats) v = static_cast<float>(rng.between(-64, 64)) / 16;
      array.elements = std::move(floats);
    }
    arguments.push_back(std::move(array));
  }
  return arguments;
}

Pool::Pool(int threads) : abi_{&Pool::run, this, threads} {}

void Pool::run(void* self, std::int64_t n, std::int64_t grain, cambium_task task, void* context) {
  const std::int64_t workers = static_cast<Pool*>(self)->abi_.workers;
  std::atomic<std::int64_t> next = 0;
  std::vector<std::thread> threads;
  for (std::int64_t worker = 0; worker < workers; ++worker) {
    threads.emplace_back([&, worker] {
      for (;;) {
        const std::int64_t begin = next.fetch_add(grain);
        if (begin >= n) return;
        task(context, begin, std::min(begin + grain, n), worker);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

Result<std::vector<Array>> run_native(const program::Program& program, const ObjectCode& code,
                                      std::span<const Array> arguments, int threads) {
  CAMBIUM_TRY(const auto loaded, llvm_backend().load({&code, 1}));
  CAMBIUM_TRY(void* address, loaded->find(code.symbol));
  const Guarded place = threads == 0 ? Guarded::Back : Guarded::Front;
  std::vector<Memory> memories;
  std::vector<void*> buffers;
  std::size_t argument = 0;
  for (const program::Buffer* buffer : program.parameters) {
    const auto bytes = static_cast<std::size_t>(buffer->elements() * size_of(buffer->dtype));
    memories.emplace_back(bytes, place);
    buffers.push_back(memories.back().get());
    if (buffer->role == Role::Output) continue;
    const std::string content = bytes_of(arguments[argument++]);
    std::memcpy(memories.back().get(), content.data(), content.size());
  }
  const Memory workspace(static_cast<std::size_t>(code.workspace.bytes(std::max(threads, 1))),
                         place);
  const Pool pool(threads);
  const auto kernel = reinterpret_cast<cambium_kernel>(address);
  kernel(buffers.data(), workspace.get(), threads == 0 ? nullptr : pool.abi());
  std::vector<Array> outputs;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const program::Buffer& buffer = *program.parameters[i];
    if (buffer.role != Role::Output) continue;
    const auto bytes = static_cast<std::size_t>(buffer.elements() * size_of(buffer.dtype));
    outputs.push_back(array_of(std::string(memories[i].get(), bytes), buffer.dtype));
  }
  return outputs;
}

std::string difference(const std::vector<Array>& got, const std::vector<Array>& want,
                       double tolerance) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    const std::vector<double> x = got[i].as_doubles();
    const std::vector<double> y = want[i].as_doubles();
    if (x.size() != y.size()) return "another number of elements";
    const double allowed = is_floating(want[i].dtype) ? tolerance : 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (x[j] == y[j] || (std::isnan(x[j]) && std::isnan(y[j]))) continue;
      const double scale = std::max({std::fabs(x[j]), std::fabs(y[j]), 1.0});
      // Of an infinite scale everything is within.
      if (std::isfinite(scale) && std::fabs(x[j] - y[j]) <= allowed * scale) continue;
      return "output " + std::to_string(i) + " element " + std::to_string(j) + ": " +
             std::to_string(x[j]) + ", not " + std::to_string(y[j]);
    }
  }
  return "";
}

std::string mismatch(program::Context& cx, const program::Program& program,
                     std::span<const Array> arguments, double tolerance) {
  const auto want = program::interpret(cx, program, arguments);
  if (!want.ok()) return want.rejection().message();
  const auto code = compile_kernel(cx, program, host_machine());
  if (!code.ok()) return code.rejection().message();
  for (int threads : {0, 2}) {
    const auto got = run_native(program, *code, arguments, threads);
    if (!got.ok()) return got.rejection().message();
    const std::string words = difference(*got, *want, tolerance);
    if (!words.empty()) return words + (threads == 0 ? "" : " (with threads)");
  }
  return "";
}

std::string mismatch(program::Context& cx, const program::Program& program, std::uint64_t seed,
                     double tolerance) {
  return mismatch(cx, program, random_arguments(program, seed), tolerance);
}

}  // namespace cambium::codegen
