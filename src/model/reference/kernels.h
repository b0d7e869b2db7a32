// Internal to the reference executor: one `run` per operator over inputs that inference has
// accepted, and shared helpers. Numbers are computed in double, int64 or uint64 and stored once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "model/convert.h"
#include "model/op.h"

namespace cambium::model::reference {

struct Task {
  std::span<const Tensor> inputs;
  std::span<const TensorType> outputs;
  ThreadPool* pool = nullptr;

  // Calls body(begin, end) over pieces of [0, n). The result of a piece must not depend on other
  // pieces.
  template <class Body>
  void spread(std::int64_t n, std::int64_t grain, const Body& body) const {
    if (pool != nullptr) {
      pool->parallel_for(n, grain, body);
    } else if (n > 0) {
      body(std::int64_t{0}, n);
    }
  }
};

using Computed = Result<std::vector<Tensor>>;

#define CAMBIUM_X(op, name, fewest, most, outputs) Computed run(const op& op_, const Task& task);
CAMBIUM_FOR_EACH_OP(CAMBIUM_X)
#undef CAMBIUM_X

// The types in which elements of type T are computed and summed. Integer sums wrap, so they are
// unsigned.
template <class T>
using Compute =
    std::conditional_t<is_float_element<T>, double,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
template <class T>
using Sum = std::conditional_t<is_float_element<T>, double, std::uint64_t>;

// The elements of a result during its computation.
template <class T>
class Fresh {
 public:
  explicit Fresh(const TensorType& type)
      : type_(type), bytes_(static_cast<std::size_t>(type.bytes())) {}

  T* data() { return reinterpret_cast<T*>(bytes_.data()); }
  Tensor done() && { return {std::move(type_), std::move(bytes_)}; }
  Computed only() && { return std::vector<Tensor>{std::move(*this).done()}; }

 private:
  TensorType type_;
  std::vector<std::byte> bytes_;
};

// Row-major strides, in elements.
inline Ints strides_of(const Ints& dims) {
  Ints strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

inline std::int64_t product(std::span<const std::int64_t> dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  return count;
}

// Elements per piece of work if each element costs a few nanoseconds.
inline constexpr std::int64_t kGrain = 1 << 14;

}  // namespace cambium::model::reference
